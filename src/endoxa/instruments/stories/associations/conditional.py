"""Exact test of single cells with prompts as units: is a value more frequent than exchanging base values gives?

The stories of a cell are a sum over the prompts that name its base value. Given how many prompts of each block name
it, the sum is that of a sample without replacement from each block. With one story per prompt this is the
hypergeometric distribution of Fisher's test; with languages as blocks, the exact conditional test of Cochran, Mantel
and Haenszel (Agresti 2013, section 7.3). Large tables with tiny p-values use a saddlepoint approximation of the tail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from endoxa.instruments.stories.associations.cells import log_factorials
from endoxa.instruments.stories.associations.tables import Units

ROUNDS = 100
"""Newton steps at most; seven or eight are usual."""
NEAR_MEAN = 0.02
"""Signed roots closer to 0 are of sums at their mean, where a normal distribution does."""


@dataclass(frozen=True, slots=True)
class Draws:
    """One compared value: prompts with so many stories of it, and how many of them each base value draws.

    Attributes:
        prompts: prompts of each block with 0, 1, 2, ... stories of the value, blocks x stories.
        drawn: prompts of each block that name the base value, base values x blocks.
        observed: stories of the value among those, for each base value.
    """

    prompts: np.ndarray
    drawn: np.ndarray
    observed: np.ndarray

    @classmethod
    def of_columns(cls, units: Units) -> list[Draws]:
        """What the cells of each compared value are sums of, in the largest possible step.

        Sums are counted from the least that each block must give.
        """
        number, drawn, observed = units.counts.sum(axis=0), units.rows, units.counts @ units.vectors
        columns = zip(units.vectors.T, observed.T, strict=True)
        return [cls._of(units.blocks, value, number, drawn, stories) for value, stories in columns]

    @classmethod
    def _of(
        cls, block: np.ndarray, value: np.ndarray, number: np.ndarray, drawn: np.ndarray, stories: np.ndarray
    ) -> Draws:
        blocks, levels = int(block[-1]) + 1, int(value.max()) + 1
        counts = np.bincount(block * levels + value, weights=number, minlength=blocks * levels)
        in_blocks = counts.reshape(blocks, levels).astype(np.int64)
        place, level = in_blocks.nonzero()
        least = (in_blocks > 0).argmax(axis=1)
        above = level - least[place]
        step = int(np.gcd.reduce(above)) or 1
        prompts = np.zeros((blocks, int(above.max()) // step + 1), dtype=np.int64)
        prompts[place, above // step] = in_blocks[place, level]
        return cls(prompts, drawn, (stories - drawn @ least) // step)


def log_p_approximate(columns: Sequence[Draws]) -> np.ndarray:
    """Natural logarithm of P(S >= observed), columns x base values.

    Double saddlepoint approximation (Skovgaard 1987; for sampling without replacement Booth and Butler 1990), in its
    form for whole numbers. The largest possible sum is exact.

    Args:
        columns: compared values of one table, reduced.
    """
    mean, variance = (np.stack(part) for part in zip(*map(_moments, columns), strict=True))
    most = np.stack([_largest(column) for column in columns])
    observed = np.stack([column.observed for column in columns])
    result = np.zeros(observed.shape)
    for place, column in enumerate(columns):
        top = (column.observed >= most[place]) & (variance[place] > 0)
        if top.any():
            result[place, top] = _log_p_largest(column)[top]
    inside = (observed > 0) & (observed < most) & (variance > 0)
    if inside.any():
        result[inside] = _tails(_Cells.of(columns, inside), (observed - mean)[inside], variance[inside])
    return result


def _moments(draws: Draws) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the sum of each base value."""
    value = np.arange(draws.prompts.shape[1])
    total = draws.prompts.sum(axis=1)
    mean = draws.prompts @ value / total
    spread = draws.prompts @ value**2 - total * mean**2
    shared = draws.drawn * (total - draws.drawn) / (total * np.maximum(total - 1, 1))
    return draws.drawn @ mean, shared @ spread


def _largest(draws: Draws) -> np.ndarray:
    """The largest possible sum of each base value."""
    above = draws.prompts[:, ::-1].cumsum(axis=1)[:, ::-1] - draws.prompts
    used = (draws.drawn[:, :, None] - above).clip(0, draws.prompts)
    sums: np.ndarray = used.sum(axis=1) @ np.arange(draws.prompts.shape[1])
    return sums


def _log_p_largest(draws: Draws) -> np.ndarray:
    """Probability of the largest sum: all prompts with more stories than some number, and some of those with it."""
    from scipy.special import gammaln

    def log_ways(total: np.ndarray, drawn: np.ndarray) -> np.ndarray:
        ways: np.ndarray = gammaln(total + 1) - gammaln(drawn + 1) - gammaln(total - drawn + 1)
        return ways

    logs = np.zeros(len(draws.drawn))
    for prompts, drawn in zip(draws.prompts, draws.drawn.T, strict=True):
        above = np.cumsum(prompts[::-1])
        level = np.searchsorted(above, drawn)
        rest = drawn - np.where(level > 0, above[level - 1], 0)
        logs += log_ways(prompts[::-1][level], rest) - log_ways(np.full(len(drawn), prompts.sum()), drawn)
    return logs


@dataclass(frozen=True, slots=True)
class _Cells:
    """Cells of any columns, without the blocks that can give them one sum only.

    Attributes:
        prompts: cells x blocks x stories.
        drawn: cells x blocks.
        total: the same: prompts of the block.
        free: the same: whether the block can give other sums.
        observed: stories of the value in the other blocks.
    """

    prompts: np.ndarray
    drawn: np.ndarray
    total: np.ndarray
    free: np.ndarray
    observed: np.ndarray

    @classmethod
    def of(cls, columns: Sequence[Draws], chosen: np.ndarray) -> _Cells:
        levels = max(column.prompts.shape[1] for column in columns)
        padded = np.stack(
            [np.pad(draws.prompts, ((0, 0), (0, levels - draws.prompts.shape[1]))) for draws in columns]
        )
        column, row = np.nonzero(chosen)
        prompts, drawn = padded[column], columns[0].drawn[row]
        total = prompts.sum(axis=2)
        free = (drawn > 0) & (drawn < total)
        fixed = np.where(drawn == total, prompts @ np.arange(levels), 0).sum(axis=1)
        observed = np.stack([draws.observed for draws in columns])[chosen] - fixed
        return cls(np.where(free[:, :, None], prompts, 0), np.where(free, drawn, 0), total, free, observed)


def _tails(cells: _Cells, above: np.ndarray, variance: np.ndarray) -> np.ndarray:
    from scipy.special import erfcx, log_ndtr

    tilt, gain, ratio = _saddlepoint(cells)
    w = np.sign(tilt) * np.sqrt(np.maximum(2 * gain, 0.0))
    v = -np.expm1(-tilt) * np.sqrt(ratio)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mills = np.sqrt(np.pi / 2) * erfcx(w / np.sqrt(2))
        tails: np.ndarray = -(w**2) / 2 - np.log(2 * np.pi) / 2 + np.log(mills + 1 / v - 1 / w)
    near = ~np.isfinite(tails) | (np.abs(w) < NEAR_MEAN)
    tails[near] = log_ndtr(-(above - 0.5)[near] / np.sqrt(variance[near]))
    return tails


def _saddlepoint(cells: _Cells) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The exponential tilt under which the observed sum is expected, and how much more probable it makes it.

    Every prompt is drawn with odds exp(u + tilt * stories), u being that of its block; Newton's method in all u and the
    tilt at once, for all cells together, in steps that change no logarithm of odds by more than 2.

    Returns:
        The tilt; the gain in log-likelihood over no tilt; the ratio of the determinants of second derivatives.
    """
    from scipy.special import expit

    value = np.arange(cells.prompts.shape[2])
    with np.errstate(divide="ignore"):
        start = np.log(cells.drawn) - np.log(np.maximum(cells.total - cells.drawn, 1))
    start = np.where(cells.free, start, 0.0)
    u, tilt = start.copy(), np.zeros(len(start))
    for _ in range(ROUNDS):
        share = expit(u[:, :, None] + tilt[:, None, None] * value)
        expected = cells.prompts * share
        weight = expected * (1 - share)
        a = np.where(cells.free, weight.sum(axis=2), 1.0)
        b, c = weight @ value, (weight @ value**2).sum(axis=1)
        off_u = cells.drawn - expected.sum(axis=2)
        off_tilt = cells.observed - (expected @ value).sum(axis=1)
        left = np.maximum(c - (b**2 / a).sum(axis=1), 1e-300)
        by_tilt = (off_tilt - (b * off_u / a).sum(axis=1)) / left
        by_u = (off_u - b * by_tilt[:, None]) / a
        largest = np.maximum(
            np.abs(by_u).max(axis=1), np.abs(by_u + by_tilt[:, None] * value[-1]).max(axis=1)
        )
        step = 1 / np.maximum(1.0, largest / 2)
        u += step[:, None] * by_u
        tilt += step * by_tilt
        if largest.max() < 1e-9:
            break
    gain = _log_likelihood(cells, u, tilt) - _log_likelihood(cells, start, np.zeros(len(tilt)))
    before = np.where(cells.free, cells.drawn * (cells.total - cells.drawn) / cells.total, 1.0)
    return tilt, gain, left * np.exp(np.log(a / before).sum(axis=1))


def _log_likelihood(cells: _Cells, u: np.ndarray, tilt: np.ndarray) -> np.ndarray:
    value = np.arange(cells.prompts.shape[2])
    logs = np.logaddexp(0.0, u[:, :, None] + tilt[:, None, None] * value)
    likelihood: np.ndarray = (
        tilt * cells.observed + (u * cells.drawn).sum(axis=1) - (cells.prompts * logs).sum(axis=(1, 2))
    )
    return likelihood


EXACT_PROMPTS = 500
"""Tables with more prompts are computed by saddlepoint approximation, whose error is below 2 % there."""
SMALLEST = 1e-290
"""Exact probabilities below this have lost digits."""


def log_p_units(units: Units) -> np.ndarray:
    """Natural logarithm of P(S >= stories) for every cell, row by row."""
    columns = Draws.of_columns(units)
    chances = (
        np.stack([_exact(column) for column in columns])
        if units.prompts <= EXACT_PROMPTS
        else np.zeros((len(columns), len(units.counts)))
    )
    sure = chances > SMALLEST
    logs = np.log(chances.clip(min=SMALLEST))
    if not sure.all():
        logs = np.where(sure, logs, log_p_approximate(columns))
    result: np.ndarray = logs.T.ravel().clip(max=0.0)
    return result


def _exact(draws: Draws) -> np.ndarray:
    """P(S >= observed) for every base value, from the whole distribution."""
    result = np.ones(len(draws.observed))
    every = [_Block.of(prompts, drawn) for prompts, drawn in zip(draws.prompts, draws.drawn.T, strict=True)]
    cached: dict[tuple[int, ...], np.ndarray] = {}
    for row, (drawn, observed) in enumerate(zip(draws.drawn.tolist(), draws.observed.tolist(), strict=True)):
        if observed <= 0:
            continue
        if tuple(drawn) not in cached:
            chances = np.ones(1)
            for block, number in zip(every, drawn, strict=True):
                chances = np.convolve(chances, block.chances(number))
            cached[tuple(drawn)] = np.cumsum(chances[::-1])[::-1]
        tails = cached[tuple(drawn)]
        result[row] = tails[observed] if observed < len(tails) else 0.0
    return result


@dataclass(frozen=True, slots=True)
class _Block:
    """One block: how probable it is to draw so many prompts with at least one story, and so many stories with them.

    Every prompt is drawn independently with the same probability; given how many are drawn in all, this is sampling
    without replacement, whatever the probability.

    Attributes:
        sums: probability of so many prompts with stories, and of so many stories with them.
        others: probability of so many prompts without stories.
        total: probability of so many prompts in all.
    """

    sums: np.ndarray
    others: np.ndarray
    total: np.ndarray

    @classmethod
    def of(cls, prompts: np.ndarray, drawn: np.ndarray) -> _Block:
        most, total = int(drawn.max()), int(prompts.sum())
        rate = min(max(float(drawn.mean()) / total, 1e-3), 1 - 1e-3) if total else 0.5
        largest = int(np.repeat(np.arange(len(prompts)), prompts)[::-1][:most].sum())
        sums = np.zeros((most + 1, largest + 1))
        chances = (
            _binomial(int(prompts[1]), rate)[: min(most, largest) + 1] if len(prompts) > 1 else np.ones(1)
        )
        sums[np.arange(len(chances)), np.arange(len(chances))] = chances
        for value in range(2, len(prompts)):
            chances = _binomial(int(prompts[value]), rate)[: most + 1]
            after = np.zeros_like(sums)
            for number, chance in enumerate(chances):
                if number * value > largest:
                    break
                after[number:, number * value :] += (
                    chance * sums[: most + 1 - number, : largest + 1 - number * value]
                )
            sums = after
        return cls(sums, _binomial(int(prompts[0]), rate), _binomial(total, rate))

    def chances(self, drawn: int) -> np.ndarray:
        """Distribution of the stories of so many prompts."""
        rest = np.zeros(drawn + 1)
        others = self.others[: drawn + 1]
        rest[: len(others)] = others
        joint = rest[::-1] @ self.sums[: drawn + 1]
        chances: np.ndarray = joint / self.total[drawn]
        likely = chances.nonzero()[0]
        return chances[: likely[-1] + 1] if len(likely) else chances


def _binomial(number: int, rate: float) -> np.ndarray:
    factorials = log_factorials(number).astype(np.float64)
    k = np.arange(number + 1)
    logs = factorials[number] - factorials - factorials[::-1]
    chances: np.ndarray = np.exp(logs + k * np.log(rate) + (number - k) * np.log1p(-rate))
    return chances
