"""Pages about disagreement and leniency, from the tables that `endoxa analyze` wrote.

Charts of disagreement and leniency; each is a tuple, empty where there is nothing to draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.ratings import disagreement as room
from endoxa.curate.ratings import leniency as lenient
from endoxa.curate.ratings.leniency import ALL, DIFFERENCE, IN, OUT
from endoxa.errors import UserError
from endoxa.report.charts import (
    series_colors,
    series_dots,
    sorted_dots,
    square_legend,
    stacked_shares,
)
from endoxa.report.claims import chip, clear
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.families import families
from endoxa.report.frame import CITE, Page
from endoxa.report.inputs import DISAGREEMENT, Run
from endoxa.report.tables import Column, Table
from endoxa.report.words import decimal, decimal_interval, listed, p_value, percent, plural, signed
from endoxa.runs.families import CONTROVERSY, LENIENCY
from endoxa.runs.instrument import Shown
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import csv_text

SHADES = ("#8c3b00", "#e8a06b", "#e3e6ea", "#8fbce6", "#0b5cad")
"""Colours of ratings from the lowest to the highest of a scale of five points."""
MOST_RATINGS = 7
LEAST_WRITTEN = 0.08
"""Share from which on its percentage fits into the bar."""


def changes(topics: pl.DataFrame) -> tuple[Figure, ...]:
    """Relative change of every topic that has one, the greatest first."""
    rows = topics.drop_nulls("relative_change").sort("relative_change", descending=True, maintain_order=True)
    if rows.is_empty():
        return ()
    notes = pl.col("relative_change").map_elements(
        lambda change: f"{signed(change, 0)} %", return_dtype=pl.String
    )
    frame = rows.select(
        "low", "high", label="topic", note=notes, value="relative_change", filled=clear()
    ).with_columns(pl.col("low", "high").fill_nan(None))
    ends = [end for name in ("value", "low", "high") for end in frame[name].drop_nulls()]
    spoken = "; ".join(f"{row['label']} {row['note']}" for row in frame.iter_rows(named=True))
    chart = sorted_dots(
        frame,
        neutral=0.0,
        domain=(-100.0, max(50.0, *ends)),
        title="relative change, percent",
        axis_format="+.0f",
    )
    alt = f"Relative change of each topic, 0: as common among disputed as among other associations. {spoken}."
    return (Figure("relative-change", "Relative change by topic", chart, alt, wide=True),)


def means(cells: pl.DataFrame) -> tuple[Figure, ...]:
    """Mean rating of both perspectives for every sentiment."""
    rows = cells.filter(pl.col("perspective") != DIFFERENCE).drop_nulls("mean")
    if rows.is_empty():
        return ()
    spoken = {
        sentiment: " · ".join(decimal(value, 2) for value in part["mean"])
        for (sentiment,), part in rows.group_by("sentiment", maintain_order=True)
    }
    frame = rows.select(
        "low",
        "high",
        label="sentiment",
        series="perspective",
        value="mean",
        note=pl.col("sentiment").replace_strict(spoken, return_dtype=pl.String),
        filled=pl.lit(value=True),
    )
    ends = [end for name in ("value", "low", "high") for end in frame[name].drop_nulls()]
    chart = series_dots(
        frame,
        series_colors([IN, OUT]),
        neutral=None,
        domain=(min(ends) - 0.2, max(ends) + 0.2),
        title="mean rating",
        axis_format=".1f",
    )
    description = "; ".join(f"{sentiment}: {note}" for sentiment, note in spoken.items())
    alt = f"Mean rating by people of the group and by others, by sentiment. {description}."
    return (Figure("means", "Mean rating, by people of the group and by others", chart, alt, wide=True),)


def perspectives(shares: pl.DataFrame) -> tuple[Figure, ...]:
    """How often each rating was given, by sentiment and perspective; nothing for scales of many points."""
    ratings = sorted(shares["rating"].unique().to_list())
    if not ratings or len(ratings) > MOST_RATINGS:
        return ()
    names = [f"{rating:g}" for rating in ratings]
    shades = SHADES if len(names) == len(SHADES) else tuple(_grey(k, len(names)) for k in range(len(names)))
    label = pl.when(pl.col("sentiment") == ALL).then(pl.lit("all associations")).otherwise("sentiment")
    frame = shares.select(
        "share",
        label=pl.format("{}, {}", label, "perspective"),
        part=pl.col("rating").map_elements(lambda rating: f"{rating:g}", return_dtype=pl.String),
    ).with_columns(
        text=pl.when(pl.col("share") >= LEAST_WRITTEN)
        .then(pl.col("share").map_elements(lambda share: percent(share, 0), return_dtype=pl.String))
        .otherwise(pl.lit(""))
    )
    chart = stacked_shares(
        frame,
        dict(zip(names, shades, strict=True)),
        dark={names[0], names[-1]},
        title="of the ratings",
        legend=square_legend(columns=len(names)),
    )
    description = "; ".join(
        f"{bar}: "
        + ", ".join(
            f"{part} {percent(share, 0)}" for part, share in bar_rows.select("part", "share").iter_rows()
        )
        for (bar,), bar_rows in frame.group_by("label", maintain_order=True)
    )
    return (
        Figure(
            "ratings", "Ratings by sentiment and perspective", chart, f"Shares of ratings. {description}."
        ),
    )


def _grey(place: int, number: int) -> str:
    shade = 230 - round(170 * place / max(1, number - 1))
    return f"#{shade:02x}{shade:02x}{shade:02x}"


def topic_shares(topics: pl.DataFrame) -> tuple[Figure, ...]:
    """Share of the ratings of each topic that come from within."""
    if topics.is_empty():
        return ()
    frame = topics.select(
        label="topic",
        value="share_in",
        low=pl.lit(None, dtype=pl.Float64),
        high=pl.lit(None, dtype=pl.Float64),
        note=pl.col("share_in").map_elements(lambda share: percent(share, 0), return_dtype=pl.String),
        filled=pl.lit(value=True),
    )
    chart = sorted_dots(
        frame,
        neutral=0.5,
        domain=(0.0, 1.0),
        title="ratings by people of the group",
        axis_format=".0%",
    )
    description = "; ".join(f"{label} {note}" for label, note in frame.select("label", "note").iter_rows())
    return (
        Figure(
            "topics",
            "In-group share by topic",
            chart,
            f"Share of in-group ratings. {description}.",
            wide=True,
        ),
    )


MOST_SHOWN = 200
"""Associations listed on a page, those with the greatest variance."""

Rows = list[dict[str, Any]]


def shown(runs: Sequence[Run]) -> Shown:
    """The page about one table of `endoxa analyze disagreement` or `leniency`; other formats are the table itself.

    Raises:
        UserError: several tables were given, or one cannot be read.
    """
    if len(runs) > 1:
        raise UserError("A page about ratings is made from one table. Make one page for each.")
    path = runs[0].folder
    if runs[0].kind == DISAGREEMENT:
        topics = _read(path, room.TOPIC_COLUMNS, ("topic", "verdict", "reason"))
        pairs = _beside(path, "pairs", room.PAIR_COLUMNS, ("identity", "attribute", "group", "topic"))
        return Shown(lambda: _disagreement_page(runs, topics, pairs), {"csv": partial(csv_text, topics)})
    cells = _read(path, lenient.CELL_COLUMNS, ("sentiment", "perspective", "verdict", "reason"))
    shares = _beside(path, "shares", lenient.SHARE_COLUMNS, ("sentiment", "perspective"))
    topics = _beside(path, "topics", lenient.TOPIC_COLUMNS, ("topic",))
    return Shown(lambda: _leniency_page(runs, cells, shares, topics), {"csv": partial(csv_text, cells)})


def _read(path: Path, columns: Sequence[str] | dict[str, str], texts: Sequence[str]) -> pl.DataFrame:
    table = read_table(path, tuple(columns))
    return table.select(
        pl.col(name).fill_null("") if name in texts else pl.col(name).cast(pl.Float64, strict=False)
        for name in columns
    )


def _beside(path: Path, name: str, columns: dict[str, str], texts: Sequence[str]) -> pl.DataFrame:
    """A companion of the table; empty where it is not there."""
    companion = path.with_name(f"{path.stem}_{name}{path.suffix}")
    if not companion.is_file():
        return pl.DataFrame(
            schema={column: pl.String if column in texts else pl.Float64 for column in columns}
        )
    return _read(companion, columns, texts)


def _page(runs: Sequence[Run], title: str, subtitle: str, sections: Sequence[Section]) -> Page:
    return Page(
        package=__package__,
        title=title,
        subtitle=subtitle,
        entries=(*(section for section in sections if not section.empty), CITE),
        runs=runs,
        models=(),
        values={},
    )


def _disagreement_page(runs: Sequence[Run], topics: pl.DataFrame, pairs: pl.DataFrame) -> Page:
    high = pairs.filter(group="high").height
    counted = (
        f"{plural(pairs.height, 'association')} with two ratings or more, {high} of them disputed."
        if pairs.height
        else plural(topics.height, "topic")
    )
    rows = topics.to_dicts()
    above, below = (
        [row for row in rows if row["verdict"] == verdict and row["topic"] != room.NO_TOPIC]
        for verdict in ("above", "below")
    )
    sentences = []
    if above:
        sentences.append(
            f"More disputed than others: {listed([_changed(row) for row in above])}. That is how much more common the "
            "topic is among the associations whose ratings vary most."
        )
    if below:
        sentences.append(f"Less disputed: {listed([_changed(row) for row in below])}.")
    if not sentences:
        sentences.append(
            "For no topic is a difference between disputed and other associations distinguishable from chance."
        )
    change = Section(
        anchor="topics",
        title="Topics of disputed associations",
        findings=tuple(Finding(text, tuple(above + below)) for text in sentences),
        figures=changes(topics),
        tables=(_change_table(rows),),
        notes=(
            "Right of the line: more common among the disputed associations than among the others. Bars are intervals "
            "over associations; a filled dot is significant after correction over all topics.",
        ),
    )
    methods = Section("methods", "Methods", template="disagreement_methods.html.j2", folded=True)
    tests = families([(CONTROVERSY, topics, "")])
    return _page(runs, "What people disagree about", counted, (change, _pair_section(pairs), tests, methods))


def _changed(row: dict[str, Any]) -> str:
    if row["relative_change"] is None:
        return f"{row['topic']} (only among the disputed)"
    ends = f"; interval {decimal_interval(row['low'], row['high'], 0)}" if row["low"] is not None else ""
    return f"{row['topic']} ({signed(row['relative_change'], 0)}\u00a0%{ends})"


def _change_table(rows: Rows) -> Table:
    names = (
        "low group",
        "share of it",
        "high group",
        "share of it",
        "relative change",
        "interval",
        "p adjusted",
    )
    columns = (Column("topic"), *(Column(name, numeric=True) for name in names), Column("verdict"))
    return Table(
        "Topics in the low-variance and the high-variance group",
        columns,
        tuple(
            (
                row["topic"],
                f"{row['n_low']:.0f}",
                percent(row["share_low"]),
                f"{row['n_high']:.0f}",
                percent(row["share_high"]),
                "–" if row["relative_change"] is None else f"{signed(row['relative_change'], 1)}\u00a0%",
                decimal_interval(row["low"], row["high"], 0),
                p_value(row["p_adjusted"]),
                chip(row) + (f" ({row['reason']})" if row["verdict"] == "cannot-be-tested" else ""),
            )
            for row in rows
        ),
    )


def _pair_section(pairs: pl.DataFrame) -> Section:
    """The associations that people disagree about most."""
    first = pairs.head(MOST_SHOWN)
    columns = (
        Column("variance", numeric=True),
        Column("mean", numeric=True),
        Column("ratings", numeric=True),
        Column("topic"),
        Column("association", veiled=True),
    )
    rows = tuple(
        (
            decimal(row["variance"], 2),
            decimal(row["mean"], 2),
            f"{row['n']:.0f}",
            row["topic"],
            f"{row['identity']}: {row['attribute']}",
        )
        for row in first.iter_rows(named=True)
    )
    caption = f"The {len(rows)} associations with the greatest variance"
    return Section(
        anchor="associations",
        title="The most disputed associations",
        tables=(Table(caption, columns, rows, folded=True),) if rows else (),
    )


def _leniency_page(
    runs: Sequence[Run], cells: pl.DataFrame, shares: pl.DataFrame, topics: pl.DataFrame
) -> Page:
    rows = cells.to_dicts()
    overall = next(
        row for row in rows if row["sentiment"] == lenient.ALL and row["perspective"] == lenient.DIFFERENCE
    )
    first = Section(
        anchor="means",
        title="Ratings by people of the group and by others",
        findings=_leniency_findings(rows),
        figures=means(cells),
        tables=(_mean_table(rows),),
        notes=("Bars are intervals over raters. The scale is that of the ratings.",),
    )
    spread = Section(
        anchor="distributions", title="How often each rating was given", figures=perspectives(shares)
    )
    from_within = Section(
        anchor="within",
        title="Who rated which topic",
        figures=topic_shares(topics),
        notes=("Share of the ratings of a topic that were given by people of the group.",)
        if topics.height
        else (),
    )
    tests = families([(LENIENCY, cells.filter(perspective=lenient.DIFFERENCE), "")])
    methods = Section("methods", "Methods", template="leniency_methods.html.j2", folded=True)
    return _page(
        runs,
        "How people rate what is said of themselves and of others",
        f"{plural(int(overall['n']), 'rating')} by {plural(int(overall['raters']), 'person', 'people')}.",
        (first, spread, from_within, tests, methods),
    )


def _leniency_findings(rows: Rows) -> tuple[Finding, ...]:
    """One sentence for each sentiment, and over all."""
    findings = []
    for row in rows:
        if row["perspective"] != lenient.DIFFERENCE or row["mean"] is None:
            continue
        of = (
            "All associations" if row["sentiment"] == lenient.ALL else f"{row['sentiment'].capitalize()} ones"
        )
        ends = decimal_interval(row["low"], row["high"], 2)
        size = f"{decimal(abs(row['mean']), 2)} points"
        sentences = {
            "above": f"people of the group rate them {size} higher than others do",
            "below": f"people of the group rate them {size} lower than others do",
            "unclear": f"a difference ({decimal(row['mean'], 2)} points) is not distinguishable from chance",
        }.get(row["verdict"], f"a difference cannot be tested ({row['reason']})")
        model = "" if row["model"] is None else f"; mixed model {decimal(row['model'], 2)}"
        findings.append(Finding(f"{of}: {sentences} (interval {ends}{model}).", (row,)))
    return tuple(findings)


def _mean_table(rows: Rows) -> Table:
    names = (
        "ratings",
        "raters",
        "mean",
        "interval",
        "weighted mean",
        "mixed model",
        "its interval",
        "p adjusted",
    )
    columns = (
        Column("sentiment"),
        Column("perspective"),
        *(Column(name, numeric=True) for name in names),
        Column("verdict"),
    )
    return Table(
        "Mean ratings and their differences",
        columns,
        tuple(
            (
                row["sentiment"],
                row["perspective"],
                f"{row['n']:.0f}",
                f"{row['raters']:.0f}",
                decimal(row["mean"], 2),
                decimal_interval(row["low"], row["high"], 2),
                decimal(row["weighted_mean"], 2),
                decimal(row["model"], 2),
                decimal_interval(row["model_low"], row["model_high"], 2),
                p_value(row["p_adjusted"]),
                chip(row),
            )
            for row in rows
        ),
        stub=2,
    )
