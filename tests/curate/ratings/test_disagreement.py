"""Disagreement: numbers by hand, planted topics found, ties and edges said."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import skew

from endoxa.curate.ratings import read_ratings
from endoxa.curate.ratings.disagreement import analyze_disagreement, excess
from endoxa.errors import UserError


def table(rows):
    """Ratings from (identity, attribute, ratings, topic) each."""
    ratings = [
        {
            "identity": identity,
            "attribute": attribute,
            "rating": float(rating),
            "rater": f"r{k}",
            "topic": topic,
        }
        for identity, attribute, cast, topic in rows
        for k, rating in enumerate(cast)
    ]
    unknown = {"in_group": pl.lit(None, pl.Boolean), "propensity": pl.lit(None, pl.Float64)}
    return pl.DataFrame(ratings).with_columns(sentiment=pl.lit(""), **unknown)


def planted(seed, count=400, ratings=6, disputed=("looks",), topics=("food", "looks", "music", "work")):
    """Associations of four topics; those disputed have ratings that vary more."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(count):
        topic = topics[k % len(topics)]
        spread = 1.6 if topic in disputed else 0.8
        rows.append(("g", f"a{k}", np.clip(np.round(3 + rng.normal(0, spread, ratings)), 1, 5), topic))
    return table(rows)


def test_numbers_by_hand():
    """Five associations; variances 0, 0, 0.25, 1, 4; the quantile 0.8 is the fourth, so one lies above it."""
    found = analyze_disagreement(
        table(
            [
                ("a", "sing", (3, 3), "music"),
                ("a", "dance", (2, 2, 2), "music"),
                ("b", "sing", (3, 4), "music"),
                ("b", "cook", (2, 4), "food"),
                ("c", "cook", (1, 5), "food"),
                ("c", "rest", (4,), "rest"),
            ]
        ),
        resamples=100,
    )
    assert found.pairs["variance"].to_list() == [4.0, 1.0, 0.25, 0.0, 0.0]
    assert found.pairs["group"].to_list() == ["high", "low", "low", "low", "low"]
    assert (found.threshold, found.ties, found.left_out, found.high) == (1.0, 1, 1, 1)
    by_topic = {row["topic"]: row for row in found.topics.to_dicts()}
    food, music = by_topic["food"], by_topic["music"]
    assert (food["n_low"], food["n_high"], food["share_low"], food["share_high"]) == (1, 1, 0.25, 1.0)
    assert food["relative_change"] == pytest.approx(300)
    assert music["relative_change"] == pytest.approx(-100)
    assert food["verdict"] == "cannot-be-tested"
    assert food["reason"] == "1 word, at least 6 needed"
    assert found.zero == pytest.approx(0.4)
    assert found.third_quartile == 1.0
    variances = [0.0, 0.0, 0.25, 1.0, 4.0]
    assert found.skewness == pytest.approx(skew(variances))
    assert found.skewness_adjusted == pytest.approx(pl.Series(variances).skew(bias=False))


def test_a_planted_topic_is_found_and_others_are_not_called_disputed():
    found = analyze_disagreement(planted(2), resamples=300)
    verdicts = dict(found.topics.select("topic", "verdict").iter_rows())
    assert verdicts["looks"] == "above"
    assert "above" not in {verdict for topic, verdict in verdicts.items() if topic != "looks"}
    row = found.topics.row(0, named=True)
    assert (row["topic"], row["words"]) == ("looks", 100)
    assert row["rank"] > 0.6
    assert row["low"] < row["relative_change"] < row["high"]


def shared_words(seed, *, disputed=0.0, ceiling=0.0, identities=12, words=32):
    """Words of four topics, each said of all identities; words differ in their spread, topic 0 may in its own."""
    rng = np.random.default_rng(seed)
    rows = []
    for word in range(words):
        spread = np.exp(rng.normal(-0.2, 0.3) + disputed * (word % 4 == 0))
        for identity in range(identities):
            mean = 3 + ceiling * (word % 4 == 0) + rng.normal(0, 0.4)
            ratings = np.clip(np.round(mean + rng.normal(0, spread, 6)), 1, 5)
            rows.append((f"g{identity}", f"a{word}", ratings, f"t{word % 4}"))
    return table(rows)


def test_words_said_of_many_identities_are_no_independent_witnesses():
    same = analyze_disagreement(shared_words(1), resamples=20).topics
    assert not same["verdict"].is_in(["above", "below"]).any()
    found = analyze_disagreement(shared_words(1, disputed=0.8), resamples=20).topics
    assert dict(found.select("topic", "verdict").iter_rows())["t0"] == "above"
    assert found["words"].to_list() == [8] * 4


def test_a_topic_near_the_ceiling_is_compared_with_what_is_usual_there():
    found = analyze_disagreement(shared_words(2, ceiling=1.7), resamples=200).topics
    row = found.filter(topic="t0").row(0, named=True)
    assert row["relative_change"] < -50
    assert row["verdict"] == "unclear"


def test_what_is_usual_at_a_mean_is_taken_off():
    """Variances whose ranks are a cubic of the mean hold nothing beyond it; one planted exception does."""
    mean = np.linspace(2, 3, 101)
    pairs = pl.DataFrame({"n": [4] * 101, "mean": mean, "variance": mean})
    assert np.abs(excess(pairs)).max() < 1e-9
    odd = pairs.with_columns(variance=pl.when(pl.int_range(101) == 50).then(9.0).otherwise("variance"))
    assert excess(odd).argmax() == 50
    rare = pl.DataFrame({"n": [2, 5] * 40, "mean": [3.0] * 80, "variance": [0.0, 1.0] * 40})
    assert np.abs(excess(rare)).max() < 1e-9, "fewer ratings are no agreement"


def test_ties_at_the_quantile_stay_low_or_are_split_at_random():
    rows = [("g", f"a{k}", (1, 3) if k < 8 else (3, 3), "t") for k in range(16)]  # half 1, half 0
    low = analyze_disagreement(table(rows), resamples=100)
    assert (low.high, low.threshold, low.ties) == (0, 1.0, 8)
    assert low.topics["reason"].to_list() == ["no association lies above the quantile"]
    assert low.topics["relative_change"].to_list() == [-100.0]
    split = analyze_disagreement(table(rows), ties="split", resamples=100)
    assert split.high == 3
    assert set(split.pairs.filter(group="high")["variance"]) == {1.0}


def test_an_export_of_a_campaign_is_read_with_the_words_of_its_pairs(tmp_path):
    (tmp_path / "pairs.csv").write_text(
        "association_id,identity,attribute,topic,polarity\np1,people,sing,music,negative\n"
    )
    (tmp_path / "ratings.csv").write_text(
        "row_id,association_id,rater,value,in_group,counted,propensity\n"
        "1,p1,r1,4,true,true,0.5\n2,p1,r2,2,,true,\n3,p1,r1,1,true,false,0.5\n"
    )
    for path in (tmp_path, tmp_path / "ratings.csv"):
        read = read_ratings(path)
        assert read["rating"].to_list() == [4.0, 2.0]
        assert read["in_group"].to_list() == [True, None]
        assert read["propensity"].to_list() == [0.5, None]
        assert set(read["sentiment"]) == {"negative"}
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="holds no table 'ratings'"):
        read_ratings(tmp_path / "empty")
