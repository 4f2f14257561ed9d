"""Everything that is estimated from records of sentence pairs, in one call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from endoxa.analyze.cells import Cell, Scores, cells_of, scores_of, take
from endoxa.analyze.comparisons import compare_models
from endoxa.analyze.correction import adjust_within
from endoxa.analyze.flips import rule_flips
from endoxa.analyze.inference import method_name
from endoxa.analyze.records import check_records
from endoxa.analyze.registry import STATISTICS
from endoxa.datasets.frames import write_table
from endoxa.errors import UserError
from endoxa.probe.rules import RULES
from endoxa.schema import ESTIMATE_COLUMNS, Statistic

_TYPES: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(ESTIMATE_COLUMNS, pl.String),
    **dict.fromkeys(("value", "low", "high", "confidence", "p_value", "p_adjusted", "neutral"), pl.Float64),
    "n": pl.Int64,
}


@dataclass(frozen=True, slots=True)
class PairsAnalysis:
    """What `analyze_pairs` found.

    Attributes:
        estimates: `schema.ESTIMATE_COLUMNS`, one row per model, rule, cell, statistic and method.
        comparisons: `comparisons.COMPARISON_COLUMNS`, every two models on the same items.
        flips: `flips.FLIP_COLUMNS`, every two rules of a model.
        languages: the languages of the records.
    """

    estimates: pl.DataFrame
    comparisons: pl.DataFrame
    flips: pl.DataFrame
    languages: tuple[str, ...] = ()


def analyze_pairs(
    records: pl.DataFrame, *, confidence: float = 0.95, seed: int = 0, resamples: int = 2000
) -> PairsAnalysis:
    """Estimate every registered statistic in every cell, compare models, and count rule flips.

    Cells are (all, all), (all, AXIS) for each axis and, where there are two languages or more,
    (LANGUAGE, all) and (LANGUAGE, AXIS). With one language all rows are of language 'all': filter on those.

    Everything follows from the records and the seed: row order, and which other models are in the table,
    change nothing but `p_adjusted`, whose family they are.

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
    return PairsAnalysis(
        estimates=_estimates(scores, cells, confidence, seed),
        comparisons=compare_models(scores, cells, confidence, seed),
        flips=rule_flips(scores, cells, confidence),
        languages=tuple(sorted(checked["language"].unique())),
    )


def write_estimates(analysis: PairsAnalysis, path: Path) -> None:
    """Write the estimates as CSV, JSON lines or Parquet, by the file's suffix.

    Where there is one language only, its rows are those of 'all'; the file has them under both names, so that a
    reader can filter on the language whatever the data (correction: duplicates of all change no adjusted p).

    Raises:
        UserError: another suffix, or the file cannot be written.
    """
    table = analysis.estimates
    if len(analysis.languages) == 1:
        table = pl.concat([table, table.with_columns(language=pl.lit(analysis.languages[0]))])
    write_table(table, path)


def _estimates(scores: Sequence[Scores], cells: Sequence[Cell], confidence: float, seed: int) -> pl.DataFrame:
    # Cell by cell, so that models and rules share the cell's bootstrap samples while those are at hand.
    rows = [
        row
        for cell in cells
        for one in scores
        for statistic in STATISTICS.all().values()
        for row in _rows(statistic, one, cell, confidence, seed)
    ]
    frame = pl.DataFrame(rows, schema=_TYPES)
    families = [
        (rule, name, method_name(method))
        for rule, name, method in frame.select("rule", "name", "method").iter_rows()
    ]
    adjusted = adjust_within(frame["p_value"].to_list(), families)
    return frame.with_columns(pl.Series("p_adjusted", adjusted)).sort("model", "rule", maintain_order=True)


def _rule_unit(rule: str) -> str:
    """Unit of a rule's scores; records made with a rule that is not installed here may still be analyzed."""
    known = RULES.all().get(rule)
    return known.unit if known else f"unit of {rule}"


def _rows(
    statistic: Statistic, scores: Scores, cell: Cell, confidence: float, seed: int
) -> Iterator[dict[str, object]]:
    """The statistic's estimates that rest on at least one pair."""
    chosen = scores.chosen(cell)
    if not chosen.any():
        return
    sample = take(scores.sample, chosen)
    try:
        estimates = statistic.compute(sample, confidence, cell.seed(seed))
    except ValueError as problem:
        raise UserError(
            f"The statistic '{statistic.name}' failed for model '{scores.model}', rule '{scores.rule}', "
            f"language '{cell.language}', axis '{cell.axis}': {problem}"
        ) from problem
    for estimate in estimates:
        if estimate.n > 0:
            yield {
                "model": scores.model,
                "rule": scores.rule,
                "language": cell.language,
                "axis": cell.axis,
                **asdict(estimate),
                "unit": _rule_unit(scores.rule) if statistic.unit == "rule" else statistic.unit,
            }
