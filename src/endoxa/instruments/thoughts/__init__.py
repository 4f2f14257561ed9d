"""Thoughts of models in the runs of any instrument: what reader models and people read in them, and how they agree."""
