"""A summary of a survey that can be handed on: who said what how often, with small subgroups merged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from endoxa.curate.disclosure import ALL_AXES, choices, published
from endoxa.errors import UserError
from endoxa.schema import STATEMENT_COLUMNS
from endoxa.schema.associations import SMALLEST_CELL
from endoxa.sources.frames import write_table

__all__ = ["Summary", "summarise", "write_summary"]


FREQUENCY_COLUMNS: dict[str, str] = {
    "axis": "social axis",
    "identity": "the group of people",
    "attribute": "the canonical attribute of the group of like attributes",
    "group_id": "the group of like attributes, or empty",
    "respondents": "how many different respondents said it",
    "statements": "how many statements say it",
}
"""Columns of `frequencies.csv`, the most frequent first within an axis."""

COMPOSED_BY = ("language", "country")
"""Columns of the statements that the composition is always split by, where they are there."""

_USED_COLUMNS = frozenset(
    (*STATEMENT_COLUMNS, "source", "said", "group_id", "polarity", "person", "canonical", "answer")
)
_DISTINCT_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of a survey, safe to hand on.

    Attributes:
        frequencies: columns of `FREQUENCY_COLUMNS`.
        frequencies_by: for each column, axis, identity, attribute, the column, respondents.
        composition: per axis and source: respondents, statements, identities, associations.
        composition_by: for each column, axis, the column, respondents.
        notes: what a reader should know, as sentences.
    """

    frequencies: pl.DataFrame
    frequencies_by: Mapping[str, pl.DataFrame]
    composition: pl.DataFrame
    composition_by: Mapping[str, pl.DataFrame]
    notes: tuple[str, ...] = field(default=())


def summarise(table: pl.DataFrame, by: Sequence[str] = (), least: int = SMALLEST_CELL) -> Summary:
    """Count a table of mentions, every respondent once per cell, small subgroups merged.

    Args:
        table: columns of `mentions.MENTION_COLUMNS` and those of the statements.
        by: columns to split by; without any, the country and every column that is not one of ours (the
            demographic columns that extraction kept).
        least: smallest count of a subgroup that may be known.

    Raises:
        UserError: a column is not there.
    """
    columns, notes = _columns(table, by)
    composed = dict.fromkeys([*columns, *(name for name in COMPOSED_BY if name in table.columns)])
    answers = {name: published(table, name, least) for name in composed}
    frequencies = _frequencies(table)
    keys = frequencies.select("axis", "identity", "attribute", "respondents").rows()
    frequencies_by = {
        name: _long(
            name,
            {tuple(key[:3]): answers[name].associations[key[:3]].cells(key[3]) for key in keys},
            ("axis", "identity", "attribute"),
        )
        for name in columns
    }
    axes = table.group_by("axis").agg(pl.col("person").n_unique()).sort("axis")
    totals = dict(axes.iter_rows()) | {ALL_AXES: table["person"].n_unique()}
    composition_by = {
        name: _long(
            name,
            {(axis,): answers[name].axes[axis].cells(total) for axis, total in totals.items()},
            ("axis",),
        )
        for name in composed
    }
    return Summary(
        frequencies, frequencies_by, _composition(table), composition_by, (*notes, *_nested(table, columns))
    )


def _columns(table: pl.DataFrame, by: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """The columns to split by, and a sentence for each that was passed over."""
    absent = [name for name in by if name not in table.columns]
    if absent:
        offered = ", ".join(repr(name) for name in _candidates(table)) or "none"
        raise UserError(f"--by: the table has no column '{absent[0]}'. Available: {offered}.")
    if by:
        return tuple(dict.fromkeys(by)), []
    people = table["person"].n_unique()
    kept, notes = [], []
    for name in _candidates(table):
        values = len({choice for cell in table[name] for choice in choices(cell)})
        if values > 1 and values > people * _DISTINCT_SHARE:
            notes.append(f"Column '{name}' has {values} values for {people} respondents: not split by it.")
        elif values:
            kept.append(name)
    return tuple(kept), notes


def _candidates(table: pl.DataFrame) -> list[str]:
    extra = [name for name in table.columns if name not in _USED_COLUMNS and not name.startswith("review")]
    return (["country"] if "country" in table.columns else []) + extra


def _frequencies(table: pl.DataFrame) -> pl.DataFrame:
    keys = ["axis", "identity", "attribute"]
    return (
        table.group_by(keys)
        .agg(
            group_id=pl.col("group_id").min(),
            respondents=pl.col("person").n_unique().cast(pl.Int64),
            statements=pl.len().cast(pl.Int64),
        )
        .select(*FREQUENCY_COLUMNS)
        .sort(["axis", "respondents", "identity", "attribute"], descending=[False, True, False, False])
    )


def _composition(table: pl.DataFrame) -> pl.DataFrame:
    measures = (
        pl.col("person").n_unique().alias("respondents"),
        pl.len().alias("statements"),
        pl.col("identity").n_unique().alias("identities"),
        pl.struct("identity", "attribute").n_unique().alias("associations"),
    )
    axes = table.group_by("axis", "source").agg(*measures).sort("axis", "source")
    by_source = table.group_by("source").agg(*measures).sort("source")
    return pl.concat([axes, by_source.select(pl.lit(ALL_AXES).alias("axis"), pl.all())]).select(axes.columns)


def _long(
    column: str, cells: Mapping[tuple[str, ...], Mapping[str, int]], keys: Sequence[str]
) -> pl.DataFrame:
    """One row per key and label."""
    rows = [(*key, label, n) for key, counts in cells.items() for label, n in counts.items()]
    schema = {**dict.fromkeys((*keys, column), pl.String), "respondents": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _nested(table: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    """A sentence for each pair of columns of which one follows from the other (country and continent)."""
    rows_out = []
    for column in columns:
        for other in columns:
            if column == other:
                continue
            pairs = table.select(column, other).unique()
            values = pairs[column].n_unique()
            if 1 < pairs[other].n_unique() <= values == pairs.height:
                rows_out.append(
                    f"'{other}' follows from '{column}': counts of one could be subtracted from the other. "
                    "Hand on the tables of one of them only (--by)."
                )
    return rows_out


def write_summary(summary: Summary, folder: Path) -> list[Path]:
    """Write the tables of a summary as CSV and return their paths.

    `frequencies.csv`, `composition.csv`, and for every column `frequencies_by_COLUMN.csv` and
    `composition_by_COLUMN.csv`, where characters of the name that are no letters become '_'.

    Raises:
        UserError: two columns would have the same file, or the folder cannot be written.
    """
    tables = {"frequencies": summary.frequencies, "composition": summary.composition}
    for kind, parts in (("frequencies", summary.frequencies_by), ("composition", summary.composition_by)):
        for column, table in parts.items():
            name = f"{kind}_by_{_stem(column)}"
            if name in tables:
                raise UserError(
                    f"Two columns would be written to the same file '{name}.csv'. Rename the column '{column}'."
                )
            tables[name] = table
    paths = {name: folder / f"{name}.csv" for name in tables}
    for name, table in tables.items():
        write_table(table, paths[name])
    return list(paths.values())


def _stem(column: str) -> str:
    return re.sub(r"\W+", "_", column.strip().lower()).strip("_") or "column"
