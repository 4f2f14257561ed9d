"""Exports and releases by page."""
