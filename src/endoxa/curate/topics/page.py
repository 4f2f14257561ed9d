"""The page about one table of `endoxa analyze topics`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.topics.table import NO_TOPIC, TOPIC_COLUMNS
from endoxa.errors import UserError
from endoxa.report.charts import series_colors, series_dots
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.frame import CITE, Page
from endoxa.report.inputs import Run
from endoxa.report.tables import Column, Table
from endoxa.report.words import count, percent, percent_interval, plural
from endoxa.runs.instrument import Shown
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import csv_text

TEXTS = {
    *("dataset", "topic", "most_frequent_identity", "most_frequent_attribute"),
    *("in_group_most", "out_group_most", "interval"),
}


def shown(runs: Sequence[Run]) -> Shown:
    """The page about one table; other formats are the table itself.

    Raises:
        UserError: several tables were given, or one cannot be read.
    """
    if len(runs) > 1:
        raise UserError(
            "A page about topics is made from one table. Name all data sets in one `endoxa analyze topics`."
        )
    table = _read(runs[0].folder)
    return Shown(lambda: _page(runs, table), {"csv": partial(csv_text, table)})


def _read(path: Path) -> pl.DataFrame:
    table = read_table(path, tuple(TOPIC_COLUMNS))
    return table.select(
        pl.col(name).fill_null("") if name in TEXTS else pl.col(name).cast(pl.Float64, strict=False)
        for name in TOPIC_COLUMNS
    )


def _page(runs: Sequence[Run], table: pl.DataFrame) -> Page:
    topics = table.filter(pl.col("topic") != NO_TOPIC)
    datasets = table["dataset"].unique(maintain_order=True).to_list()
    within = topics.drop_nulls("in_group_share")
    sections = (
        Section(
            anchor="topics",
            title="How often each topic comes up",
            findings=tuple(_frequency(name, table.filter(dataset=name)) for name in datasets),
            figures=_dots(topics, "share", "topics", "Share of each topic", "share of what has a topic"),
            tables=tuple(
                _table(name, table.filter(dataset=name), several=len(datasets) > 1) for name in datasets
            ),
            notes=(_covers(table), *_drafts(topics)),
        ),
        Section(
            anchor="within",
            title="Said by people of the group, or by others",
            findings=tuple(
                _perspective(name, part)
                for name in datasets
                if not (part := within.filter(dataset=name)).is_empty()
            ),
            figures=_dots(
                within,
                "in_group_share",
                "in-group",
                "In-group share of each topic",
                "said by people of the group",
            ),
            notes=("Only what is known to come from people of the group or from others is counted.",)
            if within.height
            else (),
        ),
        Section("methods", "Methods", template="methods.html.j2", folded=True),
    )
    return Page(
        package=__package__,
        title="What people speak of",
        subtitle=f"{plural(topics['topic'].n_unique(), 'topic')}, {plural(len(datasets), 'data set')}.",
        entries=(*(section for section in sections if not section.empty), CITE),
        runs=runs,
        models=(),
        values={},
    )


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
    return Finding(
        f"{name}: the in-group share is largest for {described(ordered[0])} and smallest for {described(ordered[-1])}.",
        tuple(ordered),
    )


def _dots(rows: pl.DataFrame, value: str, name: str, title: str, axis: str) -> tuple[Figure, ...]:
    """A row for each topic, a dot for each data set; topics in falling order of the first data set."""
    if rows.is_empty():
        return ()
    ends = {"share": ("low", "high"), "in_group_share": ("in_group_low", "in_group_high")}[value]
    datasets = rows["dataset"].unique(maintain_order=True).to_list()
    ordered = rows.sort(value, descending=True, maintain_order=True)
    notes = {
        topic: " · ".join(percent(share, 0) for share in part[value])
        for (topic,), part in rows.group_by("topic", maintain_order=True)
    }
    frame = ordered.select(
        label="topic",
        series="dataset",
        note=pl.col("topic").replace_strict(notes, return_dtype=pl.String),
        value=value,
        low=pl.col(ends[0]).fill_nan(None),
        high=pl.col(ends[1]).fill_nan(None),
        filled=pl.lit(value=True),
    )
    reach = [float(end) for column in ("high", "value") for end in frame[column].drop_nulls()]
    most = 1.0 if value == "in_group_share" else min(1.0, 1.05 * max(reach))
    chart = series_dots(
        frame,
        series_colors(datasets),
        neutral=None,
        domain=(0.0, most),
        title=axis,
        axis_format=".0%",
        label_limit=220,
    )
    spoken = "; ".join(
        f"{row['topic']} ({row['dataset']}) {percent(row[value])}" for row in ordered.iter_rows(named=True)
    )
    return (Figure(name, title, chart, f"{title}. {spoken}.", wide=True, rows=ordered),)


def _table(name: str, part: pl.DataFrame, *, several: bool) -> Table:
    names = ("n", "share", "interval", "in-group", "interval of it", "out-group")
    rows = part.to_dicts()
    has_perspective = any(row["in_group_share"] is not None for row in rows)
    kept = names if has_perspective else names[:3]
    columns = (
        Column("topic"),
        *(Column(column, numeric=True) for column in kept),
        Column("most frequent association", veiled=True),
        Column("times", numeric=True),
    )
    return Table(
        f"Topics of {name}" if several else "Topics",
        columns,
        tuple(
            (
                row["topic"],
                *_numbers(row)[: len(kept)],
                f"{row['most_frequent_identity']}: {row['most_frequent_attribute']}".removeprefix(": "),
                _times(row),
            )
            for row in rows
        ),
    )


def _numbers(row: dict[str, Any]) -> tuple[str, ...]:
    def of(share: str, low: str, high: str) -> tuple[str, str]:
        if row[share] is None:
            return "–", "–"
        return percent(row[share]), percent_interval(row[low], row[high])

    inside, ends = of("in_group_share", "in_group_low", "in_group_high")
    outside = "–" if row["out_group_share"] is None else percent(row["out_group_share"])
    return (count(row["n"]), *of("share", "low", "high"), inside, ends, outside)


def _times(row: dict[str, Any]) -> str:
    ties = int(row["most_frequent_ties"])
    also = f", as {plural(ties, 'other')}" if ties else ""
    return f"{count(row['most_frequent_n'])}{also}"
