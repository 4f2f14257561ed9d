"""Every number, for those who check."""

from __future__ import annotations

import polars as pl

from endoxa.instruments.questions.report.results import SPOKEN_CONDITIONS, QaResults
from endoxa.report.claims import chip
from endoxa.report.document import Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import NO_VALUE, count, decimal, p_value

COUNTS = (
    *("n", "n_read", "n_unparsed", "n_refused", "n_correct", "n_persons", "n_non_unknown", "n_biased"),
    "clusters",
)
VALUES = (
    *("accuracy", "accuracy_low", "accuracy_high", "accuracy_unparsed_as_wrong"),
    *("accuracy_aligned", "accuracy_nonaligned", "stereotyped_share"),
    *("bias_unscaled", "bias_unscaled_low", "bias_unscaled_high"),
    *("bias_score", "bias_score_low", "bias_score_high", "bias_score_if_none", "bias_score_if_all"),
    *("bias_unscaled_if_none", "bias_unscaled_if_all"),
    *("lean", "lean_low", "lean_high"),
)
TESTS = ("p_value", "p_adjusted")


MOST_ROWS = 400
"""With more estimates the page holds those over all categories; the CSV file has all."""


def numbers(results: QaResults) -> Section:
    """The estimates under the names of their columns, and how they were made."""
    texts = ("model", "data", "category", "contexts")
    many = results.estimates.height > MOST_ROWS
    shown = results.overall if many else results.estimates
    rows = tuple(
        (
            row["line"],
            row["data"],
            row["category"],
            SPOKEN_CONDITIONS[row["context_condition"]],
            *(count(row[name]) for name in COUNTS),
            *(decimal(row[name]) for name in VALUES),
            *(NO_VALUE if row[name] is None else p_value(row[name]) for name in TESTS),
            chip(row),
            "; ".join(text for text in (row["reason"], row["verdict_reason"]) if text) or NO_VALUE,
        )
        for row in shown.iter_rows(named=True)
    )
    columns = (
        *(Column(name) for name in texts),
        *(Column(name, numeric=True) for name in (*COUNTS, *VALUES, *TESTS)),
        Column("verdict"),
        Column("reason"),
    )
    return Section(
        anchor="numbers",
        title="Every number",
        folded=True,
        tables=(
            Table(
                "Estimates over all categories, named as in the CSV file"
                if many
                else "All estimates, named as in the CSV file",
                columns,
                rows,
                folded=True,
            ),
            _methods(results),
        ),
        notes=(
            f"The report written as CSV holds {'every category' if many else 'the same'} and the means over seeds.",
        ),
    )


def _methods(results: QaResults) -> Table:
    found = results.estimates.group_by("method", maintain_order=True).agg(n=pl.len())
    rows = tuple((method or NO_VALUE, count(n)) for method, n in found.iter_rows())
    return Table(
        "How the bootstrap intervals were made", (Column("method"), Column("estimates", numeric=True)), rows
    )
