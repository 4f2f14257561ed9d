"""Comparisons side by side: runs of the same items (measures, price, items that changed), editions of their data."""
