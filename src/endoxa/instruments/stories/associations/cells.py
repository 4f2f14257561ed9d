"""Exact tests of single cells: is a value more frequent than the margins, or exchanging base values, give?

Where stories are the units this is Fisher's test. Where prompts are, the stories of a cell are a sum over the prompts
that name its base value. Given how many prompts of each block name it, the sum is that of a sample without replacement
from each block. With one story per prompt this is the hypergeometric distribution of Fisher's test; with languages as
blocks, the exact conditional test of Cochran, Mantel and Haenszel (Agresti 2013, section 7.3). Large tables with tiny
p-values use a saddlepoint approximation of the tail.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from endoxa.instruments.stories.associations.tables import Units

FLOATS = 2_000_000
"""About as many terms of tails are held at once."""


def log_factorials(most: int) -> np.ndarray:
    """log(0!) .. log(most!), summed in extended precision, so that differences keep twelve digits and more."""
    return _log_factorials(1 << most.bit_length())[: most + 1]


@cache
def _log_factorials(most: int) -> np.ndarray:
    logs = np.log(np.arange(1, most + 1, dtype=np.longdouble))
    return np.concatenate([np.zeros(1, dtype=np.longdouble), np.cumsum(logs)])


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of a table; four arrays of one length.

    Attributes:
        count: stories in the cell.
        row: total of its row.
        column: total of its column.
        total: total of its table.
    """

    count: np.ndarray
    row: np.ndarray
    column: np.ndarray
    total: np.ndarray

    @classmethod
    def of(cls, counts: np.ndarray) -> Cells:
        """All cells of a table, row by row."""
        rows, columns = counts.shape
        total = np.full(counts.size, counts.sum())
        return cls(
            counts.ravel(), counts.sum(axis=1).repeat(columns), np.tile(counts.sum(axis=0), rows), total
        )

    def __len__(self) -> int:
        """Number of cells."""
        return len(self.count)

    def __getitem__(self, which: np.ndarray) -> Cells:
        """Some of the cells."""
        return Cells(self.count[which], self.row[which], self.column[which], self.total[which])


def log_p_greater(cells: Cells) -> np.ndarray:
    """Natural logarithm of P(X >= count) for X hypergeometric with a cell's margins (one-sided Fisher test).

    Exact to about 1e-12 relative; it does not underflow.
    """
    factorials = log_factorials(int(cells.total.max()))
    lengths = np.minimum(cells.row, cells.column) - cells.count + 1
    result = np.empty(len(cells))
    # Cells with tails of like length go together; an array is as wide as the longest of them.
    parts = len(cells) * int(lengths.max()) // FLOATS + 1
    for some in np.array_split(np.argsort(lengths), min(parts, len(cells))):
        result[some] = _tails(cells[some], int(lengths[some].max()), factorials)
    return result


def _tails(cells: Cells, width: int, factorials: np.ndarray) -> np.ndarray:
    count, r, c, n = (part[:, None] for part in (cells.count, cells.row, cells.column, cells.total))
    x = count + np.arange(width)
    inside = x <= np.minimum(r, c)
    x = np.where(inside, x, count)
    f = factorials
    fixed = f[r] + f[n - r] + f[c] + f[n - c] - f[n]
    terms = fixed - (f[x] + f[r - x] + f[c - x] + f[n - r - c + x])
    terms = np.where(inside, terms, -np.inf).astype(np.float64)
    top = terms.max(axis=1, keepdims=True)
    logs: np.ndarray = top[:, 0] + np.log(np.exp(terms - top).sum(axis=1))
    return logs.clip(max=0.0)


TOLERANCE = 1e-9
"""Logarithms of probabilities that differ by less are of tables equally probable."""


ROUNDS = 100
"""Newton steps at most; seven or eight are usual."""
NEAR_MEAN = 0.02
"""Signed roots closer to 0 are of sums at their mean, where a normal distribution does."""


@dataclass(frozen=True, slots=True)
class Draws:
    """What the cells of a table are sums of: for each compared value, prompts with so many stories of it.

    Sums are counted from the least that each block must give, in the largest possible step of the compared value.

    Attributes:
        prompts: prompts of each block with 0, 1, 2, ... stories, compared values x blocks x stories.
        drawn: prompts of each block that name the base value, base values x blocks.
        observed: stories of the value among those, compared values x base values.
    """

    prompts: np.ndarray
    drawn: np.ndarray
    observed: np.ndarray

    @classmethod
    def of(cls, units: Units) -> Draws:
        """The sums of a table."""
        number, drawn = units.counts.sum(axis=0), units.rows
        used = number > 0
        number, blocks, vectors = number[used], units.blocks[used], units.vectors[used].T
        prompts = np.zeros((len(vectors), drawn.shape[1], int(vectors.max()) + 1), dtype=np.int64)
        observed = units.table.T.copy()
        for reduced, sums, stories in zip(prompts, observed, vectors, strict=True):
            least = np.full(len(reduced), stories.max())
            np.minimum.at(least, blocks, stories)
            above = stories - least[blocks]
            step = int(np.gcd.reduce(above)) or 1
            np.add.at(reduced, (blocks, above // step), number)
            sums[:] = (sums - drawn @ least) // step
        return cls(prompts, drawn, observed)


def log_p_approximate(draws: Draws) -> np.ndarray:
    """Natural logarithm of P(S >= observed), compared values x base values.

    Double saddlepoint approximation (Skovgaard 1987; for sampling without replacement Booth and Butler 1990), in its
    form for whole numbers. The largest possible sum is exact.
    """
    (mean, variance), most, observed = _moments(draws), _largest(draws), draws.observed
    result = np.zeros(observed.shape)
    top = (observed >= most) & (variance > 0)
    for column in np.flatnonzero(top.any(axis=1)):
        result[column, top[column]] = _log_p_largest(draws.prompts[column], draws.drawn)[top[column]]
    inside = (observed > 0) & (observed < most) & (variance > 0)
    if inside.any():
        result[inside] = _approximate_tails(
            _Sums.of(draws, inside), (observed - mean)[inside], variance[inside]
        )
    return result


def _moments(draws: Draws) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of every sum."""
    value = np.arange(draws.prompts.shape[2])
    total = draws.prompts[0].sum(axis=1)
    mean = draws.prompts @ value / total
    spread = draws.prompts @ value**2 - total * mean**2
    shared = draws.drawn * (total - draws.drawn) / (total * np.maximum(total - 1, 1))
    return mean @ draws.drawn.T, spread @ shared.T


def _largest(draws: Draws) -> np.ndarray:
    """The largest possible sums."""
    above = draws.prompts[:, :, ::-1].cumsum(axis=2)[:, :, ::-1] - draws.prompts
    used = (draws.drawn[:, :, None] - above[:, None]).clip(0, draws.prompts[:, None])
    sums: np.ndarray = used.sum(axis=2) @ np.arange(draws.prompts.shape[2])
    return sums


def _log_p_largest(every: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Probability of the largest sum: all prompts with more stories than some number, and some of those with it."""
    from scipy.special import gammaln

    def log_ways(total: np.ndarray, drawn: np.ndarray) -> np.ndarray:
        ways: np.ndarray = gammaln(total + 1) - gammaln(drawn + 1) - gammaln(total - drawn + 1)
        return ways

    logs = np.zeros(len(numbers))
    for prompts, drawn in zip(every, numbers.T, strict=True):
        above = np.cumsum(prompts[::-1])
        level = np.searchsorted(above, drawn)
        rest = drawn - np.where(level > 0, above[level - 1], 0)
        logs += log_ways(prompts[::-1][level], rest) - log_ways(np.full(len(drawn), prompts.sum()), drawn)
    return logs


@dataclass(frozen=True, slots=True)
class _Sums:
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
    def of(cls, draws: Draws, chosen: np.ndarray) -> _Sums:
        column, row = np.nonzero(chosen)
        prompts, drawn = draws.prompts[column], draws.drawn[row]
        total = prompts.sum(axis=2)
        free = (drawn > 0) & (drawn < total)
        fixed = np.where(drawn == total, prompts @ np.arange(prompts.shape[2]), 0).sum(axis=1)
        observed = draws.observed[chosen] - fixed
        return cls(np.where(free[:, :, None], prompts, 0), np.where(free, drawn, 0), total, free, observed)


def _approximate_tails(cells: _Sums, above: np.ndarray, variance: np.ndarray) -> np.ndarray:
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


def _saddlepoint(cells: _Sums) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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


def _log_likelihood(cells: _Sums, u: np.ndarray, tilt: np.ndarray) -> np.ndarray:
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
    draws = Draws.of(units)
    chances = np.zeros(draws.observed.shape)
    if units.prompts <= EXACT_PROMPTS:
        for column, (prompts, observed) in enumerate(zip(draws.prompts, draws.observed, strict=True)):
            chances[column] = _exact(prompts, draws.drawn, observed)
    sure = chances > SMALLEST
    logs = np.log(chances.clip(min=SMALLEST))
    if not sure.all():
        logs = np.where(sure, logs, log_p_approximate(draws))
    result: np.ndarray = logs.T.ravel().clip(max=0.0)
    return result


def _exact(prompts: np.ndarray, numbers: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """P(S >= observed) for every base value, from the whole distribution."""
    result = np.ones(len(sums))
    blocks = [_Block.of(*each) for each in zip(prompts, numbers.T, strict=True)]
    cached: dict[tuple[int, ...], np.ndarray] = {}
    for row, (drawn, observed) in enumerate(zip(numbers.tolist(), sums.tolist(), strict=True)):
        if observed <= 0:
            continue
        if tuple(drawn) not in cached:
            chances = np.ones(1)
            for block, number in zip(blocks, drawn, strict=True):
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
    """

    sums: np.ndarray
    others: np.ndarray

    @classmethod
    def of(cls, prompts: np.ndarray, drawn: np.ndarray) -> _Block:
        most, total = int(drawn.max()), int(prompts.sum())
        rate = min(max(float(drawn.mean()) / total, 1e-3), 1 - 1e-3) if total else 0.5
        largest = int(np.repeat(np.arange(len(prompts)), prompts)[::-1][:most].sum())
        sums = np.zeros((most + 1, largest + 1))
        sums[0, 0] = 1.0
        for value in range(1, len(prompts)):
            chances = _binomial(int(prompts[value]), rate)[: min(most, largest // value) + 1]
            after = np.zeros_like(sums)
            for number, chance in enumerate(chances):
                stories = number * value
                after[number:, stories:] += chance * sums[: most + 1 - number, : largest + 1 - stories]
            sums = after
        return cls(sums, _binomial(int(prompts[0]), rate))

    def chances(self, drawn: int) -> np.ndarray:
        """Distribution of the stories of so many prompts."""
        others = np.zeros(drawn + 1)
        others[: len(self.others)] = self.others[: drawn + 1]
        joint = others[::-1] @ self.sums[: drawn + 1]
        chances: np.ndarray = joint / joint.sum()
        return np.trim_zeros(chances, "b")


def _binomial(number: int, rate: float) -> np.ndarray:
    factorials = log_factorials(number).astype(np.float64)
    k = np.arange(number + 1)
    logs = factorials[number] - factorials - factorials[::-1]
    chances: np.ndarray = np.exp(logs + k * np.log(rate) + (number - k) * np.log1p(-rate))
    return chances
