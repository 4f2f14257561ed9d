"""Pages about disagreement and leniency, from the tables that `endoxa analyze` wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from endoxa.curate.pages import METHODS, Row, TableFiles, bar_figure, dots, integer, page_of
from endoxa.curate.ratings import disagreement, leniency
from endoxa.curate.ratings.leniency import ALL, DIFFERENCE
from endoxa.report.claims import P_ADJUSTED, VERDICT, cannot_be_tested, chip, marked
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.frame import Page
from endoxa.report.inputs import DISAGREEMENT, Run
from endoxa.report.overview import families
from endoxa.report.tables import Field, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, decimal, decimal_interval, listed, percent, plural, signed
from endoxa.runs.families import CONTROVERSY, LENIENCY
from endoxa.runs.instrument import Shown
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.verdicts import UNCLEAR

SHADES = ("#8c3b00", "#e8a06b", "#e3e6ea", "#8fbce6", "#0b5cad")
"""Colours of ratings from the lowest to the highest of a scale of five points."""
MOST_RATINGS = 7
MOST_SHOWN = 200
"""Associations listed on a page, those with the greatest variance."""
TEXTS = frozenset(
    {
        *("topic", "verdict", "reason", "identity", "attribute", "group", "sentiment", "perspective"),
        *("within", "sampled"),
    }
)
CHANGE = Measure("relative change, percent", 0.0, "+.0f", 100, 50)
WITHIN = Measure("ratings by people of the group", 0.5, ".0%", 0.5, 0.5)


def shown(runs: Sequence[Run]) -> Shown:
    """The page about one table of `endoxa analyze ratings` or `leniency`; other formats are the table itself.

    Raises:
        UserError: several tables were given, or one cannot be read.
    """
    files = TableFiles.of(runs, TEXTS, "A page about ratings is made from one table. Make one page for each.")
    if runs[0].kind == DISAGREEMENT:
        topics = files.read(disagreement.TOPIC_COLUMNS)
        pairs = files.beside("pairs", disagreement.PAIR_COLUMNS)
        return Shown(lambda: _disagreement_page(runs, topics, pairs), {"csv": partial(csv_text, topics)})
    cells = files.read(leniency.CELL_COLUMNS)
    shares = files.beside("shares", leniency.SHARE_COLUMNS)
    topics = files.beside("topics", leniency.TOPIC_COLUMNS)
    return Shown(lambda: _leniency_page(runs, cells, shares, topics), {"csv": partial(csv_text, cells)})


def _disagreement_page(runs: Sequence[Run], topics: pl.DataFrame, pairs: pl.DataFrame) -> Page:
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


def _leniency_page(
    runs: Sequence[Run], cells: pl.DataFrame, shares: pl.DataFrame, topics: pl.DataFrame
) -> Page:
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
            Section("distributions", "How often each rating was given", figures=_distributions(shares)),
            _within(topics),
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
        mean("mixed model", "model"),
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


def _distributions(shares: pl.DataFrame) -> tuple[Figure, ...]:
    """How often each rating was given, by sentiment and perspective; nothing for scales of many points."""
    names = [f"{rating:g}" for rating in shares["rating"].unique().sort()]
    if not names or len(names) > MOST_RATINGS:
        return ()
    greys = [230 - round(170 * place / max(1, len(names) - 1)) for place in range(len(names))]
    shades = SHADES if len(names) == len(SHADES) else [f"#{grey:02x}{grey:02x}{grey:02x}" for grey in greys]
    sentiment = pl.when(pl.col("sentiment") == ALL).then(pl.lit("all associations")).otherwise("sentiment")
    bars = shares.select(
        "share",
        label=pl.format("{}, {}", sentiment, "perspective"),
        part=pl.col("rating").map_elements(lambda rating: f"{rating:g}", return_dtype=pl.String),
    )
    return (
        bar_figure(
            bars,
            dict(zip(names, shades, strict=True)),
            {names[0], names[-1]},
            "the ratings",
            name="ratings",
            title="Ratings by sentiment and perspective",
            alt="Shares of ratings",
        ),
    )


def _within(topics: pl.DataFrame) -> Section | None:
    """Share of the ratings of each topic that come from within."""
    if topics.is_empty():
        return None
    frame = topics.select(
        label="topic",
        value="share_in",
        low=pl.lit(None, dtype=pl.Float64),
        high=pl.lit(None, dtype=pl.Float64),
        note=pl.col("share_in").map_elements(lambda share: percent(share, 0), return_dtype=pl.String),
        filled=pl.lit(value=True),
    )
    figure = dot_figure(
        frame,
        WITHIN,
        name="topics",
        title="In-group share by topic",
        alt=described("Share of in-group ratings", map(" ".join, frame.select("label", "note").iter_rows())),
        domain=(0.0, 1.0),
    )
    note = "Share of the ratings of a topic that were given by people of the group."
    return Section("within", "Who rated which topic", figures=(figure,), notes=(note,))
