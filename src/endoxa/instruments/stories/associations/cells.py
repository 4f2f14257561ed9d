"""Exact tests of single cells, and how strong an association is: lift and its interval, bias-corrected Cramér's V.

Is a value more frequent than the margins, or exchanging base values, give?

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
import polars as pl

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


def lift_interval(
    cells: Cells, confidence: float, effects: tuple[np.ndarray, np.ndarray] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of lift = (count / row) / (column / total), by the delta method on its logarithm.

    The number of stories of each base value was fixed by the prompts, so the share in the row and the share in the
    other rows are two independent proportions f1 and f2, and lift = f1 / (w f1 + (1 - w) f2) with w = row / total.
    Half a story is added to each of the four cells for the variance (Gart and Zweifel 1967): a share of 0 or 1 has one.
    No lift can be above 1 / w, so the upper end is not. It may be above total / column, the most that this table could
    show: the column is an estimate too, and cutting there lost up to half of the coverage in simulations.

    Args:
        cells: any cells.
        confidence: confidence level.
        effects: design effects of both shares where stories of one prompt depend on each other (`design_effects`).

    Returns:
        Lower and upper ends.
    """
    from scipy.special import ndtri

    count, row, column, total = cells.count, cells.row, cells.column, cells.total
    lift = count * total / (row * column)
    here, there = row + 1.0, np.maximum(total - row, 0) + 1.0
    f1, f2 = (count + 0.5) / here, (column - count + 0.5) / there
    w = row / total
    pooled = w * f1 + (1 - w) * f2
    by_f1, by_f2 = 1 / f1 - w / pooled, -(1 - w) / pooled
    effect1, effect2 = effects if effects is not None else (1.0, 1.0)
    variance = effect1 * by_f1**2 * f1 * (1 - f1) / here + effect2 * by_f2**2 * f2 * (1 - f2) / there
    width = ndtri(0.5 + confidence / 2) * np.sqrt(variance)
    return lift * np.exp(-width), np.minimum(lift * np.exp(width), total / row)


def design_effects(units: Units) -> tuple[np.ndarray, np.ndarray]:
    """How many times the variance of a share exceeds that of independent stories, in the row and in all other rows.

    Stories of one prompt are added before they are squared (Kish 1965, chapter 5). An effect is at least 1; where all
    or no story has the value, it is that of prompts whose stories are all alike.

    Returns:
        Two arrays, cell by cell, row by row.
    """
    # Sums over the prompts of each base value, of stories with each compared value (y) and all stories (m) of a prompt.
    y = units.vectors.astype(float)
    m = y.sum(axis=1)[:, None]
    sums = [units.counts @ part for part in (y**2, y * m, m**2, y, m, np.ones_like(m))]
    effects = []
    for yy, ym, mm, of_value, of_all, prompts in (sums, [part.sum(axis=0) - part for part in sums]):
        share = of_value / np.maximum(of_all, 1)
        spread = yy - 2 * share * ym + share**2 * mm
        spread *= prompts / np.maximum(prompts - 1, 1)
        alone = of_all * share * (1 - share)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(alone > 0, spread / alone, mm / of_all)
        effects.append(np.maximum(np.nan_to_num(ratio, nan=1.0), 1.0).ravel())
    return effects[0], effects[1]


def at_confidence(associations: pl.DataFrame, before: float, after: float) -> pl.DataFrame:
    """Associations with the intervals of their lifts at another confidence level.

    Args:
        associations: `DISCOVERED_COLUMNS`; rows without an interval stay without.
        before: confidence level of the intervals.
        after: the one wanted.
    """
    from scipy.special import ndtri

    if before == after:
        return associations
    factor = float(ndtri(0.5 + after / 2) / ndtri(0.5 + before / 2))
    width = (pl.col("value") / pl.col("low")).log() * factor
    most = pl.col("n") / pl.col("row_total")
    return associations.with_columns(
        low=pl.col("value") * (-width).exp(),
        high=pl.when(pl.col("low").is_not_null()).then(
            pl.min_horizontal(pl.col("value") * width.exp(), most)
        ),
    )


CATEGORIES = ((0.5, "large"), (0.3, "medium"), (0.1, "small"))
"""Limits of Cohen's w; divided by sqrt(min(r, k) - 1) they are limits of V."""


def chi_square(counts: np.ndarray) -> float:
    """Pearson's statistic, without continuity correction."""
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return float(((counts - expected) ** 2 / expected).sum())


def cramer_v(counts: np.ndarray) -> float:
    """Bias-corrected Cramér's V (Bergsma 2013); 0 where the correction leaves nothing.

    Args:
        counts: a table of at least two rows and columns, none of them empty.
    """
    n = int(counts.sum())
    r, k = counts.shape
    phi2 = max(0.0, chi_square(counts) / n - (k - 1) * (r - 1) / (n - 1))
    rows, columns = r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)
    least = min(rows - 1, columns - 1)
    return float(np.sqrt(phi2 / least)) if least > 0 else 0.0


def category(v: float, shape: tuple[int, ...]) -> str:
    """'large', 'medium', 'small' or 'negligible', for a table of this shape."""
    scale = np.sqrt(min(shape) - 1)
    return next((name for limit, name in CATEGORIES if v >= limit / scale), "negligible")
