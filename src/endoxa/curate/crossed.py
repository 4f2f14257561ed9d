"""Crossed identities and their parts: "young nigerian men" are young people, Nigerians and men."""

from __future__ import annotations

import polars as pl

from endoxa.curate.associations import association_id
from endoxa.curate.english import is_plural
from endoxa.curate.normalise.identity import normal_identity
from endoxa.curate.normalise.names import is_group, people_plural
from endoxa.sources.identities import identity_key

EVERYBODY = frozenset({"people", "persons", "folks", "ones", "individuals", "members", "others"})
"""Heads that name no group: "old people" has one part."""
CROSS_OF = "cross_of"
"""Column of the association whose crossed identity a part belongs to; empty in all other rows."""


def parts_of(identity: str) -> tuple[str, ...]:
    """The groups that a crossed identity belongs to, by its English words; empty where it is not crossed.

    Every word before the last must name a people, faith, age or other group that is known; the last is a group in the
    plural: "igbo women" are Igbo people and women. "Taxi drivers" and "poor women" are not taken apart.

    Args:
        identity: the group, in the plural.
    """
    *modifiers, head = identity_key(identity).split() or [""]
    if not modifiers or not (is_group(head) or is_plural(head)):
        return ()
    parts = []
    for modifier in modifiers:
        part = people_plural(modifier) or (normal_identity(modifier) if is_group(modifier) else "")
        if not part:
            return ()
        parts.append(part)
    if head not in EVERYBODY:
        parts.append(normal_identity(head) if is_group(head) else head)
    distinct = tuple(dict.fromkeys(parts))
    return distinct if len(distinct) > 1 else ()


def with_parts(associations: pl.DataFrame, language: str = "en") -> tuple[pl.DataFrame, int]:
    """The table with a row for each part of every crossed identity, and how many identities are crossed.

    A row of a part says the same of the part. It follows all rows of the table, so that what people said of the part
    itself comes first and is not made twice. Words are taken apart in English only.

    Args:
        associations: identity, attribute, and further columns.
        language: of rows that name none.
    """
    rows, crossed = [], set()
    for row in associations.iter_rows(named=True):
        key = identity_key(row["identity"] or "")
        english = (row.get("language") or language).startswith("en")
        parts = parts_of(key) if english else ()
        crossed |= {key} if parts else set()
        about = (str(row.get(name) or "") for name in ("identity", "attribute", "axis", "region", "source"))
        name = row.get("association_id") or association_id(*about)
        rows += [
            {
                **row,
                **dict.fromkeys({"identity_key", "agreement"} & row.keys(), ""),
                "identity": part,
                "association_id": f"{name}-part{number}",
                CROSS_OF: name,
            }
            for number, part in enumerate(parts, start=1)
        ]
    if "association_id" not in associations.columns:
        associations = associations.with_columns(association_id=pl.lit(""))
    full = associations.with_columns(pl.lit("").alias(CROSS_OF))
    return pl.concat([full, pl.DataFrame(rows, schema=full.schema)]), len(crossed)
