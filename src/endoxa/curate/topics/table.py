"""How often each topic is spoken of, and by whom (LACES, section 4.1 and table 1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from endoxa.stats.intervals import FEWEST_CLUSTERS, Interval, clustered_share, wilson

TOPIC_COLUMNS: dict[str, str] = {
    "dataset": "name of the file",
    "topic": "the topic; '(no topic)' for what has none, at the end",
    "n": "how often it was said: rows, or people where the table has `support`",
    "share": "n over all that has a topic; empty for '(no topic)'",
    "low": "lower end of the interval of share",
    "high": "upper end",
    "n_in_group": "of n, said by people of the group",
    "n_out_group": "of n, said by others",
    "in_group_share": "n_in_group / (n_in_group + n_out_group); what nobody knows the origin of is left out",
    "in_group_low": "lower end of its interval",
    "in_group_high": "upper end",
    "out_group_share": "1 - in_group_share",
    "out_group_low": "lower end of its interval",
    "out_group_high": "upper end",
    "most_frequent_identity": "identity of the association said most often; of equal ones the first in the alphabet",
    "most_frequent_attribute": "its attribute",
    "most_frequent_n": "how often it was said",
    "most_frequent_ties": "other associations said as often",
    "in_group_most": "the association that people of the group said most often",
    "out_group_most": "the one that others said most often",
    "interval": "'people' (people are resampled) or 'wilson' (what was said counts as independent)",
    "confidence": "confidence level of the intervals",
    "n_draft": "of n, by labels of language models that nobody has approved",
}
"""Columns of the table of topics, topics in falling order of n within each data set."""

NO_TOPIC = "(no topic)"


def analyze_topics(mentions: pl.DataFrame, *, confidence: float = 0.95) -> pl.DataFrame:
    """Frequency, in-group and out-group share and most frequent association of every topic, by data set.

    Args:
        mentions: columns of `reading.MENTION_COLUMNS`.
        confidence: confidence level of the intervals.

    Returns:
        The columns of `TOPIC_COLUMNS`.
    """
    rows = [
        row
        for _, part in mentions.group_by("dataset", maintain_order=True)
        for row in _of_dataset(part, confidence)
    ]
    return pl.DataFrame(rows, infer_schema_length=None).select(list(TOPIC_COLUMNS))


def _of_dataset(rows: pl.DataFrame, confidence: float) -> Iterator[dict[str, Any]]:
    labelled, without = rows.filter(pl.col("topic") != ""), rows.filter(topic="")
    total = labelled["weight"].sum()
    order = (
        labelled.group_by("topic")
        .agg(pl.col("weight").sum())
        .sort("weight", "topic", descending=[True, False])
    )
    for topic in order["topic"]:
        interval, method = share_interval(labelled, pl.col("topic") == topic, confidence)
        part = labelled.filter(topic=topic)
        n = int(part["weight"].sum())
        yield _described(part, topic, confidence) | {
            "share": n / total,
            "low": interval.low,
            "high": interval.high,
            "interval": method,
        }
    if without.height:
        blank = dict.fromkeys(("share", "low", "high"))
        yield _described(without, NO_TOPIC, confidence) | blank | {"interval": ""}


def _described(part: pl.DataFrame, topic: str, confidence: float) -> dict[str, Any]:
    """What holds of a topic whatever the others are."""
    rated = part.drop_nulls("in_group")
    inside, outside = (rated.filter(in_group=side) for side in (True, False))
    n_in, n_out = (int(side_rows["weight"].sum()) for side_rows in (inside, outside))
    row: dict[str, Any] = dict.fromkeys(
        f"{side}_group_{name}" for side in ("in", "out") for name in ("share", "low", "high")
    )
    if rated.height:
        interval, _ = share_interval(rated, pl.col("in_group"), confidence)
        share = n_in / (n_in + n_out)
        row |= {"in_group_share": share, "in_group_low": interval.low, "in_group_high": interval.high}
        row |= {
            "out_group_share": 1 - share,
            "out_group_low": 1 - interval.high,
            "out_group_high": 1 - interval.low,
        }
    most, ties = most_frequent(part)
    return row | {
        "dataset": part["dataset"][0],
        "topic": topic,
        "n": int(part["weight"].sum()),
        "n_in_group": n_in,
        "n_out_group": n_out,
        "most_frequent_identity": most["identity"],
        "most_frequent_attribute": most["attribute"],
        "most_frequent_n": most["n"],
        "most_frequent_ties": ties,
        "in_group_most": _spoken(inside),
        "out_group_most": _spoken(outside),
        "confidence": confidence,
        "n_draft": int(part.filter("draft")["weight"].sum()),
    }


def most_frequent(part: pl.DataFrame) -> tuple[dict[str, Any], int]:
    """The association said most often (`identity`, `attribute`, `n`), and how many others were said as often."""
    counted = (
        part.group_by("identity", "attribute")
        .agg(n=pl.col("weight").sum())
        .sort("n", "identity", "attribute", descending=[True, False, False])
    )
    first = counted.row(0, named=True)
    return first, int((counted["n"] == first["n"]).sum()) - 1


def _spoken(part: pl.DataFrame) -> str:
    """'identity: attribute' of the association said most often; empty where nothing was said."""
    if part.is_empty():
        return ""
    most, _ = most_frequent(part)
    return f"{most['identity']}: {most['attribute']}" if most["identity"] else str(most["attribute"])


def share_interval(rows: pl.DataFrame, which: pl.Expr, confidence: float) -> tuple[Interval, str]:
    """Interval of the share of what was said that `which` holds of, and its method.

    Who says much is one person, so people are resampled (delete-one jackknife, `clustered_share`) where five or more
    are known; a row without a person is one of its own. Otherwise what was said counts as independent (Wilson).

    Args:
        rows: mentions.
        which: a condition on their columns.
        confidence: confidence level.
    """
    weight = rows["weight"].to_numpy().astype(float)
    flag = rows.select(which.cast(pl.Float64)).to_series().to_numpy()
    if rows.filter(pl.col("person") != "")["person"].n_unique() < FEWEST_CLUSTERS:
        return wilson(float((weight * flag).sum()), float(weight.sum()), confidence), "wilson"
    units = (
        pl.when(pl.col("person") == "").then(pl.format("\0{}", pl.int_range(pl.len()))).otherwise("person")
    )
    code = np.unique(rows.select(units).to_series().to_numpy(), return_inverse=True)[1]
    sizes, sums = np.bincount(code, weight), np.bincount(code, weight * flag)
    share = float(sums.sum() / sizes.sum())
    return clustered_share(sizes, sums, share * (1 - share), confidence), "people"
