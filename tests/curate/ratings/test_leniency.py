"""Leniency: means by hand, a planted leniency found by sentiment, and none where none was planted."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.curate.ratings.leniency import analyze_leniency, basis
from endoxa.errors import UserError

SCHEMA = {
    **dict.fromkeys(("identity", "attribute", "rater", "topic", "sentiment"), pl.String),
    **dict.fromkeys(("rating", "propensity"), pl.Float64),
    "in_group": pl.Boolean,
}


def planted(seed, leniency, raters=40, pairs=120, each=5):
    """Ratings with a leniency by sentiment, raters and associations of their own levels."""
    rng = np.random.default_rng(seed)
    of_rater, of_pair = rng.normal(0, 0.5, raters), rng.normal(0, 0.5, pairs)
    names = list(leniency)
    rows = []
    for pair in range(pairs):
        sentiment = names[pair % len(names)]
        for rater in rng.choice(raters, each, replace=False):
            inside = bool(rng.random() < 0.4)
            value = 3 + of_rater[rater] + of_pair[pair] + leniency[sentiment] * inside + rng.normal(0, 0.7)
            rows.append(("g", f"a{pair}", f"r{rater}", f"t{pair % 2}", sentiment, value, None, inside))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def row(found, sentiment, perspective="difference"):
    return found.cells.filter(sentiment=sentiment, perspective=perspective).row(0, named=True)


def test_means_and_weights_by_hand():
    ratings = pl.DataFrame(
        {
            "identity": ["g"] * 4,
            "attribute": ["a", "a", "b", "b"],
            "rater": ["r1", "r2", "r1", ""],
            "topic": ["t", "t", "", "u"],
            "sentiment": [""] * 4,
            "rating": [5.0, 2.0, 4.0, 1.0],
            "propensity": [0.5, 0.25, 0.25, None],
            "in_group": [True, False, True, False],
        },
        schema=SCHEMA,
    )
    found = analyze_leniency(ratings, resamples=100)
    assert row(found, "all", "in-group")["mean"] == 4.5
    assert row(found, "all", "out-group")["mean"] == 1.5
    assert row(found, "all")["mean"] == 3.0
    assert row(found, "all", "in-group")["weighted_mean"] == pytest.approx((5 * 2 + 4 * 4) / 6)
    assert row(found, "all", "out-group")["weighted_mean"] == 2.0
    assert row(found, "all")["verdict"] == "cannot-be-tested"
    assert row(found, "all")["reason"] == "1 raters of one perspective, at least 6 needed"


def test_a_planted_leniency_is_found_where_it_was_planted():
    found = analyze_leniency(planted(1, {"positive": 0.8, "negative": 0.0}), resamples=500)
    positive, negative = row(found, "positive"), row(found, "negative")
    assert positive["verdict"] == "above"
    assert negative["verdict"] == "unclear"
    assert positive["adjusted_low"] < 0.8 < positive["adjusted_high"]


def rated(seed, inside_of, pairs=80, raters=30, each=6):
    """Insiders rate better-known associations, or whatever `inside_of` (rng, pair, rater) says; no leniency."""
    rng = np.random.default_rng(seed)
    rows = [
        ("g", f"a{pair}", f"r{rater}", "", "", 2.5 + 1.5 * (pair % 2) + rng.normal(0, 0.4), None, inside)
        for pair in range(pairs)
        for rater in rng.choice(raters, each, replace=False)
        for inside in [bool(inside_of(rng, pair, rater))]
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def test_who_rates_what_is_no_leniency():
    """The raw difference says leniency; the adjusted one decides."""
    ratings = rated(7, lambda rng, pair, _: rng.random() < (0.8 if pair % 2 else 0.2))
    found = row(analyze_leniency(ratings, resamples=300), "all")
    assert found["mean"] > 0.6
    assert found["verdict"] == "unclear"
    assert abs(found["adjusted"]) < 0.2
    assert (found["within"], found["sampled"], found["raters_compared"]) == ("raters", "both", 30)
    assert "30 raters compared with themselves" in basis(found)


def test_raters_of_one_side_each_are_compared_with_others_where_these_rated_the_same():
    found = row(analyze_leniency(rated(3, lambda _, __, rater: rater < 8), resamples=100), "all")
    assert (found["within"], found["raters_compared"]) == ("associations", 8)
    assert "8 raters on the smaller side" in basis(found)
    apart = row(analyze_leniency(rated(3, lambda _, pair, __: pair < 40), resamples=100), "all")
    assert apart["reason"] == "no association was rated from both perspectives"


def test_one_perspective_only_and_none_at_all():
    ratings = planted(2, {"any": 0.0}, raters=10, pairs=10).with_columns(in_group=pl.lit(value=True))
    one = row(analyze_leniency(ratings, resamples=100), "all")
    assert (one["verdict"], one["reason"]) == (
        "cannot-be-tested",
        "no ratings of one of the two perspectives",
    )
    with pytest.raises(UserError, match="column in_group"):
        analyze_leniency(ratings.with_columns(in_group=pl.lit(None, dtype=pl.Boolean)))
