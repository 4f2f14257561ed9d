"""From an answer to the option it names, in five outcomes that are kept apart."""
