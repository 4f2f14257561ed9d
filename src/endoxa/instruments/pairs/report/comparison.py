"""Models compared on the same pairs, and scoring rules that disagree about a pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.pairs.estimates.deciding import deciding
from endoxa.instruments.pairs.report.league import COMPARED, MANY, comparison_rows, many
from endoxa.instruments.pairs.report.results import (
    CALIBRATED_NOTE,
    Results,
    calibrated,
    limits,
    overall,
    some_calibrated,
    unit_fields,
    verdict_words,
)
from endoxa.report.claims import (
    P_ADJUSTED,
    VERDICT,
    agreed,
    cannot_be_tested,
    chip,
    is_clear,
    marked,
    signed_ends,
)
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import count, language_name, p_value, percent, percent_interval, plural, signed
from endoxa.stats.verdicts import ABOVE, UNCLEAR

Row = dict[str, Any]

POINTS = Measure("difference in percentage points", 0.0, "+.0f", 10, 10)

MOST_NAMED = 5
"""Differences that get a sentence of their own."""
MOST_ROWS = 24
"""Rows of the figure; the table holds every comparison."""


def comparison(results: Results) -> Section | None:
    """Which models differ on the same pairs; None with one model, and with many, which have letters (`league`)."""
    if many(results):
        return None
    compared = deciding(results.comparisons, COMPARED, value="difference")
    pooled = overall(compared)
    if pooled.is_empty():
        return None
    drawn = pooled.sort(
        pl.col("same_rule").not_(), pl.col("difference").abs(), descending=[False, True], maintain_order=True
    ).head(MOST_ROWS)
    return Section(
        f"models-{results.slug}",
        "Models compared on the same pairs",
        findings=tuple(_findings(results, pooled)),
        figures=(_figure(results, drawn, pooled.height),),
        tables=(
            (
                table_of(
                    "Every comparison",
                    compared,
                    (
                        text_field("first model and rule", lambda row: _names(results, row)[0]),
                        text_field("second model and rule", lambda row: _names(results, row)[1]),
                        text_field("language", "language", language_name),
                        number_field("pairs", "n"),
                        *unit_fields(compared),
                        number_field("difference, points", "difference", _points),
                        number_field(f"{results.level} interval", _interval),
                        VERDICT,
                        P_ADJUSTED,
                        *(
                            (
                                text_field("calibrated", lambda row: "yes" if calibrated(row) else "no"),
                                number_field("raw difference, points", "raw", _points),
                                number_field("all pairs", "n_all"),
                            )
                            if some_calibrated(compared)
                            else ()
                        ),
                        number_field("only first", "a_only"),
                        number_field("only second", "b_only"),
                        number_field("McNemar p adjusted, pairs", "p_mcnemar_adjusted", p_value),
                        number_field("scored by one only", "n_left_out"),
                        text_field("rules", lambda row: "same" if row["same_rule"] else "different"),
                    ),
                    folded=True,
                )
            ),
        ),
        notes=(
            *([CALIBRATED_NOTE] if some_calibrated(compared) else []),
            *agreed(compared.rows(named=True), "0"),
            *_rounding_notes(results, compared),
            "The difference is the preference ratio of the first model minus that of the second, in "
            f"percentage points, over the pairs both have scored; its {results.level} interval takes identities and "
            "attributes as samples. McNemar's exact test takes every pair as independent and is only shown for "
            "comparison. "
            "p-values are Benjamini-Hochberg adjusted over all comparisons. Two models compared under two different "
            "rules are marked: there, model and rule differ at once.",
        ),
    )


def _names(results: Results, row: Row) -> tuple[str, str]:
    return results.label(row["model_a"], row["rule_a"]), results.label(row["model_b"], row["rule_b"])


def _rounding_notes(results: Results, compared: pl.DataFrame) -> Iterator[str]:
    """A sentence for each comparison whose verdict could be another one in full precision."""
    for row in compared.filter(pl.col("rounding_verdicts").is_not_null()).rows(named=True):
        first, second = _names(results, row)
        yield (
            f"{first} beside {second}: {plural(row['within_rounding'], 'pair')} of the two together lie within the "
            "rounding of half precision. Had all of them gone one way or all the other, the difference would be "
            f"{_points(row['rounding_low'])} or {_points(row['rounding_high'])} points, and the verdict "
            f"{verdict_words(row['rounding_verdicts'])}. Use --dtype float32 for the last word."
        )


def _points(value: float) -> str:
    return signed(100 * value, 1)


def _findings(results: Results, pooled: pl.DataFrame) -> Iterator[Finding]:
    """The largest differences that are claimed, then how many are not, and how many could not be tested."""
    rows = pooled.sort(pl.col("difference").abs(), descending=True, maintain_order=True).rows(named=True)
    claimed = [row for row in rows if is_clear(row)]
    for row in claimed[:MOST_NAMED]:
        first, second = _names(results, row)
        often = "more" if row["verdict"] == ABOVE else "less"
        left = (
            f"; {plural(row['n_left_out'], 'pair')} scored by one of them only left out"
            if row["n_left_out"]
            else ""
        )
        raw = f" All pairs as they are: {_points(row['raw'])} points." if calibrated(row) else ""
        yield Finding(
            (
                f"{first} prefers the stereotypical sentence {often} often than {second}: by "
                f"{_points(abs(row['difference'])).lstrip('+')} percentage points ({results.level} interval of "
                f"the difference {_interval(row)}; {plural(row['n'], 'pair')}"
                f"{' compared with others' if calibrated(row) else ''}{left}).{raw}{limits([row])}"
            ),
            (row,),
        )
    rest = claimed[MOST_NAMED:]
    if rest:
        yield Finding(
            f"{plural(len(rest), 'more comparison shows', 'more comparisons show')} a difference.",
            ({"more": len(rest)},),
        )
    unclear = [row for row in rows if row["verdict"] == UNCLEAR]
    if unclear:
        which = _which(results, unclear)
        differ = "The two models are" if len(rows) == 1 else f"In {which} the models are"
        yield Finding(
            f"{differ} not distinguishable ({results.level} intervals in the table).", tuple(unclear)
        )
    untested = [row for row in rows if cannot_be_tested(row)]
    for reason in dict.fromkeys(row["reason"] for row in untested):
        alike = [row for row in untested if row["reason"] == reason]
        yield Finding(f"{_which(results, alike).capitalize()} cannot be tested: {reason}.", tuple(alike))


def _which(results: Results, rows: Sequence[Row]) -> str:
    """'1 comparison (a and b)', or how many."""
    if len(rows) > 1:
        return plural(len(rows), "comparison")
    return f"1 comparison ({' and '.join(_names(results, rows[0]))})"


def _figure(results: Results, rows: pl.DataFrame, total: int) -> Figure:
    texts = [
        f"{' minus '.join(_names(results, row))}: {_points(row['difference'])} ({_interval(row)}), {chip(row)}"
        for row in rows.iter_rows(named=True)
    ]
    heads = [
        "{}\nminus {}{}".format(*_names(results, row), "" if row["same_rule"] else " (other rule)")
        for row in rows.iter_rows(named=True)
    ]
    points = pl.col("difference", "low", "high") * 100
    frame = rows.with_columns(points).select(
        label=pl.Series(heads),
        note=pl.Series([f"{_points(value)} points" for value in rows["difference"]]),
        value="difference",
        low=pl.col("low").fill_nan(None),
        high=pl.col("high").fill_nan(None),
        outer_low=pl.lit(None, dtype=pl.Float64),
        outer_high=pl.lit(None, dtype=pl.Float64),
        filled=marked(),
        tip=pl.Series(texts) + pl.format(", n {}", rows["n"]),
    )
    part = "" if total == rows.height else f", the {rows.height} largest of {total}"
    return dot_figure(
        frame,
        POINTS,
        name=f"models-{results.slug}",
        title=f"Difference of preference ratios{part}",
        alt=described(
            f"Paired differences between models in percentage points, no difference at 0{part}", texts
        ),
        rows=comparison_rows(results, rows),
    )


def _interval(row: Row) -> str:
    return signed_ends({**row, "low": 100 * row["low"], "high": 100 * row["high"]}, digits=1)


def flips(results: Results) -> Section | None:
    """How many pairs change sides between the rules of each model; None where no model has two."""
    every_pair = overall(results.flips)
    anchor, title = f"flips-{results.slug}", "Disagreement between rules"
    if every_pair.is_empty():
        return None
    models = every_pair["model"].unique(maintain_order=True).to_list()
    alone = len(models) < MANY
    return Section(
        anchor,
        title,
        findings=tuple(_flip_ranges(results, every_pair))
        if not alone
        else tuple(
            Finding(
                (
                    f"{results.labels[row['model']]}: {count(row['flips'])} of {plural(row['n'], 'pair')} "
                    f"({percent(row['share'])}, {results.level} interval {percent_interval(row['low'], row['high'])}) "
                    f"change sides between {row['rule_a']} and {row['rule_b']}."
                ),
                (row,),
            )
            for row in every_pair.rows(named=True)
        ),
        tables=(
            (
                table_of(
                    "Rule flips, all pairs",
                    every_pair,
                    (
                        text_field("model", lambda row: results.labels[row["model"]]),
                        text_field("one rule", "rule_a"),
                        text_field("other rule", "rule_b"),
                        number_field("flips"),
                        number_field("pairs", "n"),
                        number_field("share", "share", percent),
                        number_field(
                            f"{results.level} interval", lambda row: percent_interval(row["low"], row["high"])
                        ),
                        number_field("tied under one", "ties"),
                        number_field("kappa", lambda row: signed(row["kappa"], 2).lstrip("+")),
                    ),
                    folded=True,
                )
            ),
        ),
        notes=(
            "A pair flips where one rule prefers one sentence and the other rule the other; pairs tied "
            "under one of them are no flips. Two verdicts drawn by lot would flip half of the pairs. "
            "Cohen's kappa is 1 where two rules always agree and 0 where they agree no more than by "
            "chance. A finding that holds under one rule only is a finding about that rule.",
        ),
    )


def _flip_ranges(results: Results, rows: pl.DataFrame) -> Iterator[Finding]:
    """Of many models: the least and the largest share of pairs that change sides between two rules."""
    for (first, second), of_rules in rows.sort("share").group_by(["rule_a", "rule_b"], maintain_order=True):
        least, most = of_rules.row(0, named=True), of_rules.row(-1, named=True)
        yield Finding(
            f"Between {first} and {second}, from {percent(least['share'])} ({results.labels[least['model']]}) to "
            f"{percent(most['share'])} ({results.labels[most['model']]}) of the pairs change sides.",
            (least, most),
        )
