"""Comparison of an association between two models (or languages) on the same prompts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations.tables import FEWEST
from endoxa.runs.families import STORY_COMPARISONS, adjusted, decided
from endoxa.schema.stories import COMPARED_COLUMNS
from endoxa.sources.stereotales import OTHER, UNKNOWN, Profiles


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


PARTS = ("base_attribute", "base_value", "compared_attribute", "compared_value")
FEWEST_PROMPTS = 6
"""Prompts that must name the base value: with four, 7 % of equals differ at a level of 5 %, with two 15 %."""
COUNTED, HALF = "as counted", "half a story added"
NO_SPREAD = "prompts do not differ"
RESOLUTION = 0.005
"""Half of the last digit that is printed of a ratio of lifts."""


def compare_associations(
    profiles: Profiles,
    found: pl.DataFrame,
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
        found: associations to compare (`DISCOVERED_COLUMNS`); each quadruple is compared once.
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
    finders = found.group_by(PARTS).agg(pl.col("model").append(pl.col("aggregation")).alias("names"))
    rows = [
        _row(profiles, sides, quadruple, (a, b), confidence) | {"found_in": _found_in(names, a, b)}
        for *quadruple, names in finders.sort(PARTS).iter_rows()
    ]
    table = pl.DataFrame(rows, schema=_TYPES, orient="row")
    table = adjusted(table, STORY_COMPARISONS).with_columns(pl.col("p_adjusted").fill_nan(None))
    computed = pl.col("method").is_in([COUNTED, HALF])
    untested = pl.when(~computed).then("method").when(pl.col("p_value").is_null()).then(pl.lit(NO_SPREAD))
    given = table.with_columns(neutral=pl.lit(1.0), reason=untested.otherwise(pl.lit("")))
    verdicts = decided(given, value="lift_ratio", confidence=1 - alpha, resolution=RESOLUTION)
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


def _found_in(names: Sequence[str], a: str, b: str) -> str:
    return {(True, True): "both", (True, False): "a", (False, True): "b"}.get(
        (a in names, b in names), "neither"
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


_TEXT = (*PARTS, "a", "b", "found_in", "method", "verdict", "reason")
_WHOLE = ("count_a", "count_b", "row_total_a", "row_total_b", "prompts_shared")
_TYPES = {
    name: pl.String() if name in _TEXT else pl.Int64() if name in _WHOLE else pl.Float64()
    for name in COMPARED_COLUMNS
}
