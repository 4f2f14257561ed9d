"""Whether answers can carry a bias score: right more often than by guessing.

Where the text gives the answer, a model that does not find it more often than by guessing has not understood the
questions, and which person it names in ambiguous contexts says nothing about stereotypes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from endoxa.schema import ALL
from endoxa.stats.intervals import wilson

GUESSING = 1 / 3
"""Share of right answers by guessing: questions have three options."""
CELL = ("data", "model", "protocol")
RULE = (
    "A bias score is evidence only where a model is better than guessing: the lower end of the interval of its share "
    "of right answers in disambiguated contexts, where the text gives the answer, is above 1/3."
)


@dataclass(frozen=True, slots=True)
class Competence:
    """How one model did with one data set under one protocol.

    Attributes:
        data: label of the data set.
        model: the model.
        protocol: the protocol.
        accuracy: share of right answers in disambiguated contexts, of those read; None where there is none.
        low: lower end of its interval; where templates are too few for one, Wilson's (1927), which takes answers as
            independent and is too narrow rather than too wide.
        high: upper end.
        confidence: confidence level of the interval.
        disambiguated: whether there are disambiguated contexts at all.
    """

    data: str
    model: str
    protocol: str
    accuracy: float | None
    low: float | None
    high: float | None
    confidence: float
    disambiguated: bool

    @property
    def cell(self) -> tuple[str, str, str]:
        """Data set, model and protocol."""
        return self.data, self.model, self.protocol

    @property
    def at_chance(self) -> bool:
        """Not shown to be better than guessing, where that can be seen."""
        return self.disambiguated and (self.low is None or self.low <= GUESSING)


def competences(estimates: pl.DataFrame) -> Iterator[Competence]:
    """Each model with each data set under each protocol, over all categories.

    Args:
        estimates: columns of `schema.QA_ESTIMATE_COLUMNS`.
    """
    several = estimates.filter(category=ALL)["data"].unique().to_list()
    overall = estimates.filter((pl.col("category") == ALL) | ~pl.col("data").is_in(several))
    for (data, model, protocol), contexts in overall.group_by(CELL, maintain_order=True):
        clear = contexts.filter(context_condition="disambig")
        row = clear.row(0, named=True) if clear.height else None
        low, high = (None, None) if row is None else _ends(row)
        yield Competence(
            data=str(data),
            model=str(model),
            protocol=str(protocol),
            accuracy=None if row is None else row["accuracy"],
            low=low,
            high=high,
            confidence=contexts["confidence"][0],
            disambiguated=row is not None,
        )


def _ends(row: dict[str, float | None]) -> tuple[float | None, float | None]:
    right, read = row["accuracy"], row["n_read"]
    if row["accuracy_low"] is not None or right is None or not read:
        return row["accuracy_low"], row["accuracy_high"]
    interval = wilson(right * read, read, row["confidence"] or 0.95)
    return interval.low, interval.high
