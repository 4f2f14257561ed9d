"""The page about one table of `endoxa analyze ratings`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl

from endoxa.curate.pages import METHODS, TableFiles, free_figure, page_of, series_rows
from endoxa.curate.topics import NO_TOPIC, TOPIC_COLUMNS
from endoxa.report.claims import not_ranked
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import described
from endoxa.report.frame import Page
from endoxa.report.inputs import Run
from endoxa.report.tables import Field, Table, number_field, table_of, text_field
from endoxa.report.words import count, percent, percent_interval, plural
from endoxa.runs.instrument import Shown
from endoxa.sources.spreadsheets import csv_text

TEXTS = frozenset(
    {
        *("dataset", "topic", "most_frequent_identity", "most_frequent_attribute"),
        *("in_group_most", "out_group_most", "interval"),
    }
)
SHARE, IN_GROUP = ("share", "low", "high"), ("in_group_share", "in_group_low", "in_group_high")
"""Columns of a share and of the ends of its interval."""

Row = Mapping[str, Any]


def shown(runs: Sequence[Run]) -> Shown:
    """The page about one table; other formats are the table itself.

    Raises:
        UserError: several tables were given, or one cannot be read.
    """
    several = (
        "A page about topics is made from one table. Name all data sets in one `endoxa analyze ratings`."
    )
    table = TableFiles.of(runs, TEXTS, several).read(TOPIC_COLUMNS)
    return Shown(lambda: _page(runs, table), {"csv": partial(csv_text, table)})


def _page(runs: Sequence[Run], table: pl.DataFrame) -> Page:
    topics = table.filter(pl.col("topic") != NO_TOPIC)
    within = topics.drop_nulls("in_group_share")
    parts = {name: part for (name,), part in table.group_by("dataset", maintain_order=True)}
    sections = (
        Section(
            anchor="topics",
            title="How often each topic comes up",
            findings=tuple(_frequency(name, part) for name, part in parts.items()),
            figures=_dots(topics, SHARE, "topics", "Share of each topic", "share of what has a topic"),
            tables=tuple(
                _table(f"Topics of {name}" if len(parts) > 1 else "Topics", part)
                for name, part in parts.items()
            ),
            notes=(_covers(table), *_drafts(topics)),
        ),
        Section(
            anchor="within",
            title="Said by people of the group, or by others",
            findings=tuple(
                _perspective(name, part) for (name,), part in within.group_by("dataset", maintain_order=True)
            ),
            figures=_dots(
                within, IN_GROUP, "in-group", "In-group share of each topic", "said by people of the group"
            ),
            notes=("Only what is known to come from people of the group or from others is counted.",),
        ),
        METHODS,
    )
    subtitle = f"{plural(topics['topic'].n_unique(), 'topic')}, {plural(len(parts), 'data set')}."
    return page_of(__package__, runs, "What people speak of", subtitle, sections)


def _covers(table: pl.DataFrame) -> str:
    """What the intervals of this page are over."""
    used = set(table["interval"]) - {""}
    level = f"{percent(table['confidence'][0], 0)} confidence"
    people = f"Intervals ({level}) resample people, each with all that they said."
    if used == {"people"}:
        return people
    few = "fewer than five people are known, so everything said counts as independent"
    if used == {"wilson"}:
        return f"Intervals ({level}) are Wilson's: {few}."
    return f"{people} Where they are Wilson's, {few}."


def _drafts(topics: pl.DataFrame) -> list[str]:
    """A sentence where models gave labels that nobody has approved."""
    drafts, total = (int(topics[name].sum()) for name in ("n_draft", "n"))
    if not drafts:
        return []
    return [
        f"Labels of language models that nobody has approved stand behind {count(drafts)} of {count(total)}."
    ]


def _frequency(name: str, part: pl.DataFrame) -> Finding:
    """The most frequent topic, and what has none."""
    rows = part.to_dicts()
    labelled = [row for row in rows if row["topic"] != NO_TOPIC]
    without = sum(row["n"] for row in rows if row["topic"] == NO_TOPIC)
    rest = f" {count(without)} more have no topic and are left out." if without else ""
    if not labelled:
        return Finding(f"{name}: nothing has a topic.", tuple(rows))
    total, first = sum(row["n"] for row in labelled), labelled[0]
    return Finding(
        f"{name}: the most frequent of {plural(len(labelled), 'topic')} is {first['topic']}, {count(first['n'])} of "
        f"{count(total)} ({percent(first['share'])}, interval {percent_interval(first['low'], first['high'])}).{rest}",
        tuple(rows),
    )


def _perspective(name: str, part: pl.DataFrame) -> Finding:
    """The topics of the largest and of the smallest in-group share."""
    ordered = part.sort("in_group_share", descending=True, maintain_order=True).to_dicts()

    def described(row: dict[str, Any]) -> str:
        ends = percent_interval(row["in_group_low"], row["in_group_high"])
        return f"{row['topic']} ({percent(row['in_group_share'])}, interval {ends})"

    if len(ordered) == 1:
        return Finding(
            f"{name}: the in-group share of the only topic: {described(ordered[0])}.", tuple(ordered)
        )
    overlapping = not_ranked(ordered[-1], ordered[0], "in_group_low", "in_group_high")
    return Finding(
        f"{name}: of {len(ordered)} topics the in-group share is largest for {described(ordered[0])} and smallest for "
        f"{described(ordered[-1])}.{overlapping}",
        ({"topics": len(ordered)}, *ordered),
    )


def _dots(
    rows: pl.DataFrame, columns: tuple[str, str, str], name: str, title: str, axis: str
) -> tuple[Figure, ...]:
    """A row for each topic, a dot for each data set; topics in falling order of the first data set."""
    if rows.is_empty():
        return ()
    value, *ends = columns
    ordered = rows.sort(value, descending=True, maintain_order=True)
    frame = series_rows(
        rows, "topic", pl.col("dataset"), value, lambda share: percent(share, 0), ends=(ends[0], ends[1])
    ).sort("value", descending=True, maintain_order=True)
    reach = max(float(end) for column in ("high", "value") for end in frame[column].drop_nulls())
    spoken = (
        f"{topic} ({dataset}) {percent(share)}"
        for topic, dataset, share in ordered.select("topic", "dataset", value).iter_rows()
    )
    return (
        free_figure(
            frame,
            rows["dataset"].unique(maintain_order=True).to_list(),
            axis,
            (0.0, 1.0 if columns == IN_GROUP else min(1.0, 1.05 * reach)),
            name=name,
            title=title,
            alt=described(title, spoken),
            rows=ordered,
        ),
    )


def _table(caption: str, part: pl.DataFrame) -> Table:
    has_perspective = part["in_group_share"].count() > 0

    def share(name: str, columns: tuple[str, str, str], ends: str) -> tuple[Field, Field]:
        value, low, high = columns

        def interval(row: Row) -> str:
            return "–" if row[value] is None else percent_interval(row[low], row[high])

        return number_field(name, value, _share), number_field(ends, interval)

    fields = (
        text_field("topic"),
        number_field("n"),
        *share("share", SHARE, "interval"),
        *(
            (
                *share("in-group", IN_GROUP, "interval of it"),
                number_field("out-group", "out_group_share", _share),
            )
            if has_perspective
            else ()
        ),
        text_field("most frequent association", _most_frequent, veiled=True),
        number_field("times", _times),
    )
    return table_of(caption, part, fields)


def _share(share: float | None) -> str:
    return "–" if share is None else percent(share)


def _most_frequent(row: Row) -> str:
    return f"{row['most_frequent_identity']}: {row['most_frequent_attribute']}".removeprefix(": ")


def _times(row: Row) -> str:
    ties = int(row["most_frequent_ties"])
    also = f", as {plural(ties, 'other')}" if ties else ""
    return f"{count(row['most_frequent_n'])}{also}"
