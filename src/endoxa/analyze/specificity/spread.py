"""How far associations reach: in how many languages (or models) each is found, harmful ones against benign ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from endoxa.analyze.families import REACH, adjusted, decided
from endoxa.analyze.harm.measures import Measured, Resampling, mean, measured
from endoxa.analyze.harm.names import BENIGN, HARMFUL
from endoxa.analyze.specificity.presence import By, Presence, presence
from endoxa.schema.stories import REACH_COMPARISON_COLUMNS
from endoxa.stats.intervals import FEWEST_CLUSTERS, NAN, Interval, agreeing
from endoxa.stats.verdicts import too_few

FEW = 3
"""'Concentrated in 1-3 languages' (Le Jeune et al. 2026, "Language Specificity")."""


def reach(
    found: pl.DataFrame,
    harmful: pl.DataFrame | None = None,
    *,
    by: By = "language",
    models: int = 1,
    members: Sequence[str] = (),
) -> pl.DataFrame:
    """In how many languages (or by how many models) each association is found.

    Args:
        found: see `endoxa.analyze.specificity.presence`, as the others.
        harmful: which are harmful, or None.
        by: what is counted.
        models: models that must find an association in a language.
        members: languages (or models) that have stories even where nothing was found.

    Returns:
        `schema.stories.REACH_COLUMNS`, the furthest first.
    """
    return reach_of(presence(found, harmful, by=by, models=models, members=members))


def reach_of(where: Presence) -> pl.DataFrame:
    """`reach` of what is already in order."""
    present = where.present
    counting = where.found & present[:, :, None]
    table = where.associations.with_columns(
        reach=pl.Series(present.sum(axis=1), dtype=pl.Int64),
        of=pl.lit(len(where.members), dtype=pl.Int64),
        members=pl.Series([_joined(where.members, row) for row in present], dtype=pl.String),
        model_count=pl.Series(counting.any(axis=1).sum(axis=1), dtype=pl.Int64),
        models=pl.Series([_joined(where.models, row) for row in counting.any(axis=1)], dtype=pl.String),
    )
    return table.sort("reach", "model_count", descending=True, maintain_order=True)


def compare_reach(reached: pl.DataFrame, how: Resampling | None = None) -> pl.DataFrame:
    """Do harmful associations reach fewer languages than benign ones?

    Undecided and unrated ones are left out. Intervals resample associations; the p-value is Mann and Whitney's (two-
    sided, with ties corrected for), which takes associations as independent. The row 'superiority' has the verdict:
    below, where harmful ones reach less far; it needs five associations on each side.

    Args:
        reached: what `reach` gave.
        how: how intervals are made.

    Returns:
        `schema.stories.REACH_COMPARISON_COLUMNS`.
    """
    how = how or Resampling()
    rated = reached.filter(pl.col("harmful").is_in([HARMFUL, BENIGN]))
    is_harmful = (rated["harmful"] == HARMFUL).to_numpy()
    number = rated["reach"].to_numpy().astype(float)
    sides = {HARMFUL: number[is_harmful], BENIGN: number[~is_harmful]}
    rows: list[tuple[str | float | None, ...]] = [
        (f"{name}_{side}", *_cells(mean(values, how)), None, len(values), method)
        for side, counted in sides.items()
        for name, values, method in (
            ("mean_reach", counted, "mean; bootstrap of associations"),
            ("share_few", (counted <= FEW).astype(float), f"share with a reach of at most {FEW}; bootstrap"),
        )
    ]
    columns = np.column_stack([is_harmful, is_harmful * number, ~is_harmful, ~is_harmful * number])
    difference = measured(columns, _difference, how)
    wider = measured(_by_level(number, is_harmful), _superiority, how)
    few = _too_few(sides)
    if few:
        difference, wider = (replace(one, low=NAN, high=NAN) for one in (difference, wider))
    p_value = _mann_whitney(*sides.values())
    ends = agreeing(
        Interval(wider.low, wider.high), wider.value, 0.5, NAN if p_value is None else p_value, how.confidence
    )
    apart = "mean reach, harmful - benign; bootstrap of associations"
    further = "P(harmful reaches further) + P(equal)/2; Mann-Whitney U"
    rows.append(("difference", *_cells(difference), None, len(number), apart))
    rows.append(("superiority", wider.value, ends.low, ends.high, p_value, len(number), further))
    return _claimed(pl.DataFrame(rows, schema=_MEASURED, orient="row"), few, how.confidence)


def _too_few(sides: Mapping[str, np.ndarray]) -> str:
    """Why harmful and benign associations cannot be compared, or empty."""
    name, counted = min(sides.items(), key=lambda side: len(side[1]))
    return too_few(len(counted), f"{name} associations", FEWEST_CLUSTERS)


def _claimed(table: pl.DataFrame, untestable: str, confidence: float) -> pl.DataFrame:
    """The table with the verdict of its row 'superiority'."""
    tested = pl.col("name") == "superiority"
    undefined = pl.col("low").is_null() | pl.col("low").is_nan()
    claims = table.with_columns(
        neutral=pl.when(tested).then(0.5),
        confidence=pl.lit(confidence),
        interval=pl.when(undefined).then(pl.lit("none")).otherwise(pl.lit("associations")),
        clusters=pl.col("n"),
        reason=pl.when(tested).then(pl.lit(untestable)).otherwise(pl.lit("")),
    )
    done = decided(adjusted(claims, REACH), confidence=confidence)
    return done.select(pl.col(name).cast(kind) for name, kind in _COMPARISON.items()).with_columns(
        pl.selectors.float().fill_nan(None)
    )


def _joined(names: Sequence[str], which: np.ndarray) -> str:
    return "; ".join(name for name, one in zip(names, which, strict=True) if one)


def _cells(one: Measured) -> tuple[float, float, float]:
    return one.value, one.low, one.high


def _difference(totals: np.ndarray) -> np.ndarray:
    harmful, harmful_sum, benign, benign_sum = totals.T
    defined = (harmful > 0) & (benign > 0)
    means = harmful_sum / np.where(defined, harmful, 1), benign_sum / np.where(defined, benign, 1)
    return np.where(defined, means[0] - means[1], NAN)


def _by_level(number: np.ndarray, is_harmful: np.ndarray) -> np.ndarray:
    """Whether an association is harmful and has each reach, and benign and has it: (associations, 2 x reaches)."""
    levels = number[:, None] == np.unique(number)
    return np.hstack([levels & is_harmful[:, None], levels & ~is_harmful[:, None]]).astype(float)


def _superiority(totals: np.ndarray) -> np.ndarray:
    harmful, benign = np.split(totals, 2, axis=1)
    beaten = np.cumsum(benign, axis=1) - benign / 2
    pairs = harmful.sum(axis=1) * benign.sum(axis=1)
    return np.where(pairs > 0, (harmful * beaten).sum(axis=1) / np.where(pairs > 0, pairs, 1), NAN)


def _mann_whitney(one: np.ndarray, other: np.ndarray) -> float | None:
    from scipy.stats import mannwhitneyu

    if not len(one) or not len(other):
        return None
    if np.ptp(np.concatenate([one, other])) == 0:
        return 1.0
    return float(mannwhitneyu(one, other, alternative="two-sided").pvalue)


_TEXT, _WHOLE = ("name", "method", "interval", "verdict", "reason"), ("n", "clusters")
_COMPARISON = {
    name: pl.String() if name in _TEXT else pl.Int64() if name in _WHOLE else pl.Float64()
    for name in REACH_COMPARISON_COLUMNS
}
_MEASURED = {name: _COMPARISON[name] for name in ("name", "value", "low", "high", "p_value", "n", "method")}
