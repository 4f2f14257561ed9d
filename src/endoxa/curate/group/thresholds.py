"""Groupings over a grid of thresholds, each with its silhouette.

The threshold is what AfriStereo left open (section 3.3.2, last paragraph). The silhouette (Rousseeuw 1987) is computed
under cosine distance for a sample of the members.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import get_args

import numpy as np
import polars as pl

from endoxa.curate.encoders import Encoder, Vectors
from endoxa.curate.group.constraints import Constraint, score
from endoxa.curate.group.run import Method, group_attributes
from endoxa.curate.group.surface import clean
from endoxa.curate.opposites import Lexicon
from endoxa.errors import UserError

SILHOUETTE_SAMPLE = 2000
SILHOUETTE_BLOCK = 200


def silhouette(
    vectors: Vectors, labels: Sequence[str], *, sample: int = SILHOUETTE_SAMPLE, seed: int = 0
) -> float | None:
    """Mean of (b - a) / max(a, b) over members, where a is the mean distance to the own group, b to the nearest other.

    A member alone in its group counts 0. Of many members a sample is taken, each compared with all others, so that
    groups stay whole. None where all members are in one group, or each in its own.

    Args:
        vectors: unit vectors, shape (n, d).
        labels: group of each row.
        sample: how many rows at most.
        seed: of the draw.
    """
    names, codes = np.unique(np.asarray(labels), return_inverse=True)
    if not 1 < len(names) < len(codes):
        return None
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rows = np.arange(len(codes))
    if len(rows) > sample:
        rows = np.sort(np.random.default_rng(seed).choice(len(rows), sample, replace=False))
    total = 0.0
    for start in range(0, len(rows), SILHOUETTE_BLOCK):
        part = rows[start : start + SILHOUETTE_BLOCK]
        distances = 1 - vectors[part].astype(np.float64) @ vectors[order].T
        sums = np.add.reduceat(distances, starts, axis=1)
        here, label = np.arange(len(part)), codes[part]
        inside = (sums[here, label] - distances[here, np.argsort(order)[part]]) / np.maximum(
            sizes[label] - 1, 1
        )
        means = sums / sizes
        means[here, label] = np.inf
        outside = means.min(axis=1)
        wide = np.maximum(np.maximum(inside, outside), np.finfo(float).tiny)
        total += float(np.where(sizes[label] > 1, (outside - inside) / wide, 0.0).sum())
    return total / len(rows)


SCHEMA = {
    "method": pl.String,
    "tau": pl.Float64,
    "groups": pl.Int64,
    "alone": pl.Int64,
    "largest": pl.Int64,
    "silhouette": pl.Float64,
    "united": pl.Float64,
    "opposites_merged": pl.Float64,
    "negations_merged": pl.Float64,
    "f1": pl.Float64,
}
"""Columns of the table: groups, groups of one attribute, attributes of the largest group, and the scores."""


def grid(low: float, high: float, step: float) -> list[float]:
    """Thresholds from `low` to `high`, both included.

    Raises:
        UserError: they are not in order, or there would be more than a hundred.
    """
    if not 0 < low <= high < 1 or step <= 0 or (high - low) / step > 100:
        raise UserError(
            f"Thresholds from {low} to {high} with step {step} are invalid. Expected 0 < low <= high < 1 and at "
            "most 100 "
            "steps."
        )
    return [round(low + step * place, 6) for place in range(int((high - low) / step + 1e-9) + 1)]


def thresholds_table(
    counts: Mapping[str, int],
    encoder: Encoder,
    lexicon: Lexicon,
    taus: Sequence[float],
    constraints: Sequence[Constraint],
    *,
    seed: int = 0,
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
        seed: of the sample that the silhouette is taken over.
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
            measured = silhouette(vectors, [groups[count] for count in counts], seed=seed)
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
