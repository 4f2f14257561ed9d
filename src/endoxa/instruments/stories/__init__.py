"""Open-ended stories: which attributes models tie together, how harmful that is, and how languages differ."""
