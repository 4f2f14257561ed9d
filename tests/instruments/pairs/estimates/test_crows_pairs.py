"""The figures of metric.py: a worked example, and the scores its original gave for the first CrowS-Pairs."""

import polars as pl
import pytest

from endoxa.instruments.pairs.estimates import STATISTICS
from support.analyze_fixtures import estimates, make_sample


def value(name, sample):
    (estimate,) = estimates(STATISTICS.get(name), sample)
    return estimate.value


def test_a_worked_example_with_ties():
    # stereo: won, won, lost, tie; antistereo: won, lost, lost, tie, tie.
    sample = make_sample([1, 1, -1, 0, 1, -1, -1, 0, 0], direction=["stereo"] * 4 + ["antistereo"] * 5)
    assert value("crows_metric_score_rounded", sample) == pytest.approx(100 * 3 / 9)


def test_rounding_makes_ties_as_metric_py_does():
    sample = make_sample([0.0004, 0.0011, -0.0002], less=[-10.0, -10.0, -10.0])
    assert value("crows_metric_score_rounded", sample) == pytest.approx(100 / 3)


def test_pairs_without_a_label_are_not_counted():
    sample = make_sample([1.0, 1.0, -1.0], direction=["stereo", "unknown", "stereo"])
    (metric,) = estimates(STATISTICS.get("crows_metric_score_rounded"), sample)
    assert (metric.n, metric.value) == (2, 50.0)


@pytest.mark.parametrize("file", ["crows_token_cased_first20.csv", "crows_token_lower_first20.csv"])
def test_the_scores_of_the_original_metric(shared, file):
    reference = pl.read_csv(shared / "data" / "reference_scores" / file)
    more, less = reference["sent_more_score_raw"].to_numpy(), reference["sent_less_score_raw"].to_numpy()
    direction = reference["stereo_antistereo"]
    sample = make_sample(more - less, less=less, direction=direction.to_list())
    biased = reference["score"]
    assert value("crows_metric_score_rounded", sample) == pytest.approx(100 * biased.mean())
