"""The page about a table of drafts: what became of the rows asked for, how varied they are, what people said."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.author.tables import COVERAGE, YIELD, beside, counted, read_drafts
from endoxa.errors import UserError
from endoxa.report.charts import square_legend, stacked_shares
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.frame import CITE, Page
from endoxa.report.inputs import Run
from endoxa.report.tables import Column, Table
from endoxa.report.words import decimal, listed, percent, plural
from endoxa.runs.instrument import Shown
from endoxa.schema.drafts import (
    ANSWER_REASONS,
    APPROVED,
    DRAFT,
    KNOWN,
    REASONS,
    REJECTED,
    REPEATED,
    YIELD_COLUMNS,
)
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import csv_text

Rows = list[dict[str, Any]]
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


def shown(runs: Sequence[Run]) -> Shown:
    """The page about one table of drafts; CSV is the yield by model.

    Raises:
        UserError: several tables were given, or one cannot be read.
    """
    if len(runs) > 1:
        raise UserError("A page about drafts is made from one table. Make one page for each.")
    path = runs[0].folder
    drafts, yields = read_drafts(path), _yields(path)
    return Shown(lambda: _page(runs, path, drafts, yields), {"csv": partial(csv_text, yields)})


def _yields(path: Path) -> pl.DataFrame:
    """The yield of each model; empty where the companion is not there."""
    companion = beside(path, YIELD)
    types = dict.fromkeys(YIELD_COLUMNS, pl.Float64) | {"model": pl.String}
    if not companion.is_file():
        return pl.DataFrame(schema=types)
    table = read_table(companion, tuple(YIELD_COLUMNS))
    return table.select(pl.col(name).cast(kind, strict=False) for name, kind in types.items())


def _page(runs: Sequence[Run], path: Path, drafts: pl.DataFrame, yields: pl.DataFrame) -> Page:
    counts = counted(drafts)
    # How varied the drafts of each model are.
    rows = yields.to_dicts()
    rows = [row for row in rows if row["drafts"]]
    columns = (
        Column("model"),
        *(Column(name, numeric=True) for name in ("drafts", "different first words", "spread")),
    )
    cells = tuple(
        (row["model"], f"{row['drafts']:.0f}", f"{row['distinct']:.0f}", decimal(row["spread"], 3))
        for row in rows
    )
    table = Table("Variety by model", columns, cells)
    sections = (
        _judged(drafts, counts, yields),
        _yield_section(yields.to_dicts()),
        (
            Section(
                "variety",
                "How varied they are",
                tables=(table,) if cells else (),
                notes=(
                    "Spread: mean cosine distance between drafts, 0 where all are alike; it needs --encoder.",
                )
                if cells
                else (),
            )
        ),
        _coverage(path),
        _drafts(drafts),
        Section(
            "methods",
            "Methods",
            template="methods.html.j2",
            folded=True,
            values={"reasons": list({**ANSWER_REASONS, **REASONS}.items())},
        ),
    )
    task = str(drafts["task"][0]) if drafts.height and "task" in drafts.columns else "author"
    return Page(
        package="endoxa.author",
        title="Drafts by language models",
        subtitle=f"endoxa author {task}: {plural(drafts.height, 'draft')} of {plural(yields.height, 'model')}. "
        f"{counts[APPROVED]} approved by people, {counts[REJECTED]} rejected, {counts[DRAFT]} not judged.",
        entries=(*(section for section in sections if not section.empty), CITE),
        runs=runs,
        models=yields["model"].to_list(),
    )


def _judged(drafts: pl.DataFrame, counts: dict[str, int], yields: pl.DataFrame) -> Section:
    """What people said so far, and what an approved draft has cost."""
    judged = counts[APPROVED] + counts[REJECTED]
    if not judged:
        sentences = [
            Finding(
                "Nobody has judged these drafts yet: they say what models write, not what people say.",
                (counts,),
            )
        ]
        return Section("judged", "What people said of them", findings=tuple(sentences))
    findings = [
        Finding(
            f"People have judged {judged} of {drafts.height} drafts: {counts[APPROVED]} approved "
            f"({percent(counts[APPROVED] / judged)} of the judged ones), {counts[REJECTED]} rejected.",
            (counts,),
        )
    ]
    rows = _by_model(drafts, yields)
    for row in rows:
        if row["cost_usd"] and row["approved"]:
            each = row["cost_usd"] / row["approved"]
            findings.append(Finding(f"{row['model']}: ${each:.4f} for each approved draft.", (row,)))
    columns = (
        Column("model"),
        *(Column(name, numeric=True) for name in ("drafts", "approved", "rejected", "US dollars")),
    )
    table = Table(
        "Drafts by model; one that several models wrote counts for each",
        columns,
        tuple(
            (
                row["model"],
                str(row["drafts"]),
                str(row["approved"]),
                str(row["rejected"]),
                _dollars(row["cost_usd"]),
            )
            for row in rows
        ),
    )
    return Section("judged", "What people said of them", findings=tuple(findings), tables=(table,))


def _by_model(drafts: pl.DataFrame, yields: pl.DataFrame) -> Rows:
    cost = dict(yields.select("model", "cost_usd").iter_rows())
    made = []
    for model in yields["model"]:
        part = drafts.filter(
            pl.col("source").fill_null("").str.split("; ").list.contains(f"draft by {model}")
        )
        counts = counted(part)
        made.append(
            {
                "model": model,
                "drafts": part.height,
                "approved": counts[APPROVED],
                "rejected": counts[REJECTED],
                "cost_usd": cost[model],
            }
        )
    return made


def _dollars(amount: float | None) -> str:
    return "–" if amount is None else f"{amount:.4f}"


def _yield_section(rows: Rows) -> Section:
    """What became of the rows asked for, by model."""
    if not rows:
        return Section("yield", "What became of the rows asked for")
    findings = tuple(Finding(_yielded(row), (row,)) for row in rows)
    names = ("asked", "rows", "drafts", REPEATED, KNOWN, "other reasons", *ANSWER_REASONS, "stopped")
    columns = (Column("model"), *(Column(name, numeric=True) for name in names))
    cells = tuple(
        (
            row["model"],
            *(f"{_others(row) if name == 'other reasons' else row[name]:.0f}" for name in names),
        )
        for row in rows
    )
    note = "Refused, failed and unreadable count answers, each of which may have had many rows; the others count rows."
    return Section(
        "yield",
        "What became of the rows asked for",
        findings=findings,
        figures=_bars(rows),
        tables=(Table("Rows and answers by model", columns, cells), _left_out(rows)),
        notes=(note,),
    )


def _yielded(row: dict[str, Any]) -> str:
    lost = [
        f"{row[name]:.0f} {word}"
        for name, word in (("refused", "declined"), ("failed", "failed"), ("unreadable", "could not be read"))
        if row[name]
    ]
    answers = f"; of {plural(int(row['answers'] + row['failed']), 'request')} {listed(lost)}" if lost else ""
    share = percent(row["drafts"] / row["asked"]) if row["asked"] else "none"
    return f"{row['model']}: {row['drafts']:.0f} of {row['asked']:.0f} rows asked for are drafts ({share}){answers}."


def _others(row: dict[str, Any]) -> float:
    return float(sum(row[name] for name in REASONS if name not in (REPEATED, KNOWN)))


def _bars(rows: Rows) -> tuple[Figure, ...]:
    made = []
    for row in rows:
        total = max(row["asked"], row["rows"], 1)
        parts = (row["drafts"], row[REPEATED] + row[KNOWN], _others(row))
        shares = [part / total for part in parts]
        shares.append(max(0.0, 1 - sum(shares)))
        made += [
            {
                "label": row["model"],
                "part": part,
                "share": share,
                "text": percent(share, 0) if share >= 0.08 else "",
            }
            for part, share in zip(PARTS, shares, strict=True)
        ]
    frame = pl.DataFrame(made)
    chart = stacked_shares(
        frame, PARTS, dark={"drafts"}, title="of the rows asked for", legend=square_legend(columns=2)
    )
    description = "; ".join(
        f"{label}: "
        + ", ".join(f"{row['part']} {percent(row['share'], 0)}" for row in bar_rows.iter_rows(named=True))
        for (label,), bar_rows in frame.group_by("label", maintain_order=True)
    )
    return (
        Figure(
            "yield",
            "What became of the rows asked for",
            chart,
            f"Shares of the rows asked for. {description}.",
        ),
    )


def _left_out(rows: Rows) -> Table:
    used = [name for name in REASONS if any(row[name] for row in rows)]
    columns = (
        Column("why no draft"),
        Column("what it means"),
        *(Column(row["model"], numeric=True) for row in rows),
    )
    cells = tuple((name, REASONS[name], *(f"{row[name]:.0f}" for row in rows)) for name in used)
    return Table("Rows left out, by reason", columns, cells, folded=True)


def _coverage(path: Path) -> Section:
    """Drafts by country and axis against their target."""
    companion = beside(path, COVERAGE)
    if not companion.is_file():
        return Section("coverage", "Coverage")
    table = read_table(companion, ("country", "axis", "identity", "drafts", "target", "missing"))
    cells = table.filter(pl.col("identity").fill_null("") == "")
    lacking = [row for row in cells.iter_rows(named=True) if int(row["missing"] or 0)]
    rows = tuple(
        (
            row["country"],
            row["axis"],
            str(_groups(table, row["axis"])),
            str(row["drafts"]),
            str(row["target"]),
            str(row["missing"]),
        )
        for row in cells.iter_rows(named=True)
    )
    names = ("groups", "drafts", "target", "missing")
    columns = (Column("country"), Column("axis"), *(Column(name, numeric=True) for name in names))
    text = (
        f"{plural(len(lacking), 'axis', 'axes')} of {cells.height} {'has' if len(lacking) == 1 else 'have'} fewer "
        "drafts than the target."
        if lacking
        else "Every axis has as many drafts as its target."
    )
    facts = {"lacking": len(lacking), "axes": cells.height}
    return Section(
        "coverage",
        "Coverage",
        findings=(Finding(text, (facts,)),),
        tables=(Table("Drafts by country and axis", columns, rows), _group_table(table)),
    )


def _groups(table: pl.DataFrame, axis: str) -> int:
    """Groups of an axis that drafts are about."""
    part = table.filter((pl.col("axis") == axis) & (pl.col("identity").fill_null("") != ""))
    return part.filter(pl.col("drafts").cast(pl.Int64) > 0).height


def _group_table(table: pl.DataFrame) -> Table:
    """Drafts of every group against its target."""
    names = ("axis", "identity", "drafts", "target", "missing")
    rows = tuple(
        tuple("–" if row[name] is None else str(row[name]) for name in names)
        for row in table.filter(pl.col("identity").fill_null("") != "").iter_rows(named=True)
    )
    numbers = (Column(name, numeric=True) for name in names[2:])
    columns = (Column("axis"), Column("group", veiled=True), *numbers)
    return Table("Drafts by group; groups that models added have no target", columns, rows, folded=True)


def _drafts(drafts: pl.DataFrame) -> Section:
    """The first drafts, blurred."""
    text = next((name for name in TEXTS if name in drafts.columns), None)
    if text is None or drafts.is_empty():
        return Section("drafts", "The drafts")
    names = [name for name in ("identity", text, "counter", "sent_less") if name in drafts.columns]
    names = list(dict.fromkeys(names))
    columns = (
        Column("name"),
        Column("status"),
        *(Column(name, veiled=True) for name in names),
        Column("checks"),
        Column("source"),
    )
    rows = tuple(
        (
            row["draft_id"],
            row["status"],
            *(str(row[name] or "") for name in names),
            str(row.get("checks") or ""),
            str(row.get("source") or ""),
        )
        for row in drafts.head(MOST_SHOWN).iter_rows(named=True)
    )
    caption = (
        f"The first {len(rows)} of {drafts.height} drafts" if drafts.height > MOST_SHOWN else "All drafts"
    )
    return Section("drafts", "The drafts", tables=(Table(caption, columns, rows, folded=True),))
