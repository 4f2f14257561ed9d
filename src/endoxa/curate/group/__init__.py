"""Grouping attributes of like meaning, never opposites or negations, whatever the order of the rows."""

from endoxa.curate.group.run import (
    TAU,
    Existing,
    Method,
    group_attributes,
    method_named,
    read_attributes,
    read_existing,
)

__all__ = [
    "TAU",
    "Existing",
    "Method",
    "group_attributes",
    "method_named",
    "read_attributes",
    "read_existing",
]
