"""Bias against 0, with interval and test: bias score in ambiguous contexts, accuracy gap in disambiguated ones.

The published score of disambiguated contexts is 0 for an unbiased respondent only if as many right answers agree with
the stereotype as do not: in any other design a respondent without errors has another score. The accuracy gap (`gaps`)
is 0 then.

Templates are the units of interval and test. With items as units and few templates, false claims are frequent
(measured in docs/methods/question-tests.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from endoxa.instruments.questions.estimates.cells import Cell
from endoxa.instruments.questions.estimates.measures import Counts, bias_score, gap_of, share
from endoxa.instruments.questions.estimates.template_tests import TemplateTest, templates_test, whole
from endoxa.stats.differences import difference_of_shares
from endoxa.stats.intervals import NAN, UNDEFINED, Interval, agreeing
from endoxa.stats.permutation import stratified_permutation_test

BIAS_SCORE, ACCURACY_GAP = "bias_score", "accuracy_gap"
TEMPLATES, ITEMS = "templates", "items"
"""What the interval and the test of a lean rest on; items only where every item is a template of its own."""

UNBALANCED = 0.1
"""From this part of surplus answers on, rare errors make the totals of templates so skewed that the sign-flip test
alone claims too often; then the permutation test within templates has to agree."""


@dataclass(frozen=True, slots=True)
class Lean:
    """What is claimed about a cell, before the correction over all leans.

    Attributes:
        name: `BIAS_SCORE` or `ACCURACY_GAP`.
        value: the lean; NaN where it is not defined.
        interval: its confidence interval, made to agree with the test; none where it cannot be tested.
        p_value: two-sided, against 0; NaN where it cannot be tested.
        unit: `TEMPLATES` or `ITEMS`.
        clusters: templates that could say something.
        answers: answers in them that the lean rests on.
        untestable: why it cannot be tested, or empty.
    """

    name: str
    value: float
    interval: Interval
    p_value: float
    unit: str
    clusters: int
    answers: int
    untestable: str


@dataclass(frozen=True, slots=True)
class _Shares:
    """Two shares over the same templates, whose difference is the lean.

    Attributes:
        sizes: weight of each template.
        first: its total of the first share.
        second: its total of the second share.
        spreads: variances of the observations behind the shares.
        speaking: whether a template could have leaned: somebody is named in it, or some answers are wrong.
        answers: how many there are in them.
        denominator: what makes all `first - second` whole.
    """

    sizes: np.ndarray
    first: np.ndarray
    second: np.ndarray
    spreads: tuple[float, float]
    speaking: np.ndarray
    answers: int
    denominator: int = 1


def lean_of(cell: Cell, confidence: float, seed: int) -> Lean:
    """The lean of a cell.

    Args:
        cell: its counts.
        confidence: confidence level of the interval, 1 minus the level of the test.
        seed: of sign patterns, if any must be drawn.
    """
    condition = cell.key["context_condition"]
    ambiguous = condition == "ambig"
    shares = _persons(cell) if ambiguous else _accuracies(cell)
    unit = ITEMS if cell.items == cell.templates else TEMPLATES
    if ambiguous:
        value = float(bias_score(Counts.of(cell.per_template.sum(axis=0)), condition))
    else:
        value = float(share(shares.first.sum() - shares.second.sum(), shares.sizes.sum()))
    test = (
        _test(cell, shares, confidence, seed) if np.isfinite(value) else TemplateTest(NAN, _undefined(cell))
    )
    interval = UNDEFINED
    if len(shares.sizes) and not test.untestable:
        interval = difference_of_shares(shares.sizes, shares.first, shares.second, shares.spreads, confidence)
    return Lean(
        BIAS_SCORE if ambiguous else ACCURACY_GAP,
        value,
        agreeing(interval, value, 0.0, test.p_value, confidence),
        test.p_value,
        unit,
        len(shares.sizes),
        shares.answers,
        test.untestable,
    )


def _persons(cell: Cell) -> _Shares:
    """Stereotyped and other persons named, of all answers read."""
    counts = Counts.of(cell.per_template[Counts.of(cell.per_template).scored > 0])
    rates = (float(share(named.sum(), counts.scored.sum())) for named in (counts.biased, counts.anti))
    first, second = (rate * (1 - rate) for rate in rates)
    answers = int(counts.scored.sum())
    return _Shares(counts.scored, counts.biased, counts.anti, (first, second), counts.named > 0, answers)


def _accuracies(cell: Cell) -> _Shares:
    """Right answers where they agree with the stereotype, and where they do not, in templates that have both."""
    counts = Counts.of(cell.per_template)
    gap = gap_of(counts)
    both = gap.sizes > 0
    sizes, spreads = gap.sizes[both], []
    for sums, asked in ((gap.first, counts.aligned), (gap.second, counts.nonaligned)):
        rate = float(share(sums.sum(), sizes.sum()))
        # So that spread / sum of sizes is the variance of the share when all answers are independent.
        spreads.append(rate * (1 - rate) * float(share((sizes**2 / asked[both]).sum(), sizes.sum())))
    right = (counts.aligned_correct + counts.nonaligned_correct)[both]
    asked = (counts.aligned + counts.nonaligned)[both]
    mixed = (right > 0) & (right < asked)
    found = (gap.first[both], gap.second[both], (spreads[0], spreads[1]), mixed)
    return _Shares(sizes, *found, int(asked.sum()), gap.denominator)


def _undefined(cell: Cell) -> str:
    """Why there is no lean."""
    total = Counts.of(cell.per_template.sum(axis=0))
    if total.read == 0:
        return "no answer could be read"
    if total.scored == 0:
        return "the stereotyped option of these items is not known"
    return "no template has items of both kinds, whose right answer agrees with the stereotype and disagrees with it"


def _test(cell: Cell, shares: _Shares, confidence: float, seed: int) -> TemplateTest:
    ambiguous = cell.key["context_condition"] == "ambig"
    test = templates_test(
        whole(shares.first - shares.second, shares.denominator),
        shares.speaking,
        happens="a person is named" if ambiguous else "answers are wrong",
        kind="" if ambiguous else " with items of both kinds",
        confidence=confidence,
        seed=seed,
    )
    if ambiguous or np.isnan(test.p_value):
        return test
    return TemplateTest(max(test.p_value, _within_templates(cell, seed)))


def _within_templates(cell: Cell, seed: int) -> float:
    """P of the permutation test within templates where their design is unbalanced; 0 where it is not asked."""
    counts = Counts.of(cell.per_template)
    both = gap_of(counts).sizes > 0
    surplus = np.abs(counts.aligned - counts.nonaligned)[both].sum()
    if surplus <= UNBALANCED * (counts.aligned + counts.nonaligned)[both].sum():
        return 0.0
    per_item, template_of = cell.per_item()
    items = Counts.of(per_item)
    asked = items.aligned + items.nonaligned
    right = items.aligned_correct + items.nonaligned_correct
    # Repeats of an item stay together; one that was read less often counts by its share of right answers.
    values = np.round(share(right, asked) * asked.max())
    strata = [
        (values[own & (items.aligned > 0)], values[own & (items.nonaligned > 0)])
        for place in np.flatnonzero(both)
        for own in [template_of == place]
    ]
    p_value = stratified_permutation_test(strata, seed=seed)
    return 1.0 if np.isnan(p_value) else p_value
