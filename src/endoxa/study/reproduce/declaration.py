"""What a published result is: what it needs, its printed cells, and the function that computes ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from endoxa.study.reproduce.inputs import Inputs

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
        published: the number as printed; None where it cannot be read here.
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


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """A published result that can be recomputed.

    Attributes:
        name: the word on the command line.
        title: what it is, in a line.
        citation: paper, table, and where the printed numbers were read.
        needs: what must be given.
        cells: the printed cells; those of some results are read from a file.
        compute: ours by table and cell; a key without a printed cell makes a row of its own, without a verdict.
        models: label of each published model, and its ids on the Hugging Face hub or names at the provider.
        notes: what a reader must know of the whole result.
        veiled: tables whose cells name associations, which pages blur until asked for.
    """

    name: str
    title: str
    citation: str
    needs: tuple[Need, ...]
    cells: Callable[[Inputs], Sequence[Cell]]
    compute: Callable[[Inputs], Mapping[Key, Ours]]
    models: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    veiled: tuple[str, ...] = ()
