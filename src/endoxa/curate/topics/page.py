"""The page about one table of `endoxa analyze ratings`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import polars as pl

from endoxa.curate.pages import METHODS, Columns, Row, TableFiles, dots, page_of, reading, share_fields
from endoxa.curate.topics import NO_TOPIC, TOPIC_COLUMNS
from endoxa.report.claims import not_ranked
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.frame import Page
from endoxa.report.inputs import Run
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import count, percent, plural
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
        f"{count(total)} ({reading(first, SHARE)}).{rest}",
        tuple(rows),
    )


def _perspective(name: str, part: pl.DataFrame) -> Finding:
    """The topics of the largest and of the smallest in-group share."""
    ordered = part.sort("in_group_share", descending=True, maintain_order=True).to_dicts()

    def described(row: Row) -> str:
        return f"{row['topic']} ({reading(row, IN_GROUP)})"

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


def _dots(rows: pl.DataFrame, columns: Columns, name: str, title: str, axis: str) -> tuple[Figure, ...]:
    """A row for each topic, a dot for each data set; the largest share first."""
    ordered = rows.sort(columns[0], descending=True, maintain_order=True)
    reach = max(
        (float(end) for end in [*rows[columns[2]].drop_nulls(), *rows[columns[0]].drop_nulls()]), default=0
    )
    return dots(
        ordered,
        "topic",
        columns,
        axis=axis,
        by="dataset",
        shown=lambda share: percent(share, 0),
        domain=(0.0, 1.0 if columns == IN_GROUP else min(1.0, 1.05 * reach)),
        name=name,
        title=title,
        rows=ordered,
    )


def _table(caption: str, part: pl.DataFrame) -> Table:
    perspective = (
        *share_fields("in-group", IN_GROUP, "interval of it"),
        share_fields("out-group", ("out_group_share", "", ""))[0],
    )
    fields = (
        text_field("topic"),
        number_field("n"),
        *share_fields("share", SHARE),
        *(perspective if part["in_group_share"].count() else ()),
        text_field("most frequent association", _most_frequent, veiled=True),
        number_field("times", _times),
    )
    return table_of(caption, part, fields)


def _most_frequent(row: Row) -> str:
    return f"{row['most_frequent_identity']}: {row['most_frequent_attribute']}".removeprefix(": ")


def _times(row: Row) -> str:
    ties = int(row["most_frequent_ties"])
    also = f", as {plural(ties, 'other')}" if ties else ""
    return f"{count(row['most_frequent_n'])}{also}"
