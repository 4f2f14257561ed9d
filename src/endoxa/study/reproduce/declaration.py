"""What a published result is made of: needs, printed cells, numbers of ours, and how both are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

import polars as pl

from endoxa.schema.reproduction import (
    AGREES,
    DIFFERS,
    NOT_COMPARABLE,
    NOT_COMPUTED,
    REPRODUCTION_COLUMNS,
)

Kind = Literal["file", "weights", "predictions", "nothing"]
"""What is needed: a file of the authors, weights of a model, answers of models that need a key, or nothing."""

Key = tuple[str, str]
"""Table and cell."""


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a result needs.

    Attributes:
        kind: see `Kind`.
        what: file in the data folder, or which models, in words.
        where: where to get it.
        optional: without it some cells are not computed, instead of none.
    """

    kind: Kind
    what: str
    where: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far ours may be from the print and still agree.

    Attributes:
        value: largest absolute difference, in the unit of the cell.
        reason: why that much.
    """

    value: float
    reason: str


EXACT = Tolerance(0.0, "a count")


def rounding(decimals: int) -> Tolerance:
    """Half a unit of the last printed digit."""
    if decimals == 0:
        return Tolerance(0.5, "printed without decimals")
    digits = "1 decimal" if decimals == 1 else f"{decimals} decimals"
    return Tolerance(0.5 * 10**-decimals, f"printed with {digits}")


@dataclass(frozen=True, slots=True)
class Cell:
    """A printed number.

    Attributes:
        table: where it stands ("Table 2").
        cell: row and column ("Age, English, Muril").
        published: the number as printed; None where endoxa does not hold it.
        tolerance: what still counts as agreement.
        explanation: what is known to keep ours from it; shown where they differ.
        source: where the number was read, if not where the result's citation says.
    """

    table: str
    cell: str
    published: float | None
    tolerance: Tolerance
    explanation: str = ""
    source: str = ""

    @property
    def key(self) -> Key:
        """Table and cell."""
        return self.table, self.cell


@dataclass(frozen=True, slots=True)
class Ours:
    """Our number for a cell.

    Attributes:
        value: None where it was not computed.
        why: why it was not computed, or what keeps it from being compared.
        comparable: False where model or data are not those of the paper, so that no verdict follows.
    """

    value: float | None
    why: str = ""
    comparable: bool = True

    @classmethod
    def unless(cls, value: float | None, *reasons: str) -> Ours:
        """A number that is compared, unless one of these reasons is not empty."""
        why = "; ".join(filter(None, reasons))
        return cls(value, why, not why)


SLACK = 1e-9
"""Differences of this size come from floating point: 0.6855 - 0.685 is a little more than 0.0005."""

UNKNOWN = "endoxa knows no reason for the difference"
MISSING = "what it needs was not given"
NO_CELL = "the paper has no such cell"
UNREAD = "endoxa does not hold the printed number"

_NUMBERS = ("published", "ours", "difference", "tolerance")
TYPES: dict[str, type[pl.DataType]] = {
    name: pl.Float64 if name in _NUMBERS else pl.String for name in REPRODUCTION_COLUMNS
}


def compare(result: str, citation: str, cells: Sequence[Cell], ours: Mapping[Key, Ours]) -> pl.DataFrame:
    """One row for each printed cell in the order given, then one for each number of ours without a printed cell.

    A verdict needs a printed number and the paper's own model and data: everything else is not comparable or not
    computed, and is listed.

    Args:
        result: name of the published result.
        citation: where cells without a source of their own were read.
        cells: printed cells, each key once.
        ours: what was computed, by table and cell.

    Returns:
        `schema.reproduction.REPRODUCTION_COLUMNS`.

    Raises:
        ValueError: a cell is declared twice.
    """
    keys = [cell.key for cell in cells]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{result}: the cell {twice} is declared twice")
    printed: list[tuple[Key, Cell | None]] = [(cell.key, cell) for cell in cells]
    unprinted = [(key, None) for key in ours if key not in set(keys)]
    rows = [
        {"result": result, **_row(key, cell, ours.get(key), citation)} for key, cell in printed + unprinted
    ]
    return pl.DataFrame(rows, schema=TYPES)


def _row(key: Key, cell: Cell | None, ours: Ours | None, citation: str) -> dict[str, Any]:
    """A printed cell, or a number of ours that the paper has no cell for."""
    value = None if ours is None or ours.value is None or not isfinite(ours.value) else float(ours.value)
    published = None if cell is None else cell.published
    verdict, why = _verdict(cell, ours, value)
    judged = value is not None and published is not None and verdict in (AGREES, DIFFERS)
    return {
        "table": key[0],
        "cell": key[1],
        "published": published,
        "ours": value,
        "difference": value - published if judged else None,  # type: ignore[operator]
        "tolerance": None if cell is None else cell.tolerance.value,
        "tolerance_reason": "" if cell is None else cell.tolerance.reason,
        "verdict": verdict,
        "why": why,
        "source": "" if cell is None else cell.source or citation,
    }


def _verdict(cell: Cell | None, ours: Ours | None, value: float | None) -> tuple[str, str]:
    """The verdict and the reason for it."""
    if ours is None or value is None:
        return NOT_COMPUTED, ours.why if ours and ours.why else MISSING
    if cell is None or cell.published is None:
        return NOT_COMPARABLE, _joined(ours.why, NO_CELL if cell is None else UNREAD)
    if not ours.comparable:
        return NOT_COMPARABLE, ours.why
    if abs(value - cell.published) <= cell.tolerance.value + SLACK:
        return AGREES, ours.why
    return DIFFERS, _joined(ours.why, cell.explanation) or UNKNOWN


def _joined(*sentences: str) -> str:
    return "; ".join(filter(None, sentences))


def counted(cells: pl.DataFrame) -> dict[str, int]:
    """Number of cells with each verdict, and `printed`: cells of the paper, with or without a verdict."""
    numbers = dict(cells["verdict"].value_counts().iter_rows())
    printed = cells.filter(pl.col("source").fill_null("") != "").height
    return {
        **{name: numbers.get(name, 0) for name in (AGREES, DIFFERS, NOT_COMPARABLE, NOT_COMPUTED)},
        "printed": printed,
    }


def finding(cells: pl.DataFrame) -> str:
    """What came of it, in a sentence: how many of the printed cells agree, and what became of the others."""
    n = counted(cells)
    unprinted = cells.height - n["printed"]
    rest = [
        f"{number:,} {words}"
        for number, words in (
            (n[DIFFERS], "differ" if n[DIFFERS] > 1 else "differs"),
            (n[NOT_COMPARABLE] - unprinted, "cannot be compared"),
            (n[NOT_COMPUTED], "were not computed" if n[NOT_COMPUTED] > 1 else "was not computed"),
        )
        if number
    ]
    agree = "agree" if n["printed"] > 1 else "agrees"
    sentence = f"{n[AGREES]:,} of {n['printed']:,} published cells {agree} with ours"
    if not n[AGREES] + n[DIFFERS]:
        sentence = f"None of the {n['printed']:,} published cells can be judged"
    extra = (
        f" {unprinted:,} further {'value has' if unprinted == 1 else 'values have'} no published counterpart."
        if unprinted
        else ""
    )
    return "; ".join([sentence, *rest]) + "." + extra
