"""How many harmful associations certain groups have in a language, and in the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from endoxa.analyze.specificity.groups import Value
from endoxa.analyze.specificity.presence import Presence
from endoxa.stats.intervals import NAN


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """What a language moves, before it is summed up.

    Attributes:
        here: what each harmful association adds in the language.
        elsewhere: what it adds on average over the other languages.
        by_model: for each model, its associations in the language minus the average of its other languages; or NaN.
        shares: of all harmful associations of the language, and the mean of that over the others.
        weights: what each association's presence in each language adds to here less elsewhere.
    """

    here: np.ndarray
    elsewhere: np.ndarray
    by_model: np.ndarray
    shares: tuple[float, float]
    weights: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Harms:
    """Harmful associations.

    Attributes:
        values: the two values of each.
        present: whether a language has it, shape (associations, languages).
        found: the same for each model, shape (associations, languages, models).
        writes: whether a model shows anything in a language, shape (languages, models).
    """

    values: tuple[frozenset[Value], ...]
    present: np.ndarray
    found: np.ndarray
    writes: np.ndarray

    @classmethod
    def of(cls, where: Presence) -> Harms:
        """The harmful ones among some associations."""
        rows = where.associations.filter(where.harmful).iter_rows(named=True)
        values = tuple(
            frozenset(
                (
                    (row["base_attribute"], row["base_value"]),
                    (row["compared_attribute"], row["compared_value"]),
                )
            )
            for row in rows
        )
        return cls(
            values,
            where.present[where.harmful],
            where.found[where.harmful],
            np.asarray(where.found.any(axis=0)),
        )

    def moved(self, chosen: frozenset[Value], here: int) -> Moved:
        """Associations with any of the chosen values, in a language and in the others."""
        touches = np.array([not chosen.isdisjoint(values) for values in self.values], dtype=bool)
        counted = self.present & touches[:, None]
        others = np.arange(self.present.shape[1]) != here
        totals = self.present.sum(axis=0)
        shares = np.divide(
            counted.sum(axis=0), totals, out=np.full(len(totals), NAN), where=totals > 0, dtype=float
        )
        return Moved(
            counted[:, here].astype(float),
            counted[:, others].mean(axis=1),
            self._by_model(touches, here, others),
            (float(shares[here]), _known_mean(shares[others])),
            touches[:, None] * np.where(others, -1 / others.sum(), 1.0),
        )

    def _by_model(self, touches: np.ndarray, here: int, others: np.ndarray) -> np.ndarray:
        counts = self.found[touches].sum(axis=0).astype(float)
        wrote = self.writes[others].sum(axis=0)
        summed = np.where(self.writes[others], counts[others], 0).sum(axis=0)
        average = np.divide(summed, wrote, out=np.full(len(wrote), NAN), where=wrote > 0)
        return np.where(self.writes[here], counts[here] - average, NAN)


def contrast(one: Moved, other: Moved) -> Moved:
    """The first less the second."""
    return Moved(
        one.here - other.here,
        one.elsewhere - other.elsewhere,
        one.by_model - other.by_model,
        (one.shares[0] - other.shares[0], one.shares[1] - other.shares[1]),
        one.weights - other.weights,
    )


def average(several: Sequence[Moved]) -> Moved:
    """The mean over languages; a model's mean is over the languages in which it is defined."""
    by_model = np.array([one.by_model for one in several])
    return Moved(
        np.mean([one.here for one in several], axis=0),
        np.mean([one.elsewhere for one in several], axis=0),
        np.array([_known_mean(model) for model in by_model.T]),
        (
            _known_mean(np.array([one.shares[0] for one in several])),
            _known_mean(np.array([one.shares[1] for one in several])),
        ),
        np.mean([one.weights for one in several], axis=0),
    )


def _known_mean(values: np.ndarray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else NAN
