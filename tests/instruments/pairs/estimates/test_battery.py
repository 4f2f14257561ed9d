"""The battery runs over every statistic, and finds what is wrong with broken ones."""

from dataclasses import replace

import numpy as np
import pytest

from endoxa.instruments.pairs.estimates import STATISTICS
from endoxa.testing.plugins import check_statistic
from support.analyze_fixtures import make_sample

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


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_that_is_no_share_is_refused(confidence):
    with pytest.raises(ValueError, match="between 0 and 1"):
        MEAN.compute(make_sample([1.0, 2.0]), confidence, 0)
