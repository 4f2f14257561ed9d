"""Groups against names: sentences, figures and tables of differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter

import polars as pl

from endoxa.instruments.questions.report.kinds import (
    LEAN_OF,
    MEASURES,
    by_contexts,
    name_differences,
    retained_errors,
)
from endoxa.instruments.questions.report.results import (
    CONTEXTS,
    CONTEXTS_FIELD,
    UNITS_FIELD,
    QaResults,
    reasons,
)
from endoxa.report import estimates as say
from endoxa.report.claims import Row
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Table, number_field, text_field
from endoxa.report.words import NO_VALUE, decimal, plural

DRAWN = {"lean": list(LEAN_OF.values()), "accuracy": ["accuracy"]}
"""Measures that are tested, in figures of their own."""


def conditions_compared(results: QaResults) -> Section | None:
    """The differences between a data set and the same with names; None where there are none."""
    if results.differences.is_empty():
        return None
    notes = (
        "Differences are the value with the groups minus that with names, so right of 0 there was more with the "
        "groups. They rest on the items that were read in both data sets, paired, so that unlike questions cannot make "
        "a difference. Verdicts are corrected over all differences. A filled dot is a difference that is significant "
        "after correction. Unscaled scores and the disambiguated bias score are shown without a verdict: their "
        "denominators differ between the two, so they have no exact test.",
    )
    return Section(
        "conditions",
        "Groups against names",
        figures=tuple(_figures(results)),
        tables=tuple(_tables(results)),
        notes=notes,
    )


def _figures(results: QaResults) -> Iterator[Figure]:
    """The tested differences of each model, the greatest first."""
    tested = results.main(results.differences).filter(pl.col("verdict") != "")
    for place, (original, substituted) in enumerate(results.pairs):
        for spoken, measures in DRAWN.items():
            rows = tested.filter(pl.col("name").is_in(measures), original=original, substituted=substituted)
            rows = rows.sort("value", descending=True, maintain_order=True)
            kind = replace(name_differences(results), name=itemgetter("line"))
            name = f"difference-{spoken}" + (f"-{place + 1}" if place else "")
            yield from by_contexts(
                kind, rows, name, f"Difference in {spoken} ({original} minus {substituted})"
            )


def _tables(results: QaResults) -> Iterator[Table]:
    """Every difference with its interval, a table for each pair of data sets."""
    for original, substituted in results.pairs:
        rows = results.differences.filter(original=original, substituted=substituted)
        yield say.numbers(
            name_differences(results),
            f"Differences: {original} minus {substituted}",
            rows,
            (
                text_field("model", "line"),
                CONTEXTS_FIELD,
                text_field("measure", "name", MEASURES.__getitem__),
                number_field(original, "original_value", decimal),
                number_field(substituted, "substituted_value", decimal),
            ),
            (
                number_field("shared items", "n"),
                number_field("left out", "n_left_out"),
                UNITS_FIELD,
            ),
            most_open=40,
            notes=(
                *reasons(
                    rows, lambda row: f"{row['line']}, {CONTEXTS_FIELD.cell(row)}, {MEASURES[row['name']]}"
                ),
                f"{NO_VALUE} as a verdict: of this measure nothing is claimed.",
            ),
        )


def names_summed_up(results: QaResults, condition: str) -> Iterator[Finding]:
    """Of many models, for how many the lean in these contexts differs between groups and names."""
    rows = results.main(results.differences).filter(
        pl.col("verdict") != "", name=LEAN_OF[condition], context_condition=condition
    )
    for original, substituted in results.pairs:
        of_pair = rows.drop_nulls("value").filter(original=original, substituted=substituted).rows(named=True)
        if of_pair:
            which = f"the {MEASURES[LEAN_OF[condition]]} with {original} compared with {substituted}"
            label = f"{CONTEXTS[condition]} {which}, {plural(len(of_pair), 'model')}"
            yield say.verdict_tally(name_differences(results), label, of_pair)


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
    differences = results.differences.filter(**cell, name=LEAN_OF[rows[0]["context_condition"]]).drop_nulls(
        "value"
    )
    yield from (say.sentence(name_differences(results), row) for row in differences.iter_rows(named=True))
    if ratios:
        retained = results.retention.filter(**cell).drop_nulls("value")
        yield from (say.sentence(retained_errors(results), row) for row in retained.iter_rows(named=True))
