"""The dashboard and the projector page: counts of the whole, never of one person."""
