"""The card: rate a pair, skip it, add others, take back, pause."""
