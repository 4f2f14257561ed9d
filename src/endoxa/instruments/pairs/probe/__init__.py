"""From sentence pairs and models to records: one row per pair, model and rule."""
