"""Strength of associations: lift and its interval, bias-corrected Cramér's V, comparison of lifts, power."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations.cells import Cells
from endoxa.instruments.stories.associations.tables import FEWEST, Units
from endoxa.runs.families import STORY_COMPARISONS, adjusted, decided
from endoxa.schema.stories import COMPARED_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales import OTHER, UNKNOWN, Profiles
from endoxa.sources.stereotales.associations import PARTS


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
    width = (pl.col("lift") / pl.col("lift_low")).log() * factor
    most = pl.col("table_total") / pl.col("row_total")
    return associations.with_columns(
        lift_low=pl.col("lift") * (-width).exp(),
        lift_high=pl.when(pl.col("lift_low").is_not_null()).then(
            pl.min_horizontal(pl.col("lift") * width.exp(), most)
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


@dataclass(frozen=True, slots=True)
class Side:
    """The stories of one table, as the 2 x 2 table of one association.

    Attributes:
        in_row: they have the base value.
        in_column: they have the compared value.
        prompts: code of their prompt.
    """

    in_row: np.ndarray
    in_column: np.ndarray
    prompts: np.ndarray

    @property
    def count(self) -> int:
        """Stories with both values."""
        return int((self.in_row & self.in_column).sum())

    @property
    def row(self) -> int:
        """Stories with the base value."""
        return int(self.in_row.sum())

    @property
    def lift(self) -> float | None:
        """Share of the compared value in the row / in the table; None without a story in the row or in the column."""
        column = int(self.in_column.sum())
        return self.count * len(self.prompts) / (self.row * column) if self.row and column else None

    def log_lift(self, added: float) -> tuple[float, np.ndarray, float]:
        """Logarithm of the lift, with so many stories added to each of the four cells.

        Returns:
            The logarithm; what each story adds to it, to first order; and the variance that the added stories have.
        """
        n11, n1, n2, n = (
            self.count + added,
            self.row + 2 * added,
            self.in_column.sum() + 2 * added,
            len(self.prompts) + 4 * added,
        )
        row, column = self.in_row.astype(float), self.in_column.astype(float)
        each = row * column / n11 - row / n1 - column / n2 + 1 / n
        four = np.array([1 / n11 - 1 / n1 - 1 / n2 + 1 / n, 1 / n - 1 / n1, 1 / n - 1 / n2, 1 / n])
        return float(np.log(n11 * n / (n1 * n2))), each, added * float((four**2).sum())


def side_of(profiles: Profiles, stories: np.ndarray, quadruple: Sequence[str]) -> Side:
    """The table of an association in some stories, without what `discover` leaves out of tables.

    Args:
        profiles: all stories.
        stories: which of them.
        quadruple: base attribute, base value, compared attribute, compared value.
    """
    base, compared = (profiles.attributes.index(quadruple[k]) for k in (0, 2))
    codes = profiles.codes[:, compared]
    left_out = [profiles.code(compared, word) for word in (UNKNOWN, OTHER)]
    here = (
        stories
        & (profiles.base == base)
        & (profiles.base_value != profiles.code(base, UNKNOWN))
        & (codes >= 0)
        & ~np.isin(codes, left_out)
    )
    rows = profiles.base_value[here]
    enough = (np.bincount(rows, minlength=1) >= FEWEST)[rows]
    return Side(
        (rows == profiles.code(base, quadruple[1]))[enough],
        (codes[here] == profiles.code(compared, quadruple[3]))[enough],
        profiles.sample[here][enough],
    )


def log_ratio(a: Side, b: Side, *, half: bool) -> tuple[float, float]:
    """Logarithm of the ratio of two lifts, and its standard error, clustered by prompt.

    Args:
        a: one side.
        b: the other.
        half: add half a story to the four cells of either.
    """
    (log_a, each_a, more_a), (log_b, each_b, more_b) = (
        side.log_lift(0.5 if half else 0.0) for side in (a, b)
    )
    _, place = np.unique(np.concatenate([a.prompts, b.prompts]), return_inverse=True)
    by_prompt = np.bincount(place, weights=np.concatenate([each_a, -each_b]))
    return log_a - log_b, float(np.sqrt((by_prompt**2).sum() + more_a + more_b))


FEWEST_PROMPTS = 6
"""Prompts that must name the base value: with four, 7 % of equals differ at a level of 5 %, with two 15 %."""
COUNTED, HALF = "as counted", "half a story added"
NO_SPREAD = "prompts do not differ"
RESOLUTION = 0.005
"""Half of the last digit that is printed of a ratio of lifts."""


def compare_associations(
    profiles: Profiles,
    associations: pl.DataFrame,
    a: str,
    b: str,
    *,
    confidence: float = 0.95,
    alpha: float = 0.05,
) -> pl.DataFrame:
    """Ratio of the lifts of each association in the stories of `a` and of `b`.

    The logarithm of a lift, log n11 - log n1. - log n.1 + log n, is linear in the stories to first order: each adds its
    indicator over the count. Stories of one prompt are summed before they are squared, so that the same prompt given
    to both is a pair, and repeats are not independent (sandwich variance clustered by prompt). Where one side has no
    story in the cell, half a story is added to the four cells of either side (Haldane 1956), in ratio and variance.
    Base values with fewer than ten stories on a side leave its table, as in `discover`. Benjamini-Hochberg over all
    rows.

    A row that was selected because one side's own stories show it (`found_in`) compares the same stories again: where
    both sides are alike, its p-value is below 0.05 more often than in 5 % (docs/methods/associations.md has figures).

    Args:
        profiles: the stories.
        associations: associations to compare (`DISCOVERED_COLUMNS`); each quadruple is compared once.
        a: a model or a language.
        b: another of the same kind.
        confidence: confidence level of the intervals.
        alpha: false-discovery rate of the verdicts.

    Returns:
        `COMPARED_COLUMNS`; ratio, interval and p-value are empty where `method` says why.

    Raises:
        UserError: `a` or `b` is neither a model nor a language of the stories.
    """
    sides = [stories_of(profiles, name) for name in (a, b)]
    finders = associations.group_by(PARTS).agg(pl.col("model").append(pl.col("aggregation")).alias("names"))
    by = {(True, True): "both", (True, False): "a", (False, True): "b", (False, False): "neither"}
    rows = [
        _row(profiles, sides, quadruple, (a, b), confidence) | {"found_in": by[a in names, b in names]}
        for *quadruple, names in finders.sort(PARTS).iter_rows()
    ]
    table = pl.DataFrame(rows, schema=_TYPES, orient="row")
    table = adjusted(table, STORY_COMPARISONS).with_columns(pl.col("p_adjusted").fill_nan(None))
    computed = pl.col("method").is_in([COUNTED, HALF])
    untested = pl.when(~computed).then("method").when(pl.col("p_value").is_null()).then(pl.lit(NO_SPREAD))
    tested = table.with_columns(neutral=pl.lit(1.0), reason=untested.otherwise(pl.lit("")))
    verdicts = decided(tested, value="lift_ratio", confidence=1 - alpha, resolution=RESOLUTION)
    return verdicts.select(list(COMPARED_COLUMNS)).with_columns(pl.col("low", "high").fill_nan(None))


def stories_of(profiles: Profiles, name: str) -> np.ndarray:
    """Which stories are of this model, or in this language.

    Raises:
        UserError: there is no such model or language.
    """
    if name in profiles.models:
        return np.asarray(profiles.model == profiles.models.index(name))
    if name in profiles.languages:
        return np.asarray(profiles.language == profiles.languages.index(name))
    raise UserError(
        f"'{name}' is neither a model nor a language of these stories. Models: {', '.join(profiles.models)}; "
        f"languages: {', '.join(profiles.languages)}."
    )


def _row(
    profiles: Profiles,
    stories: Sequence[np.ndarray],
    quadruple: Sequence[str],
    names: tuple[str, str],
    confidence: float,
) -> dict[str, Any]:
    from scipy.special import ndtr, ndtri

    sides = [side_of(profiles, story, quadruple) for story in stories]
    a, b = sides
    row: dict[str, Any] = dict(zip(PARTS, quadruple, strict=True)) | {"a": names[0], "b": names[1]}
    for letter, side in zip("ab", sides, strict=True):
        row |= {
            f"count_{letter}": side.count,
            f"row_total_{letter}": side.row,
            f"fraction_{letter}": side.count / side.row if side.row else None,
            f"lift_{letter}": side.lift,
        }
    row |= {"prompts_shared": len(np.intersect1d(a.prompts, b.prompts)), "method": _method(a, b)}
    if row["method"] not in (COUNTED, HALF):
        return row
    difference, error = log_ratio(a, b, half=row["method"] == HALF)
    width = float(ndtri(0.5 + confidence / 2)) * error
    return row | {
        "lift_ratio": float(np.exp(difference)),
        "low": float(np.exp(difference - width)),
        "high": float(np.exp(difference + width)),
        "p_value": float(2 * ndtr(-abs(difference) / error)) if error else None,
    }


def _method(a: Side, b: Side) -> str:
    if not (a.row and b.row):
        return "too few stories"
    if not (a.count or b.count):
        return "no story in the cell"
    if len(np.union1d(*(side.prompts[side.in_row] for side in (a, b)))) < FEWEST_PROMPTS:
        return "too few prompts"
    return COUNTED if a.count and b.count else HALF


_TYPES = column_types(
    COMPARED_COLUMNS,
    texts=(*PARTS, "a", "b", "found_in", "method", "verdict", "reason"),
    counts=("count_a", "count_b", "row_total_a", "row_total_b", "prompts_shared"),
)


MOST = 1_000_000
"""Stories of a base value after which an association counts as not to be seen."""
TABLES = 18
"""Tables of a family: StereoTales' 19 attributes but the base attribute."""


def power(
    stories: int,
    *,
    base_rate: float,
    lift: float,
    values: int,
    columns: int,
    tables: int = 0,
    alpha: float = 0.05,
) -> float:
    """Probability that one cell with this lift is found, at least, by the steps of `discover`.

    In step 2 the cell must pass the strictest of Benjamini and Yekutieli's thresholds, alpha / (m (1 + ... + 1/m)) with
    m cells, which is exact where it is the only association of its table, and cautious elsewhere. Stories of the other
    base values are taken at their expected number with the compared value; the cell's own count is binomial.

    In step 1 its table must pass alpha / tables, Benjamini and Hochberg's threshold for a single rejection. Fisher's
    test orders tables by -2 log of their probability, which to second order of Stirling's formula is
    2 sum n_ij log(n_ij / e_ij) + sum log(n_ij / e_ij) and a constant: taken as noncentral chi-square, with this sum of
    expected numbers as its noncentrality. (Pearson's statistic promises 0.8 where Fisher's test has 0.7: it rewards
    single cells with an excess more.) The other base values share what is left of the compared value evenly, the other
    compared values what is left of each row in proportion. Both steps rise with the same stories, so the product of
    their probabilities is at most that of both.

    Args:
        stories: stories of each base value in which the compared attribute could be read.
        base_rate: share of the compared value in the whole table.
        lift: share in the base value's stories / `base_rate`, at most `values`.
        values: base values.
        columns: compared values.
        tables: tables of the family; with 0, step 1 is taken to keep the table.
        alpha: false-discovery rate of both steps.
    """
    from scipy.stats import binom, chi2, hypergeom, ncx2

    if lift > values:
        raise ValueError("the other base values cannot have a negative share: lift must be at most `values`")
    total, share, cells = stories * values, min(1.0, base_rate * lift), values * columns
    # Ten standard deviations or more on either side of the mean.
    middle, around = round(stories * share), 5 * int(np.sqrt(stories)) + 5
    counts = np.arange(max(0, middle - around), min(stories, middle + around) + 1)
    threshold = alpha / (cells * np.sum(1 / np.arange(1, cells + 1)))
    elsewhere = round(base_rate * (values - lift) * stories)
    passes = hypergeom.sf(counts - 1, total, counts + elsewhere, stories) <= threshold
    chance = float(binom.pmf(counts, stories, share)[passes].sum())
    if not tables:
        return chance
    # Rows: the base value, all others. Columns: the compared value, all others.
    lifts = np.array([lift, (values - lift) / (values - 1)])
    ratios = np.column_stack([lifts, (1 - base_rate * lifts) / (1 - base_rate)]).clip(min=1 / total)
    expected = np.outer([1 / values, 1 - 1 / values], [base_rate, 1 - base_rate])
    merged = np.outer([1, values - 1], [1, columns - 1])
    excess = ((2 * total * expected * ratios + merged) * np.log(ratios)).sum()
    freedom = (values - 1) * (columns - 1)
    return chance * float(ncx2.sf(chi2.isf(alpha / tables, freedom), freedom, max(0.0, excess)))


def stories_needed(
    *, base_rate: float, lift: float, values: int, columns: int, alpha: float = 0.05, target: float = 0.8
) -> int | None:
    """Fewest stories of each base value (with the compared attribute read) that give the power asked for.

    Args:
        base_rate: see `power`, as the others.
        lift: see `power`.
        values: see `power`.
        columns: see `power`.
        alpha: see `power`.
        target: power asked for.

    Returns:
        None where the lift is impossible (a share above 1, or more than the other values leave), or takes over a
        million.
    """
    if base_rate * lift > 1 or lift > values:
        return None

    def enough(stories: int) -> bool:
        shape = {"values": values, "columns": columns, "tables": TABLES}
        return power(stories, base_rate=base_rate, lift=lift, alpha=alpha, **shape) >= target

    high = 10
    while not enough(high):
        high *= 2
        if high > MOST:
            return None
    between = range(high // 2 + 1, high)
    return between.start + bisect_left(between, True, key=enough)
