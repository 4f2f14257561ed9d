"""Groupings over a grid of thresholds, each with its silhouette.

The threshold is what AfriStereo left open (section 3.3.2, last paragraph). The silhouette (Rousseeuw 1987) is that of
scikit-learn.

How well a grouping keeps to pairs of attributes of which it is known whether they belong together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import combinations
from pathlib import Path
from typing import get_args

import numpy as np
import polars as pl

from endoxa.curate.encoders import Encoder, Vectors
from endoxa.curate.group import Method, group_attributes
from endoxa.curate.group.terms import clean, key
from endoxa.curate.opposites import Lexicon, concepts, flipped, is_negation_of
from endoxa.errors import UserError
from endoxa.sources.frames import read_table

RELATIONS = ("same", "opposite", "different")
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
    """Read pairs: columns attribute_a, attribute_b, relation (same, opposite, different) and, where known, source.

    The source `surface_variant` marks pairs that differ on the surface only, `rule_negation` negations.

    Raises:
        UserError: the file cannot be read, or a relation is none of the three.
    """
    constraints = []
    for number, row in enumerate(read_table(path, COLUMNS).iter_rows(named=True), start=1):
        if row["relation"] not in RELATIONS:
            raise UserError(
                f"{path}, row {number}, column 'relation': '{row['relation']}' is invalid. Expected one of: "
                f"{', '.join(RELATIONS)}."
            )
        first, second, relation = ((row[column] or "").strip() for column in COLUMNS)
        constraints.append(Constraint(first, second, relation, row.get("source") or ""))
    return constraints


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


def silhouette(vectors: Vectors, labels: Sequence[str]) -> float | None:
    """Mean silhouette under cosine distance; None where all members are in one group, or each in its own.

    Args:
        vectors: unit vectors, shape (n, d).
        labels: group of each row.
    """
    from sklearn.metrics import silhouette_score  # of the extra [curate]

    if not 1 < len(set(labels)) < len(labels):
        return None
    return float(silhouette_score(vectors, labels, metric="cosine"))


TAUS = tuple(round(0.3 + 0.05 * step, 2) for step in range(11))
"""Thresholds of `--calibrate`."""
SCORES = ("silhouette", *(score.name for score in fields(Scores)))
SCHEMA = {"method": pl.String, "tau": pl.Float64}
SCHEMA |= dict.fromkeys(("groups", "alone", "largest"), pl.Int64) | dict.fromkeys(SCORES, pl.Float64)
"""Columns of the table: groups, groups of one attribute, attributes of the largest group, and the scores."""


def thresholds_table(
    counts: Mapping[str, int],
    encoder: Encoder,
    lexicon: Lexicon,
    taus: Sequence[float],
    constraints: Sequence[Constraint],
    *,
    tell: Callable[[str], None] = lambda _: None,
) -> pl.DataFrame:
    """One row for each method and threshold, with the columns of `SCHEMA`.

    The silhouette of both methods is taken over the same vectors, those of the attributes without copula.

    Args:
        counts: respondents by attribute.
        encoder: texts to unit vectors; each text is encoded once.
        lexicon: opposites of the attributes' language.
        taus: thresholds.
        constraints: pairs that are known to belong together or not.
        tell: is told which row comes next.
    """
    once = _remembering(encoder)
    vectors = once([clean(count, lexicon) for count in counts])
    rows = []
    for method in get_args(Method):
        for tau in taus:
            tell(f"{method} at {tau:g}")
            table = group_attributes(counts, once, lexicon, tau=tau, method=method)
            groups: dict[str, str] = dict(table.select("attribute", "group_id").iter_rows())
            sizes = table["group_id"].value_counts()["count"]
            measured = silhouette(vectors, [groups[count] for count in counts])
            rows.append(
                {
                    "method": method,
                    "tau": tau,
                    "groups": len(sizes),
                    "alone": int((sizes == 1).sum()),
                    "largest": sizes.max(),
                    "silhouette": measured,
                    **asdict(score(groups, constraints)),
                }
            )
    return pl.DataFrame(rows, schema=SCHEMA)


def _remembering(encoder: Encoder) -> Encoder:
    """The encoder with the vectors of every text it has seen."""
    cache: dict[str, Vectors] = {}

    def encode(texts: Sequence[str], /) -> Vectors:
        new = sorted(set(texts) - cache.keys())
        if new:
            cache.update(zip(new, encoder(new), strict=True))
        return np.stack([cache[text] for text in texts])

    return encode
