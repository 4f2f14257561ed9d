"""Pages about disagreement, leniency and topics, from the tables that `endoxa analyze` wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from endoxa.curate.pages import (
    METHODS,
    Columns,
    Row,
    TableFiles,
    dots,
    integer,
    page_of,
    reading,
    share_fields,
    shown_table,
)
from endoxa.curate.ratings import disagreement, leniency
from endoxa.curate.ratings.leniency import ALL, DIFFERENCE
from endoxa.curate.topics import NO_TOPIC, TOPIC_COLUMNS
from endoxa.report.claims import P_ADJUSTED, VERDICT, cannot_be_tested, chip, marked, not_ranked
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.frame import Page
from endoxa.report.inputs import DISAGREEMENT, TOPICS, Run
from endoxa.report.inputs import LENIENCY as LENIENCY_KIND
from endoxa.report.overview import families
from endoxa.report.tables import Field, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval, listed, percent, plural, signed
from endoxa.runs.estimates import CONTROVERSY, LENIENCY
from endoxa.runs.instrument import Shown
from endoxa.stats.verdicts import UNCLEAR

MOST_SHOWN = 200
"""Associations listed on a page, those with the greatest variance."""
TEXTS = frozenset(
    {
        *("topic", "verdict", "reason", "identity", "attribute", "group", "sentiment", "perspective"),
        *("within", "sampled", "dataset", "most_frequent_identity", "most_frequent_attribute"),
        "interval",
    }
)
CHANGE = Measure("relative change, percent", 0.0, "+.0f", 100, 50)


def shown(runs: Sequence[Run]) -> Shown:
    """The page about one table of disagreement, leniency or topics, see `pages.shown_table`."""
    about, columns, page = {
        DISAGREEMENT: ("ratings", disagreement.TOPIC_COLUMNS, _disagreement_page),
        LENIENCY_KIND: ("ratings", leniency.CELL_COLUMNS, _leniency_page),
        TOPICS: ("topics", TOPIC_COLUMNS, _topics_page),
    }[runs[0].kind]
    return shown_table(runs, about, TEXTS, columns, partial(page, runs))


def _disagreement_page(runs: Sequence[Run], files: TableFiles, topics: pl.DataFrame) -> Page:
    pairs = files.beside("pairs", disagreement.PAIR_COLUMNS)
    high = pairs.filter(group="high").height
    return page_of(
        __package__,
        runs,
        "What people disagree about",
        f"{plural(pairs.height, 'association')} with two ratings or more, {high} of them disputed."
        if pairs.height
        else plural(topics.height, "topic"),
        (
            _change_section(topics),
            _pair_section(pairs.head(MOST_SHOWN)),
            families([(CONTROVERSY, topics, "")]),
            replace(METHODS, template="disagreement_methods.html.j2"),
        ),
    )


def _change_section(topics: pl.DataFrame) -> Section:
    """How much more common each topic is among the disputed associations."""
    above, below = (
        topics.filter(pl.col("verdict") == verdict, pl.col("topic") != disagreement.NO_TOPIC).to_dicts()
        for verdict in ("above", "below")
    )
    sentences = [
        f"{more} disputed than others with about the same mean rating: {listed([*map(_changed, rows)])}. The rank is "
        "that of their variances beyond what is usual at that mean (0.5: as usual)."
        for more, rows in (("More", above), ("Less", below))
        if rows
    ]
    none = (
        "No topic is distinguishable from others with about the same mean rating, so the order of topics below says "
        "nothing."
        if (topics["verdict"] == UNCLEAR).any()
        else f"No topic can be tested ({listed(topics['reason'].unique().sort().to_list())})."
    )
    return Section(
        anchor="topics",
        title="Topics of disputed associations",
        findings=tuple(Finding(text, (*above, *below)) for text in sentences or [none]),
        figures=_changes(topics),
        tables=(
            table_of(
                "Topics in the low-variance and the high-variance group",
                topics,
                (
                    text_field("topic"),
                    number_field("low group", "n_low", integer),
                    number_field("share of it", "share_low", percent),
                    number_field("high group", "n_high", integer),
                    number_field("share of it", "share_high", percent),
                    number_field("relative change", _relative),
                    number_field("interval", lambda row: decimal_interval(row["low"], row["high"], 0)),
                    number_field("words", "words", integer),
                    number_field("rank", "rank", lambda value: decimal(value, 2)),
                    P_ADJUSTED,
                    text_field("verdict", _verdict),
                ),
            ),
        ),
        notes=(
            "Right of the line: more common among the disputed associations than among the others. Bars are intervals "
            "over words (each with all of its associations). Verdicts are of the rank, after correction over all "
            "topics (filled dots): a topic near an end of the scale can be rarer among the disputed only because "
            "ratings cannot vary much there.",
        ),
    )


def _changed(row: Row) -> str:
    change = "only among the most disputed"
    if row["relative_change"] is not None:
        ends = f", interval {decimal_interval(row['low'], row['high'], 0)}" if row["low"] is not None else ""
        change = f"{signed(row['relative_change'], 0)}\u00a0% among the most disputed{ends}"
    words = plural(int(row["words"]), "word")
    return f"{row['topic']} (rank {decimal(row['rank'], 2)}, {words}; {change})"


def _relative(row: Row) -> str:
    return "–" if row["relative_change"] is None else f"{signed(row['relative_change'], 1)}\u00a0%"


def _verdict(row: Row) -> str:
    return f"{chip(row)} ({row['reason']})" if cannot_be_tested(row) else chip(row)


def _changes(topics: pl.DataFrame) -> tuple[Figure, ...]:
    """Relative change of every topic that has one, the greatest first."""
    note = pl.col("relative_change").map_elements(
        lambda change: f"{signed(change, 0)} %", return_dtype=pl.String
    )
    frame = (
        topics.drop_nulls("relative_change")
        .sort("relative_change", descending=True, maintain_order=True)
        .with_columns(pl.col("low", "high").fill_nan(None))
        .select("low", "high", label="topic", note=note, value="relative_change", filled=marked())
    )
    if frame.is_empty():
        return ()
    words = "Relative change of each topic, 0: as common among disputed as among other associations"
    ends = [end for name in ("value", "low", "high") for end in frame[name].drop_nulls()]
    return (
        dot_figure(
            frame,
            CHANGE,
            name="relative-change",
            title="Relative change by topic",
            alt=described(words, map(" ".join, frame.select("label", "note").iter_rows())),
            domain=(-100.0, max(50.0, *ends)),
        ),
    )


def _pair_section(pairs: pl.DataFrame) -> Section:
    """The associations that people disagree about most."""
    fields = (
        number_field("variance", shown=lambda value: decimal(value, 2)),
        number_field("mean", shown=lambda value: decimal(value, 2)),
        number_field("ratings", "n", integer),
        text_field("topic"),
        text_field("association", lambda row: f"{row['identity']}: {row['attribute']}", veiled=True),
    )
    caption = f"The {pairs.height} associations with the greatest variance"
    table = table_of(caption, pairs, fields, folded=True)
    return Section("associations", "The most disputed associations", tables=(table,))


NAMED = (
    "Means and their bars are of the ratings as they came (raters and associations resampled); they also differ by who "
    "rated which associations. Verdicts are of the adjusted difference, in these groups as they are. The scale is that "
    "of the ratings."
)
UNNAMED = (
    "Means are of the ratings as they came. They have no interval and are not compared, because nobody knows which "
    "ratings are of one person; they also differ by who rated which associations. The scale is that of the ratings."
)


def _leniency_page(runs: Sequence[Run], _: TableFiles, cells: pl.DataFrame) -> Page:
    overall = cells.row(
        by_predicate=(pl.col("sentiment") == ALL) & (pl.col("perspective") == DIFFERENCE), named=True
    )
    compared = cells.filter(perspective=DIFFERENCE)
    raters = int(overall["raters"])
    counted = f" by {plural(raters, 'person', 'people')}" if raters else ", which do not say who gave them"
    return page_of(
        __package__,
        runs,
        "How people rate what is said of themselves and of others",
        f"{plural(int(overall['n']), 'rating')}{counted}.",
        (
            Section(
                anchor="means",
                title="Ratings by people of the group and by others",
                findings=tuple(Finding(_difference(row), (row,)) for row in compared.iter_rows(named=True)),
                figures=_means(cells),
                tables=(_mean_table(cells),),
                notes=(NAMED if raters else UNNAMED,),
            ),
            families([(LENIENCY, compared, "")]),
            replace(METHODS, template="leniency_methods.html.j2"),
        ),
    )


def _difference(row: Row) -> str:
    """What is found of one sentiment, or of all associations."""
    of = "All associations" if row["sentiment"] == ALL else f"{row['sentiment'].capitalize()} ones"
    if cannot_be_tested(row):
        return f"{of}: a difference {leniency.basis(row)}"
    size = f"{decimal(abs(row['adjusted']), 2)} points"
    words = {
        "above": f"people of the group rate them {size} higher than others do",
        "below": f"people of the group rate them {size} lower than others do",
    }.get(
        row["verdict"],
        f"a difference ({decimal(row['adjusted'], 2)} points) is not distinguishable from chance",
    )
    reason = f"; {row['reason']}" if row["reason"] else ""
    ends = decimal_interval(row["adjusted_low"], row["adjusted_high"], 2)
    return f"{of}: {words} (adjusted difference, interval {ends}{reason}); {leniency.basis(row)}"


def _mean_ends(row: Row) -> str:
    """The interval of a mean; that of the raw difference would stand beside a verdict that is not about it."""
    return NO_VALUE if row["perspective"] == DIFFERENCE else decimal_interval(row["low"], row["high"], 2)


def _mean_table(cells: pl.DataFrame) -> Table:
    def mean(name: str, key: str) -> Field:
        return number_field(name, key, lambda value: decimal(value, 2))

    def ends(name: str, low: str, high: str) -> Field:
        return number_field(name, lambda row: decimal_interval(row[low], row[high], 2))

    fields = (
        text_field("sentiment"),
        text_field("perspective"),
        number_field("ratings", "n", integer),
        number_field("raters", shown=integer),
        mean("mean", "mean"),
        number_field("interval", _mean_ends),
        mean("weighted mean", "weighted_mean"),
        mean("adjusted difference", "adjusted"),
        ends("its interval", "adjusted_low", "adjusted_high"),
        P_ADJUSTED,
        VERDICT,
    )
    return table_of("Mean ratings and their differences", cells, fields, stub=2)


def _means(cells: pl.DataFrame) -> tuple[Figure, ...]:
    """Mean rating of both perspectives for every sentiment."""
    rows = cells.filter(pl.col("perspective") != DIFFERENCE)
    ends = [end for name in ("mean", "low", "high") for end in rows[name].fill_nan(None).drop_nulls()] or [
        0.0
    ]
    return dots(
        rows,
        "sentiment",
        ("mean", "low", "high"),
        axis="mean rating",
        by="perspective",
        shown=lambda value: decimal(value, 2),
        domain=(min(ends) - 0.2, max(ends) + 0.2),
        axis_format=".1f",
        words="Mean rating by people of the group and by others, by sentiment",
        name="means",
        title="Mean rating, by people of the group and by others",
    )


SHARE, IN_GROUP = ("share", "low", "high"), ("in_group_share", "in_group_low", "in_group_high")
"""Columns of a share of a topic and of the ends of its interval."""


def _topics_page(runs: Sequence[Run], _: TableFiles, table: pl.DataFrame) -> Page:
    topics = table.filter(pl.col("topic") != NO_TOPIC)
    within = topics.drop_nulls("in_group_share")
    parts = {name: part for (name,), part in table.group_by("dataset", maintain_order=True)}
    sections = (
        Section(
            anchor="topics",
            title="How often each topic comes up",
            findings=tuple(_frequency(name, part) for name, part in parts.items()),
            figures=_topic_dots(topics, SHARE, "topics", "Share of each topic", "share of what has a topic"),
            tables=tuple(
                _topic_table(f"Topics of {name}" if len(parts) > 1 else "Topics", part)
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
            figures=_topic_dots(
                within, IN_GROUP, "in-group", "In-group share of each topic", "said by people of the group"
            ),
            notes=("Only what is known to come from people of the group or from others is counted.",),
        ),
        replace(METHODS, template="topics_methods.html.j2"),
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


def _topic_dots(rows: pl.DataFrame, columns: Columns, name: str, title: str, axis: str) -> tuple[Figure, ...]:
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


def _topic_table(caption: str, part: pl.DataFrame) -> Table:
    perspective = share_fields("in-group", IN_GROUP, "interval of it")
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
