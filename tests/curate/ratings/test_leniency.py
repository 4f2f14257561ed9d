"""Leniency: means by hand, a planted leniency found by sentiment, and none where none was planted."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.curate.ratings import analyze_leniency
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
            rows.append(
                {
                    "identity": "g",
                    "attribute": f"a{pair}",
                    "rater": f"r{rater}",
                    "topic": f"t{pair % 2}",
                    "sentiment": sentiment,
                    "rating": value,
                    "propensity": None,
                    "in_group": inside,
                }
            )
    return pl.DataFrame(rows, schema=SCHEMA)


def row(found, sentiment, perspective="difference"):
    return found.cells.filter(sentiment=sentiment, perspective=perspective).row(0, named=True)


def test_means_shares_and_weights_by_hand():
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
    assert found.shares.filter(perspective="in-group")["share"].to_list() == [0.5, 0.5]
    assert found.topics.to_dicts() == [
        {"topic": "t", "in_group": 1, "out_group": 1, "share_in": 0.5},
        {"topic": "u", "in_group": 0, "out_group": 1, "share_in": 0.0},
    ]


def test_a_planted_leniency_is_found_where_it_was_planted():
    found = analyze_leniency(planted(1, {"positive": 0.8, "negative": 0.0}), resamples=500)
    positive, negative = row(found, "positive"), row(found, "negative")
    assert positive["verdict"] == "above"
    assert negative["verdict"] == "unclear"
    assert positive["low"] < 0.8 < positive["high"]
    assert positive["model_low"] < 0.8 < positive["model_high"]
    assert positive["model"] == pytest.approx(positive["mean"], abs=0.3)


def test_intervals_cover_and_false_claims_stay_rare():
    """Thirty studies without leniency: raw and modelled intervals hold 0 nearly always."""
    raw = modelled = claims = 0
    for seed in range(30):
        found = analyze_leniency(planted(seed, {"any": 0.0}, raters=25, pairs=60), resamples=200)
        one = row(found, "all")
        raw += one["low"] <= 0 <= one["high"]
        modelled += one["model_low"] <= 0 <= one["model_high"]
        claims += one["verdict"] != "unclear"
    assert raw >= 26
    assert modelled >= 26
    assert claims <= 4


def test_the_model_is_not_fooled_by_who_rates_what():
    """Insiders rate better-known associations: the raw difference says leniency, the model does not."""
    rng = np.random.default_rng(7)
    rows = []
    for pair in range(80):
        known = pair % 2
        for rater in rng.choice(30, 6, replace=False):
            inside = bool(rng.random() < (0.8 if known else 0.2))
            rows.append(
                ("g", f"a{pair}", f"r{rater}", "", "", 2.5 + 1.5 * known + rng.normal(0, 0.4), None, inside)
            )
    names = ["identity", "attribute", "rater", "topic", "sentiment", "rating", "propensity", "in_group"]
    ratings = pl.DataFrame(rows, schema={name: SCHEMA[name] for name in names}, orient="row")
    one = row(analyze_leniency(ratings, resamples=300), "all")
    assert one["mean"] > 0.6
    assert abs(one["model"]) < 0.2


def test_one_perspective_only_and_none_at_all():
    ratings = planted(2, {"any": 0.0}, raters=10, pairs=10).with_columns(in_group=pl.lit(value=True))
    one = row(analyze_leniency(ratings, resamples=100), "all")
    assert (one["verdict"], one["reason"]) == (
        "cannot-be-tested",
        "no ratings of one of the two perspectives",
    )
    with pytest.raises(UserError, match="column in_group"):
        analyze_leniency(ratings.with_columns(in_group=pl.lit(None, dtype=pl.Boolean)))
    with pytest.raises(UserError, match="column rater"):
        analyze_leniency(ratings.with_columns(rater=pl.lit("")))


def test_ratings_that_do_not_say_it_are_counted_as_left_out():
    ratings = planted(3, {"any": 0.0}, raters=10, pairs=10)
    some = ratings.with_columns(in_group=pl.when(pl.int_range(pl.len()) < 5).then(None).otherwise("in_group"))
    assert analyze_leniency(some, resamples=100).left_out == 5
