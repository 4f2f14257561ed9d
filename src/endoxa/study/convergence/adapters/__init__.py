"""From run folders to parts, one module for each instrument.

Each returns the columns `model` (as in the run), `language`, `association_id`, `part` and `value`; `converge` adds
identity and instrument and keeps languages apart.
"""

MEASURED = ("model", "language", "association_id", "part", "value")
"""Columns of what adapters return."""
