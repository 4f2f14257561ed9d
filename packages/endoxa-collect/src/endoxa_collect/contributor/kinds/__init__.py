"""Pages of list and comparison cards: which have you heard, which is said more."""
