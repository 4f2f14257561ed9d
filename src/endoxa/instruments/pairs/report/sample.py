"""Pairs to read, and a chart whose rows readers choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.pairs.estimates.deciding import deciding
from endoxa.instruments.pairs.report.league import (
    COMPARED,
    comparison_rows,
    differences_counted,
    first_rule,
    groups,
    letters,
    many,
)
from endoxa.instruments.pairs.report.results import PREFERENCE, Results, overall, preference_cells
from endoxa.report.claims import percent_ends
from endoxa.report.closer import EACH, LEAST_ROWS, Box, closer_section
from endoxa.report.document import Section
from endoxa.report.items import Items, items_section
from endoxa.report.words import NOT_DEFINED, axis_name, language_name, percent
from endoxa.schema import ALL
from endoxa.stats.verdicts import significance

SENTENCES = {"first": "stereotypical sentence", "second": "other sentence"}
OUTCOMES = {1: "prefers the stereotypical sentence", -1: "prefers the other sentence", 0: "tie"}


def pairs_shown(results: Results, folders: Sequence[Path]) -> Section:
    """The pairs to read and what each model makes of them, those with the widest differences first.

    Args:
        results: the records, without sentences.
        folders: run folders the sentences are read from.
    """
    records = results.records
    names = {axis: axis_name(axis) for axis in records["axis"].unique()}
    items = (
        records.with_columns(size=pl.col("difference").abs())
        .sort("size", descending=True, maintain_order=True)
        .with_columns(place=pl.int_range(pl.len()).over("model", "rule"))
        .group_by("item_id", maintain_order=True)
        .agg(
            pl.col("place").min(),
            pl.col("language", "stereotypical").first(),
            pl.col("axis").first().replace_strict(names, return_dtype=pl.String),
            group=pl.coalesce("identity_group", "identity").first(),
        )
        .sort("place", maintain_order=True)
        .join(_sentences(folders), on="item_id", maintain_order="left")
        .rename({"item_id": "id"})
    )
    answers = records.select(
        pl.col("model").replace_strict(dict(results.labels), return_dtype=pl.String),
        id="item_id",
        condition="rule",
        outcome=pl.col("difference").sign().cast(pl.Int64).replace_strict(OUTCOMES, return_dtype=pl.String),
        value="difference",
        text=pl.lit(None, dtype=pl.String),
    )
    return items_section(
        f"pairs-{results.slug}",
        Items(
            "pair",
            "rule",
            items,
            answers,
            {"axis": "axis", "group": "group", "language": "language"},
            SENTENCES,
            alike=True,
        ),
        title="The pairs themselves",
        lead="A number is the score of the stereotypical sentence minus that of the other, in the unit of the rule.",
        unveil="Show all sentences (they quote stereotypes and can be offensive)",
        closing="Every pair, with all scores and token counts, is in records.parquet of the run folder.",
    )


def _sentences(folders: Sequence[Path]) -> pl.DataFrame:
    """`item_id`, the stereotypical sentence (`first`) and the other one (`second`)."""
    frames = (
        pl.scan_parquet(folder / "records.parquet")
        .select("item_id", "stereotypical", "sent_more", "sent_less")
        .unique("item_id", keep="first", maintain_order=True)
        for folder in folders
    )
    more_first = pl.col("stereotypical") == "more"
    return (
        pl.concat(frames)
        .unique("item_id", keep="first", maintain_order=True)
        .select(
            "item_id",
            first=pl.when(more_first).then("sent_more").otherwise("sent_less"),
            second=pl.when(more_first).then("sent_less").otherwise("sent_more"),
        )
        .collect()
    )


LETTERS_NOTE = (
    "Letters beside the numbers: two models that share no letter differ on the same pairs, at {level} after "
    "Benjamini-Hochberg over all comparisons; two that share one are not distinguishable, or could not be tested. The "
    "first letter is that of the highest ratio. Letters are given over all axes, for one rule at a time."
)


def league(results: Results) -> Section | None:
    """Many models side by side, and who differs from whom; None where they are few."""
    section = _closer(results) if many(results) else None
    if section is None:
        return None
    compared = comparison_rows(results, overall(deciding(results.comparisons, COMPARED, value="difference")))
    return replace(
        section,
        title="Models side by side",
        findings=(groups(results, first_rule(results)), *differences_counted(results)),
        notes=(LETTERS_NOTE.format(level=f"{significance(results.confidence):g}"), *section.notes),
        template="rows.html.j2",
        values={"name": f"comparisons-{results.slug}", "rows": compared, "what": "comparisons of two models"},
    )


def closer(results: Results) -> Section | None:
    """All estimates to choose from; None where the other figures show all of them, and where `league` has them."""
    return None if many(results) or _single(results) else _closer(results)


def _single(results: Results) -> bool:
    """One model, one rule, one language: the figure of axes shows every estimate."""
    return len(results.combinations) == len(results.languages) == 1


def _closer(results: Results) -> Section | None:
    cells = by_language(results)
    rows = cell_rows(results, cells).with_columns(
        reading=pl.Series([reading(row) for row in cells.iter_rows(named=True)], dtype=pl.String)
    )
    if many(results):
        key = ["model", "rule", "language", "axis"]
        lettered = cells.select(key).join(letters(results, cells), on=key, how="left", maintain_order="left")
        rows = rows.with_columns(lettered["letters"])
    pooled = overall(preference_cells(results.estimates)).sort("value", descending=True, nulls_last=True)
    model, rule = pooled.select("model", "rule").row(0)
    if many(results):
        rule = first_rule(results)
    models, rules, axes = (cells[name].n_unique() for name in ("model", "rule", "axis"))
    several = axes > 2 and not many(results)
    every_axis = EACH if several or models == rules == 1 else axis_name(ALL)
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
        title="Preference ratio by model, the highest first"
        if many(results)
        else "Preference ratio of every cell",
        reading=f"The preference ratio of every cell with its {results.level} interval, identities and attributes "
        "taken as samples.",
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
    if _single(results) or by_language(results).height < LEAST_ROWS:
        return {"rows": cell_rows(results, cells)}
    return {"part_of": (f"closer-{results.slug}", where)}


def reading(row: Mapping[str, Any]) -> str:
    """'61.2 % (58.0 to 64.1)', or the share alone where it has no interval."""
    ends, share = percent_ends(row), percent(row["value"])
    return share if ends == NOT_DEFINED else f"{share} ({ends})"
