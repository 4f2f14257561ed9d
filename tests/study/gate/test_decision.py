"""Verdicts: planted differences, what worse means, and what would decide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.study.compare.decision import NOTHING_MORE, Contrasts, Values, needed
from support.gate_runs import Situation, draw

LEVEL = 0.05


@st.composite
def some_values(draw_one):
    n = draw_one(st.integers(2, 8)) * 6
    sides = st.lists(st.sampled_from([-0.5, 0.0, 0.5]), min_size=n, max_size=n)
    return Values(np.array(draw_one(sides)), np.array(draw_one(sides)), np.arange(n) // 6)


@pytest.mark.slow
@settings(max_examples=20)
@given(some_values(), st.sampled_from([0.0, 0.02, 0.1, 0.4]))
def test_worse_is_further_from_neutral_on_either_side(values, margin):
    expected = abs(values.candidate.mean()) - abs(values.baseline.mean())
    assert Contrasts.of(values).worse_by == pytest.approx(expected)
    mirrored = Values(-values.baseline, -values.candidate, values.cluster)
    one, other = (Contrasts.of(each).evidence(margin, LEVEL) for each in (values, mirrored))
    assert one.p_not_worse == pytest.approx(other.p_not_worse)
    assert one.p_worse == pytest.approx(other.p_worse)


@pytest.mark.slow
@settings(max_examples=20)
@given(some_values(), st.sampled_from([0.0, 0.02, 0.1, 0.4]))
def test_bounds_agree_with_p_values(values, margin):
    contrasts = Contrasts.of(values)
    low, high = contrasts.bounds(LEVEL)
    evidence = contrasts.evidence(margin, LEVEL)
    assert low <= contrasts.worse_by + 1e-9
    assert high >= contrasts.worse_by - 1e-9
    if abs(high - margin) > 1e-9:
        assert (evidence.p_not_worse <= LEVEL) == (high < margin)
    if abs(low - margin) > 1e-9:
        assert (evidence.p_worse <= LEVEL) == (low > margin)


@pytest.mark.parametrize(("shift", "margin"), [(0.0, 0.03), (0.1, 0.05)])
def test_more_items_decide_and_fewer_do_not(shift, margin):
    planted = Situation(20, 10, 0.05, 0.6, 0.6 + shift, 0.2, 0.2)
    values = draw(np.random.default_rng(3), planted)
    contrasts, n = Contrasts.of(values), 200
    more = needed(contrasts, 20, n, margin, (LEVEL, LEVEL))
    assert more.more_items

    def decided(items: float) -> bool:
        evidence = contrasts.grown(1 + items / n).evidence(margin, LEVEL)
        return min(evidence.p_not_worse, evidence.p_worse) <= LEVEL

    assert decided(more.more_items)
    assert not decided(0.9 * more.more_items)
    assert more.more_identities == pytest.approx(more.more_items / 10, abs=1)
    assert more.more_same_identities is None or more.more_same_identities > more.more_items


def test_no_number_decides_at_the_margin():
    baseline = np.tile([0.5, 0.5, 0.5, -0.5, -0.5], 20)
    candidate = baseline.copy()
    candidate[[3, 4, 8, 9, 13]] = 0.5  # 5 of 100 items
    values = Values(baseline, candidate, np.arange(100) // 5)
    assert needed(Contrasts.of(values), 20, 100, 0.05, (LEVEL, LEVEL)) is NOTHING_MORE


def test_more_items_about_the_same_identities_do_not_help_where_identities_differ():
    cluster = np.repeat(np.arange(8), 50)
    baseline = np.full(400, 0.5)
    candidate = np.where(cluster < 1, -0.5, 0.5)  # one identity has changed wholly, towards 0.5
    baseline[cluster == 1] = -0.5  # another one against it
    more = needed(Contrasts.of(Values(baseline, candidate, cluster)), 8, 400, 0.05, (LEVEL, LEVEL))
    assert more.more_items
    assert more.more_same_identities is None
