"""The page about a table of drafts: what people said of them, what became of the rows asked for, the drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from endoxa.author.tables import YIELD, YIELD_FIELDS, beside, counted, read_drafts
from endoxa.curate.pages import METHODS, integer, page_of
from endoxa.errors import UserError
from endoxa.report.document import Finding, Section
from endoxa.report.frame import Page
from endoxa.report.inputs import Run
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import listed, percent, plural
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
    return Shown(lambda: _page(runs, drafts, yields), {"csv": partial(csv_text, yields)})


def _page(runs: Sequence[Run], drafts: pl.DataFrame, yields: pl.DataFrame) -> Page:
    counts = counted(drafts)
    sections = (
        _judged(counts),
        None if yields.is_empty() else _yield(yields),
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


def _judged(counts: Mapping[str, int]) -> Section:
    """What people said so far."""
    judged = counts[APPROVED] + counts[REJECTED]
    text = "Nobody has judged these drafts yet: they say what models write, not what people say."
    if judged:
        text = (
            f"People have judged {judged} of {sum(counts.values())} drafts: {counts[APPROVED]} approved "
            f"({percent(counts[APPROVED] / judged)} of the judged ones), {counts[REJECTED]} rejected."
        )
    return Section("judged", "What people said of them", findings=(Finding(text, (counts,)),))


def _yield(yields: pl.DataFrame) -> Section:
    """What became of the rows asked for, by model, and why rows are no drafts."""
    rows = yields.to_dicts()
    meanings = {**ANSWER_REASONS, **REASONS}
    left_out = yields.unpivot([*meanings], index="model", variable_name="reason", value_name="number")
    left_out = left_out.filter(pl.col("number") > 0)
    fields = (
        text_field("why no draft", "reason"),
        text_field("what it means", "reason", meanings.__getitem__),
        text_field("model"),
        number_field("number", shown=integer),
    )
    return Section(
        "yield",
        "What became of the rows asked for",
        findings=tuple(Finding(_sentence(row), (row,)) for row in rows),
        tables=(
            table_of("Rows and answers by model", rows, YIELD_FIELDS),
            *([table_of("Left out, by reason", left_out, fields)] if left_out.height else []),
        ),
        notes=(
            "Refused, failed and unreadable count answers, each of which may have had many rows; the others count "
            "rows.",
        ),
    )


def _sentence(row: Row) -> str:
    lost = [f"{row[name]:.0f} {word}" for name, word in LOST.items() if row[name]]
    answers = f"; of {plural(int(row['answers'] + row[FAILED]), 'request')} {listed(lost)}" if lost else ""
    share = percent(row["drafts"] / row["asked"]) if row["asked"] else "none"
    return f"{row['model']}: {row['drafts']:.0f} of {row['asked']:.0f} rows asked for are drafts ({share}){answers}."


def _drafts(drafts: pl.DataFrame) -> Section | None:
    """The first drafts, blurred."""
    text = next((name for name in TEXTS if name in drafts.columns), None)
    if text is None:
        return None
    words = dict.fromkeys(("identity", text, "counter", "sent_less"))
    names = [name for name in ("status", *words, "checks", "source") if name in drafts.columns]
    fields = (text_field("name", "draft_id"), *(text_field(name, veiled=name in words) for name in names))
    listed_drafts = drafts.head(MOST_SHOWN)
    caption = f"{listed_drafts.height} of {plural(drafts.height, 'draft')}"
    table = table_of(caption, listed_drafts, fields, folded=True)
    return Section("drafts", "The drafts", tables=(table,))
