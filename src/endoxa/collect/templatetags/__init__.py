"""Tags that templates load."""
