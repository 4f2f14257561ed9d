"""Bootstrap of templates and checks of the sample: answers to questions from one template are dependent.

The resamples are those of `endoxa.stats.resampling`, the interval its expanded percentile interval (Hesterberg 2015).
The effective number of templates is that of the rarer kind of answer on which a measure rests: a hundred wrong answers
from three templates are little evidence however many right ones there are. Measured coverage:
docs/methods/question-tests.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.runs.families import Family, adjusted, decided
from endoxa.stats.intervals import FEWEST_CLUSTERS, NAN
from endoxa.stats.resampling import Clusters, bootstrap, expanded_interval, percentile_interval
from endoxa.stats.signs import fewest_units, sign_flip_test
from endoxa.stats.verdicts import significance

RESAMPLES = 2000
MIN_TEMPLATES = FEWEST_CLUSTERS
MIN_EFFECTIVE = 2.0
FEW_TEMPLATES = 8
"""With fewer, differences and ratios of two sides that carry a verdict have jackknife t intervals: those of the
bootstrap cover 0.926 to 0.929 of differences and ratios with six templates (docs/methods/question-tests.md)."""
MIN_DEFINED = 0.5

_NO_INTERVAL = "no interval of "


def column_types(
    columns: Iterable[str], integers: Collection[str], texts: Collection[str]
) -> dict[str, type[pl.DataType]]:
    """Types of the columns of a table of estimates: real numbers where nothing else is said."""
    return {
        name: pl.Int64 if name in integers else pl.String if name in texts else pl.Float64 for name in columns
    }


@dataclass(frozen=True, slots=True)
class Ends:
    """An interval, or why there is none.

    Attributes:
        low: lower end, NaN where there is none.
        high: upper end, NaN where there is none.
        why: why there is none, else empty.
    """

    low: float
    high: float
    why: str = ""


NOT_REQUESTED = Ends(NAN, NAN)
"""In place of the interval of a value that is not defined itself."""


def resampled(totals: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Totals of `resamples` samples of clusters drawn with replacement.

    Args:
        totals: (clusters, columns), clusters in an order that does not depend on the order of the answers.
        resamples: samples to draw.
        seed: what is drawn follows from it and from the number of clusters.

    Returns:
        (resamples, columns); all NaN with fewer than `MIN_TEMPLATES` clusters.
    """
    if len(totals) < MIN_TEMPLATES:
        return np.full((resamples, totals.shape[1]), np.nan)
    return bootstrap(Clusters(totals), lambda drawn: drawn, resamples, seed)


def effective(weights: np.ndarray) -> float:
    """Kish's effective number of clusters with these weights (not negative); 0 where all are 0."""
    return Clusters(weights[:, None]).effective if weights.any() else 0.0


def expanded(draws: np.ndarray, weights: np.ndarray, confidence: float, units: str = "templates") -> Ends:
    """The expanded percentile interval at the effective number of clusters.

    Args:
        draws: the measure in each resample; undefined ones (NaN) are left out.
        weights: per cluster, how many answers of the kind the measure lives on.
        confidence: confidence level.
        units: what clusters are, for the reason.

    Returns:
        No interval where there are fewer than `MIN_TEMPLATES` clusters, where fewer than `MIN_EFFECTIVE` effective
        ones carry the measure, where it is undefined in half of the resamples or more, or where all give one value.
    """
    why = _why_none(draws, len(weights), units)
    if not why and effective(weights) < MIN_EFFECTIVE:
        why = f"the rarer answers it rests on come from too few {units}"
    if why:
        return Ends(NAN, NAN, why)
    interval = expanded_interval(draws, Clusters(weights[:, None]), confidence)
    return Ends(interval.low, interval.high)


def percentile(draws: np.ndarray, weights: np.ndarray, confidence: float, units: str = "items") -> Ends:
    """The plain percentile interval; none where `expanded` has none, but whatever the effective number is."""
    why = _why_none(draws, len(weights), units)
    if why:
        return Ends(NAN, NAN, why)
    interval = percentile_interval(draws[np.isfinite(draws)], confidence)
    return Ends(interval.low, interval.high)


def _why_none(draws: np.ndarray, clusters: int, units: str) -> str:
    if clusters < MIN_TEMPLATES:
        return f"fewer than {MIN_TEMPLATES} {units} cannot be resampled"
    defined = draws[np.isfinite(draws)]
    if len(defined) <= MIN_DEFINED * len(draws):
        return "it is undefined in half of the resamples or more"
    if np.ptp(defined) == 0:
        return "all resamples give the same value, so they cannot say how sure it is"
    return ""


def without_interval(units: Mapping[str, Ends]) -> list[str]:
    """A part of `reason` for each cause why intervals are missing: 'no interval of accuracy, bias_score: ...'."""
    causes = dict.fromkeys(ends.why for ends in units.values() if ends.why)
    return [
        f"{_NO_INTERVAL}{', '.join(name for name, ends in units.items() if ends.why == why)}: {why}"
        for why in causes
    ]


def split_reason(reason: str, name: str) -> tuple[str, str]:
    """What `reason` says but on intervals, and why there is no interval of the column `name`; empty where nothing."""
    values, why = [], ""
    for part in reason.split("; "):
        columns, _, cause = part.removeprefix(_NO_INTERVAL).partition(": ")
        if not part.startswith(_NO_INTERVAL):
            values.append(part)
        elif name in columns.split(", "):
            why = cause
    return "; ".join(values), why


def check_settings(confidence: float, seed: int, resamples: int) -> None:
    """Raise UserError where a number is out of range."""
    if not 0 < confidence < 1:
        raise UserError(f"The confidence must lie between 0 and 1, for example 0.95, not {confidence}.")
    if resamples < 100:
        raise UserError(f"At least 100 bootstrap samples are needed, not {resamples}; 2000 is the default.")
    if seed < 0:
        raise UserError(f"The seed must not be negative ({seed} was given).")


_LARGEST_DENOMINATOR = 10_000
"""With a larger one, sums take longer than drawing signs."""


@dataclass(frozen=True, slots=True)
class TemplateTest:
    """What a sign-flip test on templates says.

    Attributes:
        p_value: two-sided; NaN where it cannot be tested.
        untestable: why it cannot be tested, or empty.
    """

    p_value: float
    untestable: str = ""


def templates_test(
    totals: np.ndarray,
    speaking: np.ndarray,
    *,
    happens: str,
    confidence: float,
    seed: int,
    kind: str = "",
) -> TemplateTest:
    """Test whether the sum of totals differs from 0.

    A template speaks if its total could have been another: somebody is named in it, an answer has changed. Where none
    does, every pattern of signs gives the same sum, so p is 1. Where fewer do than the test needs to reach its level
    (its least p is 2 / 2^templates), nothing can be tested.

    Args:
        totals: of each template, symmetric about 0 under the hypothesis.
        speaking: whether each template speaks.
        happens: what happens in templates that speak ("a person is named").
        confidence: 1 minus the level of the test.
        seed: of sign patterns, if any must be drawn.
        kind: which templates count (" with items of both kinds"), or empty for all.
    """
    needed, templates, units = fewest_units(significance(confidence)), len(totals), int(speaking.sum())
    noun = "template" if templates == 1 else "templates"
    if templates < needed:
        return TemplateTest(NAN, f"{templates} {noun}{kind}, at least {needed} needed")
    if units == 0:
        return TemplateTest(1.0)
    if units < needed:
        return TemplateTest(NAN, f"{happens} in only {units} of {templates} {noun}, at least {needed} needed")
    p_value = sign_flip_test(totals, seed=seed)
    return TemplateTest(1.0 if np.isnan(p_value) else p_value)


def integer_totals(totals: np.ndarray, denominator: int = 1) -> np.ndarray:
    """The totals times what makes them whole, because for whole totals the test is exact however many there are."""
    return np.round(totals * denominator) if denominator <= _LARGEST_DENOMINATOR else np.round(totals, 9)


def judged(table: pl.DataFrame, family: Family, *, value: str, confidence: float) -> pl.DataFrame:
    """The table with `p_adjusted`, `verdict` and `verdict_reason`, by the one rule.

    In tables about questions `reason` says why a value or an interval is missing, so that verdicts have their own.

    Args:
        table: columns `neutral`, `p_value` and those three; `verdict_reason` says why a row cannot be tested.
        family: the tests that are corrected together.
        value: name of the column that is compared with `neutral`.
        confidence: confidence level of the intervals, which is that of the verdicts.
    """
    corrected = adjusted(table, family, reason="verdict_reason").with_columns(
        pl.col("p_value", "p_adjusted").fill_nan(None)
    )
    compared = corrected.select(value, "neutral", "p_value", "p_adjusted", reason="verdict_reason")
    units = decided(compared, value=value, confidence=confidence)
    return corrected.with_columns(verdict=units["verdict"], verdict_reason=units["reason"])
