"""What changed between two runs of ratings of harm: the ratings, by attribute, and whether both rate alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.analysis import alpha
from endoxa.instruments.stories.harm.panel import HIGHEST, LOWEST, THRESHOLD
from endoxa.instruments.stories.harm.raters import Measured
from endoxa.instruments.stories.harm.ratings import load_ratings
from endoxa.runs.folder import RECORDS
from endoxa.runs.options import Resampling
from endoxa.schema import ALL
from endoxa.sources.served import versions_apart
from endoxa.stats.intervals import NAN
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance
from endoxa.study.compare.changes import Change
from endoxa.study.compare.stories import Tested, change_of_mean, decided

MEAN, HARMFUL = "mean_rating", "rated_harmful"
REFUSED, UNREAD, TOKENS = "refused", "unread", "tokens"
KEYS = ("association_id", "language", "repeat")
PARTS = ("base_attribute", "base_value", "compared_attribute", "compared_value")


@dataclass(frozen=True, slots=True)
class HarmComparison:
    """What changed between two runs of ratings.

    Attributes:
        names: what the runs are called.
        changes: every change with its test; ratings and price are corrected apart.
        agreement: Krippendorff's alpha, ordinal, between the medians of the two runs.
        alike: share of associations that both call harmful, or both do not.
        ratings: associations with the median rating of each run, the largest change first.
        items: answers that both runs were asked for.
        alone: answers that only one run was asked for.
        confidence: of intervals and tests.
    """

    names: tuple[str, str]
    changes: tuple[Change, ...]
    agreement: Measured
    alike: float
    ratings: pl.DataFrame
    items: int
    alone: tuple[int, int]
    confidence: float


def compare_harm(
    before: Path,
    after: Path,
    *,
    models: tuple[str | None, str | None] = (None, None),
    threshold: float = THRESHOLD,
    confidence: float = 0.95,
    seed: int = 0,
) -> HarmComparison:
    """What changed from one run of ratings to another of the same associations.

    Args:
        before: run folder of `endoxa probe harm`.
        after: another.
        models: the rater, where a run holds several.
        threshold: rating from which an association counts as harmful.
        confidence: of intervals and tests.
        seed: seed of what is drawn.

    Raises:
        UserError: a run holds no ratings, no such rater, or the two have no association in common.
    """
    sides = [rated(path, model) for path, model in zip((before, after), models, strict=True)]
    joined = sides[0].join(sides[1], on=KEYS, suffix="_after", maintain_order="left")
    if joined.is_empty():
        raise UserError(
            f"'{before}' and '{after}' have no association in common. Rate the same ones in both."
        )
    bias = list(_ratings(joined, threshold, confidence, seed))
    price = list(_price(joined, confidence, seed))
    medians = (
        joined.drop_nulls(["harm", "harm_after"])
        .group_by("association_id", *PARTS, maintain_order=True)
        .agg(before=pl.col("harm").median(), after=pl.col("harm_after").median(), n=pl.len())
        .with_columns(change=pl.col("after") - pl.col("before"))
    )
    how = Resampling(confidence, seed=seed)
    return HarmComparison(
        names=(f"{before.name} ({sides[0]['rater'][0]})", f"{after.name} ({sides[1]['rater'][0]})"),
        changes=tuple(change for family in (bias, price) for change in decided(family, confidence)),
        agreement=_agreement(medians, how),
        alike=_alike(medians, threshold),
        ratings=medians.sort(pl.col("change").abs(), "association_id", descending=[True, False]),
        items=joined.height,
        alone=(sides[0].height - joined.height, sides[1].height - joined.height),
        confidence=confidence,
    )


def _alike(medians: pl.DataFrame, threshold: float) -> float:
    """Share of associations that both runs call harmful, or both do not; NaN where none was rated by both."""
    if medians.is_empty():
        return NAN
    calls = medians.select(pl.col("before", "after") >= threshold).to_numpy()
    return float((calls[:, 0] == calls[:, 1]).mean())


def rated(folder: Path, model: str | None) -> pl.DataFrame:
    """Answers of one rater, with tokens and text.

    Raises:
        UserError: the folder is no finished run of ratings, or the rater must be chosen.
    """
    ratings = load_ratings([folder])
    raters = ratings["rater"].unique().sort().to_list()
    if model is None and len(raters) != 1:
        raise UserError(
            f"'{folder}' holds ratings of {len(raters)} models ({', '.join(raters)}): choose one."
        )
    if model is not None and model not in raters:
        raise UserError(f"'{folder}' has no ratings of '{model}'. Expected one of: {', '.join(raters)}.")
    records = versions_apart(pl.scan_parquet(folder / RECORDS), "rater").collect()
    extra = [name for name in ("answer", "completion_tokens") if name in records.columns]
    keys = [pl.col(name).cast(ratings.schema[name]) for name in (*KEYS, "rater")]
    return ratings.join(
        records.select(*keys, *extra), on=(*KEYS, "rater"), how="left", maintain_order="left"
    ).filter(rater=model or raters[0])


def units_of(table: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the base value and of the compared value of each row."""
    pairs = (PARTS[:2], PARTS[2:])
    first, second = (
        table.select(pl.concat_str(names, separator="\n").rank("dense")).to_series().to_numpy().astype(int)
        - 1
        for names in pairs
    )
    return first, second


def _ratings(joined: pl.DataFrame, threshold: float, confidence: float, seed: int) -> Iterator[Tested]:
    """Mean rating and share rated harmful, over all associations and by attribute that prompts named."""
    read = joined.drop_nulls(["harm", "harm_after"])
    axes = sorted(set(read["base_attribute"]))
    for axis in (ALL, *(axes if len(axes) > 1 else ())):
        part = read if axis == ALL else read.filter(base_attribute=axis)
        if part.is_empty():
            continue
        columns = [part[name].to_numpy().astype(float) for name in ("harm", "harm_after")]
        units, unit = _units(part, confidence)
        for measure, values in (
            (MEAN, columns),
            (HARMFUL, [(column >= threshold).astype(float) for column in columns]),
        ):
            yield change_of_mean(
                measure, (values[0], values[1]), units, confidence, seed, axis=axis, unit=unit
            )


def _units(part: pl.DataFrame, confidence: float) -> tuple[tuple[np.ndarray, np.ndarray], str]:
    """Base values and compared values; associations where base values are too few for a test."""
    first, second = units_of(part)
    if len(np.unique(first)) >= fewest_units(significance(confidence)):
        return (first, second), "base values"
    names = part["association_id"].rank("dense").to_numpy()
    return (names, names), "associations"


def _price(joined: pl.DataFrame, confidence: float, seed: int) -> Iterator[Tested]:
    """Answers declined and not read, and tokens."""
    units, unit = _units(joined, confidence)
    declined = [(joined[name] == "refused").to_numpy() for name in ("outcome", "outcome_after")]
    unread = [
        joined[name].is_null().to_numpy() & ~refused
        for name, refused in zip(("harm", "harm_after"), declined, strict=True)
    ]
    measures: list[tuple[str, Sequence[np.ndarray]]] = [(REFUSED, declined), (UNREAD, unread)]
    if {"completion_tokens", "completion_tokens_after"} <= set(joined.columns):
        counted = joined.drop_nulls(["completion_tokens", "completion_tokens_after"])
        if counted.height == joined.height:
            measures.append(
                (
                    TOKENS,
                    [joined[name].to_numpy() for name in ("completion_tokens", "completion_tokens_after")],
                )
            )
    for measure, values in measures:
        pair = (values[0].astype(float), values[1].astype(float))
        yield change_of_mean(measure, pair, units, confidence, seed, unit=unit, kind="price")


def _agreement(medians: pl.DataFrame, how: Resampling) -> Measured:
    """Krippendorff's alpha of the medians of the two runs."""
    if medians.is_empty():
        return Measured(NAN, NAN, NAN, 0)
    values = medians.select("before", "after").to_numpy()
    points = np.arange(2 * LOWEST, 2 * HIGHEST + 1) / 2
    seen = points[np.isin(points, values)]
    return alpha((values[:, :, None] == seen).sum(axis=1), how, units_of(medians)[0])
