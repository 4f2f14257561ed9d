"""What protects the site: headers, limits."""
