"""Protection of the site: headers, limits, codes, sessions, logs."""
