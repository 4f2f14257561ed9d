"""From records to estimates in one call: value, interval, p-value, n, and the value that would mean no bias."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from math import isnan
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates.comparisons import (
    COMPARISON_TYPES,
    FLIP_TYPES,
    compare_models,
    rule_flips,
)
from endoxa.instruments.pairs.estimates.inference import IDENTITIES, confounded, method_name, with_rounding
from endoxa.instruments.pairs.estimates.records import (
    Cell,
    Scores,
    cells_of,
    check_records,
    load_records,
    scores_of,
    take,
)
from endoxa.instruments.pairs.estimates.statistics import BY_KIND, RULE, built_in
from endoxa.instruments.pairs.rules import rule_facts
from endoxa.registry import Registry
from endoxa.runs import estimates
from endoxa.runs.estimates import PREFERENCES, adjusted, beside_a_test, decided
from endoxa.schema import ALL, ESTIMATE_COLUMNS, Estimate, Statistic
from endoxa.sources.frames import column_types
from endoxa.stats.intervals import NAN
from endoxa.stats.verdicts import CLEAR, NO_QUESTION, UNCLAIMED, UNCLEAR


@dataclass(frozen=True, slots=True)
class PairsAnalysis:
    """What `analyze_pairs` found.

    Attributes:
        estimates: `schema.ESTIMATE_COLUMNS`, one row per model, rule, cell, statistic and method.
        comparisons: `comparisons.COMPARISON_COLUMNS`, every two models on the same items.
        flips: `flips.FLIP_COLUMNS`, every two rules of a model.
    """

    estimates: pl.DataFrame
    comparisons: pl.DataFrame
    flips: pl.DataFrame


_COUNTS = ("n", "clusters", "attributes", "within_rounding")
_NUMBERS = {field.name for field in fields(Estimate) if field.type == "float"}
_TEXTS = set(ESTIMATE_COLUMNS).difference(_NUMBERS, _COUNTS, ("rounding_low", "rounding_high"))
SCHEMAS: dict[str, dict[str, Any]] = {
    "estimates": column_types(ESTIMATE_COLUMNS, texts=_TEXTS, counts=_COUNTS),
    "comparisons": COMPARISON_TYPES,
    "flips": FLIP_TYPES,
}
"""Tables of a run folder and the types of their columns."""

STATISTICS: Registry[Statistic] = Registry("statistic", "endoxa.statistics", built_in)
"""The statistics by name: ours, and those of installed packages (entry-point group `endoxa.statistics`)."""


def analyze_pairs(
    records: pl.DataFrame, *, confidence: float = 0.95, seed: int = 0, resamples: int = 2000
) -> PairsAnalysis:
    """Estimate every registered statistic in every cell, compare models, and count rule flips.

    Cells are (all, all), (all, AXIS) for each axis and, where there are two languages or more,
    (LANGUAGE, all) and (LANGUAGE, AXIS). With one language all rows are of language 'all': filter on those.

    Everything follows from the records and the seed: which other models are in the table changes nothing but
    `p_adjusted`, whose family they are. Row order only says which rule of a model decides: the first one. Others are
    shown without a claim, with an empty verdict.

    Args:
        records: columns of `schema.RECORD_COLUMNS` (others are ignored; `data`, where there, keeps items of
            different files apart). Pairs are pooled: give the records of one data set at a time.
        confidence: confidence level of all intervals.
        seed: seed of everything drawn.
        resamples: bootstrap samples per interval; sign-flip tests draw five times as many.

    Raises:
        UserError: an argument is out of range, or the records cannot be used (`records.check_records`).
    """
    if not 0 < confidence < 1:
        raise UserError(f"The confidence must lie between 0 and 1, for example 0.95, not {confidence}.")
    if resamples < 100:
        raise UserError(f"At least 100 bootstrap samples are needed, not {resamples}; 2000 is the default.")
    if seed < 0:
        raise UserError(f"The seed must not be negative ({seed} was given).")
    checked = check_records(records)
    cells, scores = cells_of(checked), scores_of(checked, resamples)
    first = records.select("model", first="rule").unique("model", keep="first", maintain_order=True)

    def judged(scores: Sequence[Scores], *names: str) -> pl.DataFrame:
        statistics = [STATISTICS.get(name) for name in names or STATISTICS.all()]
        # Cell by cell, so that models and rules share the cell's bootstrap samples while those are at hand.
        rows = [
            row
            for cell in cells
            for score in scores
            for statistic in statistics
            if cell.axis == ALL or statistic not in BY_KIND
            for row in _rows(statistic, score, cell, confidence, seed)
        ]
        # Rows that take pairs as independent keep the interval and p-value that papers print, whatever the identities
        # can show; what cannot be tested weighs on no other test.
        clustered = pl.col("interval") == IDENTITIES
        computed = pl.DataFrame(rows, schema=SCHEMAS["estimates"])
        frame = adjusted(computed, PREFERENCES).with_columns(
            p_value=pl.when(clustered).then("p_value").otherwise(computed["p_value"])
        )
        return _by_first_rule(decided(frame, confidence=confidence, ends=()), first).with_columns(
            pl.when(clustered).then(end).otherwise(name).alias(name)
            for name, end in zip(("low", "high"), beside_a_test("low", "high"), strict=True)
        )

    table = with_rounding(judged(scores), scores, judged)
    return PairsAnalysis(
        estimates=table.sort("model", "rule", maintain_order=True),
        comparisons=compare_models(scores, cells, confidence, seed),
        flips=rule_flips(scores, cells, confidence),
    )


def _by_first_rule(table: pl.DataFrame, first: pl.DataFrame) -> pl.DataFrame:
    """The table with verdicts under one rule of each model: of several, one would make a claim by chance more often.

    Args:
        table: estimates with verdicts.
        first: of each `model` the rule named `first`.
    """
    joined = table.join(first, on="model", how="left", maintain_order="left")
    beside = (pl.col("rule") != pl.col("first")) & pl.col("verdict").is_in([*CLEAR, UNCLEAR])
    reason = pl.format(f"{UNCLAIMED}: {{}} decides, the rule named first", "first")
    return joined.with_columns(
        verdict=pl.when(beside).then(pl.lit(NO_QUESTION)).otherwise("verdict"),
        reason=pl.when(beside).then(reason).otherwise("reason"),
    ).drop("first")


def analyze_run(
    folder: Path, *, confidence: float = 0.95, seed: int = 0, resamples: int = 2000, keep: bool = False
) -> PairsAnalysis:
    """The analysis of one finished run: what its folder holds for these settings, else made now.

    Args:
        folder: run folder of `endoxa probe pairs`.
        confidence: see `analyze_pairs`, as the others.
        seed: see there.
        resamples: see there.
        keep: leave it in the folder, for whoever asks next.

    Raises:
        UserError: see `analyze_pairs`.
    """
    settings: dict[str, Any] = {"confidence": confidence, "seed": seed, "resamples": resamples}

    def analyze() -> estimates.Tables:
        analysis = analyze_pairs(load_records([folder]), **settings)
        return {name: getattr(analysis, name) for name in SCHEMAS}

    if keep:
        return PairsAnalysis(**estimates.once(folder, settings, SCHEMAS, analyze))
    return PairsAnalysis(**(estimates.kept(folder, settings, SCHEMAS) or analyze()))


def _rows(
    statistic: Statistic, scores: Scores, cell: Cell, confidence: float, seed: int
) -> Iterator[dict[str, object]]:
    """The statistic's estimates that rest on at least one pair."""
    chosen = scores.chosen(cell)
    if not chosen.any():
        return
    unlinked = scores.unlinked(chosen) if cell.language == ALL else ""
    sample = take(scores.sample, chosen)
    try:
        computed = statistic.compute(sample, confidence, cell.seed(seed))
    except ValueError as problem:
        raise UserError(
            f"The statistic '{statistic.name}' failed for model '{scores.model}', rule '{scores.rule}', "
            f"language '{cell.language}', axis '{cell.axis}': {problem}"
        ) from problem
    # Records made with a rule that is not installed here may still be analyzed.
    facts = rule_facts(scores.rule) or (f"unit of {scores.rule}",)
    about = {"model": scores.model, "rule": scores.rule, "language": cell.language, "axis": cell.axis}
    for estimate in computed:
        if estimate.n > 0:
            row = {
                **about,
                **asdict(estimate),
                "interval": estimate.interval or method_name(estimate.method),
                "clusters": estimate.clusters or estimate.n,
                "unit": facts[0] if statistic.unit == RULE else statistic.unit,
            }
            calibrated = estimate.name.startswith("calibrated_")
            reason = unlinked or confounded(sample, calibrated=calibrated)
            if reason and not isnan(estimate.neutral):
                row["reason"] = reason
                if row["interval"] == IDENTITIES:  # the value stays, identities cannot be counted
                    row |= dict.fromkeys(("low", "high", "p_value"), NAN)
            yield row
