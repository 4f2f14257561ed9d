"""The report of sentence pairs."""
