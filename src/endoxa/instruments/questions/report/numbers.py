"""Every number, for those who check.

Scores of each category, where a data set holds several.
"""

from __future__ import annotations

import polars as pl

from endoxa.instruments.questions.report.results import SPOKEN_CONDITIONS, QaResults
from endoxa.instruments.questions.report.values import lean_evidence, missing, shown_interval
from endoxa.page.claims import chip
from endoxa.page.document import Section
from endoxa.page.tables import Column, Table
from endoxa.page.words import NO_VALUE, count, decimal, decimal_interval, p_value
from endoxa.schema import ALL

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


def numbers(results: QaResults) -> Section:
    """The estimates under the names of their columns, and how they were made."""
    texts = ("model", "data", "category", "contexts")
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
        for row in results.estimates.iter_rows(named=True)
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
        tables=(
            Table("All estimates, named as in the CSV file", columns, rows, folded=True),
            _methods(results),
        ),
        notes=("The report written as CSV holds the same and the means over seeds.",),
    )


def _methods(results: QaResults) -> Table:
    found = results.estimates.group_by("method", maintain_order=True).agg(n=pl.len())
    rows = tuple((method or NO_VALUE, count(n)) for method, n in found.iter_rows())
    return Table(
        "How the bootstrap intervals were made", (Column("method"), Column("estimates", numeric=True)), rows
    )


MEASURES = {"accuracy": "accuracy", "bias_unscaled": "unscaled bias", "bias_score": "bias score"}


def categories(results: QaResults) -> Section | None:
    """A table of all categories; None where there is one only."""
    several = results.estimates.filter(pl.col("category") == ALL)["data"].unique().to_list()
    rows = results.estimates.filter(pl.col("data").is_in(several) & (pl.col("category") != ALL))
    if rows.is_empty():
        return None
    return Section(
        anchor="categories",
        title="By category",
        tables=(category_table(results, rows, "Scores of each category"),),
        notes=(
            "The lean is the bias score in ambiguous contexts and the accuracy gap in disambiguated ones; verdicts are "
            "corrected over all leans of the page.",
        ),
    )


def category_table(results: QaResults, rows: pl.DataFrame, caption: str) -> Table:
    """Every measure of the rows with its interval; reasons of what is undefined below."""
    columns = [Column("model"), Column("data"), Column("category"), Column("contexts")]
    for spoken in MEASURES.values():
        columns += [Column(spoken, numeric=True), Column(f"{results.level} interval", numeric=True)]
    columns += [Column("lean", numeric=True), Column("its interval", numeric=True), Column("verdict")]
    columns.append(Column("answers", numeric=True))
    body = tuple(
        (
            row["line"],
            row["data"],
            row["category"],
            SPOKEN_CONDITIONS[row["context_condition"]],
            *(
                text
                for name in MEASURES
                for text in (decimal(row[name]), decimal_interval(row[f"{name}_low"], row[f"{name}_high"]))
            ),
            decimal(row["lean"]),
            shown_interval(lean_evidence(row)),
            chip(row),
            count(row["n"]),
        )
        for row in rows.iter_rows(named=True)
    )
    places = (
        (f"{row['line']}, {row['data']}, {row['category']}", row, name)
        for row in rows.iter_rows(named=True)
        for name in MEASURES
    )
    return Table(caption, tuple(columns), body, folded=len(body) > 40, notes=tuple(missing(places)))
