"""Units of answers of two kinds: templates and stereotyped groups, or identities and attributes of built questions.

Several templates ask about one group, and one attribute is asked of several identities. Both are samples of what could
have been asked (Clark 1973), so intervals and tests are those of `endoxa.stats.two_way`, which takes what single
answers add to a value. Where no unit of the second kind recurs, templates decide as they do without it, and so they do
where there are too few groups for a test: these groups are then taken as they are (docs/methods/question-tests.md).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from endoxa.instruments.questions.estimates.inference import Ends, TemplateTest
from endoxa.instruments.units import IDENTITIES_ATTRIBUTES, TEMPLATES_GROUPS, Kinds
from endoxa.stats.intervals import NAN, UNDEFINED, Interval
from endoxa.stats.signs import FLIPS, fewest_units
from endoxa.stats.two_way import Sampled, TwoWay, two_way
from endoxa.stats.verdicts import significance

METHOD = "Korn-Graubard interval, sign-flip tests"
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
        both = len(np.unique(self.first * (int(self.second.max(initial=0)) + 1) + self.second))
        return first, second if second < both else 0

    def sampled(self, confidence: float) -> Sampled:
        """Which kinds are enough for a test at this level."""
        needed, (first, second) = fewest_units(significance(confidence)), self.counts
        if first >= needed:
            return "first" if 0 < second < needed else "both"
        return "second" if second >= needed and self.kinds.alone else "none"

    def decide_together(self, confidence: float) -> bool:
        """Whether units of the second kind decide with the first, or in their place."""
        return self.counts[1] > 0 and self.sampled(confidence) in ("both", "second")

    def method(self, confidence: float) -> str:
        """How their intervals and tests are made."""
        both = self.sampled(confidence) == "both"
        names = f"{self.kinds.first[1]} and {self.kinds.second[1]}" if both else self.kinds.second[1]
        return f"{names} as units: {METHOD}"

    def columns(self, confidence: float) -> Mapping[str, int | str]:
        """Cells of the columns `groups`, `attributes` and `sampled`."""
        second, built = self.counts[1], self.kinds == IDENTITIES_ATTRIBUTES
        return {
            "groups": 0 if built else second,
            "attributes": second if built else 0,
            "sampled": self.kinds.sampled[self.sampled(confidence)],
        }

    def text(self, confidence: float) -> str:
        """'25 templates x 11 groups'."""
        return self.kinds.counted(*self.counts, self.kinds.sampled[self.sampled(confidence)])


@dataclass(frozen=True, slots=True)
class Crossed:
    """What units of both kinds say of a value."""

    interval: Interval
    test: TemplateTest

    @property
    def ends(self) -> Ends:
        """The interval as tables have it."""
        return Ends(self.interval.low, self.interval.high, self.test.untestable)


def crossed(
    values: np.ndarray,
    units: Units,
    *,
    limit: float,
    happens: str,
    speaking: np.ndarray | None = None,
    confidence: float,
    seed: int,
) -> Crossed:
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
        return Crossed(UNDEFINED, TemplateTest(NAN, why))
    result = _two_way(values, units, (-reach, reach), neutral=0.0, confidence=confidence, seed=seed)
    return Crossed(result.interval, TemplateTest(1.0 if np.isnan(result.p_value) else result.p_value))


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
    return _two_way(values, units, bounds, neutral=mean, confidence=confidence, flips=1).interval


def _two_way(
    values: np.ndarray,
    units: Units,
    bounds: tuple[float, float] | None,
    *,
    neutral: float,
    confidence: float,
    flips: int = FLIPS,
    seed: int = 0,
) -> TwoWay:
    """`two_way` for a mean between any bounds."""
    low, high = bounds or (0.0, 1.0)
    width = high - low
    result = two_way(
        (values - low) / width,
        units.first,
        units.second,
        neutral=(neutral - low) / width,
        bounds=None if bounds is None else (0, 1),
        confidence=confidence,
        flips=flips,
        seed=seed,
    )
    return replace(
        result, interval=Interval(low + width * result.interval.low, low + width * result.interval.high)
    )


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
