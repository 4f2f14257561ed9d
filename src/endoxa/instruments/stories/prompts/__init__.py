"""Prompts for stories: one named attribute, a scenario, and a request, in several languages (Le Jeune et al. 2026)."""
