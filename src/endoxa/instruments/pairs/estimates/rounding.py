"""Preference ratios under the rounding of half precision: had every pair within it gone one way, then the other.

A run measures how far rounding moves the difference of a pair (`probe.scoring`). A pair whose difference is not larger
might have preferred the other sentence. The bounds are the worst cases, all of these pairs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates.deciding import CALIBRATED, RAW
from endoxa.instruments.pairs.estimates.records import Scores
from endoxa.schema.results import ROUNDING_COLUMNS

_ESTIMATE = ("model", "rule", "language", "axis", "name", "interval")


def within_rounding(difference: np.ndarray, noise: float) -> np.ndarray:
    """Which differences are not larger than rounding moves one; none where it moves nothing or was not measured."""
    within: np.ndarray = (noise > 0) & (np.abs(difference) <= noise)
    return within


def turned(score: Scores, side: int, *, calibrated: bool = False) -> Scores:
    """The scores with every pair within the rounding on one side.

    Args:
        score: of a model and a rule.
        side: 1 for the stereotypical sentence, -1 for the other one.
        calibrated: whether the calibrated differences are meant.
    """
    sample = score.sample
    neutral = sample.neutral_difference if calibrated else np.zeros(len(sample.difference))
    noise = score.calibrated_rounding if calibrated else score.rounding
    within = within_rounding(sample.difference - neutral, noise)
    difference = np.where(within, neutral + side, sample.difference)
    return replace(score, sample=replace(sample, difference=difference))


def with_rounding(
    estimates: pl.DataFrame,
    scores: Sequence[Scores],
    judged: Callable[[Sequence[Scores], str], pl.DataFrame],
) -> pl.DataFrame:
    """Estimates with the columns of `schema.results.ROUNDING_COLUMNS`.

    Args:
        estimates: with verdicts.
        scores: what they were made of.
        judged: makes the estimates of one name again, from other scores.
    """
    measured = pl.DataFrame(
        [(score.model, score.rule, score.precision) for score in scores if score.precision],
        schema={"model": pl.String, "rule": pl.String, "precision": pl.String},
        orient="row",
    )
    if measured.is_empty():
        return estimates
    bounds = pl.concat(_bounds(scores, judged)).join(measured, on=["model", "rule"])
    return bounded(estimates, bounds, _ESTIMATE)


def bounded(table: pl.DataFrame, bounds: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """A table with what rounding could make of its rows, in its own columns.

    Args:
        table: with verdicts.
        bounds: of some rows: `key`, `rounding_low`, `rounding_high`, and the verdicts of both as `verdict_low` and
            `verdict_high`.
        key: columns that name a row.
    """
    joined = table.drop(ROUNDING_COLUMNS, strict=False)
    joined = joined.join(bounds, on=key, how="left", maintain_order="left")
    ends = pl.concat_str("verdict_low", "verdict_high", separator=", ")
    moved = (pl.col("verdict_low") != pl.col("verdict")) | (pl.col("verdict_high") != pl.col("verdict"))
    width = (pl.col("rounding_high") - pl.col("rounding_low")) * pl.col("n")
    return joined.with_columns(
        within_rounding=width.round().cast(pl.Int64), rounding_verdicts=pl.when(moved).then(ends)
    ).select(table.columns)


def _bounds(
    scores: Sequence[Scores], judged: Callable[[Sequence[Scores], str], pl.DataFrame]
) -> Iterator[pl.DataFrame]:
    """Value and verdict at both ends, for each of the two ratios."""
    for name in (RAW, CALIBRATED):
        low, high = (
            judged([turned(score, side, calibrated=name == CALIBRATED) for score in scores], name)
            for side in (-1, 1)
        )
        yield between(low, high, _ESTIMATE, "value")


def between(low: pl.DataFrame, high: pl.DataFrame, key: Sequence[str], value: str) -> pl.DataFrame:
    """The `bounds` of `bounded`, from the tables of both ends and the column of their value."""
    low, high = (
        table.select(*key, pl.col(value).alias(f"rounding_{end}"), pl.col("verdict").alias(f"verdict_{end}"))
        for table, end in ((low, "low"), (high, "high"))
    )
    return low.join(high, on=key)
