"""The effect size of an association test, and the association of each target with A and B on which it rests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from endoxa.errors import UserError
from endoxa.schema import AssociationTest, TermSet

UNIT_ROUNDOFF = 2.0**-53
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Associations:
    """s(w) = mean cos(w, a) over A - mean cos(w, b) over B (Caliskan et al. 2017), for each target w.

    Attributes:
        x: associations of the texts of X in their order, shape (n_x,), between -2 and 2.
        y: the same of Y, shape (n_y,).
        error: no association is farther than this from its exact value for the vectors given (rounding).
    """

    x: np.ndarray
    y: np.ndarray
    error: float


class UnitVectors:
    """Vectors of texts scaled to length 1 in double precision, each once."""

    def __init__(self, vectors: Mapping[str, np.ndarray], texts: Iterable[str]) -> None:
        """Scale the vectors of `texts`.

        Args:
            vectors: text -> vector, all of one length.
            texts: those that are needed; others are not looked at.

        Raises:
            UserError: a text has no vector, or a vector is zero, not finite, or of another length.
        """
        wanted = list(dict.fromkeys(texts))
        missing = [text for text in wanted if text not in vectors]
        if missing:
            raise UserError(
                f"{len(missing)} of the {len(wanted)} texts of the tests have no vector ({_first(missing)}): "
                "encode the exact texts of these tests."
            )
        self._row = {text: row for row, text in enumerate(wanted)}
        self._rows = _scaled({text: np.asarray(vectors[text], dtype=float) for text in wanted})

    def associations(self, test: AssociationTest) -> Associations:
        """s(w) of all targets of a test."""
        # The mean of cosines with A is the cosine-weighted product with the mean of A's unit vectors.
        axis = self._of(test.a).mean(axis=0) - self._of(test.b).mean(axis=0)
        steps = len(axis) + len(test.a.texts) + len(test.b.texts) + 8
        return Associations(
            x=self._of(test.x) @ axis,
            y=self._of(test.y) @ axis,
            # Higham 2002, section 3.1: n products and sums of numbers of size 1 and 2 lose at most 2 n u, scaling
            # both sides to length 1 as much again.
            error=4 * steps * UNIT_ROUNDOFF,
        )

    def _of(self, terms: TermSet) -> np.ndarray:
        return self._rows[[self._row[text] for text in terms.texts]]


def _scaled(vectors: Mapping[str, np.ndarray]) -> np.ndarray:
    shapes = {text: vector.shape for text, vector in vectors.items()}
    first, expected = next(iter(shapes.items()))
    for text, shape in shapes.items():
        if len(shape) != 1 or shape != expected:
            raise UserError(
                f"The vector of '{_short(text)}' has the shape {shape}, that of '{_short(first)}' {expected}: all "
                "texts of the tests need one vector each, from one encoder."
            )
    rows = np.stack(list(vectors.values()))
    # Scaled to a largest entry of 1 first, so that squares neither overflow nor vanish.
    largest = np.abs(rows).max(axis=1, initial=0.0)
    _refuse(vectors, ~np.isfinite(largest), "a value that is not finite", "check how they were made")
    _refuse(vectors, largest == 0, "nothing but zeros, and no direction", "remove their texts from the tests")
    rows = rows / largest[:, None]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _refuse(vectors: Mapping[str, np.ndarray], bad: np.ndarray, what: str, do: str) -> None:
    faulty = [text for text, is_bad in zip(vectors, bad, strict=True) if is_bad]
    if faulty:
        raise UserError(f"{len(faulty)} of the {len(vectors)} vectors hold {what} ({_first(faulty)}): {do}.")


def _first(texts: Sequence[str]) -> str:
    shown = ", ".join(f"'{_short(text)}'" for text in texts[:_SHOWN])
    return shown + (", ..." if len(texts) > _SHOWN else "")


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def effect_size(x: np.ndarray, y: np.ndarray, *, ddof: int = 1, error: float = 0.0) -> float:
    """(mean of x - mean of y) / standard deviation of both together (Caliskan et al. 2017).

    Args:
        x: associations of the first targets.
        y: associations of the second targets.
        ddof: 1 as in Caliskan et al.'s and May et al.'s code, 0 as in WEFE.
        error: rounding of each association; values that are no farther apart count as equal.

    Returns:
        The effect size in standard deviations. NaN where all associations are equal: 0 / 0 is no effect size of 0.
    """
    pooled = np.concatenate([x, y])
    if len(pooled) <= ddof or np.ptp(pooled) <= 2 * error:
        return float("nan")
    return float((x.mean() - y.mean()) / pooled.std(ddof=ddof))
