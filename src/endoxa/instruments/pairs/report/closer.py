"""Every preference ratio in one chart whose rows readers choose by model, rule, axis and language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from endoxa.instruments.pairs.report.results import PREFERENCE, Results, overall, preference_cells
from endoxa.report.claims import percent_ends
from endoxa.report.closer import EACH, LEAST_ROWS, Box, closer_section
from endoxa.report.document import Section
from endoxa.report.words import NOT_DEFINED, axis_name, language_name, percent
from endoxa.schema import ALL


def closer(results: Results) -> Section | None:
    """All estimates to choose from; None where there are few."""
    cells = by_language(results)
    rows = cell_rows(results, cells).with_columns(
        reading=pl.Series([reading(row) for row in cells.iter_rows(named=True)], dtype=pl.String)
    )
    pooled = overall(preference_cells(results.estimates)).sort("value", descending=True, nulls_last=True)
    model, rule = pooled.select("model", "rule").row(0)
    models, rules, axes = (cells[name].n_unique() for name in ("model", "rule", "axis"))
    every_axis = EACH if axes > 2 or models == rules == 1 else axis_name(ALL)
    return closer_section(
        rows,
        (
            Box("model", "model", EACH if every_axis else results.labels[model]),
            Box("rule", "rule", rule),
            Box("axis", "axis", every_axis, together=axis_name(ALL)),
            Box("language", "language", language_name(cells["language"][0]), together=language_name(ALL)),
        ),
        PREFERENCE,
        name=f"closer-{results.slug}",
        title="Preference ratio of every cell",
        reading=f"The preference ratio of every cell with its {results.level} interval, identities taken as "
        "independent.",
        line="an unbiased model",
        choose=" models, rules, axes and languages",
    )


def by_language(results: Results) -> pl.DataFrame:
    """Cells of the preference ratio by language; with one language its cells are those of all."""
    cells = preference_cells(results.estimates)
    if len(results.languages) == 1:
        return cells.with_columns(language=pl.lit(results.languages[0]))
    return cells


def cell_rows(results: Results, cells: pl.DataFrame) -> pl.DataFrame:
    """Cells as readers download them: models, axes and languages named as on the page."""
    return cells.select(
        pl.col("model").replace_strict(dict(results.labels), return_dtype=pl.String),
        "rule",
        pl.col("axis").map_elements(axis_name, return_dtype=pl.String),
        pl.col("language").map_elements(language_name, return_dtype=pl.String),
        *("value", "low", "high", "n"),
        pl.col("clusters").alias("identities"),
        *("p_adjusted", "verdict"),
    )


def rows_once(results: Results, cells: pl.DataFrame, where: Mapping[str, str]) -> dict[str, Any]:
    """`rows` of a figure, or `part_of`: where they stand among the rows of "Look closer".

    Args:
        results: of the page.
        cells: what the figure shows.
        where: values of columns of `cell_rows` that hold for these cells; in "Look closer" they choose the rows.
    """
    if by_language(results).height < LEAST_ROWS:
        return {"rows": cell_rows(results, cells)}
    return {"part_of": (f"closer-{results.slug}", where)}


def reading(row: Mapping[str, Any]) -> str:
    """'61.2 % (58.0 to 64.1)', or the share alone where it has no interval."""
    ends, share = percent_ends(row), percent(row["value"])
    return share if ends == NOT_DEFINED else f"{share} ({ends})"
