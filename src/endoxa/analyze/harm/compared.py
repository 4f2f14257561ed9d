"""Two raters on the same associations: correlations, agreement of their classes, and the heat map of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from endoxa.analyze.harm.measures import Measured, Resampling, agreement, kappa, pearson, spearman
from endoxa.analyze.harm.panel import Panel
from endoxa.schema import Progress
from endoxa.schema.stories import HARM_AGREEMENT_COLUMNS

MEASURES = ("agreement", "kappa", "pearson", "spearman")
TYPES = {
    name: pl.String if name.startswith("rater") else pl.Int64 if name[:5] in ("place", "n") else pl.Float64
    for name in HARM_AGREEMENT_COLUMNS
}


@dataclass(frozen=True, slots=True)
class Compared:
    """Two raters, over the associations that both rated."""

    n: int
    agreement: Measured
    kappa: Measured
    pearson: Measured
    spearman: Measured

    def columns(self) -> dict[str, float]:
        """The measures with their intervals, as tables have them."""
        found: dict[str, float] = {}
        for name in MEASURES:
            one: Measured = getattr(self, name)
            found |= {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
        return found


def compare(panel: Panel, one: str, other: str, how: Resampling) -> Compared:
    """Two raters of a panel, `ALL_MODELS` among them."""
    x, y = panel.mean(one), panel.mean(other)
    both = ~np.isnan(x) & ~np.isnan(y)
    class_x, class_y = panel.harmful(one)[both], panel.harmful(other)[both]
    return Compared(
        int(both.sum()),
        agreement(class_x, class_y, how),
        kappa(class_x, class_y, how),
        pearson(x[both], y[both], how),
        spearman(x[both], y[both], how),
    )


def agreement_table(panel: Panel, how: Resampling, progress: Progress = lambda *_: None) -> pl.DataFrame:
    """`schema.stories.HARM_AGREEMENT_COLUMNS`: every two raters, both ways, and each with itself."""
    raters = panel.raters
    pairs = list(combinations(raters, 2))
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for done, (one, other) in enumerate(pairs):
        progress("comparing raters", done, len(pairs))
        compared = compare(panel, one, other, how)
        found[one, other] = found[other, one] = {"n": compared.n, **compared.columns()}
    for rater in raters:
        found[rater, rater] = _with_itself(panel, rater)
    place = _order(raters, {pair: cells["agreement"] for pair, cells in found.items()})
    rows = [
        {
            "rater_a": one,
            "rater_b": other,
            "place_a": place[one],
            "place_b": place[other],
            **found[one, other],
        }
        for one in sorted(raters, key=place.__getitem__)
        for other in sorted(raters, key=place.__getitem__)
    ]
    return pl.DataFrame(rows, schema=TYPES).with_columns(pl.selectors.float().fill_nan(None))


def _with_itself(panel: Panel, rater: str) -> dict[str, Any]:
    """The diagonal: full agreement, whose interval would say nothing."""
    rated = ~np.isnan(panel.mean(rater))
    varies = np.unique(panel.mean(rater)[rated]).size > 1
    classes = np.unique(panel.harmful(rater)[rated]).size
    return {
        "n": int(rated.sum()),
        "agreement": 1.0 if rated.any() else None,
        "kappa": 1.0 if classes > 1 else None,
        "pearson": 1.0 if varies else None,
        "spearman": 1.0 if varies else None,
    }


def _order(raters: Sequence[str], agreements: dict[tuple[str, str], float | None]) -> dict[str, int]:
    """Places that bring raters who agree together: average linkage, distance 1 - agreement, best order of leaves.

    Two raters without a common association are as far apart as can be.
    """
    if len(raters) < 3:
        return {rater: place for place, rater in enumerate(raters)}
    from scipy.cluster.hierarchy import leaves_list, linkage

    shares = np.array([agreements[pair] for pair in combinations(raters, 2)], dtype=float)
    distances = 1 - np.nan_to_num(shares, nan=0.0)
    leaves = leaves_list(linkage(distances, method="average", optimal_ordering=True))
    return {raters[leaf]: place for place, leaf in enumerate(leaves)}
