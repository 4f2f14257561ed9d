"""Multiple-choice questions about people (BBQ): whom a model picks, with groups or with names."""
