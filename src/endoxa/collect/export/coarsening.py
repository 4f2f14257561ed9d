"""Small cells in tables that lost people: what too few still share is given up in a patch as in a new export."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

import polars as pl

from endoxa.collect.export.columns import OTHER, PROFILE
from endoxa.collect.export.small_cells import Cells, merge_small_cells

_DRAWN = ("in_group", "weight", "propensity", "pool")


@dataclass(frozen=True)
class Coarsened:
    """The tables, how many people have no key now, and of how many something is merged (those among them)."""

    frames: Mapping[str, pl.DataFrame]
    without_key: int
    merged: int


def coarsened(
    frames: Mapping[str, pl.DataFrame],
    without_key: int,
    rare: Mapping[str, Set[str]],
    respondents: Mapping[str, str],
) -> Coarsened:
    """Merge small cells of people anew; whoever is from a country that is given up loses the key.

    Args:
        frames: the tables of an export.
        without_key: people who have no key in it and did not leave since.
        rare: by the key of a person, columns that a new export would give up.
        respondents: by the key of a person, the one that they have in the survey when they have no other.
    """
    people = frames["people"]
    names = ["country", *(name for name in people.columns if name.startswith(PROFILE)), "consent"]
    before: list[Cells] = list(people.select(names).iter_rows())
    known = [
        tuple(OTHER if name in rare.get(rater, ()) else cell for name, cell in zip(names, cells, strict=True))
        for rater, cells in zip(people["rater"], before, strict=True)
    ]
    merged = merge_small_cells([*known, *[(OTHER,) * len(names)] * without_key])[: len(before)]
    told = dict(zip(people["rater"], merged, strict=True))
    lost = {rater for rater, cells in told.items() if cells[0] == OTHER}
    answers = {name: _answers(frames[name], told, names, lost) for name in ("ratings", "mentions", "skips")}
    changed = {
        "people": _said_anew(people, "rater", told, names).filter(~pl.col("rater").is_in(lost)),
        "statements": _statements(frames["statements"], told, names, lost, respondents),
    }
    still = without_key + sum(cells[0] == OTHER for cells in merged)
    return Coarsened(
        {**frames, **answers, **changed}, still, without_key + sum(OTHER in cells for cells in merged)
    )


def _answers(
    frame: pl.DataFrame, told: Mapping[str, Cells], names: list[str], lost: set[str]
) -> pl.DataFrame:
    gone = pl.col("rater").is_in(lost)
    blank = [pl.when(~gone).then(name).alias(name) for name in _DRAWN if name in frame.columns]
    empty = [_replaced(name, gone, "") for name in ("tier", "rater") if name in frame.columns]
    # As in a new export: nobody could see what the others belong to.
    kept = frame.filter(~gone | pl.col("counted")) if "counted" in frame.columns else frame
    return _said_anew(kept, "rater", told, names).with_columns(*blank, *empty, _day(gone))


def _statements(
    frame: pl.DataFrame,
    told: Mapping[str, Cells],
    names: list[str],
    lost: set[str],
    respondents: Mapping[str, str],
) -> pl.DataFrame:
    gone = pl.col("respondent").is_in(lost)
    key = pl.col("respondent").replace({one: respondents[one] for one in lost})
    return _said_anew(frame, "respondent", told, names).with_columns(key, _day(gone))


def _said_anew(frame: pl.DataFrame, key: str, told: Mapping[str, Cells], names: list[str]) -> pl.DataFrame:
    """The table with what is said of people now, where it says that of them."""
    return frame.with_columns(
        pl.col(key)
        .replace_strict(
            {one: cells[place] for one, cells in told.items()}, default=pl.col(name), return_dtype=pl.String
        )
        .alias(name)
        for place, name in enumerate(names)
        if name in frame.columns
    )


def _day(gone: pl.Expr) -> pl.Expr:
    return pl.when(gone).then(pl.col("hour").str.head(len("2026-05-04"))).otherwise("hour").alias("hour")


def _replaced(name: str, gone: pl.Expr, value: str) -> pl.Expr:
    return pl.when(gone).then(pl.lit(value)).otherwise(name).alias(name)
