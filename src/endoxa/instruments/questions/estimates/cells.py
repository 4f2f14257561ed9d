"""From answers to counts, by cell, and in it by template, item and seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from endoxa.instruments.questions.estimates.answers import grouped
from endoxa.instruments.questions.estimates.measures import COUNTED, counted
from endoxa.schema import ALL

CELL = ("data", "category", "model", "protocol", "context_condition")
SEED = ("variant", "repeat")
ITEM_NAME = pl.concat_str("category", "example_id", separator="-")
"""Names an item with all its variants and repeats."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Counts of the answers of one row of the estimates.

    Attributes:
        key: the values of `CELL`.
        per_template: (templates, counts), templates sorted by name, counts in the order of `COUNTED`.
        per_seed: (seeds, counts), a seed being a variant and a repeat.
        items: number of items.
        answers: `template`, `item` and `COUNTED` of every answer, for whoever needs counts by item.
    """

    key: dict[str, str]
    per_template: np.ndarray
    per_seed: np.ndarray
    items: int
    answers: pl.DataFrame

    @property
    def templates(self) -> int:
        """Number of templates."""
        return len(self.per_template)

    def per_item(self) -> tuple[np.ndarray, np.ndarray]:
        """(items, counts), and the place of each item's template in `per_template`; sorted by template and item."""
        items = self.answers.select("template", "item").unique().sort("template", "item")
        places = items["template"].rank("dense").to_numpy().astype(int) - 1
        return _sums(self.answers, "template", "item"), places


def compact(answers: pl.DataFrame) -> pl.DataFrame:
    """What cells are counted from, in a fifth of the memory: numbers in the place of texts, and bits.

    Returns:
        `CELL`, `SEED`, `template`, `item` (numbers in the order of the names) and `COUNTED`.
    """
    return answers.select(
        pl.col(CELL).cast(pl.Categorical),
        _places(pl.col(SEED)),
        template=_places(pl.col("template")),
        item=_places(ITEM_NAME),
        **counted(),
    )


def cell_keys(answers: pl.DataFrame) -> list[dict[str, str]]:
    """The values of `CELL` of every cell, sorted.

    A data set with several categories has a cell for each and, after them, one for all of them.
    """
    found = grouped(answers, CELL).cast(pl.String)
    several = found.filter(pl.col("category").n_unique().over("data") > 1)
    every = pl.concat([found, several.with_columns(category=pl.lit(ALL)).unique()])
    return every.sort("data", pl.col("category") == ALL, *CELL[1:]).to_dicts()


def cell_of(compacted: pl.DataFrame, key: dict[str, str]) -> Cell:
    """One of the cells of `compact` answers, by its `cell_keys`."""
    parts = [name for name in CELL if name != "category" or key["category"] != ALL]
    answers = compacted.filter(*(pl.col(name) == key[name] for name in parts)).drop(CELL)
    return Cell(
        key=key,
        per_template=_sums(answers, "template"),
        per_seed=_sums(answers, *SEED),
        items=answers.select(pl.struct("template", "item").n_unique()).item(),
        answers=answers.drop(SEED),
    )


def _places(names: pl.Expr) -> pl.Expr:
    """Numbers in the order of the names."""
    return names.rank("dense").cast(pl.Int32)


def _sums(answers: pl.DataFrame, *by: str) -> np.ndarray:
    """(groups, counts), groups sorted."""
    sums = answers.group_by(by).agg(pl.col(COUNTED).sum()).sort(by)
    return sums.select(pl.col(COUNTED).cast(pl.Float64)).to_numpy()
