"""Convergence on a page: sections for the page of a study."""
