"""Exporting: data sets for others, as a release folder or as a task of another harness."""
