"""Grammar of sentences about groups: subjects, predicates and their denial, by language."""
