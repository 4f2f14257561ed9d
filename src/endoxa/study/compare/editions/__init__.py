"""Two editions of a survey side by side: what is new, lost and kept, and whose share changed."""
