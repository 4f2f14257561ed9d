"""Pages of cards: rate a pair, skip it, add pairs, undo, pause."""
