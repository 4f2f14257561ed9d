"""One name for one group, one form for one attribute; the raw text is kept beside."""

from endoxa.curate.normalise.attribute import normal_attribute
from endoxa.curate.normalise.identity import (
    ends_head,
    foreign_identity,
    native_identity,
    normal_identity,
    own_name,
)
from endoxa.curate.normalise.names import Tables, is_group, is_people, tables, with_identities

__all__ = [
    "Tables",
    "ends_head",
    "foreign_identity",
    "is_group",
    "is_people",
    "native_identity",
    "normal_attribute",
    "normal_identity",
    "own_name",
    "tables",
    "with_identities",
]
