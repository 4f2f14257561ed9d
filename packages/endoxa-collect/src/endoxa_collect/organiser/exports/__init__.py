"""Pages of exports and releases."""
