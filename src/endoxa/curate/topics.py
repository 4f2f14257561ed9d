"""What people speak of: how often each topic comes up, and whether the group itself or others say it (LACES, 4.1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.cells import trimmed, yes_or_no
from endoxa.curate.ratings import IN_GROUP, NAME, export_table, read_topics
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.sources.identities import one_spelling
from endoxa.sources.tables import require_columns
from endoxa.stats.intervals import FEWEST_CLUSTERS, Interval, clustered_or_wilson

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
    "most_frequent_identity": "identity of the association said most often; of equal ones the first in the alphabet",
    "most_frequent_attribute": "its attribute",
    "most_frequent_n": "how often it was said",
    "most_frequent_ties": "other associations said as often",
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
    n_in = int(rated.filter("in_group")["weight"].sum())
    n_out = int(rated["weight"].sum()) - n_in
    row: dict[str, Any] = dict.fromkeys(("in_group_share", "in_group_low", "in_group_high"))
    if rated.height:
        interval, _ = share_interval(rated, pl.col("in_group"), confidence)
        row |= {
            "in_group_share": n_in / (n_in + n_out),
            "in_group_low": interval.low,
            "in_group_high": interval.high,
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


def share_interval(rows: pl.DataFrame, which: pl.Expr, confidence: float) -> tuple[Interval, str]:
    """Interval of the share of what was said that `which` holds of, and its method.

    Who says much is one person, so people are resampled (delete-one jackknife, `clustered_share`) where five or more
    are known; a row without a person is one of its own. Otherwise what was said counts as independent (Wilson).

    Args:
        rows: mentions.
        which: a condition on their columns.
        confidence: confidence level.
    """
    weight, flag, person = (
        rows.select(cells).to_series().to_numpy() for cells in (pl.col("weight"), which, pl.col("person"))
    )
    interval, people = clustered_or_wilson(weight, flag, person, confidence)
    return interval, "wilson" if people < FEWEST_CLUSTERS else "people"


MENTION_COLUMNS: dict[str, str] = {
    "dataset": "name of the file",
    "identity": "the people it is said of, or empty",
    "attribute": "what is said of them",
    "topic": "its topic, or empty",
    "draft": "whether that is a label by a language model that nobody has approved",
    "in_group": "whether a person of the group said it, or null",
    "person": "who said it, or empty",
    "weight": "how many people the row stands for",
}
"""Columns of mentions, one row each."""

PEOPLE = ("rater", "respondent", "person")
WEIGHT = "support"


def read_mentions(path: Path, labels: Path | None = None, name: str = "") -> pl.DataFrame:
    """Mentions of associations with their topics.

    A row counts once, or `support` times where the table has that column (`endoxa curate associations`). Of an export
    its mentions are read, since they are what people said by themselves; a mention is in-group where the country of the
    pair is one that the person named.

    Args:
        path: a folder of `endoxa collect export`, or a table with `attribute` and, where it has them, `identity`,
            `in_group`, `rater` or `respondent`, `support`, `topic`.
        labels: topics of associations; see `read_topics`. They come in place of the table's own.
        name: of the data set; by default the file's stem.

    Raises:
        UserError: a file cannot be read, there are no topics, or a cell is not what its column holds.
    """
    columns_read = ("topic", "in_group", NAME, *PEOPLE)
    table = _of_campaign(path) if path.is_dir() else read_table(path, optional=columns_read)
    require_columns(path, table.columns, ("attribute",))
    table = one_spelling(table, source=str(path))
    if labels is None and "topic" not in table.columns:
        raise UserError(f"{path} has no column 'topic'. Give the topics with --topics FILE.")
    person = next((column for column in PEOPLE if column in table.columns), PEOPLE[0])
    read = trimmed(table, ("identity", "attribute", "topic", "in_group", NAME, person))
    in_group, weight = yes_or_no(read["in_group"], path, *IN_GROUP), _weights(table, path)
    read = read.rename({person: "person"}).with_columns(
        in_group=in_group, draft=pl.lit(value=False), weight=weight
    )
    read = read.filter((pl.col("attribute") != "") & (pl.col("weight") > 0))
    if read.is_empty():
        raise UserError(f"{path} holds no association that anybody said.")
    if labels is not None:
        read = read.with_columns(read_topics(labels).of(read).select("topic", "draft"))
        if (read["topic"] == "").all():
            raise UserError(
                f"{labels} names no association of {path}. Check that it was made from that table."
            )
    return read.with_columns(dataset=pl.lit(name or path.stem)).select(list(MENTION_COLUMNS))


def _weights(table: pl.DataFrame, path: Path) -> pl.Series:
    """How many people each row stands for."""
    if WEIGHT not in table.columns:
        return pl.Series("weight", [1] * table.height, dtype=pl.Int64)
    cells = trimmed(table, (WEIGHT,))[WEIGHT].str.strip_suffix(".0")
    numbers = cells.cast(pl.Int64, strict=False)
    bad = (numbers.is_null() | (numbers < 0)).fill_null(value=True)
    if bad.any():
        row = int(bad.arg_true()[0])
        raise UserError(
            f"{path}, row {row + 1}, column '{WEIGHT}': '{cells[row]}' is no number of people. Expected 0, 1, 2, ..."
        )
    return numbers


def _of_campaign(folder: Path) -> pl.DataFrame:
    """What people said by themselves, with the words of the pairs, and whether they come from the country."""
    # Exports do not name the people of small groups.
    campaign_mentions, pairs, people = (
        read_table(export_table(folder, name), may_be_empty=True) for name in ("mentions", "pairs", "people")
    )
    require_columns(folder / "mentions", campaign_mentions.columns, (NAME, "rater", "counted"))
    require_columns(folder / "pairs", pairs.columns, (NAME, "identity", "attribute", "country", "topic"))
    require_columns(folder / "people", people.columns, ("rater", "country"))
    about = pairs.select(NAME, "identity", "attribute", "country", "topic")
    # 'other' stands for few people: their origin is not published.
    origins = people.filter(pl.col("country").fill_null("").is_in(["", "other"]).not_())
    origins = origins.select("rater", origins=pl.col("country").str.split("; "))
    return (
        campaign_mentions.filter(pl.col("counted").fill_null("true").str.to_lowercase() != "false")
        .select(NAME, "rater")
        .join(about, on=NAME, how="inner", maintain_order="left")
        .join(origins, on="rater", how="left", maintain_order="left")
        .with_columns(
            in_group=pl.when(pl.col("origins").is_null() | (pl.col("country").fill_null("") == ""))
            .then(pl.lit(""))
            .otherwise(pl.col("origins").list.contains(pl.col("country")).cast(pl.String))
        )
        .drop("origins", "country")
    )
