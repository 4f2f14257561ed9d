"""Published results as files: NAME.toml says what a result is, NAME.csv which numbers were printed.

A row of the CSV is a printed cell. Its `rule` says how far ours may be from it: `count` (not at all), `rounding` (half
of the last printed digit), or a rule of the TOML, whose tolerance is one of these words, a number or a formula; without
one it stands in the row. `kind` names the computation of ours (`MODULE.FUNCTION` of this package), `settings` are its
own.
"""

from __future__ import annotations

import ast
import operator
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from math import isfinite, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict

from endoxa.errors import UserError
from endoxa.registry import Registry
from endoxa.schema.study import (
    AGREES,
    DIFFERS,
    NOT_COMPARABLE,
    NOT_COMPUTED,
    REPRODUCTION_COLUMNS,
)

if TYPE_CHECKING:
    from endoxa.study.reproduce.run import Inputs


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
        `schema.study.REPRODUCTION_COLUMNS`.

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


# ------------------------------------------------------------------ results as files


class Rule(BaseModel):
    """How far ours may be from a printed number, and what is known to keep it from that."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    tolerance: str | float | None = None
    reason: str = ""
    explanation: str = ""
    source: str = ""


class LeftOut(BaseModel):
    """Printed numbers of the same tables and sections that are no cells: which, how many, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    numbers: str
    cells: int
    why: str


class PublishedResult(BaseModel):
    """A published result that can be recomputed, as NAME.toml and NAME.csv declare it.

    Attributes:
        name: the word on the command line.
        title: what it is, in a line.
        citation: paper, table, and where the printed numbers were read.
        needs: what must be given.
        kind: module and function of this package that compute ours; empty where a subclass has its own. Where the
            printed cells come from a file that the user has, `FUNCTION_cells` reads them.
        models: label of each published model, and its ids on the Hugging Face hub or names at the provider.
        notes: what a reader must know of the whole result.
        left_out: printed numbers of the same tables and sections that are no cells.
        paper: which of the five papers of `papers` prints the cells; empty for others.
        veiled: tables whose cells name associations, which pages blur until asked for.
        rules: by the name that rows of the CSV give.
        settings: of the computation.
        rows: of the CSV.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    title: str
    citation: str
    needs: tuple[Need, ...]
    kind: str = ""
    models: dict[str, tuple[str, ...]] = {}
    notes: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    paper: str = ""
    veiled: tuple[str, ...] = ()
    rules: dict[str, Rule] = {}
    settings: dict[str, Any] = {}
    rows: tuple[dict[str, str | None], ...] = ()

    def need(self, inputs: Inputs, *names: str) -> Path:
        """As `Inputs.find`.

        Raises:
            UserError: the data folder has none of these files.
        """
        path = inputs.find(*names)
        if path is None:
            folder = "no --data FOLDER was given" if inputs.data is None else f"{inputs.data} has none"
            raise UserError(
                f"{self.name} needs the file {' or '.join(names)}, but {folder}. Get it from {self.settings['where']}."
            )
        return path

    def other_size(self, number: int) -> str:
        """Why data of so many rows, questions or people are not the paper's; empty where they are as many."""
        settings = self.settings
        return "" if number == settings["size"] else str(settings["other_size"]).format(number=number)

    def cells(self, inputs: Inputs) -> Sequence[Cell]:
        """The printed cells, in the order of the file."""
        read = self._function("_cells", None)
        if read is not None:
            return list(read(self, inputs))
        return [self.cell(row) for row in self.rows]

    def compute(self, inputs: Inputs) -> Mapping[Key, Ours]:
        """Ours by table and cell; a key without a printed cell makes a row of its own, without a verdict."""
        computed: Mapping[Key, Ours] = self._function()(self, inputs)
        return computed

    def _function(self, ending: str = "", *default: Any) -> Any:
        """What the module of the kind has under the function's name and an ending."""
        module, _, name = self.kind.partition(".")
        return getattr(import_module(f"endoxa.study.reproduce.{module}"), name + ending, *default)

    def cell(self, row: Mapping[str, str | None]) -> Cell:
        """A row of NAME.csv as a cell."""
        text, name = row["published"] or "", row["rule"] or ""
        rule = self.rules.get(name, Rule(tolerance=name))
        return Cell(
            row["table"] or "",
            row["cell"] or "",
            float(text) if text else None,
            tolerance(rule, text, row.get("tolerance") or ""),
            rule.explanation,
            row.get("source") or rule.source,
        )

    def uncomputed(self, inputs: Inputs, why: str | Callable[[Cell], str]) -> dict[Key, Ours]:
        """Every printed cell as not computed, with the reason."""
        return {
            cell.key: Ours(None, why if isinstance(why, str) else why(cell)) for cell in self.cells(inputs)
        }


def builtin() -> Iterator[PublishedResult]:
    """Every result of `results/`, by name."""
    folder = files("endoxa.study.reproduce") / "results"
    names = {path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml")}
    yield from (read_result(folder, name) for name in sorted(names))


def read_result(folder: Traversable, name: str) -> PublishedResult:
    """The result that NAME.toml and NAME.csv of a folder declare.

    Raises:
        pydantic.ValidationError: a key is missing or unknown.
    """
    table = folder / f"{name}.csv"
    rows = pl.read_csv(BytesIO(table.read_bytes()), infer_schema=False).to_dicts() if table.is_file() else []
    stated = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    return PublishedResult(name=name, rows=tuple(rows), **stated)


def tolerance(rule: Rule, printed: str, stated: str) -> Tolerance:
    """The tolerance of a printed number.

    Args:
        rule: of the cell.
        printed: the number as it was printed.
        stated: the formula in the cell's row, for a rule without a tolerance.
    """
    if rule.tolerance == "count":
        return EXACT
    if rule.tolerance == "rounding":
        return rounding(len(printed.partition(".")[2]))
    return Tolerance(evaluate(str(rule.tolerance if rule.tolerance is not None else stated)), rule.reason)


_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS: dict[str, Callable[[float], float]] = {"sqrt": sqrt, "abs": abs}


def evaluate(formula: str) -> float:
    """A formula of printed numbers: + - * / **, parentheses, sqrt and abs.

    Raises:
        ValueError: anything else stands in it.
    """

    def value(node: ast.expr) -> float:
        match node:
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
                return _OPERATORS[type(sign)](value(left), value(right))
            case ast.Call(func=ast.Name(id=name), args=[argument]) if name in _FUNCTIONS:
                return _FUNCTIONS[name](value(argument))
        raise ValueError(f"'{formula}' is no formula of numbers")

    return value(ast.parse(formula, mode="eval").body)


RESULTS: Registry[PublishedResult] = Registry("published result", "endoxa.reproductions", builtin)
"""Every published result by name; other packages add theirs under the entry-point group `endoxa.reproductions`."""
