"""Pages about disagreement and leniency, from the tables that `endoxa analyze` wrote."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.ratings import disagreement as room
from endoxa.curate.ratings import leniency as lenient
from endoxa.curate.ratings.figures import changes, means, perspectives, topic_shares
from endoxa.errors import UserError
from endoxa.report.claims import chip
from endoxa.report.document import Finding, Section
from endoxa.report.families import families
from endoxa.report.frame import CITE, Page
from endoxa.report.inputs import DISAGREEMENT, Run
from endoxa.report.tables import Column, Table
from endoxa.report.words import decimal, decimal_interval, listed, p_value, percent, plural, signed
from endoxa.runs.families import CONTROVERSY, LENIENCY
from endoxa.runs.instrument import Shown
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import csv_text

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
