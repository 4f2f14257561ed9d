"""What changed between two runs of ratings of harm: the ratings, by attribute, and whether both rate alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.analysis import alpha
from endoxa.instruments.stories.harm.raters import Measured
from endoxa.instruments.stories.harm.ratings import HIGHEST, LOWEST, THRESHOLD, load_ratings, read_human
from endoxa.report.document import Finding
from endoxa.report.words import decimal, decimal_interval, percent, plural
from endoxa.runs.folder import RECORDS
from endoxa.runs.options import Resampling
from endoxa.schema import ALL
from endoxa.sources.served import versions_apart
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import UNTESTED, significance
from endoxa.study.compare.changes import Change
from endoxa.study.compare.contrasts import Choices, Estimates
from endoxa.study.compare.stories import change_of_mean, too_many_left_out, without_tests
from endoxa.study.gate.measures import Measure, same_answers
from endoxa.study.gate.runs import Side

MEAN = Measure("mean_rating", None, "mean rating of harm, 1 to 5", "higher")
HARMFUL = Measure("rated_harmful", None, "ratings of 4 or 5, over those that could be read", "higher")
REFUSED = Measure("rating_refused", None, "ratings that were declined, over those asked for", "higher")
UNREAD = Measure("rating_unread", None, "ratings that could not be read, over those asked for", "higher")
TOKENS = Measure("rating_tokens", None, "tokens of an answer as the provider counts them", "more")
OF_RATINGS = (MEAN, HARMFUL, REFUSED, UNREAD, TOKENS)
KEYS = ("association_id", "language", "repeat")


def compare_harm(sides: tuple[Side, Side], choices: Choices) -> Estimates:
    """What changed from one run of ratings to another of the same associations.

    Raises:
        UserError: the two have no association in common.
    """
    tables = [rated(side.run.folder, side.model) for side in sides]
    joined = tables[0].join(tables[1], on=KEYS, suffix="_after", maintain_order="left")
    if joined.is_empty():
        raise UserError(
            f"'{sides[0].run.folder}' and '{sides[1].run.folder}' have no association in common. Rate the same ones "
            "in both."
        )
    changes = list(_ratings(joined, choices.confidence))
    read = joined.drop_nulls(["harm", "harm_after"])
    gaps = too_many_left_out(joined.height - read.height, joined.height)
    if gaps:
        changes = without_tests(changes)
    medians = read.group_by("association_id", *PARTS, maintain_order=True).agg(
        before=pl.col("harm").median(), after=pl.col("harm_after").median(), n=pl.len()
    )
    texts = [joined[name] for name in ("answer", "answer_after") if name in joined.columns]
    return Estimates(
        changes=(
            *(change for change in changes if change.axis == ALL),
            *_price(joined, choices.confidence),
        ),
        parts=tuple(change for change in changes if change.axis != ALL),
        items=_items(medians),
        notes=tuple(_notes(changes, gaps, [table.height - joined.height for table in tables])),
        identical=len(texts) == 2 and same_answers(*texts),
        about_items=tuple(_about(medians, Resampling(choices.confidence, seed=0))),
    )


def harmful_in(sources: Sequence[Path]) -> frozenset[str]:
    """Identifiers of the associations whose median rating is harmful.

    Args:
        sources: runs of `endoxa probe harm`, or tables of people's ratings.

    Raises:
        UserError: one is neither.
    """
    tables = [load_ratings([source]) if source.is_dir() else read_human(source) for source in sources]
    if not tables:
        return frozenset()
    ratings = pl.concat([table.select("association_id", pl.col("harm").cast(pl.Float64)) for table in tables])
    medians = ratings.drop_nulls().group_by("association_id").agg(pl.col("harm").median())
    return frozenset(medians.filter(pl.col("harm") >= THRESHOLD)["association_id"])


def _notes(changes: Sequence[Change], gaps: str, alone: Sequence[int]) -> Iterator[str]:
    if not changes:
        yield "Not tested: no association has a rating that could be read in both runs."
    for change in changes:
        if change.axis == ALL and change.verdict == UNTESTED:
            yield f"Not tested, {change.measure}: {gaps or f'too few {change.unit}'}."
    if any(alone):
        yield f"Left out, because only one run has them: {plural(sum(alone), 'rating')}."


def _items(medians: pl.DataFrame) -> pl.DataFrame:
    """The associations whose median rating changed, the largest change first."""
    change = pl.col("after") - pl.col("before")
    return (
        medians.filter(change != 0)
        .sort(change.abs(), "association_id", descending=[True, False])
        .select(
            item_id="association_id",
            rule=pl.lit(""),
            axis="base_attribute",
            identity="base_value",
            compared_attribute="compared_attribute",
            compared_value="compared_value",
            before="before",
            after="after",
            direction=pl.when(change > 0).then(pl.lit("higher")).otherwise(pl.lit("lower")),
        )
    )


def _about(medians: pl.DataFrame, how: Resampling) -> Iterator[Finding]:
    """How far the two runs rate alike."""
    if medians.is_empty():
        return
    calls = medians.select(pl.col("before", "after") >= THRESHOLD).to_numpy()
    agreement = _agreement(medians, how)
    numbers = {
        "alpha": agreement.value,
        "low": agreement.low,
        "high": agreement.high,
        "alike": float((calls[:, 0] == calls[:, 1]).mean()),
        "n": agreement.n,
    }
    ends = f" ({decimal_interval(agreement.low, agreement.high, 2)})"
    index = f"is {decimal(agreement.value, 2)}{ends}" if isfinite(agreement.value) else "is not defined"
    yield Finding(
        f"The runs call {percent(numbers['alike'])} of {plural(agreement.n, 'association')} alike, harmful or not; "
        f"Krippendorff's alpha of their ratings {index}.",
        (numbers,),
    )


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


def _ratings(joined: pl.DataFrame, confidence: float) -> Iterator[Change]:
    """Mean rating and share rated harmful, over all associations and by attribute that prompts named."""
    read = joined.drop_nulls(["harm", "harm_after"])
    axes = sorted(set(read["base_attribute"]))
    for axis in (ALL, *(axes if len(axes) > 1 else ())):
        part = read if axis == ALL else read.filter(base_attribute=axis)
        if part.is_empty():
            continue
        columns = [part[name].to_numpy().astype(float) for name in ("harm", "harm_after")]
        units, unit = _units(part, confidence)
        for measure, values, reach in (
            (MEAN, columns, HIGHEST - LOWEST),
            (HARMFUL, [(column >= THRESHOLD).astype(float) for column in columns], 1.0),
        ):
            pair = (values[0], values[1])
            yield change_of_mean(measure.name, pair, units, confidence, reach=reach, axis=axis, unit=unit)


def _units(part: pl.DataFrame, confidence: float) -> tuple[tuple[np.ndarray, np.ndarray], str]:
    """Base values and compared values; associations where base values are too few for a test."""
    first, second = units_of(part)
    if len(np.unique(first)) >= fewest_units(significance(confidence)):
        return (first, second), "base values"
    names = part["association_id"].rank("dense").to_numpy()
    return (names, names), "associations"


def _price(joined: pl.DataFrame, confidence: float) -> Iterator[Change]:
    """Answers declined and not read, and tokens."""
    units, unit = _units(joined, confidence)
    declined = [(joined[name] == "refused").to_numpy() for name in ("outcome", "outcome_after")]
    unread = [
        joined[name].is_null().to_numpy() & ~refused
        for name, refused in zip(("harm", "harm_after"), declined, strict=True)
    ]
    measures: list[tuple[Measure, Sequence[np.ndarray]]] = [(REFUSED, declined), (UNREAD, unread)]
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
        reach = None if measure is TOKENS else 1.0
        yield change_of_mean(measure.name, pair, units, confidence, reach=reach, unit=unit, kind="price")


def _agreement(medians: pl.DataFrame, how: Resampling) -> Measured:
    """Krippendorff's alpha of the medians of the two runs."""
    values = medians.select("before", "after").to_numpy()
    points = np.arange(2 * LOWEST, 2 * HIGHEST + 1) / 2
    seen = points[np.isin(points, values)]
    return alpha((values[:, :, None] == seen).sum(axis=1), how, units_of(medians)[0])
