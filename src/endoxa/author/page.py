"""The page about a table of drafts: what became of the rows asked for, what people said, what is covered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.author.tables import COVERAGE, YIELD, beside, counted, read_drafts
from endoxa.curate.pages import METHODS, integer, page_of
from endoxa.errors import UserError
from endoxa.report.document import Finding, Section
from endoxa.report.frame import Page
from endoxa.report.inputs import Run
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, decimal, listed, percent, plural
from endoxa.runs.instrument import Shown
from endoxa.schema.drafts import (
    ANSWER_REASONS,
    APPROVED,
    DRAFT,
    FAILED,
    REASONS,
    REFUSED,
    REJECTED,
    UNREADABLE,
    YIELD_COLUMNS,
)
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import csv_text

Row = Mapping[str, Any]
MOST_SHOWN = 200
"""Drafts listed on a page, from the first on."""
TEXTS = ("sent_more", "attribute", "text", "counter")
"""Columns that say what a draft is, the first one that the table has."""
LOST = {REFUSED: "declined", FAILED: "failed", UNREADABLE: "could not be read"}


def shown(runs: Sequence[Run]) -> Shown:
    """The page about one table of drafts; CSV is the yield by model.

    Raises:
        UserError: several tables were given, or one cannot be read.
    """
    if len(runs) > 1:
        raise UserError("A page about drafts is made from one table. Make one page for each.")
    path = runs[0].folder
    drafts, companion = read_drafts(path), beside(path, YIELD)
    types: dict[str, Any] = dict.fromkeys(YIELD_COLUMNS, pl.Float64) | {"model": pl.String}
    yields = pl.DataFrame(schema=types)
    if companion.is_file():
        yields = read_table(companion, tuple(types)).select(types.keys()).cast(pl.Schema(types), strict=False)
    return Shown(lambda: _page(runs, path, drafts, yields), {"csv": partial(csv_text, yields)})


def _page(runs: Sequence[Run], path: Path, drafts: pl.DataFrame, yields: pl.DataFrame) -> Page:
    counts = counted(drafts)
    sections = (
        _judged(drafts, counts, yields),
        None if yields.is_empty() else _yield(yields),
        _coverage(beside(path, COVERAGE)),
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
    judged, title = counts[APPROVED] + counts[REJECTED], "What people said of them"
    if not judged:
        text = "Nobody has judged these drafts yet: they say what models write, not what people say."
        return Section("judged", title, findings=(Finding(text, (counts,)),))
    rows = []
    for model, cost in yields.select("model", "cost_usd").iter_rows():
        sources = pl.col("source").fill_null("").str.split("; ")
        part = drafts.filter(sources.list.contains(f"draft by {model}"))
        of_model = counted(part)
        each = cost / of_model[APPROVED] if cost and of_model[APPROVED] else None
        rows.append({"model": model, "drafts": part.height, "cost_usd": cost, "each": each, **of_model})
    text = (
        f"People have judged {judged} of {drafts.height} drafts: {counts[APPROVED]} approved "
        f"({percent(counts[APPROVED] / judged)} of the judged ones), {counts[REJECTED]} rejected."
    )
    fields = (
        text_field("model"),
        *(number_field(name, shown=str) for name in ("drafts", APPROVED, REJECTED)),
        number_field("US dollars", "cost_usd", _dollars),
        number_field("for each approved draft", "each", _dollars),
    )
    table = table_of("Drafts by model; one that several models wrote counts for each", rows, fields)
    return Section("judged", title, findings=(Finding(text, (counts,)),), tables=(table,))


def _dollars(cost: float | None) -> str:
    return str(NO_VALUE) if cost is None else f"{cost:.4f}"


def _yield(yields: pl.DataFrame) -> Section:
    """What became of the rows asked for, by model, and how varied the drafts are."""
    fields = (
        text_field("model"),
        *(number_field(name, shown=integer) for name in ("asked", "rows", "drafts", "stopped")),
        number_field("different first words", "distinct", integer),
        number_field("spread", shown=lambda spread: decimal(spread, 3)),
    )
    reasons = [name for name in (*ANSWER_REASONS, *REASONS) if yields[name].sum()]
    meanings = {**ANSWER_REASONS, **REASONS}
    counts = {row["model"]: row for row in yields.iter_rows(named=True)}
    models = (number_field(model, partial(_count, row)) for model, row in counts.items())
    left_out = table_of(
        "Left out, by reason",
        reasons,
        (text_field("why no draft", str), text_field("what it means", meanings.__getitem__), *models),
    )
    return Section(
        "yield",
        "What became of the rows asked for",
        findings=tuple(Finding(_sentence(row), (row,)) for row in yields.iter_rows(named=True)),
        tables=(table_of("Rows and answers by model", yields, fields), *([left_out] if reasons else [])),
        notes=(
            "Refused, failed and unreadable count answers, each of which may have had many rows; the others count "
            "rows.",
            "Spread: mean cosine distance between drafts, 0 where all are alike; it needs --encoder.",
        ),
    )


def _count(row: Row, reason: str) -> str:
    return integer(row[reason])


def _sentence(row: Row) -> str:
    lost = [f"{row[name]:.0f} {word}" for name, word in LOST.items() if row[name]]
    answers = f"; of {plural(int(row['answers'] + row[FAILED]), 'request')} {listed(lost)}" if lost else ""
    share = percent(row["drafts"] / row["asked"]) if row["asked"] else "none"
    return f"{row['model']}: {row['drafts']:.0f} of {row['asked']:.0f} rows asked for are drafts ({share}){answers}."


def _coverage(companion: Path) -> Section | None:
    """Drafts by country, axis and group against their target."""
    if not companion.is_file():
        return None
    names = ("drafts", "target", "missing")
    table = read_table(companion, ("country", "axis", "identity", *names))
    axes = table.filter(pl.col("identity").fill_null("") == "")
    lacking = sum(bool(int(missing or 0)) for missing in axes["missing"])
    text = (
        f"{plural(lacking, 'axis', 'axes')} of {axes.height} {'has' if lacking == 1 else 'have'} fewer drafts than "
        "the target."
        if lacking
        else "Every axis has as many drafts as its target."
    )
    fields = (
        text_field("country"),
        text_field("axis"),
        text_field("group", "identity", veiled=True),
        *(text_field(name, numeric=True) for name in names),
    )
    tables = (
        table_of("Drafts by country and axis", axes, (*fields[:2], *fields[3:])),
        table_of("Drafts by group; groups that models added have no target", table, fields, folded=True),
    )
    facts = {"lacking": lacking, "axes": axes.height}
    return Section("coverage", "Coverage", findings=(Finding(text, (facts,)),), tables=tables)


def _drafts(drafts: pl.DataFrame) -> Section | None:
    """The first drafts, blurred."""
    text = next((name for name in TEXTS if name in drafts.columns), None)
    if text is None:
        return None
    words = dict.fromkeys(("identity", text, "counter", "sent_less"))
    caption = (
        f"The first {MOST_SHOWN} of {drafts.height} drafts" if drafts.height > MOST_SHOWN else "All drafts"
    )
    fields = (
        text_field("name", "draft_id"),
        text_field("status"),
        *(
            text_field(name, veiled=name in words)
            for name in (*words, "checks", "source")
            if name in drafts.columns
        ),
    )
    table = table_of(caption, drafts.head(MOST_SHOWN), fields, folded=True)
    return Section("drafts", "The drafts", tables=(table,))
