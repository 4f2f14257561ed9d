"""The dashboard and the projector page: totals only, never figures of one person."""
