"""Scripts that measure: how fast, and how often right."""
