"""LACES' numbers about ratings: disagreement (4.2, 4.3), topics (table 1), in-group means (5.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from endoxa.study.reproduce.declaration import (
    EXACT,
    Cell,
    Key,
    Need,
    Ours,
    PublishedResult,
    Tolerance,
    rounding,
)
from endoxa.study.reproduce.given import Given

if TYPE_CHECKING:
    import polars as pl

NAME = "laces-disagreement"
RATINGS, TOPICS = "ratings.csv", "topics.csv"
PAIRS = 4789
WHERE = "the authors' release under CC BY-SA 4.0, which the paper announces (its link reads TBA)"
TOPIC_ROWS = {
    "Cooking and Food": (792, 39.64),
    "Positive Traits": (641, 27.78),
    "Geography, Buildings, Landmarks": (609, 26.21),
    "Economy": (591, 8.88),
    "People & Everyday Life": (571, 13.08),
    "Tradition, Art, History": (388, 26.27),
    "Negative Traits": (338, 23.66),
    "Politics & Governance": (239, 18.57),
    "Sports & Recreation": (223, 50.65),
    "Other": (137, 16.67),
    "Public Figures & Pop Culture": (130, 63.64),
    "Neutral Traits": (130, 34.57),
}
"""Topic -> associations, percent made from within (table 1)."""
MEANS = {
    ("positive", "in-group"): 4.27,
    ("neutral", "in-group"): 4.2,
    ("negative", "in-group"): 3.51,
    ("positive", "out-group"): 3.53,
    ("neutral", "out-group"): 3.57,
    ("negative", "out-group"): 3.43,
}
_FOUR, _VARIANCE, _CHANGE, _ONE, _MEANS = "4", "4.2", "4.3", "Table 1", "5.1"
_TIES = (
    "the paper does not say where associations go whose variance is exactly at the quantile "
    "(docs/analyze/disagreement.md), nor "
    "which variance or skewness it takes"
)
_WITHIN = "the paper counts who made an association, ours who rated it"
_CELLS = (
    Cell(_FOUR, "associations", PAIRS, EXACT, decimals=0),
    Cell(_FOUR, "identities", 120, EXACT, decimals=0),
    Cell(_FOUR, "attributes", 842, EXACT, decimals=0),
    Cell(_FOUR, "annotators", 83, EXACT, decimals=0),
    Cell(_FOUR, "associations with two ratings or more", 1262, EXACT, decimals=0),
    Cell(_VARIANCE, "skewness of the variances", 1.69, rounding(2), _TIES),
    Cell(_VARIANCE, "variance of 0, percent", 40, Tolerance(2.5, "the paper says approximately"), decimals=1),
    Cell(_VARIANCE, "third quartile of the variances below 1 (1: yes)", 1, EXACT, decimals=0),
    Cell(_VARIANCE, "largest variance", 4, Tolerance(0.05, "five points: 4 is the largest there can be")),
    Cell(_CHANGE, "relative change, Negative Traits, percent", 182.98, rounding(2), _TIES),
    *(Cell(_ONE, f"{topic}, n", n, EXACT, decimals=0) for topic, (n, _) in TOPIC_ROWS.items()),
    *(
        Cell(_ONE, f"{topic}, IG, percent", share, rounding(2), _WITHIN)
        for topic, (_, share) in TOPIC_ROWS.items()
    ),
    *(
        Cell(_MEANS, f"{sentiment}, {side}", mean, rounding(1 if mean == 4.2 else 2))
        for (sentiment, side), mean in MEANS.items()
    ),
)


def _compute(given: Given) -> Mapping[Key, Ours]:
    from endoxa.curate.ratings import analyze_disagreement, read_ratings

    ratings = read_ratings(given.need(NAME, WHERE, RATINGS, "ratings.parquet"), given.find(TOPICS))
    pairs = ratings.select("identity", "attribute").unique().height
    other = "" if pairs == PAIRS else f"the file has {pairs:,} associations, the published data {PAIRS:,}"
    found = analyze_disagreement(ratings, resamples=100, seed=given.seed)
    values: dict[Key, float | None] = {
        (_FOUR, "associations"): pairs,
        (_FOUR, "identities"): ratings["identity"].n_unique(),
        (_FOUR, "attributes"): ratings["attribute"].n_unique(),
        (_FOUR, "annotators"): ratings.filter(ratings["rater"] != "")["rater"].n_unique() or None,
        (_FOUR, "associations with two ratings or more"): found.pairs.height,
        (_VARIANCE, "skewness of the variances"): found.skewness,
        (_VARIANCE, "variance of 0, percent"): 100 * found.zero,
        (_VARIANCE, "third quartile of the variances below 1 (1: yes)"): int(found.third_quartile < 1),
        (_VARIANCE, "largest variance"): float(found.pairs["variance"].to_numpy().max()),
        (_CHANGE, "relative change, Negative Traits, percent"): dict(
            found.topics.select("topic", "relative_change").iter_rows()
        ).get("Negative Traits"),
        **_topics(ratings),
    }
    values |= _means(ratings)
    return {
        key: Ours(
            value,
            other if value is not None else "the ratings do not say it (topic, sentiment, rater or in_group)",
            not other,
        )
        for key, value in values.items()
    }


def _topics(ratings: pl.DataFrame) -> dict[Key, float | None]:
    """Associations of each topic, and percent of its ratings by people of the group."""
    import polars as pl

    counts = ratings.group_by("topic").agg(
        n=pl.struct("identity", "attribute").n_unique(),
        within=100 * pl.col("in_group").cast(pl.Float64).mean(),
    )
    by_topic = {row["topic"]: row for row in counts.iter_rows(named=True)}
    found: dict[Key, float | None] = {}
    for topic in TOPIC_ROWS:
        row = by_topic.get(topic, {"n": None, "within": None})
        found |= {(_ONE, f"{topic}, n"): row["n"], (_ONE, f"{topic}, IG, percent"): row["within"]}
    return found


def _means(ratings: pl.DataFrame) -> dict[Key, float | None]:
    """Mean rating of each sentiment by people of the group and by others."""
    import polars as pl

    side = pl.when("in_group").then(pl.lit("in-group")).otherwise(pl.lit("out-group"))
    rows = (
        ratings.drop_nulls("in_group")
        .group_by(sentiment=pl.col("sentiment").str.to_lowercase(), side=side)
        .agg(pl.col("rating").mean())
    )
    means = {(sentiment, side): mean for sentiment, side, mean in rows.iter_rows()}
    return {(_MEANS, f"{sentiment}, {side}"): means.get((sentiment, side)) for sentiment, side in MEANS}


RESULT = PublishedResult(
    name=NAME,
    title="LACES: disagreement by topic, variances of ratings, in-group means",
    citation="LACES (associations of Latin America, 2025), 4, 4.2, 4.3, 5.1 and table 1",
    needs=(
        Need("file", f"{RATINGS}: identity, attribute, rating, rater, in_group, topic, sentiment", WHERE),
        Need("file", f"{TOPICS}: attribute, topic, sentiment", WHERE, optional=True),
    ),
    cells=lambda _given: list(_CELLS),
    compute=_compute,
)
