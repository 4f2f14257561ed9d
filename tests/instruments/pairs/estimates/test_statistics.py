"""Every statistic against a number from scipy, statsmodels, a textbook, a worked example or the original metric.py.

The battery runs over all of them and finds what is wrong with broken ones; intervals and tests keep what they claim in
worlds of `benchmarks/scenarios.toml`, each ended once it is clear.
"""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from endoxa.instruments.pairs.estimates import STATISTICS
from endoxa.testing.plugins import check_statistic
from support.analyze_fixtures import estimates, make_sample

RNG = np.random.default_rng(11)
DIFFERENCES = RNG.normal(0.3, 1.0, 60).round(3)


def only(name, sample, method=""):
    """The estimate of a statistic whose method starts with `method`."""
    (found,) = [e for e in estimates(STATISTICS.get(name), sample) if e.method.startswith(method)]
    return found


def test_preference_ratio_splits_ties():
    sample = make_sample([1.0, 2.0, 0.5, -1.0, 0.0, 0.0])
    ratio = only("preference_ratio", sample, "Wilson")
    assert ratio.value == pytest.approx((3 + 1) / 6)
    assert (ratio.low, ratio.high) == pytest.approx(proportion_confint(4, 6, method="wilson"))
    assert ratio.p_value == pytest.approx(stats.binomtest(3, 4).pvalue)
    assert ratio.neutral == 0.5


def test_bpr_counts_ties_as_not_preferring_and_its_ends_are_exact_at_zero_and_one():
    sample = make_sample([1.0, 2.0, 0.5, -1.0, 0.0, 0.0])
    assert only("bpr", sample).value == pytest.approx(3 / 6)
    assert only("tie_share", sample).value == pytest.approx(2 / 6)
    assert math.isnan(only("tie_share", sample).p_value)
    assert only("bpr", make_sample(-np.ones(9))).low == 0.0
    assert only("bpr", make_sample(np.ones(9))).high == 1.0


def test_all_ties_are_neutral_and_untested():
    ratio, clustered = estimates(STATISTICS.get("preference_ratio"), make_sample(np.zeros(8)))
    assert ratio.value == 0.5
    assert math.isnan(ratio.p_value)
    assert math.isnan(clustered.p_value)
    # Eight pairs alike: at most 37 % of all pairs are otherwise (Clopper and Pearson).
    assert (clustered.low, clustered.high) == pytest.approx((0.5 - 0.3694 / 2, 0.5 + 0.3694 / 2), abs=1e-4)
    assert clustered.reason == "every pair is a tie"


def test_indibias_readings_differ_for_antistereo_pairs():
    """sent_more wins two of four stereo pairs and both antistereo ones, which count against as written; one ties."""
    direction = ["stereo", "stereo", "stereo", "antistereo", "antistereo", "stereo"]
    sample = make_sample([1.0, 1.0, -1.0, 1.0, 1.0, 0.0], direction=direction)
    for name, won in (("bias_percentage_literal", 2), ("bias_percentage_always_more", 4)):
        percentage = only(name, sample)
        low, high = proportion_confint(won, 6, method="wilson")
        assert percentage.value == pytest.approx(100 * won / 6)
        assert (percentage.low, percentage.high) == pytest.approx((100 * low, 100 * high))
    unlabelled = make_sample([1.0, -1.0], direction=["unknown", "unknown"])
    assert only("bias_percentage_literal", unlabelled).n == 0
    assert only("bias_percentage_always_more", unlabelled).value == 50.0


def test_mean_difference_is_the_paired_t_test():
    more, less = DIFFERENCES - 20, np.full(60, -20.0)
    mean = only("mean_difference", make_sample(DIFFERENCES), "paired")
    expected = stats.ttest_rel(more, less)
    assert mean.value == pytest.approx(DIFFERENCES.mean())
    assert mean.p_value == pytest.approx(expected.pvalue)
    assert (mean.low, mean.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_calibration_subtracts_the_attribute():
    sample = make_sample([2.0, 1.0, -1.0, 5.0], neutral=[1.0, 2.0, -3.0, np.nan])
    ratio = only("calibrated_preference_ratio", sample, "Wilson")
    assert (ratio.value, ratio.n) == (pytest.approx(2 / 3), 3)  # 1, -1, 2
    assert only("calibrated_mean_difference", sample, "paired").value == pytest.approx(2 / 3)
    own = RNG.normal(1.0, 1.0, 80)
    known = make_sample(own, neutral=own)
    assert only("preference_ratio", known, "Wilson").value > 0.7
    assert only("calibrated_preference_ratio", known, "Wilson").value == 0.5
    for name in ("calibrated_preference_ratio", "calibrated_mean_difference"):
        (nothing,) = estimates(STATISTICS.get(name), make_sample([1.0, -2.0]))
        assert nothing.n == 0
        assert math.isnan(nothing.value)


@pytest.mark.parametrize(
    ("sample", "n", "value"),
    [
        # stereo: won, won, lost, tie; antistereo: won, lost, lost, tie, tie.
        (([1, 1, -1, 0, 1, -1, -1, 0, 0], None, ["stereo"] * 4 + ["antistereo"] * 5), 9, 100 * 3 / 9),
        # Rounding makes ties as metric.py does.
        (([0.0004, 0.0011, -0.0002], [-10.0] * 3, None), 3, 100 / 3),
        # Pairs without a label are not counted.
        (([1.0, 1.0, -1.0], None, ["stereo", "unknown", "stereo"]), 2, 50.0),
    ],
)
def test_crows_metric_of_worked_examples(sample, n, value):
    difference, less, direction = sample
    metric = only("crows_metric_score_rounded", make_sample(difference, less=less, direction=direction))
    assert (metric.n, metric.value) == (n, pytest.approx(value))


@pytest.mark.parametrize("file", ["crows_token_cased_first20.csv", "crows_token_lower_first20.csv"])
def test_the_scores_of_the_original_metric(shared, file):
    reference = pl.read_csv(shared / "data" / "reference_scores" / file)
    more, less = reference["sent_more_score_raw"].to_numpy(), reference["sent_less_score_raw"].to_numpy()
    sample = make_sample(more - less, less=less, direction=reference["stereo_antistereo"].to_list())
    assert only("crows_metric_score_rounded", sample).value == pytest.approx(100 * reference["score"].mean())


MEAN = STATISTICS.get("mean_difference")


@pytest.mark.parametrize("name", list(STATISTICS.all()))
def test_every_statistic_passes(name):
    check_statistic(STATISTICS.get(name))


def with_compute(change):
    """The mean difference, its estimates changed."""
    return replace(
        MEAN, compute=lambda *asked: [change(estimate, *asked) for estimate in MEAN.compute(*asked)]
    )


def forgiving(sample, confidence, seed):
    return MEAN.compute(sample, confidence, seed) if len(sample.difference) else []


def drawn(estimate, *_):
    return replace(estimate, value=float(np.random.default_rng().normal()), low=np.nan)


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (replace(MEAN, unit=" "), "`unit` is empty"),
        (replace(MEAN, neutral=0), "`neutral` must be a float"),
        (replace(MEAN, compute=forgiving), "an empty sample gives no ValueError"),
        (
            with_compute(lambda e, sample, *_: replace(e, value=float(sample.difference[0]) / 100)),
            "outside its interval|order of the pairs",
        ),
        (with_compute(lambda e, *_: replace(e, value=e.value + 9, low=np.nan)), "model without preference"),
        (with_compute(lambda e, *_: replace(e, name="other")), "is called 'other'"),
        (with_compute(lambda e, *_: replace(e, method="one")), "share a method"),
        (with_compute(lambda e, *_: replace(e, p_value=1.5)), "p is 1.5"),
        (with_compute(lambda e, *_: replace(e, low=e.high)), "outside its interval"),
        (with_compute(drawn), "same sample"),
    ],
)
def test_a_broken_statistic_is_found(broken, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_statistic(broken)
