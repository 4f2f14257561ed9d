"""Campaigns to begin with: their settings and seeds, and what reads them."""
