"""How well a grouping keeps to pairs of attributes of which it is known whether they belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from endoxa.sources.frames import read_table

SURFACE, NEGATION = "surface_variant", "rule_negation"
COLUMNS = ("attribute_a", "attribute_b", "relation")


@dataclass(frozen=True, slots=True)
class Constraint:
    """Two attributes, whether they are 'same', 'opposite' or 'different', and by which `source` that is known."""

    first: str
    second: str
    relation: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a grouping; None where there is no pair of the kind.

    Attributes:
        united: share of the surface variants that are in one group.
        opposites_merged: share of the opposites (negations too) that are in one group.
        negations_merged: share of the negations that are.
        f1: F1 over all pairs; a pair is predicted where both are in one group, and true where they are the same.
    """

    united: float | None
    opposites_merged: float | None
    negations_merged: float | None
    f1: float | None


def read_constraints(path: Path) -> list[Constraint]:
    """Pairs: columns attribute_a, attribute_b, relation (same, opposite, different) and, where known, source."""
    rows = read_table(path, COLUMNS).iter_rows(named=True)
    return [
        Constraint(*((row[name] or "").strip() for name in COLUMNS), row.get("source") or "") for row in rows
    ]


def score(groups: Mapping[str, str], constraints: Sequence[Constraint]) -> Scores:
    """Scores of the groups (id by attribute). Pairs of which an attribute is not there are left out."""
    usable = [pair for pair in constraints if pair.first in groups and pair.second in groups]
    together = [groups[pair.first] == groups[pair.second] for pair in usable]

    def share(kind: Sequence[bool]) -> float | None:
        inside = [merged for merged, of_kind in zip(together, kind, strict=True) if of_kind]
        return sum(inside) / len(inside) if inside else None

    cells = Counter((pair.relation == "same", merged) for pair, merged in zip(usable, together, strict=True))
    hits = cells[True, True]
    wrong = cells[True, False] + cells[False, True]
    return Scores(
        united=share([pair.source == SURFACE for pair in usable]),
        opposites_merged=share([pair.relation == "opposite" for pair in usable]),
        negations_merged=share([pair.source == NEGATION for pair in usable]),
        f1=2 * hits / (2 * hits + wrong) if hits or wrong else None,
    )
