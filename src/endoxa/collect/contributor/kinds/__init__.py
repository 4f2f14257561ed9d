"""Pages of the cards that are no ratings: which have you heard, which is said more."""
