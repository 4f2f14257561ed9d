"""Published results as files: NAME.toml says what a result is, NAME.csv which numbers were printed.

A row of the CSV is a printed cell. Its `rule` says how far ours may be from it: `count` (not at all), `rounding` (half
of the last printed digit), or a rule of the TOML, whose tolerance is one of these words, a number or a formula; without
one it stands in the row. `kind` names the computation of ours (`endoxa.study.reproduce.kinds`), `settings` are its own.
"""

from __future__ import annotations

import ast
import operator
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from math import sqrt
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import BaseModel, ConfigDict

from endoxa.errors import UserError
from endoxa.registry import Registry
from endoxa.schema.reproduction import AGREES, DIFFERS
from endoxa.sources.frames import read_table
from endoxa.study.reproduce.declaration import (
    EXACT,
    Cell,
    Key,
    Need,
    Ours,
    Tolerance,
    compare,
    rounding,
)
from endoxa.study.reproduce.run import CELLS, Inputs


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
        kind: module and function of `kinds` that compute ours; empty where a subclass has its own. Where the printed
            cells come from a file that the user has, `FUNCTION_cells` reads them.
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
        return getattr(import_module(f"endoxa.study.reproduce.kinds.{module}"), name + ending, *default)

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

# ------------------------------------------------------------------ what five papers print, each number once

IMPLIED = "arithmetic"
"""The result that needs no data: it recomputes printed numbers from others of the same paper."""

Verdicts = dict[Key, tuple[str, str]]
"""Table and cell in small letters -> verdict and reason."""


@dataclass(frozen=True, slots=True)
class Paper:
    """The printed numbers of a paper.

    Attributes:
        name: as the result files have it.
        agree: numbers that were recomputed and agree.
        differing: numbers that were recomputed and differ, by the reason; empty where none is known.
        reasons: the other numbers, by why they are left out.
    """

    name: str
    agree: int
    differing: Mapping[str, int]
    reasons: Mapping[str, int]

    @property
    def differ(self) -> int:
        """Numbers that were recomputed and differ."""
        return sum(self.differing.values())

    @property
    def left_out(self) -> int:
        """Numbers that were not recomputed."""
        return sum(self.reasons.values())

    @property
    def printed(self) -> int:
        """Every number."""
        return self.agree + self.differ + self.left_out


def papers(folder: Path | None = None) -> Iterator[Paper]:
    """The papers, each number once however many results recompute it.

    Args:
        folder: holds finished reproductions, each in a folder of the result's name. Without one, a number is recomputed
            only where other numbers of its paper imply it.
    """
    by_paper: dict[str, list[PublishedResult]] = {}
    for result in RESULTS.all().values():
        if result.paper:
            by_paper.setdefault(result.paper, []).append(result)
    implied = _implied()
    for name, results in by_paper.items():
        verdicts = implied[name]
        for result in results:
            for key, judged in _verdicts(result, folder).items():
                if judged[0] in (AGREES, DIFFERS) or key not in verdicts:
                    verdicts[key] = judged
        reasons = Counter(why for verdict, why in verdicts.values() if verdict not in (AGREES, DIFFERS))
        for entry in (entry for result in results for entry in result.left_out):
            reasons[f"{entry.numbers}: {entry.why}"] += entry.cells
        differing = Counter(why for verdict, why in verdicts.values() if verdict == DIFFERS)
        yield Paper(name, sum(verdict == AGREES for verdict, _ in verdicts.values()), differing, reasons)


def _key(table: str, cell: str) -> Key:
    return table.lower(), cell.lower()


def _implied() -> dict[str, Verdicts]:
    """By paper, what its numbers imply about one another; a number differs where any of its checks does."""
    result, inputs = RESULTS.get(IMPLIED), Inputs(None, (), Path())
    cells = compare(IMPLIED, "", result.cells(inputs), result.compute(inputs))
    verdicts: dict[str, Verdicts] = {}
    for row, declared in zip(cells.iter_rows(named=True), result.rows, strict=True):
        paper, table = row["table"].split(", ", 1)
        key = _key(*(declared["of"] or f"{table}|{row['cell']}").split("|"))
        checked = verdicts.setdefault(paper, {})
        if checked.get(key, (AGREES,))[0] == AGREES:
            checked[key] = row["verdict"], row["why"]
    return verdicts


def _verdicts(result: PublishedResult, folder: Path | None) -> Verdicts:
    """The printed cells of a result, judged by its finished reproduction where the folder has one."""
    why = f"{result.name} was not run; needs: {'; '.join(need.what for need in result.needs)}"
    verdicts = {_key(row["table"] or "", row["cell"] or ""): ("", why) for row in result.rows}
    path = None if folder is None else folder / result.name / CELLS
    if path is not None and path.is_file():
        for row in read_table(path, ("table", "cell", "verdict", "why")).iter_rows(named=True):
            if _key(row["table"], row["cell"]) in verdicts:
                verdicts[_key(row["table"], row["cell"])] = row["verdict"], row["why"] or ""
    return verdicts
