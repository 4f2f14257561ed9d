"""Grouping attributes of like meaning, never opposites or negations, whatever the order of the rows."""

from endoxa.curate.group.attributes import Existing, read_attributes, read_existing
from endoxa.curate.group.run import TAU, Method, group_attributes, method_named

__all__ = [
    "TAU",
    "Existing",
    "Method",
    "group_attributes",
    "method_named",
    "read_attributes",
    "read_existing",
]
