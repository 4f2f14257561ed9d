"""Thoughts of models about questions: what reader models and people read in them, and how they agree."""
