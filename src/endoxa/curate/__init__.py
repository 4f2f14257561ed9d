"""Curating: from free-text answers to associations of identities and attributes."""
