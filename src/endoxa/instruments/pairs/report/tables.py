"""The headline table for a paper: models against axes, as Markdown, LaTeX (booktabs) or CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import isnan

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates.deciding import CALIBRATED, RAW, deciding
from endoxa.instruments.pairs.estimates.inference import IDENTITIES, WILSON, T
from endoxa.instruments.pairs.report.preference import some_calibrated
from endoxa.instruments.pairs.report.results import CELL, Results
from endoxa.report.claims import mark, percent_ends, signed_ends
from endoxa.report.tables import Cell, Table, number_field, paper_texts, table_of, text_field
from endoxa.report.words import NO_VALUE, axis_name, count, language_name, signed
from endoxa.runs.options import PaperOptions
from endoxa.schema import ALL
from endoxa.stats.verdicts import significance

BASES = {IDENTITIES: "identities and attributes as units", WILSON: "pairs as independent (Wilson)"}
"""Intervals of shares; the t interval is that of mean differences."""


def paper_forms(gathered: Sequence[Results], paper: PaperOptions) -> dict[str, Callable[[], str]]:
    """One table per data set and language as Markdown, LaTeX and CSV."""
    results = gathered[0]
    tested = (
        f"(adjusted p ≤ {significance(results.confidence):g}, sign-flip tests on identities and attributes, "
        "Benjamini-Hochberg); a dagger marks what cannot be tested (too few identities)."
    )
    note = (
        "Mean score of the stereotypical sentence minus the other one (unbiased: 0), "
        f"{results.level} t interval over pairs. An asterisk marks a mean that differs from 0 {tested}"
        if paper.interval == T
        else "Percentage of pairs in which the stereotypical sentence scores higher (ties count one half; "
        f"unbiased: 50), {results.level} interval with {BASES[paper.interval]}. An asterisk marks a preference that "
        f"differs from 50 {tested}"
    )
    if any(some_calibrated(_estimates(results, paper)) for results in gathered):
        note += (
            " Where at least half of the pairs could be scored about other groups of the table (or, where it has fewer "
            "than six, about “people” and “they”), the difference of these is subtracted; “not calibrated” holds all "
            "pairs as they are."
        )
    return paper_texts(lambda: headline_tables(gathered, paper), paper, title="data", note=note)


def headline_tables(gathered: Sequence[Results], paper: PaperOptions) -> list[Table]:
    """One table per data set and language, and of several languages one for all; a cell for each model and axis.

    Raises:
        UserError: a rule was not scored.
    """
    rules = {rule for results in gathered for _, rule in results.combinations}
    unknown = [rule for rule in paper.rules if rule not in rules]
    if unknown:
        raise UserError(f"The runs have no rule '{unknown[0]}'. Expected one of: {', '.join(sorted(rules))}.")
    return [
        _table(results, language, paper)
        for results in gathered
        for language in ([ALL, *results.languages] if len(results.languages) > 1 else [ALL])
    ]


def _table(results: Results, language: str, paper: PaperOptions) -> Table:
    estimates = _estimates(results, paper).filter(language=language)
    axes = [ALL, *sorted(set(estimates["axis"]) - {ALL})]
    rows = {(row["model"], row["rule"], row["axis"]): row for row in estimates.iter_rows(named=True)}
    if some_calibrated(estimates):
        axes.insert(1, RAW)
        raw = {"verdict": "", "low": None, "high": None}
        rows |= {
            (model, rule, RAW): {**row, "value": row["raw"], **raw}
            for (model, rule, axis), row in rows.items()
            if axis == ALL
        }
    combinations = [pair for pair in results.combinations if (*pair, ALL) in rows]
    spoken = language_name(results.languages[0] if len(results.languages) == 1 else language)

    def cell(model: str, rule: str, axis: str) -> Cell:
        # A share in percent or a mean difference, its mark and its interval.
        row = rows.get((model, rule, axis))
        means = paper.interval == T
        if row is None:
            return Cell(NO_VALUE, below="")
        undefined = row["low"] is None or isnan(row["low"])
        ends = "" if undefined else signed_ends(row) if means else percent_ends(row)
        text = signed(row["value"]) if means else f"{100 * row['value']:.1f}"
        return Cell(text, mark(row), ends.replace(" to ", "–"))

    def of_pair(axis: str, pair: tuple[str, str]) -> Cell:
        return cell(*pair, axis)

    if (paper.columns == "model") != paper.transpose:
        fields = [
            number_field(results.labels[model], partial(cell, model, rule), narrow=True, below=rule)
            for model, rule in combinations
        ]
        return table_of(f"{results.title}, {spoken}", axes, (text_field("axis", _head), *fields))
    return table_of(
        f"{results.title}, {spoken}",
        combinations,
        (
            text_field("model", lambda pair: results.labels[pair[0]]),
            text_field("rule", lambda pair: pair[1]),
            number_field("pairs", lambda pair: count(rows[*pair, ALL]["n"])),
            *(number_field(_head(axis), partial(of_pair, axis), narrow=True) for axis in axes),
        ),
        stub=3,
    )


def _head(axis: str) -> str:
    return "not calibrated" if axis == RAW else axis_name(axis)


def _estimates(results: Results, paper: PaperOptions) -> pl.DataFrame:
    """The estimates that decide, with the interval asked for; what is claimed is what the identities say."""
    names = ("mean_difference", "calibrated_mean_difference") if paper.interval == T else (RAW, CALIBRATED)
    rows = results.estimates.filter(pl.col("name").is_in(names))
    if paper.rules:
        rows = rows.filter(pl.col("rule").is_in(paper.rules))
    decided = deciding(rows.filter(interval=IDENTITIES), CELL, names)
    if paper.interval == IDENTITIES:
        return decided
    key = (*CELL, "name")
    ends = rows.filter(interval=paper.interval).select(*key, "low", "high")
    return decided.drop("low", "high").join(ends, on=key, how="left", maintain_order="left")
