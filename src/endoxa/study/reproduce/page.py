"""The page of a reproduction: the finding first, then what differs, then every cell."""

from __future__ import annotations

import shlex
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from endoxa.report.document import Finding, Section
from endoxa.report.frame import CITE, Page, present, write_page
from endoxa.report.inputs import Run
from endoxa.report.tables import Cell, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, decimal, plural, signed
from endoxa.schema.study import AGREES, DIFFERS, NOT_COMPARABLE, NOT_COMPUTED
from endoxa.study.reproduce.catalogue import counted

if TYPE_CHECKING:
    from endoxa.study.reproduce.catalogue import PublishedResult
    from endoxa.study.reproduce.run import Reproduced

LONG = 30
"""Rows from which a table is folded."""
WORDS = {AGREES: "agrees", DIFFERS: "differs", NOT_COMPARABLE: "not comparable", NOT_COMPUTED: "not computed"}
"""Verdicts as pages and terminals print them."""

Row = dict[str, Any]


def write_report(done: Reproduced) -> None:
    """Write report.html into the folder of a reproduction."""
    write_page(page(done), done.folder / "report.html")


def _number(place: int, row: Row) -> str:
    return number_texts(row, row["places"])[place]


NUMBERS = tuple(
    number_field(name, partial(_number, place))
    for place, name in enumerate(("published", "ours", "difference", "tolerance"))
)
"""The columns of a cell's numbers."""


def finding(done: Reproduced) -> Section:
    """How many cells agree."""
    n = counted(done.cells)
    return Section(
        "finding",
        "What agrees",
        findings=(Finding(done.finding, (n | {"judged": n[AGREES] + n[DIFFERS]},)),),
        notes=tuple(note.replace("`", "") for note in done.result.notes),
    )


def differing(done: Reproduced) -> Section:
    """Cells that differ, with the reason in words."""
    veiled, cells = done.result.veiled, done.cells.filter(verdict=DIFFERS)
    rows = with_places(cells)
    fields = (
        text_field("table"),
        text_field("cell", lambda row: Cell(row["cell"], veiled=row["table"] in veiled), veiled=bool(veiled)),
        *NUMBERS,
        text_field("why", "why", str),
    )
    return Section(
        "differing", "What differs", tables=(table_of("Cells that differ, and why", rows, fields),)
    )


def every_cell(done: Reproduced) -> Section:
    """The cells of each printed table, and why tolerances are as they are, each reason once."""
    reasons = [text for text in done.cells["tolerance_reason"].unique(maintain_order=True) if text]
    tables = tuple(
        _cells(str(name), part, veiled=name in done.result.veiled)
        for (name,), part in done.cells.group_by("table", maintain_order=True)
    )
    return Section(
        "cells",
        "Every cell",
        tables=(*tables, _left_out(done.result)) if done.result.left_out else tables,
        notes=(f"Tolerances: {'; '.join(reasons)}.",) if reasons else (),
    )


def _left_out(result: PublishedResult) -> Table:
    """Printed numbers that are no cells."""
    fields = (text_field("numbers"), number_field("cells", lambda row: str(row["cells"])), text_field("why"))
    return table_of("Printed numbers that are left out", [dict(entry) for entry in result.left_out], fields)


def _cells(name: str, cells: pl.DataFrame, *, veiled: bool) -> Table:
    """The cells of a printed table; reasons are numbered and stand below it."""
    reasons = [why for why in cells["why"].unique(maintain_order=True) if why]
    fields = (
        text_field("cell", "cell", str, veiled=veiled),
        text_field("verdict", "verdict", WORDS.__getitem__),
        *NUMBERS,
        text_field("why", "why", lambda why: f"({reasons.index(why) + 1})" if why else "")
        if reasons
        else None,
    )
    return table_of(
        f"{name} ({plural(cells.height, 'cell')})",
        with_places(cells),
        fields,
        most_open=LONG,
        notes=tuple(f"({number}) {why}." for number, why in enumerate(reasons, start=1)),
    )


VERDICTS = Section("verdicts", "What the verdicts mean", template="verdicts.html.j2", folded=True)


def page(done: Reproduced) -> Page:
    """The page: what is said about a reproduction, in this order."""
    result, simulated = done.result, done.cells["why"].str.contains("sim/", literal=True).any()
    sections = (finding(done), differing(done), every_cell(done), VERDICTS, CITE)
    return Page(
        package=__package__,
        title=result.title,
        subtitle=result.citation,
        entries=tuple(present(sections)),
        runs=[Run(done.folder, done.facts)],
        # A name that makes the frame say that simulated models took part, where one did.
        models=[*(model["name"] for model in done.facts["models"]), *(["sim/"] if simulated else [])],
        values={
            "veiled": bool(result.veiled),
            "citation": result.citation,
            "repeat": shlex.join(done.facts["command"]) or "endoxa reproduce",
        },
    )


def with_places(cells: pl.DataFrame) -> list[Row]:
    """Rows of cells with the decimals of their printed table, `places`: those of its cell with the most."""
    decimals = pl.col("published").map_elements(
        lambda value: len(f"{value:.6f}".rstrip("0").partition(".")[2]), return_dtype=pl.Int64
    )
    return cells.with_columns(places=decimals.max().over("table").fill_null(3)).to_dicts()


def number_texts(row: Row, printed: int) -> tuple[str, str, str, str]:
    """Published, ours, difference and tolerance as texts; ours with one decimal more than printed, but for counts."""
    numbers = [value for value in (row["published"], row["ours"]) if value is not None]
    integers = all(value == int(value) for value in numbers)
    counts = integers and (printed == 0 or row["tolerance"] == 0)
    more = 0 if counts else min(printed, 4) + 1
    return (
        decimal(row["published"], 0 if counts else min(printed, 4)),
        decimal(row["ours"], more),
        NO_VALUE if row["difference"] is None else signed(row["difference"], more + (more > 0)),
        NO_VALUE if row["tolerance"] is None else f"{row['tolerance']:.3g}",
    )
