"""Tables for researchers: declared columns only."""
