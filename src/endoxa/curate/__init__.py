"""Curating: from free-text answers to associations of identities and attributes."""

from endoxa import as_verb

as_verb(__name__)
