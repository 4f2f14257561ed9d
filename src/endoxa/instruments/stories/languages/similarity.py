"""Similarity of the associations of two languages (or models), and the order of the heat map."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.stories.harm.measures import measured, ratio
from endoxa.instruments.stories.languages.presence import By, Presence, presence
from endoxa.runs.options import Resampling
from endoxa.schema.stories import JACCARD_COLUMNS


def similarity_order(similarity: np.ndarray) -> list[int]:
    """Order of the rows of a symmetric matrix of similarities between 0 and 1.

    Average linkage of the distances 1 - similarity, leaves in their optimal order (Bar-Joseph, Gifford and Jaakkola
    2001). An undefined similarity (NaN) counts as 0. Fewer than three rows keep theirs.
    """
    count = len(similarity)
    if count < 3:
        return list(range(count))
    from scipy.cluster.hierarchy import leaves_list, linkage

    distances = 1 - np.nan_to_num(similarity, nan=0.0)[np.triu_indices(count, 1)]
    return [int(leaf) for leaf in leaves_list(linkage(distances, method="average", optimal_ordering=True))]


def jaccard(
    found: pl.DataFrame,
    *,
    by: By = "language",
    models: int = 1,
    members: Sequence[str] = (),
    how: Resampling | None = None,
) -> pl.DataFrame:
    """Jaccard similarity of the sets of associations of every two languages (or models).

    Args:
        found: see `endoxa.instruments.stories.languages.presence`, as the others.
        by: what is compared.
        models: models that must find an association in a language.
        members: languages (or models) that have stories even where nothing was found.
        how: how intervals are made; associations are resampled.

    Returns:
        `schema.stories.JACCARD_COLUMNS`: every ordered pair, and each with itself, in the order of the heat map.
    """
    return jaccard_of(presence(found, by=by, models=models, members=members), how or Resampling())


def jaccard_of(where: Presence, how: Resampling) -> pl.DataFrame:
    """`jaccard` of what is already in order."""
    present = where.present
    cells: dict[tuple[int, int], dict[str, Any]] = {}
    for a, b in combinations(range(len(where.members)), 2):
        cells[a, b] = _pair(present[:, a], present[:, b], how)
        cells[b, a] = cells[a, b]
    for a, size in enumerate(present.sum(axis=0).tolist()):
        cells[a, a] = dict.fromkeys(("shared", "either"), size) | dict.fromkeys(
            ("jaccard", "overlap"), 1.0 if size else None
        )
    alike = np.array(
        [[cells[a, b]["jaccard"] for b in range(len(where.members))] for a in range(len(where.members))],
        float,
    )
    order = similarity_order(alike)
    sizes = present.sum(axis=0).tolist()
    rows = [
        {
            "a": where.members[a],
            "b": where.members[b],
            "place_a": place_a,
            "place_b": place_b,
            "size_a": sizes[a],
            "size_b": sizes[b],
            **cells[a, b],
        }
        for place_a, a in enumerate(order)
        for place_b, b in enumerate(order)
    ]
    return pl.DataFrame(rows, schema=_TYPES).with_columns(pl.selectors.float().fill_nan(None))


def _pair(one: np.ndarray, other: np.ndarray, how: Resampling) -> dict[str, Any]:
    """Two sets. Only what either has is resampled: the rest adds nothing to the ratio."""
    either, both = one | other, one & other
    alike = measured(np.column_stack([np.ones(either.sum()), both[either]]), ratio, how)
    smaller = min(one.sum(), other.sum())
    return {
        "shared": int(both.sum()),
        "either": int(either.sum()),
        "jaccard": alike.value,
        "low": alike.low,
        "high": alike.high,
        "overlap": float(both.sum() / smaller) if smaller else None,
    }


_WHOLE = ("place_a", "place_b", "size_a", "size_b", "shared", "either")
_TYPES = {
    name: pl.String() if name in ("a", "b") else pl.Int64() if name in _WHOLE else pl.Float64()
    for name in JACCARD_COLUMNS
}
