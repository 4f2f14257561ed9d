"""Groups against names: sentences, figures and tables of differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from endoxa.instruments.questions.report.results import (
    CONTEXTS,
    CONTEXTS_FIELD,
    P_FIELD,
    SPOKEN_CONDITIONS,
    SPOKEN_LEANS,
    UNITS_FIELD,
    QaResults,
    Row,
    evidence,
    missing,
    side_by_side,
    spoken_interval,
    verdict_finding,
)
from endoxa.report.claims import VERDICT, chip, marked, verdict_counts
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, series_figure
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, decimal, listed, plural
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

MEASURES = {"accuracy": "accuracy", "bias_score": "bias score"}
SPOKEN_MEASURES = {**MEASURES, "bias_unscaled": "unscaled bias", "accuracy_gap": "accuracy gap"}
TESTED = {"lean": list(SPOKEN_LEANS), "accuracy": ["accuracy"]}
"""Measures that are drawn."""

DIFFERENCES = (
    "Differences are the value with the groups minus that with names, so right of 0 there was more with "
    "the groups. They rest on the items that were read in both data sets, paired, so that unlike questions cannot make "
    "a difference. Verdicts are corrected over all differences."
)


def conditions_compared(results: QaResults) -> Section | None:
    """The differences between a data set and the same with names; None where there are none."""
    figures, tables = tuple(difference_dots(results)), tuple(difference_tables(results))
    if not (figures or tables):
        return None
    notes = (
        f"{DIFFERENCES} A filled dot is a difference that is significant after correction. Unscaled scores and the "
        "disambiguated bias score are shown without a verdict: their denominators differ between the two, so they have "
        "no exact test.",
    )
    return Section("conditions", "Groups against names", figures=figures, tables=tables, notes=notes)


def difference_dots(results: QaResults) -> Iterator[Figure]:
    """The differences of each model, one dot for each kind of contexts, the greatest first."""
    tested = results.main(results.differences).drop_nulls("difference").filter(pl.col("verdict") != "")
    for original, substituted in results.pairs:
        for spoken, measures in TESTED.items():
            rows = tested.filter(
                pl.col("measure").is_in(measures), original=original, substituted=substituted
            )
            if rows.is_empty():
                continue
            frame = rows.with_columns(
                series=pl.col("context_condition").replace_strict(SPOKEN_CONDITIONS),
                note=side_by_side("difference", "line"),
                first=pl.col("difference").first().over("line"),
            ).sort(-pl.col("first"), "line", "series", maintain_order=True)
            texts = (
                f"{row['line']}, {row['series']}: {decimal(row['difference'])}, {chip(row)}"
                for row in frame.iter_rows(named=True)
            )
            title = f"Difference in {spoken}: {original} minus {substituted}"
            yield series_figure(
                frame.select(
                    "series", "note", "low", "high", label="line", value="difference", filled=marked()
                ),
                Measure(f"{original} minus {substituted}", 0.0, "+.2~f", 0.1, 0.1),
                [name for name in SPOKEN_CONDITIONS.values() if name in set(frame["series"])],
                name=f"difference-{spoken}",
                title=title,
                alt=described(f"{title}, no difference: 0", texts),
            )


def difference_tables(results: QaResults) -> Iterator[Table]:
    """Every difference with its interval, a table for each pair of data sets."""
    for original, substituted in results.pairs:
        rows = results.differences.filter(original=original, substituted=substituted)
        places = (
            (
                f"{row['line']}, {SPOKEN_CONDITIONS[row['context_condition']]}, {SPOKEN_MEASURES[row['measure']]}",
                row,
                "difference",
            )
            for row in rows.iter_rows(named=True)
        )
        reasons = rows.filter(verdict=UNTESTED)["verdict_reason"].unique(maintain_order=True)
        yield table_of(
            f"Differences: {original} minus {substituted}",
            rows,
            (
                text_field("model", "line"),
                CONTEXTS_FIELD,
                text_field("measure", shown=SPOKEN_MEASURES.__getitem__),
                number_field(original, "original_value", decimal),
                number_field(substituted, "substituted_value", decimal),
                number_field("difference", shown=decimal),
                results.interval_field(),
                P_FIELD,
                number_field("shared items", "n_items"),
                number_field("left out", "n_left_out"),
                UNITS_FIELD,
                VERDICT,
            ),
            most_open=40,
            notes=(
                *missing(places),
                f"{NO_VALUE} as a verdict: of this measure nothing is claimed.",
                *(f"Cannot be tested: {reason}." for reason in reasons),
            ),
        )


_SIDES = {
    ABOVE: "is higher for {n}",
    BELOW: "is lower for {n}",
    UNCLEAR: "is not distinguishable for {n}",
    UNTESTED: "cannot be tested for {n}",
}


def names_summed_up(results: QaResults, condition: str) -> Iterator[Finding]:
    """Of many models, for how many the lean in these contexts differs between groups and names."""
    rows = results.main(results.differences).filter(context_condition=condition).drop_nulls(["difference"])
    leans = rows.filter(pl.col("measure").is_in(list(SPOKEN_LEANS)), pl.col("verdict") != "")
    for original, substituted in results.pairs:
        of_pair = leans.filter(original=original, substituted=substituted)
        facts = [evidence(row, "difference") for row in of_pair.iter_rows(named=True)]
        if facts:
            numbers = verdict_counts(facts)
            parts = [
                words.format(
                    n=f"all {numbers[verdict]}" if numbers[verdict] == len(facts) > 1 else numbers[verdict]
                )
                for verdict, words in _SIDES.items()
                if numbers[verdict]
            ]
            yield Finding(
                f"{CONTEXTS[condition]} with {original} compared with {substituted}, of "
                f"{plural(len(facts), 'model')} the {SPOKEN_LEANS[facts[0]['measure']]} {listed(parts)}.",
                tuple(facts),
            )


def names_compared(results: QaResults, rows: Sequence[Row], *, ratios: bool) -> Iterator[Finding]:
    """Of one model in one kind of context: the difference of its leans, and the ratio of its errors.

    Args:
        results: of the page.
        rows: estimates of the model in this kind of context, one for each data set.
        ratios: whether error retention gets a sentence.
    """
    if not rows:
        return
    cell = {name: rows[0][name] for name in ("model", "protocol", "context_condition")}
    where = CONTEXTS[cell["context_condition"]]
    for row in results.differences.filter(**cell, measure=rows[0]["lean_name"]).iter_rows(named=True):
        if row["difference"] is not None:
            facts, items, lean = evidence(row, "difference"), _items(row), SPOKEN_LEANS[row["measure"]]
            names = f"with {row['original']} than with {row['substituted']}"
            value = f"difference {decimal(row['difference'])}"
            scores = f"the {lean}s of {row['line']} with {row['original']} and with {row['substituted']}"
            yield verdict_finding(
                facts,
                claim=(
                    f"{where} the {lean} of {row['line']} is higher {names}",
                    f"{where} the {lean} of {row['line']} is lower {names}",
                ),
                unclear=f"{where} {scores} are not distinguishable",
                untested=f"{where} a difference between {scores}",
                numbers=f"{value} ({spoken_interval(facts, results.level)}; no difference: 0; {items})",
                value=f"{value} ({items})",
            )
    for row in results.retention.filter(**cell).iter_rows(named=True) if ratios else ():
        if row["ratio"] is not None:
            facts, items, ratio = evidence(row, "ratio"), _items(row), decimal(row["ratio"])
            names = f"with {row['substituted']} than with {row['original']}"
            interval = f"({spoken_interval(facts, results.level)}; equal: 1; {items})"
            rates = f"the error rates of {row['line']} with {row['original']} and with {row['substituted']}"
            less = f"with {row['substituted']} it is " if row["verdict"] == UNCLEAR else ""
            yield verdict_finding(
                facts,
                claim=(
                    f"{where} the error rate of {row['line']} is higher {names}",
                    f"{where} the error rate of {row['line']} is lower {names}",
                ),
                unclear=f"{where} {rates} are not distinguishable",
                untested=f"{where} a difference between {rates}",
                numbers=f"{less}{ratio} times as high {interval}",
                value=f"ratio {ratio} ({items})",
            )


def _items(row: Row) -> str:
    """'770 shared items, 12 items read in one of them only left out'."""
    left = row["n_left_out"]
    lonely = f", {plural(left, 'item')} read in one of them only left out" if left else ""
    return f"{plural(row['n_items'], 'shared item')}{lonely}"
