"""The page of a reproduction: the finding first, then what differs, then every cell."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from endoxa.report.document import Finding, Section
from endoxa.report.frame import Page, write_page
from endoxa.report.inputs import Run
from endoxa.report.tables import Cell, Column, Table
from endoxa.report.words import NO_VALUE, decimal, plural, signed
from endoxa.schema.reproduction import AGREES, DIFFERS, NOT_COMPARABLE, NOT_COMPUTED
from endoxa.study.reproduce.compare import counted

if TYPE_CHECKING:
    from endoxa.study.reproduce.run import Reproduced

LONG = 30
"""Rows from which a table is folded."""
WORDS = {AGREES: "agrees", DIFFERS: "differs", NOT_COMPARABLE: "not comparable", NOT_COMPUTED: "not computed"}
"""Verdicts as pages and terminals print them."""

Row = dict[str, Any]


def write_report(done: Reproduced) -> None:
    """Write report.html into the folder of a reproduction."""
    write_page(page(done), done.folder / "report.html")


def page(done: Reproduced) -> Page:
    """The page."""
    result, cells = done.result, done.cells
    return Page(
        package=__package__,
        title=result.title,
        subtitle=result.citation,
        entries=tuple(_sections(done)),
        runs=[Run(done.folder, done.facts)],
        models=[model["name"] for model in done.facts["models"]] + _simulated(cells),
        values={
            "veiled": bool(result.veiled),
            "citation": result.citation,
            "repeat": shlex.join(done.facts["command"]) or "endoxa reproduce run",
        },
    )


def _simulated(cells: pl.DataFrame) -> list[str]:
    """A name that makes the frame say that simulated models took part, where one did."""
    return ["sim/"] if cells["why"].str.contains("sim/", literal=True).any() else []


def _sections(done: Reproduced) -> Iterator[Section]:
    cells, veiled = done.cells, done.result.veiled
    n = counted(cells)
    yield Section(
        "finding",
        "What agrees",
        findings=(Finding(done.finding, (n | {"judged": n[AGREES] + n[DIFFERS]},)),),
        notes=tuple(note.replace("`", "") for note in done.result.notes),
    )
    differing = cells.filter(verdict=DIFFERS)
    if differing.height:
        yield Section("differing", "What differs", tables=(_differing(differing, veiled),))
    yield Section(
        "cells",
        "Every cell",
        tables=tuple(
            _table(
                f"{name} ({plural(part.height, 'cell')})",
                part,
                veiled=name in veiled,
                folded=part.height > LONG,
            )
            for name, part in _by_table(cells)
        ),
        notes=_tolerances(cells),
    )
    yield Section("verdicts", "What the verdicts mean", template="verdicts.html.j2", folded=True)
    yield Section("inputs", "What was read", tables=tuple(_inputs(done)), folded=True)
    yield Section("cite", "How to cite, how to repeat", template="cite.html.j2", folded=True)


def _by_table(cells: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    for (name,), part in cells.group_by("table", maintain_order=True):
        yield str(name), part


def _tolerances(cells: pl.DataFrame) -> tuple[str, ...]:
    """Why tolerances are as they are, each reason once."""
    reasons = [text for text in cells["tolerance_reason"].unique(maintain_order=True) if text]
    return (f"Tolerances: {'; '.join(reasons)}.",) if reasons else ()


NUMBERS = tuple(Column(name, numeric=True) for name in ("published", "ours", "difference", "tolerance"))


def _differing(cells: pl.DataFrame, veiled: Sequence[str]) -> Table:
    """Cells that differ, with the reason in words."""
    columns = (Column("table"), Column("cell", veiled=bool(veiled)), *NUMBERS, Column("why"))
    rows = [
        (name, Cell(row["cell"], veiled=name in veiled), *number_texts(row, places(part)), row["why"])
        for name, part in _by_table(cells)
        for row in part.iter_rows(named=True)
    ]
    return Table("Cells that differ, and why", columns, tuple(rows))


def _table(caption: str, cells: pl.DataFrame, *, veiled: bool, folded: bool) -> Table:
    """The cells of a printed table; reasons are numbered and stand below it."""
    reasons = [why for why in cells["why"].unique(maintain_order=True) if why]
    columns = (
        Column("cell", veiled=veiled),
        Column("verdict"),
        *NUMBERS,
        *([Column("why")] if reasons else []),
    )
    shown = places(cells)
    rows = tuple(
        (
            row["cell"],
            WORDS[row["verdict"]],
            *number_texts(row, shown),
            *([f"({reasons.index(row['why']) + 1})" if row["why"] else ""] if reasons else []),
        )
        for row in cells.iter_rows(named=True)
    )
    notes = tuple(f"({number}) {why}." for number, why in enumerate(reasons, start=1))
    return Table(caption, columns, rows, folded=folded, notes=notes)


def places(cells: pl.DataFrame) -> int:
    """Decimals of a printed table: those of its cell with the most."""
    return max((_needed(value) for value in cells["published"].drop_nulls()), default=3)


def number_texts(row: Row, printed: int) -> tuple[str, str, str, str]:
    """Published, ours, difference and tolerance as texts; ours with one decimal more than printed, but for counts."""
    known = [value for value in (row["published"], row["ours"]) if value is not None]
    whole = all(value == int(value) for value in known)
    counts = whole and (printed == 0 or row["tolerance"] == 0)
    more = 0 if counts else min(printed, 4) + 1
    return (
        decimal(row["published"], 0 if counts else min(printed, 4)),
        decimal(row["ours"], more),
        NO_VALUE if row["difference"] is None else signed(row["difference"], more + (more > 0)),
        NO_VALUE if row["tolerance"] is None else f"{row['tolerance']:.3g}",
    )


def _needed(value: float) -> int:
    """Decimals that a printed number has."""
    return len(f"{value:.6f}".rstrip("0").partition(".")[2])


def _inputs(done: Reproduced) -> Iterator[Table]:
    files = tuple((file["path"], file["sha256"]) for file in done.facts["files"])
    if files:
        yield Table("Files", (Column("file"), Column("SHA-256")), files)
    models = tuple(
        (model["label"], model["name"], "yes" if model["published_model"] else "no")
        for model in done.facts["models"]
    )
    if models:
        heads = ("published model", "given", "is the published one")
        yield Table("Models", tuple(map(Column, heads)), models)
    versions = {"endoxa": done.facts["endoxa"], **done.facts["versions"]}
    yield Table("Versions", (Column("name"), Column("version")), tuple(versions.items()))
