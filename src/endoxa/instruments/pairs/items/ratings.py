"""Associations of a campaign that few people rated, or few had heard: left out where thresholds say so."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.options import PairOptions


def _thresholds(options: PairOptions) -> dict[str, tuple[float, str]]:
    """Thresholds that were given: the column of the export, its minimum, the option."""
    thresholds = {
        "ratings": (options.min_ratings, "--min-ratings", 0),
        "mean": (options.min_mean, "--min-mean", 1),
        "knowers": (options.min_knowers, "--min-knowers", 0),
    }
    return {name: (least, option) for name, (least, option, unset) in thresholds.items() if least > unset}


def require_ratings(columns: Collection[str], options: PairOptions) -> None:
    """Refuse thresholds that a table cannot answer.

    Raises:
        UserError: a column is missing.
    """
    for name, (_, option) in _thresholds(options).items():
        if name not in columns:
            raise UserError(
                f"{option} needs the column '{name}', which the table lacks. Give pairs.csv of `endoxa collect "
                f"export`, or leave {option} out."
            )


def weakness(row: Mapping[str, str], number: int, options: PairOptions) -> str:
    """Why an association is left out: the first threshold that it misses; empty where it meets all.

    An empty cell is 0 ratings, and no mean or share, which no threshold accepts.

    Raises:
        UserError: a cell is not a number.
    """
    for name, (least, option) in _thresholds(options).items():
        cell = row[name]
        value = _number(cell, name, number)
        if value is None or value < least:
            return f"{name} {cell or 'empty'}, below {least:g} ({option})"
    return ""


def unrated(table: pl.DataFrame, options: PairOptions) -> tuple[str, ...]:
    """A sentence about associations without any rating, where the table counts ratings and no threshold was given."""
    if "ratings" not in table.columns or _thresholds(options):
        return ()
    counts = table["ratings"].cast(pl.Float64, strict=False).fill_null(0)
    none = int((counts == 0).sum())
    if not none:
        return ()
    return (f"{none} of {table.height} associations have no rating: leave them out with --min-ratings 1.",)


def _number(cell: str, name: str, number: int) -> float | None:
    if not cell:
        return None
    try:
        return float(cell)
    except ValueError as error:
        raise UserError(f"row {number}, column '{name}': '{cell}' is not a number.") from error
