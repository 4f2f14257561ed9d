"""Inferences, decisions and word lists: what models conclude, decide and associate, from the same associations."""
