"""Units of answers, and the intervals and tests that rest on them: answers that share a unit are dependent.

Units are of two kinds: templates and stereotyped groups, or identities and attributes of built questions. Several
templates ask about one group, and one attribute is asked of several identities. Both are samples of what could have
been asked (Clark 1973), so intervals and tests are those of `endoxa.stats.two_way`, which takes what single answers add
to a value. Where no unit of the second kind recurs, templates decide as they do without it, and so they do where there
are too few groups for a test: these groups are then taken as they are (docs/methods/question-tests.md).

Where templates decide alone, resamples are those of `endoxa.stats.resampling` and intervals expanded percentile
intervals (Hesterberg 2015). The effective number of templates is that of the rarer kind of answer on which a measure
rests: a hundred wrong answers from three templates are little evidence however many right ones there are. Measured
coverage: docs/methods/question-tests.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.units import IDENTITIES_ATTRIBUTES, TEMPLATES_GROUPS, Kinds
from endoxa.runs import estimates
from endoxa.sources import frames
from endoxa.stats.intervals import FEWEST_CLUSTERS, NAN, UNDEFINED, Interval
from endoxa.stats.resampling import Clusters, bootstrap, expanded_interval, percentile_interval
from endoxa.stats.signs import fewest_units, sign_flip_test
from endoxa.stats.two_way import Sampled, two_way
from endoxa.stats.verdicts import significance

RESAMPLES = 2000
MIN_TEMPLATES = FEWEST_CLUSTERS
MIN_EFFECTIVE = 2.0
FEW_TEMPLATES = 8
"""With fewer, differences and ratios of two sides that carry a verdict have jackknife t intervals: those of the
bootstrap cover 0.926 to 0.929 of differences and ratios with six templates (docs/methods/question-tests.md)."""
MIN_DEFINED = 0.5
METHOD = "template bootstrap, expanded percentile interval, {resamples} resamples, seed {seed}"

_TEXTS = (
    *("data", "category", "model", "protocol", "context_condition", "original", "substituted", "identity"),
    *("name", "verdict", "reason", "interval", "sampled", "method"),
)
_COUNTS = ("n", "seeds", "questions", "clusters", "groups", "attributes")


def column_types(columns: Iterable[str]) -> dict[str, pl.DataType]:
    """Types of the columns of a table about answers."""
    names = list(columns)
    counts = [name for name in names if name in _COUNTS or name.startswith("n_")]
    return frames.column_types(names, texts=_TEXTS, counts=counts)


@dataclass(frozen=True, slots=True)
class Settings:
    """How intervals and tests are made.

    Attributes:
        confidence: confidence level of intervals; 1 minus it is the level of the tests.
        seed: of everything that is drawn.
        resamples: bootstrap samples for each interval.

    Raises:
        UserError: a number is out of range.
    """

    confidence: float = 0.95
    seed: int = 0
    resamples: int = RESAMPLES

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise UserError(
                f"The confidence must lie between 0 and 1, for example 0.95, not {self.confidence}."
            )
        if self.resamples < 100:
            raise UserError(
                f"At least 100 bootstrap samples are needed, not {self.resamples}; 2000 is the default."
            )
        if self.seed < 0:
            raise UserError(f"The seed must not be negative ({self.seed} was given).")

    @property
    def method(self) -> str:
        """How intervals are made where templates decide."""
        return METHOD.format(resamples=self.resamples, seed=self.seed)


@dataclass(frozen=True, slots=True)
class Result:
    """An interval and a test of one value.

    Attributes:
        interval: undefined where there is none.
        p_value: two-sided; NaN where nothing is tested.
        reason: why there is no interval or no test, else empty.
    """

    interval: Interval = UNDEFINED
    p_value: float = NAN
    reason: str = ""

    @property
    def cells(self) -> dict[str, Any]:
        """Cells of a table."""
        return {
            "low": self.interval.low,
            "high": self.interval.high,
            "p_value": self.p_value,
            "reason": self.reason,
        }


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


def expanded(draws: np.ndarray, weights: np.ndarray, confidence: float) -> Result:
    """The expanded percentile interval at the effective number of templates.

    Args:
        draws: the measure in each resample; undefined ones (NaN) are left out.
        weights: per template, how many answers of the kind the measure lives on.
        confidence: confidence level.

    Returns:
        No interval where there are fewer than `MIN_TEMPLATES` templates, where fewer than `MIN_EFFECTIVE` effective
        ones carry the measure, where it is undefined in half of the resamples or more, or where all give one value.
    """
    why = _why_none(draws, len(weights), "templates")
    if not why and effective(weights) < MIN_EFFECTIVE:
        why = "the rarer answers it rests on come from too few templates"
    return (
        Result(reason=why)
        if why
        else Result(expanded_interval(draws, Clusters(weights[:, None]), confidence))
    )


def percentile(draws: np.ndarray, weights: np.ndarray, confidence: float) -> Result:
    """The plain percentile interval over items; none where `expanded` has none, whatever the effective number is."""
    why = _why_none(draws, len(weights), "items")
    return Result(reason=why) if why else Result(percentile_interval(draws[np.isfinite(draws)], confidence))


def _why_none(draws: np.ndarray, clusters: int, units: str) -> str:
    if clusters < MIN_TEMPLATES:
        return f"fewer than {MIN_TEMPLATES} {units} cannot be resampled"
    defined = draws[np.isfinite(draws)]
    if len(defined) <= MIN_DEFINED * len(draws):
        return "it is undefined in half of the resamples or more"
    if np.ptp(defined) == 0:
        return "all resamples give the same value, so they cannot say how sure it is"
    return ""


_LARGEST_DENOMINATOR = 10_000
"""With a larger one, sums take longer than drawing signs."""


def templates_test(
    totals: np.ndarray,
    speaking: np.ndarray,
    *,
    happens: str,
    confidence: float,
    seed: int,
    kind: str = "",
) -> Result:
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
        return Result(reason=f"{templates} {noun}{kind}, at least {needed} needed")
    if units == 0:
        return Result(p_value=1.0)
    if units < needed:
        return Result(reason=f"{happens} in only {units} of {templates} {noun}, at least {needed} needed")
    p_value = sign_flip_test(totals, seed=seed)
    return Result(p_value=1.0 if np.isnan(p_value) else p_value)


def integer_totals(totals: np.ndarray, denominator: int = 1) -> np.ndarray:
    """The totals times what makes them whole, because for whole totals the test is exact however many there are."""
    return np.round(totals * denominator) if denominator <= _LARGEST_DENOMINATOR else np.round(totals, 9)


def judged(
    rows: Iterable[Mapping[str, Any]], schema: Mapping[str, Any], family: estimates.Family, confidence: float
) -> pl.DataFrame:
    """Rows as their table, with corrected p-values, verdicts and reasons.

    What is not tested keeps its reason, which says why a value or an interval is missing.

    Args:
        rows: columns of `schema` that are known, `neutral` and `p_value` where something is tested.
        schema: types of the columns.
        family: the tests that are corrected together.
        confidence: confidence level of the intervals, which is that of the verdicts.
    """
    each = list(rows)
    stated = pl.Series([row.get("reason") for row in each], dtype=pl.String)
    table = estimates.judged(each, schema, family, confidence=confidence)
    return table.with_columns(reason=pl.when(verdict="").then(stated).otherwise("reason"))


SECOND = "second_unit"
BUILT = "built"
"""Columns: the unit of the second kind, and whether it is an attribute."""


def unit_columns(columns: Collection[str]) -> dict[str, pl.Expr]:
    """`SECOND` and `BUILT` of answers that have these columns.

    The unit is the attribute of a question made from an association, else the stereotyped group; an answer with
    neither shares nothing with another template. Names stand for groups, so answers about them have the group's.
    """
    attribute, identity = (
        pl.col(name).fill_null("").str.to_lowercase() if name in columns else pl.lit("")
        for name in ("attribute", "identity")
    )
    template = pl.col("template")
    named = (identity != "") & (identity != template.str.to_lowercase())
    return {
        SECOND: pl.when(attribute != "")
        .then(pl.concat_str(pl.lit("attribute\t"), attribute))
        .when(named)
        .then(pl.concat_str(pl.lit("group\t"), identity))
        .otherwise(pl.concat_str(pl.lit("template\t"), template)),
        BUILT: attribute != "",
    }


@dataclass(frozen=True, slots=True)
class Units:
    """Units of observations.

    Attributes:
        first: code of the template or identity of each.
        second: code of the group or attribute of each.
        kinds: what they are called.
    """

    first: np.ndarray
    second: np.ndarray
    kinds: Kinds = TEMPLATES_GROUPS

    @classmethod
    def of(cls, answers: pl.DataFrame) -> Units:
        """Those of answers with the columns `template` and `unit_columns`."""
        first, second = (
            answers[name].rank("dense").to_numpy().astype(np.int64) for name in ("template", SECOND)
        )
        return cls(first, second, IDENTITIES_ATTRIBUTES if answers[BUILT].any() else TEMPLATES_GROUPS)

    def where(self, chosen: np.ndarray) -> Units:
        """Those of some of the observations."""
        return Units(self.first[chosen], self.second[chosen], self.kinds)

    @property
    def counts(self) -> tuple[int, int]:
        """Number of units of the first kind and of the second; that is 0 where none of them recurs."""
        first, second = len(np.unique(self.first)), len(np.unique(self.second))
        two_kinds = len(np.unique(self.first * (int(self.second.max(initial=0)) + 1) + self.second))
        return first, second if second < two_kinds else 0

    def sampled(self, confidence: float) -> Sampled:
        """Which kinds are enough for a test at this level."""
        needed, (first, second) = fewest_units(significance(confidence)), self.counts
        if first >= needed:
            return "first" if 0 < second < needed else "both"
        return "second" if second >= needed and self.kinds.alone else "none"

    def decide_together(self, confidence: float) -> bool:
        """Whether units of the second kind decide with the first, or in their place."""
        return self.counts[1] > 0 and self.sampled(confidence) in ("both", "second")

    def columns(self, confidence: float, otherwise: str) -> dict[str, Any]:
        """Cells of the columns `clusters`, `groups`, `attributes`, `sampled` and `method`.

        Args:
            confidence: confidence level.
            otherwise: how intervals are made where units of the second kind do not decide.
        """
        (first, second), sampled = self.counts, self.sampled(confidence)
        built, method = self.kinds == IDENTITIES_ATTRIBUTES, otherwise
        if self.decide_together(confidence):
            names = (self.kinds.first[1], self.kinds.second[1])[sampled == "second" :]
            method = f"{' and '.join(names)} as units: Korn-Graubard interval, sign-flip tests"
        return {
            "clusters": first,
            "groups": 0 if built else second,
            "attributes": second if built else 0,
            "sampled": self.kinds.sampled[sampled],
            "method": f"{method}; {self.text(confidence)}",
        }

    def text(self, confidence: float) -> str:
        """'25 templates x 11 groups'."""
        return self.kinds.counted(*self.counts, self.kinds.sampled[self.sampled(confidence)])


def crossed(
    values: np.ndarray,
    units: Units,
    *,
    limit: float,
    happens: str,
    speaking: np.ndarray | None = None,
    confidence: float,
    seed: int,
) -> Result:
    """Interval and test against 0 of a mean over units of which the second kind decides too (`Units.decide_together`).

    Args:
        values: what each answer adds to the mean, itself or linearised.
        units: of the answers.
        limit: greatest absolute mean.
        happens: what happens in units that could have said something ("a person is named").
        speaking: whether it happened; where the value is not 0 if not given.
        confidence: confidence level of the interval, 1 minus the level of the test.
        seed: of sign patterns that are drawn.
    """
    sizes = crossed_interval(np.abs(values) / limit, units, (0, 1), confidence)
    # A mean is no larger than the mean size: where few answers say anything, neither end is far from 0.
    reach = limit * min(sizes.high if sizes.defined else 1.0, 1.0)
    if why := _too_few(values != 0 if speaking is None else speaking, units, happens, confidence):
        return Result(reason=why)
    result = two_way(
        values,
        units.first,
        units.second,
        neutral=0.0,
        bounds=(-reach, reach),
        confidence=confidence,
        seed=seed,
    )
    return Result(result.interval, 1.0 if np.isnan(result.p_value) else result.p_value)


def crossed_interval(
    values: np.ndarray, units: Units, bounds: tuple[float, float] | None, confidence: float
) -> Interval:
    """Interval of a mean over such units, without a test.

    Args:
        values: what each answer adds to the mean, itself or linearised.
        units: of the answers.
        bounds: least and greatest mean; None where nothing bounds it.
        confidence: confidence level.
    """
    # Against its own value nothing is to be tested: one flip is as good as many.
    mean = float(values.mean())
    return two_way(
        values, units.first, units.second, neutral=mean, bounds=bounds, confidence=confidence, flips=1
    ).interval


def _too_few(speaking: np.ndarray, units: Units, happens: str, confidence: float) -> str:
    """Why a test cannot reach its level, or empty; where no unit says anything every pattern of signs is alike."""
    needed, sampled = fewest_units(significance(confidence)), units.sampled(confidence)
    first = (units.first, units.kinds.first[1], "in only")
    second = (units.second, units.kinds.second[1], "in questions about only")
    kinds = [first] * (sampled != "second") + [second] * (sampled in ("both", "second"))
    for codes, noun, where in kinds:
        count, total = len(np.unique(codes[speaking])), len(np.unique(codes))
        if 0 < count < needed:
            return f"{happens} {where} {count} of {total} {noun}, at least {needed} needed"
    return ""
