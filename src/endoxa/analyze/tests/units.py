"""What is exchanged and resampled: each text, or each term with all its texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from endoxa.errors import UserError
from endoxa.schema import AssociationTest, TermSet

Unit = Literal["auto", "text", "term"]


@dataclass(frozen=True, slots=True)
class Targets:
    """Associations of one target set and the units they come in.

    Attributes:
        values: association of each text, shape (n,).
        unit: number of the unit each text belongs to, 0 to `count` - 1, shape (n,).
    """

    values: np.ndarray
    unit: np.ndarray

    @property
    def count(self) -> int:
        """Number of units."""
        return int(self.unit.max()) + 1

    def means(self) -> np.ndarray:
        """Mean association of each unit, shape (count,)."""
        return np.asarray(np.bincount(self.unit, self.values) / np.bincount(self.unit))

    def totals(self, centre: float) -> np.ndarray:
        """Texts, sum and sum of squares of (value - centre) of each unit, shape (count, 3)."""
        away = self.values - centre
        columns = [np.bincount(self.unit, weights) for weights in (None, away, away**2)]
        return np.column_stack(columns).astype(float)

    def first(self, count: int) -> Targets:
        """The first `count` units."""
        kept = self.unit < count
        return Targets(self.values[kept], self.unit[kept])


def unit_of(test: AssociationTest, asked: Unit) -> Literal["text", "term"]:
    """The unit of a test: 'auto' takes terms where both target sets name them and one has several texts.

    Raises:
        UserError: terms are asked for and the test does not name them.
    """
    named = bool(test.x.terms and test.y.terms)
    if asked == "term" and not named:
        raise UserError(
            f"Test '{test.name}' does not say which term each text of X and Y is about: use --unit text, or name the "
            "terms in its definition."
        )
    repeated = any(len(set(terms.terms)) < len(terms.texts) for terms in (test.x, test.y))
    return "term" if named and asked != "text" and (repeated or asked == "term") else "text"


def targets(values: np.ndarray, terms: TermSet, unit: Literal["text", "term"]) -> Targets:
    """Associations of a target set with their units, numbered in the order they first stand there."""
    return Targets(
        values, _numbers(terms.terms) if unit == "term" else np.arange(len(values), dtype=np.int64)
    )


def _numbers(names: Sequence[str]) -> np.ndarray:
    number: dict[str, int] = {}
    return np.array([number.setdefault(name, len(number)) for name in names])
