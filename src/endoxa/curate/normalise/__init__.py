"""One name for one group, one form for one attribute; the raw text is kept beside."""

from endoxa.curate.normalise.attribute import normal_attribute
from endoxa.curate.normalise.identity import (
    Tables,
    ends_head,
    foreign_identity,
    is_group,
    is_people,
    normal_identity,
    tables,
    with_identities,
)

__all__ = [
    "Tables",
    "ends_head",
    "foreign_identity",
    "is_group",
    "is_people",
    "normal_attribute",
    "normal_identity",
    "tables",
    "with_identities",
]
