"""Exact test of single cells with prompts as units: does this value come more often than exchanging base values gives?

The stories of a cell are a sum over the prompts that name its base value. Given how many prompts of each block name it,
which ones do is chance, so the sum is that of a sample without replacement from each block. With one story a prompt
this is the hypergeometric distribution of Fisher's test; with languages as blocks, the exact conditional test of
Cochran, Mantel and Haenszel (Agresti 2013, section 7.3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from endoxa.analyze.associations.cells import log_factorials
from endoxa.analyze.associations.prompts import Units
from endoxa.analyze.associations.saddlepoint import Draws, log_p_approximate

EXACT_PROMPTS = 500
"""Tables with more prompts are computed by saddlepoint approximation, whose error is below 2 % there."""
SMALLEST = 1e-290
"""Exact probabilities below this have lost digits."""


def log_p_units(units: Units) -> np.ndarray:
    """Natural logarithm of P(S >= stories) for every cell, row by row."""
    columns = [_column(units, column) for column in range(units.vectors.shape[1])]
    chances = (
        np.stack([_exact(column) for column in columns])
        if units.prompts <= EXACT_PROMPTS
        else np.zeros((len(columns), len(units.counts)))
    )
    sure = chances > SMALLEST
    logs = np.log(chances.clip(min=SMALLEST))
    if not sure.all():
        logs = np.where(sure, logs, log_p_approximate(columns))
    found: np.ndarray = logs.T.ravel().clip(max=0.0)
    return found


def _column(units: Units, column: int) -> Draws:
    """What the cells of a compared value are sums of."""
    value, number = units.vectors[:, column], units.counts.sum(axis=0)
    blocks = int(units.blocks[-1]) + 1
    levels = int(value.max()) + 1
    prompts = np.bincount(units.blocks * levels + value, weights=number, minlength=blocks * levels)
    return Draws(prompts.reshape(blocks, levels).astype(np.int64), units.rows, units.counts @ value).reduced()


def _exact(draws: Draws) -> np.ndarray:
    """P(S >= observed) for every base value, from the whole distribution."""
    found = np.ones(len(draws.observed))
    every = [_Block.of(prompts, drawn) for prompts, drawn in zip(draws.prompts, draws.drawn.T, strict=True)]
    known: dict[tuple[int, ...], np.ndarray] = {}
    for row, (drawn, observed) in enumerate(zip(draws.drawn.tolist(), draws.observed.tolist(), strict=True)):
        if observed <= 0:
            continue
        if tuple(drawn) not in known:
            chances = np.ones(1)
            for block, number in zip(every, drawn, strict=True):
                chances = np.convolve(chances, block.chances(number))
            known[tuple(drawn)] = np.cumsum(chances[::-1])[::-1]
        tails = known[tuple(drawn)]
        found[row] = tails[observed] if observed < len(tails) else 0.0
    return found


@dataclass(frozen=True, slots=True)
class _Block:
    """One block: how probable it is to draw so many prompts with at least one story, and so many stories with them.

    Every prompt is drawn independently with probability `rate`; given how many are drawn in all, this is sampling
    without replacement, whatever the rate.
    """

    sums: np.ndarray
    others: int
    total: int
    rate: float

    @classmethod
    def of(cls, prompts: np.ndarray, drawn: np.ndarray) -> _Block:
        most, total = int(drawn.max()), int(prompts.sum())
        rate = min(max(float(drawn.mean()) / total, 1e-3), 1 - 1e-3) if total else 0.5
        largest = int(np.repeat(np.arange(len(prompts)), prompts)[::-1][:most].sum())
        sums = np.zeros((most + 1, largest + 1))
        sums[0, 0] = 1.0
        for value in range(1, len(prompts)):
            chances = _binomial(int(prompts[value]), rate)[: most + 1]
            after = np.zeros_like(sums)
            for number, chance in enumerate(chances):
                if number * value > largest:
                    break
                after[number:, number * value :] += (
                    chance * sums[: most + 1 - number, : largest + 1 - number * value]
                )
            sums = after
        return cls(sums, int(prompts[0]), total, rate)

    def chances(self, drawn: int) -> np.ndarray:
        """Distribution of the stories of so many prompts."""
        rest = np.zeros(drawn + 1)
        others = _binomial(self.others, self.rate)[: drawn + 1]
        rest[: len(others)] = others
        joint = rest[::-1] @ self.sums[: drawn + 1]
        chances: np.ndarray = joint / _binomial(self.total, self.rate)[drawn]
        return np.trim_zeros(chances, "b") if chances.any() else chances


def _binomial(number: int, rate: float) -> np.ndarray:
    factorials = log_factorials(number).astype(np.float64)
    k = np.arange(number + 1)
    logs = factorials[number] - factorials - factorials[::-1]
    chances: np.ndarray = np.exp(logs + k * np.log(rate) + (number - k) * np.log1p(-rate))
    return chances
