"""The headline table for a paper: models against axes, as Markdown or LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import polars as pl

from endoxa.instruments.pairs.report.results import Results, identity_rows
from endoxa.page import tables
from endoxa.page.claims import cannot_be_tested, is_clear, percent_ends
from endoxa.page.tables import Cell, Column, Table
from endoxa.page.words import NO_VALUE, axis_name, count, language_name
from endoxa.schema import ALL
from endoxa.stats.verdicts import significance

STUB = (Column("model"), Column("rule"), Column("pairs", numeric=True))
"""What a row is about: one model under one rule."""


def markdown(gathered: Sequence[Results]) -> str:
    """One table per data set and language, model names and axes escaped."""
    return tables.markdown(headline_tables(gathered), _note(gathered[0]))


def latex(gathered: Sequence[Results]) -> str:
    """One `table*` environment per data set and language; needs the package booktabs and nothing else."""
    return tables.latex(headline_tables(gathered), _note(gathered[0]))


def headline_tables(gathered: Sequence[Results]) -> list[Table]:
    """One table per data set and language, a cell for each axis."""
    return [_table(results, language) for results in gathered for language in _languages(results)]


def _note(results: Results) -> str:
    return (
        "Percentage of pairs in which the stereotypical sentence scores higher (ties count one half; "
        f"unbiased: 50), {results.level} interval with identities as clusters. An asterisk marks a preference that "
        f"differs from 50 (adjusted p ≤ {significance(results.confidence):g}, sign-flip test on identities, "
        "Benjamini-Hochberg); a dagger marks what cannot be tested (too few identities)."
    )


def _languages(results: Results) -> list[str]:
    """'all' stands for the only language there is."""
    return results.languages if len(results.languages) > 1 else [ALL]


def _table(results: Results, language: str) -> Table:
    cells = identity_rows(results.estimates, "preference_ratio").filter(pl.col("language") == language)
    axes = [ALL, *sorted(set(cells["axis"]) - {ALL})]
    found = {(row["model"], row["rule"], row["axis"]): row for row in cells.iter_rows(named=True)}
    spoken = results.languages[0] if language == ALL else language
    return Table(
        f"{results.title}, {language_name(spoken)}",
        (*STUB, *(Column(axis_name(axis), numeric=True, narrow=True) for axis in axes)),
        tuple(
            (
                results.labels[model],
                rule,
                count(found[model, rule, ALL]["n"]),
                *(_cell(found.get((model, rule, axis))) for axis in axes),
            )
            for model, rule in results.combinations
            if (model, rule, ALL) in found
        ),
        stub=len(STUB),
    )


def _cell(row: Mapping[str, Any] | None) -> Cell:
    """A preference ratio in percent, its mark and its interval."""
    if row is None:
        return Cell(NO_VALUE, below="")
    return Cell(
        f"{100 * row['value']:.1f}",
        "*" if is_clear(row) else "†" if cannot_be_tested(row) else "",
        "" if isnan(row["low"]) else percent_ends(row).replace(" to ", "–"),
    )
