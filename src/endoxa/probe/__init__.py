"""From items and models to records: one row per item x model x rule."""
