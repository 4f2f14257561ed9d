"""The page about a table of drafts: what became of the rows asked for, how varied they are, what people said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.author.tables import COVERAGE, YIELD, beside, counted, read_drafts
from endoxa.curate.pages import METHODS, TableFiles, bar_figure, integer, page_of
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.frame import Page
from endoxa.report.inputs import Run
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import decimal, listed, percent, plural
from endoxa.runs.instrument import Shown
from endoxa.schema.drafts import (
    ANSWER_REASONS,
    APPROVED,
    DRAFT,
    FAILED,
    KNOWN,
    REASONS,
    REFUSED,
    REJECTED,
    REPEATED,
    UNREADABLE,
    YIELD_COLUMNS,
)
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import csv_text

Row = Mapping[str, Any]
MOST_SHOWN = 200
"""Drafts listed on a page, from the first on."""
PARTS = {
    "drafts": "#0b5cad",
    "said already": "#8fbce6",
    "left out": "#e8a06b",
    "no row came": "#e3e6ea",
}
"""What becomes of a row that was asked for, with its colour."""
TEXTS = ("sent_more", "attribute", "text", "counter")
"""Columns that say what a draft is, the first one that the table has."""
LOST = {REFUSED: "declined", FAILED: "failed", UNREADABLE: "could not be read"}


def shown(runs: Sequence[Run]) -> Shown:
    """The page about one table of drafts; CSV is the yield by model.

    Raises:
        UserError: several tables were given, or one cannot be read.
    """
    several = "A page about drafts is made from one table. Make one page for each."
    files = TableFiles.of(runs, {"model"}, several)
    drafts, companion = read_drafts(files.path), beside(files.path, YIELD)
    empty = pl.DataFrame(schema=dict.fromkeys(YIELD_COLUMNS, pl.Float64) | {"model": pl.String})
    yields = files.read(YIELD_COLUMNS, companion) if companion.is_file() else empty
    return Shown(lambda: _page(runs, files.path, drafts, yields), {"csv": partial(csv_text, yields)})


def _page(runs: Sequence[Run], path: Path, drafts: pl.DataFrame, yields: pl.DataFrame) -> Page:
    counts = counted(drafts)
    sections = (
        _judged(drafts, counts, yields),
        _yield_section(yields),
        _variety(yields),
        _coverage(path),
        _drafts(drafts),
        replace(METHODS, values={"reasons": list({**ANSWER_REASONS, **REASONS}.items())}),
    )
    task = str(drafts["task"][0]) if drafts.height and "task" in drafts.columns else "author"
    subtitle = (
        f"endoxa author {task}: {plural(drafts.height, 'draft')} of {plural(yields.height, 'model')}. "
        f"{counts[APPROVED]} approved by people, {counts[REJECTED]} rejected, {counts[DRAFT]} not judged."
    )
    models = yields["model"].to_list()
    return page_of("endoxa.author", runs, "Drafts by language models", subtitle, sections, models=models)


def _judged(drafts: pl.DataFrame, counts: Row, yields: pl.DataFrame) -> Section:
    """What people said so far, and what an approved draft has cost."""
    judged = counts[APPROVED] + counts[REJECTED]
    if not judged:
        text = "Nobody has judged these drafts yet: they say what models write, not what people say."
        return Section("judged", "What people said of them", findings=(Finding(text, (counts,)),))
    rows = [_by_model(drafts, *row) for row in yields.select("model", "cost_usd").iter_rows()]
    text = (
        f"People have judged {judged} of {drafts.height} drafts: {counts[APPROVED]} approved "
        f"({percent(counts[APPROVED] / judged)} of the judged ones), {counts[REJECTED]} rejected."
    )
    costs = (
        Finding(f"{row['model']}: ${row['cost_usd'] / row[APPROVED]:.4f} for each approved draft.", (row,))
        for row in rows
        if row["cost_usd"] and row[APPROVED]
    )
    fields = (
        text_field("model"),
        *(number_field(name, shown=str) for name in ("drafts", APPROVED, REJECTED)),
        number_field("US dollars", "cost_usd", lambda cost: "–" if cost is None else f"{cost:.4f}"),
    )
    table = table_of("Drafts by model; one that several models wrote counts for each", rows, fields)
    findings = (Finding(text, (counts,)), *costs)
    return Section("judged", "What people said of them", findings=findings, tables=(table,))


def _by_model(drafts: pl.DataFrame, model: str, cost: float | None) -> Row:
    sources = pl.col("source").fill_null("").str.split("; ")
    part = drafts.filter(sources.list.contains(f"draft by {model}"))
    return {"model": model, "drafts": part.height, "cost_usd": cost, **counted(part)}


def _yield_section(yields: pl.DataFrame) -> Section | None:
    """What became of the rows asked for, by model."""
    if yields.is_empty():
        return None
    fields = (
        text_field("model"),
        *(number_field(name, shown=integer) for name in ("asked", "rows", "drafts", REPEATED, KNOWN)),
        number_field("other reasons", lambda row: integer(_others(row))),
        *(number_field(name, shown=integer) for name in (*ANSWER_REASONS, "stopped")),
    )
    reasons = [name for name in REASONS if yields[name].sum()]
    models = (number_field(row["model"], partial(_times, row)) for row in yields.iter_rows(named=True))
    left_out = table_of(
        "Rows left out, by reason",
        reasons,
        (text_field("why no draft", str), text_field("what it means", REASONS.__getitem__), *models),
        folded=True,
    )
    return Section(
        "yield",
        "What became of the rows asked for",
        findings=tuple(Finding(_yielded(row), (row,)) for row in yields.iter_rows(named=True)),
        figures=(_bars(yields),),
        tables=(table_of("Rows and answers by model", yields, fields), left_out),
        notes=(
            "Refused, failed and unreadable count answers, each of which may have had many rows; the others count "
            "rows.",
        ),
    )


def _times(row: Row, reason: str) -> str:
    return integer(row[reason])


def _yielded(row: Row) -> str:
    lost = [f"{row[name]:.0f} {word}" for name, word in LOST.items() if row[name]]
    answers = f"; of {plural(int(row['answers'] + row[FAILED]), 'request')} {listed(lost)}" if lost else ""
    share = percent(row["drafts"] / row["asked"]) if row["asked"] else "none"
    return f"{row['model']}: {row['drafts']:.0f} of {row['asked']:.0f} rows asked for are drafts ({share}){answers}."


def _others(row: Row) -> float:
    return float(sum(row[name] for name in REASONS if name not in (REPEATED, KNOWN)))


def _bars(yields: pl.DataFrame) -> Figure:
    bars = []
    for row in yields.iter_rows(named=True):
        total = max(row["asked"], row["rows"], 1)
        shares = [part / total for part in (row["drafts"], row[REPEATED] + row[KNOWN], _others(row))]
        shares.append(max(0.0, 1 - sum(shares)))
        bars += [(row["model"], part, share) for part, share in zip(PARTS, shares, strict=True)]
    return bar_figure(
        pl.DataFrame(bars, schema=["label", "part", "share"], orient="row"),
        PARTS,
        {"drafts"},
        "the rows asked for",
        name="yield",
        title="What became of the rows asked for",
        alt="Shares of the rows asked for",
    )


def _variety(yields: pl.DataFrame) -> Section | None:
    """How varied the drafts of each model are."""
    rows = yields.filter(pl.col("drafts") > 0)
    if rows.is_empty():
        return None
    fields = (
        text_field("model"),
        number_field("drafts", shown=integer),
        number_field("different first words", "distinct", integer),
        number_field("spread", shown=lambda spread: decimal(spread, 3)),
    )
    return Section(
        "variety",
        "How varied they are",
        tables=(table_of("Variety by model", rows, fields),),
        notes=("Spread: mean cosine distance between drafts, 0 where all are alike; it needs --encoder.",),
    )


def _coverage(path: Path) -> Section | None:
    """Drafts by country and axis against their target."""
    companion = beside(path, COVERAGE)
    if not companion.is_file():
        return None
    names = ("drafts", "target", "missing")
    table = read_table(companion, ("country", "axis", "identity", *names))
    named = pl.col("identity").fill_null("") != ""
    axes, groups = table.filter(~named), table.filter(named)
    about = dict(groups.filter(pl.col("drafts").cast(pl.Int64) > 0).group_by("axis").len().iter_rows())
    lacking = sum(bool(int(missing or 0)) for missing in axes["missing"])
    text = (
        f"{plural(lacking, 'axis', 'axes')} of {axes.height} {'has' if lacking == 1 else 'have'} fewer drafts than "
        "the target."
        if lacking
        else "Every axis has as many drafts as its target."
    )
    numbers = [number_field(name, shown=lambda cell: "–" if cell is None else str(cell)) for name in names]
    by_axis = table_of(
        "Drafts by country and axis",
        axes,
        (
            text_field("country"),
            text_field("axis"),
            number_field("groups", "axis", lambda axis: str(about.get(axis, 0))),
            *numbers,
        ),
    )
    by_group = table_of(
        "Drafts by group; groups that models added have no target",
        groups,
        (text_field("axis"), text_field("group", "identity", veiled=True), *numbers),
        folded=True,
    )
    facts = {"lacking": lacking, "axes": axes.height}
    return Section("coverage", "Coverage", findings=(Finding(text, (facts,)),), tables=(by_axis, by_group))


def _drafts(drafts: pl.DataFrame) -> Section | None:
    """The first drafts, blurred."""
    text = next((name for name in TEXTS if name in drafts.columns), None)
    if text is None:
        return None
    names = [
        name for name in dict.fromkeys(("identity", text, "counter", "sent_less")) if name in drafts.columns
    ]
    caption = (
        f"The first {MOST_SHOWN} of {drafts.height} drafts" if drafts.height > MOST_SHOWN else "All drafts"
    )
    fields = (
        text_field("name", "draft_id"),
        text_field("status"),
        *(text_field(name, shown=_cell, veiled=True) for name in names),
        *(text_field(name, shown=_cell) for name in ("checks", "source") if name in drafts.columns),
    )
    return Section(
        "drafts", "The drafts", tables=(table_of(caption, drafts.head(MOST_SHOWN), fields, folded=True),)
    )


def _cell(value: object) -> str:
    return str(value or "")
