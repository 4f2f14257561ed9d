"""The headline table for a paper: models against axes, as Markdown, LaTeX (booktabs) or CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.report.results import IDENTITIES, Results
from endoxa.report import tables
from endoxa.report.claims import cannot_be_tested, is_clear, percent_ends, signed_ends
from endoxa.report.tables import Cell, Column, Table
from endoxa.report.words import NO_VALUE, axis_name, count, language_name, signed
from endoxa.runs.options import USUAL_PAPER, PaperOptions
from endoxa.schema import ALL
from endoxa.stats.verdicts import significance

MEANS = "t"
"""The interval that stands for mean differences in place of shares."""
BASES = {IDENTITIES: "identities as clusters", "wilson": "pairs as independent (Wilson)"}


def markdown(gathered: Sequence[Results], paper: PaperOptions = USUAL_PAPER) -> str:
    """One table per data set and language, model names and axes escaped."""
    return tables.markdown(
        headline_tables(gathered, paper), f"{_note(gathered[0], paper)} {paper.note}".strip()
    )


def latex(gathered: Sequence[Results], paper: PaperOptions = USUAL_PAPER) -> str:
    """One `table*` environment per data set and language; needs the package booktabs and nothing else."""
    return tables.latex(
        headline_tables(gathered, paper),
        f"{_note(gathered[0], paper)} {paper.note}".strip(),
        caption=paper.caption,
        label=paper.label,
    )


def csv(gathered: Sequence[Results], paper: PaperOptions = USUAL_PAPER) -> str:
    """The same for programs, intervals in columns of their own."""
    return tables.csv(headline_tables(gathered, paper), "data")


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
        _table(results, language, paper) for results in gathered for language in _languages(results.languages)
    ]


def _languages(languages: list[str]) -> list[str]:
    """'all' is the only language there is, or stands in front of several."""
    return [ALL, *languages] if len(languages) > 1 else [ALL]


def _note(results: Results, paper: PaperOptions = USUAL_PAPER) -> str:
    level = significance(results.confidence)
    tested = (
        f"(adjusted p ≤ {level:g}, sign-flip test on identities, Benjamini-Hochberg); a dagger marks what cannot be "
        "tested (too few identities)."
    )
    if paper.interval == MEANS:
        return (
            "Mean score of the stereotypical sentence minus the other one (unbiased: 0), "
            f"{results.level} t interval over pairs. An asterisk marks a mean that differs from 0 {tested}"
        )
    return (
        "Percentage of pairs in which the stereotypical sentence scores higher (ties count one half; "
        f"unbiased: 50), {results.level} interval with {BASES[paper.interval]}. An asterisk marks a preference that "
        f"differs from 50 {tested}"
    )


def _table(results: Results, language: str, paper: PaperOptions) -> Table:
    cells = _cells(results, paper).filter(pl.col("language") == language)
    axes = [ALL, *sorted(set(cells["axis"]) - {ALL})]
    found = {(row["model"], row["rule"], row["axis"]): row for row in cells.iter_rows(named=True)}
    pairs = [one for one in results.combinations if (*one, ALL) in found]
    shown = language_name(
        results.languages[0] if language == ALL and len(results.languages) == 1 else language
    )
    title = f"{results.title}, {shown}"
    if (paper.columns == "model") != paper.transpose:
        heads = [
            Column(results.labels[model], numeric=True, narrow=True, below=rule) for model, rule in pairs
        ]
        rows: list[tuple[str | Cell, ...]] = [
            (axis_name(axis), *(_cell(found.get((*one, axis)), paper) for one in pairs)) for axis in axes
        ]
        return Table(title, (Column("axis"), *heads), tuple(rows))
    columns = (
        *(Column("model"), Column("rule"), Column("pairs", numeric=True)),
        *(Column(axis_name(axis), numeric=True, narrow=True) for axis in axes),
    )
    return Table(title, columns, tuple(_rows(results, found, pairs, axes, paper)), stub=3)


def _rows(
    results: Results,
    found: Mapping[tuple[str, str, str], Mapping[str, Any]],
    pairs: Sequence[tuple[str, str]],
    axes: Sequence[str],
    paper: PaperOptions,
) -> Iterator[tuple[str | Cell, ...]]:
    """A row for each model and rule."""
    for model, rule in pairs:
        cells = (_cell(found.get((model, rule, axis)), paper) for axis in axes)
        yield results.labels[model], rule, count(found[model, rule, ALL]["n"]), *cells


def _cells(results: Results, paper: PaperOptions) -> pl.DataFrame:
    """Estimates of the statistic with the interval asked for; what is claimed is what the identities say."""
    name = "mean_difference" if paper.interval == MEANS else "preference_ratio"
    rows = results.estimates.filter(name=name)
    if paper.rules:
        rows = rows.filter(pl.col("rule").is_in(paper.rules))
    key = ("model", "rule", "language", "axis")
    decided = rows.filter(interval=IDENTITIES)
    if paper.interval == IDENTITIES:
        return decided
    ends = rows.filter(interval=paper.interval).select(*key, "low", "high")
    return decided.drop("low", "high").join(ends, on=key, how="left", maintain_order="left")


def _cell(row: Mapping[str, Any] | None, paper: PaperOptions) -> Cell:
    """A share in percent or a mean difference, its mark and its interval."""
    if row is None:
        return Cell(NO_VALUE, below="")
    means = paper.interval == MEANS
    undefined = row["low"] is None or isnan(row["low"])
    ends = "" if undefined else signed_ends(row) if means else percent_ends(row)
    return Cell(
        signed(row["value"]) if means else f"{100 * row['value']:.1f}",
        "*" if is_clear(row) else "†" if cannot_be_tested(row) else "",
        ends.replace(" to ", "–"),
    )
