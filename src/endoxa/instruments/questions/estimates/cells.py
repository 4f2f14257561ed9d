"""From answers to counts: one row per cell, template, item and seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from endoxa.instruments.questions.estimates.intervals import MIN_TEMPLATES
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
        per_cluster: (clusters, counts), clusters sorted by name, counts in the order of `COUNTED`.
        per_template: the same for templates.
        per_item: the same for items, sorted by template and name.
        template_of: place of its template in `per_template`, for every item.
        per_seed: (seeds, counts), a seed being a variant and a repeat.
        unit: what a cluster of `per_cluster` is, "template" or "item".
    """

    key: dict[str, str]
    per_cluster: np.ndarray
    per_template: np.ndarray
    per_item: np.ndarray
    template_of: np.ndarray
    per_seed: np.ndarray
    unit: str

    @property
    def templates(self) -> int:
        """Number of templates."""
        return len(self.per_template)


def cells(answers: pl.DataFrame) -> list[Cell]:
    """The cells of all answers, sorted by `CELL`.

    A data set with several categories has a cell for each and, after them, one for all of them.
    """
    # Numbers in the place of texts, and bits: half a million answers take a fifth of the memory.
    compact = answers.select(
        pl.col(CELL).cast(pl.Categorical),
        _places(pl.col(SEED)),
        template=_places(pl.col("template")),
        item=_places(ITEM_NAME),
        **counted(),
    )
    counts = (
        with_clusters(_with_all(compact), CELL)
        .with_columns(pl.col("unit").cast(pl.Categorical))
        .group_by(*CELL, "cluster", "unit", "template", "item", *SEED)
        .agg(pl.col(COUNTED).sum().cast(pl.Int32))
    )
    found = counts.partition_by(CELL, as_dict=True)
    return [
        _cell(key, found[key]) for key in sorted(found, key=lambda key: (key[0], key[1] == ALL, *key[1:]))
    ]


def with_clusters(answers: pl.DataFrame, cell: tuple[str, ...]) -> pl.DataFrame:
    """`cluster` (what bootstraps resample together) and `unit` (what that is); needs `template` and `item`.

    A cluster is a template, or an item with all its variants and repeats where the cell has fewer than `MIN_TEMPLATES`
    templates. No verdict rests on such items, see `leans`.
    """
    by_template = pl.col("template").n_unique().over(cell) >= MIN_TEMPLATES
    return answers.with_columns(
        cluster=pl.when(by_template).then("template").otherwise("item"),
        unit=pl.when(by_template).then(pl.lit("template")).otherwise(pl.lit("item")),
    )


def _with_all(answers: pl.DataFrame) -> pl.DataFrame:
    """The answers, and once more under the category `ALL` where their data set has several."""
    several = answers.filter(pl.col("category").n_unique().over("data") > 1)
    return pl.concat([answers, several.with_columns(category=pl.lit(ALL, pl.Categorical))])


def _places(names: pl.Expr) -> pl.Expr:
    """Numbers in the order of the names."""
    return names.rank("dense").cast(pl.Int32)


def _cell(key: tuple[object, ...], counts: pl.DataFrame) -> Cell:
    return Cell(
        key={name: str(value) for name, value in zip(CELL, key, strict=True)},
        per_cluster=_sums(counts, "cluster"),
        per_template=_sums(counts, "template"),
        per_item=_sums(counts, "template", "item"),
        template_of=_templates(counts),
        per_seed=_sums(counts, *SEED),
        unit=counts["unit"][0],
    )


def _sums(counts: pl.DataFrame, *by: str) -> np.ndarray:
    """(groups, counts), groups sorted."""
    sums = counts.group_by(by).agg(pl.col(COUNTED).sum()).sort(by)
    return sums.select(pl.col(COUNTED).cast(pl.Float64)).to_numpy()


def _templates(counts: pl.DataFrame) -> np.ndarray:
    items = counts.select("template", "item").unique().sort("template", "item")
    return items["template"].rank("dense").to_numpy().astype(int) - 1
