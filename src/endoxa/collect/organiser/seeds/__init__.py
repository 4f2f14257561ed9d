"""Seeds: upload with preview and report of duplicates."""
