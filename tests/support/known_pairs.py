"""How well a grouping keeps to pairs of attributes of which it is known whether they belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from endoxa.curate.group.terms import key
from endoxa.curate.opposites import Lexicon, concepts, flipped, is_negation_of
from endoxa.sources.frames import read_table

SURFACE, NEGATION = "surface_variant", "rule_negation"
COLUMNS = ("attribute_a", "attribute_b", "relation")
MOST_GENERATED = 2000
"""Generated pairs of one kind."""


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


def generate_constraints(attributes: Sequence[str], lexicon: Lexicon, seed: int = 0) -> list[Constraint]:
    """Surface variants, opposites and negations among the attributes, by the rules that our own grouping follows.

    They tell how the published method does; our own keeps to them by construction, up to texts that are cleaned
    before they are compared. Of each kind at most `MOST_GENERATED` are drawn.
    """
    names = sorted(set(attributes))
    by_key: dict[str, list[str]] = {}
    for name in names:
        by_key.setdefault(key(name, lexicon), []).append(name)
    same = [pair for variants in by_key.values() for pair in combinations(variants, 2)]
    opposite = _opposites([variants[0] for variants in by_key.values()], lexicon)
    drawn = np.random.default_rng(seed)
    return [Constraint(first, second, "same", SURFACE) for first, second in _sample(same, drawn)] + [
        Constraint(
            first,
            second,
            "opposite",
            NEGATION if is_negation_of(first, second, lexicon=lexicon) else "rule_lexical",
        )
        for first, second in _sample(opposite, drawn)
    ]


def _opposites(names: Sequence[str], lexicon: Lexicon) -> list[tuple[str, str]]:
    """Pairs that assert opposite ends of a scale, found through an index of the scales."""
    asserting: dict[tuple[str, int], list[str]] = {}
    facts = {name: concepts(name, lexicon) for name in names}
    for name, asserted in facts.items():
        for concept in asserted:
            asserting.setdefault(concept, []).append(name)
    pairs = {
        (name, other)
        for name, asserted in facts.items()
        for concept in flipped(asserted)
        for other in asserting.get(concept, ())
        if name < other
    }
    return sorted(pairs)


def _sample(pairs: Sequence[tuple[str, str]], drawn: np.random.Generator) -> list[tuple[str, str]]:
    if len(pairs) <= MOST_GENERATED:
        return list(pairs)
    return [pairs[place] for place in sorted(drawn.choice(len(pairs), MOST_GENERATED, replace=False))]


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
