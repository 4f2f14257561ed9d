"""How far a score lies from 0 under two protocols, tested on templates.

The published score of self-debiasing is a product of shares, not a sum over templates. A template's part in it is the
derivative of the score times the template's counts; by Euler's theorem the parts add up to the score exactly, and
where only ambiguous contexts were asked they are the template's stereotyped minus other answers, by all answers.

|S0| - |S1| has the sign of (S0 - S1)(S0 + S1). So a change of the distance is claimed where both factors differ from
0, each by a sign-flip test: an intersection-union test (Berger 1982), which holds its level and knows of scores that
change sides.
"""

from __future__ import annotations

import numpy as np

from endoxa.analyze.qa.template_tests import TemplateTest, templates_test
from endoxa.stats.intervals import NAN, Interval, agreeing, clustered_mean

_DIGITS = 9
"""Parts that differ by less are taken as alike: they differ by rounding only."""


def parts(totals: np.ndarray) -> np.ndarray:
    """What each template adds to the score of one protocol.

    Args:
        totals: (templates, 4): evaluated, right, naming a person, naming the stereotyped option.

    Returns:
        (templates,), in answers; divided by all answers they add up to the score. All 0 where nobody is named.
    """
    evaluated, right, person, biased = totals.T
    wrong, leaning = evaluated - right, 2 * biased - person
    w, b, p = wrong.sum(), leaning.sum(), person.sum()
    if p == 0:
        return np.zeros(len(totals))
    return np.asarray(np.round(b / p * wrong + w / p * leaning - w * b / p**2 * person, _DIGITS))


def score_test(totals: np.ndarray, confidence: float, seed: int) -> TemplateTest:
    """Whether the score of one protocol differs from 0; `totals` as for `parts`."""
    own = parts(totals)
    return templates_test(own, own != 0, happens="persons are named", confidence=confidence, seed=seed)


def change_test(baseline: np.ndarray, other: np.ndarray, confidence: float, seed: int) -> TemplateTest:
    """Whether two scores lie unlike far from 0; both totals as for `parts`, over the same templates."""
    one, two = parts(baseline), parts(other)
    tests = [
        templates_test(own, own != 0, happens=happens, confidence=confidence, seed=seed)
        for own, happens in ((one - two, "answers change"), (one + two, "persons are named"))
    ]
    untestable = next((test.untestable for test in tests if test.untestable), "")
    return TemplateTest(NAN if untestable else max(test.p_value for test in tests), untestable)


def interval_of_change(
    baseline: np.ndarray,
    other: np.ndarray | None,
    bootstrapped: Interval,
    p_value: float,
    confidence: float,
) -> Interval:
    """The interval made to agree with its test, and a jackknife t interval where the bootstrap has none.

    Args:
        baseline: counts of the baseline, as for `parts`.
        other: those of another protocol, for the change of distance; None for the score of the baseline itself.
        bootstrapped: of the bootstrap.
        p_value: of the test.
        confidence: confidence level.
    """
    one = parts(baseline)
    sums, value = one, float(one.sum())
    if other is not None:
        two = parts(other)
        sums = np.sign(one.sum()) * one - np.sign(two.sum()) * two
        value = abs(float(one.sum())) - abs(float(two.sum()))
    if not bootstrapped.defined and np.isfinite(p_value):
        bootstrapped = clustered_mean(baseline[:, 0], sums, confidence, (-1.0, 1.0))
    return agreeing(bootstrapped, value, 0.0, p_value, confidence)
