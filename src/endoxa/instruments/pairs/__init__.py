"""Sentence pairs: which of two sentences a language model finds more probable."""
