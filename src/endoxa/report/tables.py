"""Tables: made from rows of estimates, written as Markdown, LaTeX (booktabs), CSV, or HTML (`parts.html.j2`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import polars as pl

from endoxa.report.words import NO_VALUE, count, decimal, decimal_interval
from endoxa.runs.options import ReportOptions
from endoxa.schema.headline import Headline, plain
from endoxa.sources.spreadsheets import csv_text

_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}"}
    | {
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "≤": r"$\leq$",
        "−": "$-$",
        "±": r"$\pm$",
        "×": r"$\times$",
    }
    | {"†": r"\dag{}", "–": "--", "…": r"\dots{}", "\u00a0": "~", "\n": " "}
)
LATEX_MARKS = {"": "", "*": "$^{*}$", "†": r"$^{\dagger}$"}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|~#])")

PREAMBLE = "% Made by endoxa report. Needs \\usepackage{booktabs}.\n"
FOREIGN = "% Holds letters that pdfLaTeX lacks: use XeLaTeX or LuaLaTeX with a font that has them (package fontspec).\n"
LAST_LATIN = "\u017f"
"""The last letter that pdfLaTeX sets without further packages."""
COLUMN_GAP = "3pt"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        name: its heading.
        numeric: True where it holds numbers, set right-aligned.
        veiled: True where its texts can be offensive, blurred until asked for.
        narrow: True where LaTeX breaks the heading into lines and centres the values.
        above: heading over this column and its neighbours of the same one (a language), or empty.
        below: second line of the heading (a pooling), or empty.
    """

    name: str
    numeric: bool = False
    veiled: bool = False
    narrow: bool = False
    above: str = ""
    below: str = ""

    @property
    def line(self) -> str:
        """The whole heading in one line: 'Hindi: muril (cls)'."""
        head = f"{self.above}: {self.name}" if self.above else self.name
        return f"{head} ({self.below})" if self.below else head


@dataclass(frozen=True, slots=True)
class Cell:
    """A finished text with what some tables need besides; everywhere else a cell is a plain string.

    Attributes:
        text: what is written.
        mark: '*' or '†', a claim or the lack of one, a p-value that says why there is none, or empty.
        below: an interval: LaTeX writes it in a line of its own, others in brackets. None where the row has none.
        language: code of the text's language, or empty.
        order: what the column is sorted by in place of the text.
        veiled: False where a cell of a veiled column can be shown at once.
    """

    text: str
    mark: str = ""
    below: str | None = None
    language: str = ""
    order: float | None = None
    veiled: bool = True

    def __str__(self) -> str:
        """Text, mark and interval in one line, as in '55.8* (53.3–58.3)'; with an empty interval the text alone."""
        if self.below == "":
            return self.text
        return f"{self.text}{self.mark}" + (f" ({self.below})" if self.below else "")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of finished texts.

    Attributes:
        caption: one line that says what it holds.
        columns: its columns.
        rows: one tuple of cells per row, as long as `columns`.
        folded: True where a page keeps it closed until it is asked for.
        notes: what its marks and gaps mean, below it.
        number: its number in the paper it repeats, 0 where it repeats none. LaTeX numbers tables itself.
        stub: columns at the left that say what a row is about; LaTeX capitalizes their headings.
        headed: True where the first cell of a row is its heading.
        summary: words on the closed table in place of the caption.
        unveil: words beside the box that shows what is blurred.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str | Cell, ...], ...]
    folded: bool = False
    notes: tuple[str, ...] = ()
    number: int = 0
    stub: int = 1
    headed: bool = True
    summary: str = ""
    unveil: str = "Show what is blurred (it can be offensive)"

    @property
    def veiled(self) -> bool:
        """True where a column is blurred until asked for."""
        return any(column.veiled for column in self.columns)

    @property
    def title(self) -> str:
        """The caption after the table's number."""
        return f"Table {self.number}. {self.caption}" if self.number else self.caption

    @property
    def cells(self) -> Iterator[tuple[Cell, ...]]:
        """The rows with every plain string as a cell."""
        for row in self.rows:
            yield tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row)


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a table with what its cells are made from.

    Attributes:
        column: the column.
        cell: from a row to what is written.
    """

    column: Column
    cell: Callable[[Any], str | Cell]


HELD_BACK = "(p ...): not claimed, because the p-value corrected for the number of tests is too large."
Shown = Callable[[Any], str | Cell]
"""From a row, or from one of its values, to what is written."""


def text_field(name: str, cell: Shown | str = "", shown: Shown | None = None, **column: Any) -> Field:
    """A column of texts.

    Args:
        name: its heading.
        cell: what is written of a row, or the key of the row that holds it (the heading where empty).
        shown: how the value of the key is written; a dash in place of nothing where it is None.
        column: further settings of `Column`.
    """
    if callable(cell):
        return Field(Column(name, **column), cell)
    key = cell or name
    write = shown or (lambda value: str(NO_VALUE if value in (None, "") else value))
    return Field(Column(name, **column), lambda row: write(row[key]))


def number_field(name: str, cell: Shown | str = "", shown: Shown = count, **column: Any) -> Field:
    """A column of numbers, as `text_field`; the value of a key is a count unless `shown` says how it is written."""
    return text_field(name, cell, shown, numeric=True, **column)


def table_of(
    caption: str,
    rows: pl.DataFrame | Iterable[Any],
    fields: Sequence[Field | None],
    *,
    most_open: int | None = None,
    distinct: bool = False,
    **settings: Any,
) -> Table:
    """A table with a row for each row of estimates.

    Args:
        caption: one line that says what it holds.
        rows: rows of a frame, or anything that the fields read.
        fields: its columns; those that are None are left out.
        most_open: rows up to which a page shows it open; None leaves that to `settings`.
        distinct: True where equal rows are written once.
        settings: further settings of `Table`.
    """
    used = [field for field in fields if field is not None]
    entries = rows.iter_rows(named=True) if isinstance(rows, pl.DataFrame) else rows
    body = tuple(tuple(field.cell(row) for field in used) for row in entries)
    if distinct:
        body = tuple(dict.fromkeys(body))
    if most_open is not None:
        settings["folded"] = len(body) > most_open
    if any(isinstance(cell, Cell) and cell.mark.startswith(" (p") for row in body for cell in row):
        settings["notes"] = (*settings.get("notes", ()), HELD_BACK)
    return Table(caption, tuple(field.column for field in used), body, **settings)


def interval_field(
    name: str = "interval", of: str = "", shown: Callable[..., str] = decimal_interval, digits: int = 3
) -> Field:
    """The interval of `low` and `high`, or of the columns whose names begin with `of` ("delta_")."""
    return number_field(name, lambda row: shown(row[f"{of}low"], row[f"{of}high"], digits))


def headline_of(
    title: str,
    rows: pl.DataFrame | Iterable[Any],
    fields: Sequence[Field | str | None] = (),
    numbers: Iterable[Mapping[str, Any]] | None = None,
    *,
    notes: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> Headline:
    """The table of a terminal, from fields as pages use them.

    Args:
        title: what it holds.
        rows: rows of a frame, or anything that the fields read.
        fields: its columns; a name stands for the column of that name, numbers with three digits. None is left out.
            By default all columns of the frame.
        numbers: the same rows as numbers and names, for JSON; by default the rows.
        notes: sentences below it.
        warnings: sentences above it.
    """
    entries = rows.to_dicts() if isinstance(rows, pl.DataFrame) else list(rows)
    fields = fields or getattr(rows, "columns", ())
    used = [
        _of_values(each, entries) if isinstance(each, str) else each for each in fields if each is not None
    ]
    return Headline(
        title,
        tuple(field.column.name for field in used),
        tuple(tuple(str(field.cell(row)) for field in used) for row in entries),
        tuple({name: plain(value) for name, value in row.items()} for row in numbers or entries),
        tuple(field.column.name for field in used if not field.column.numeric),
        notes,
        warnings,
    )


def _of_values(key: str, rows: Sequence[Mapping[str, Any]]) -> Field:
    """The column of a key, written as its values are: words, whole numbers or decimals."""
    kinds = {type(row[key]) for row in rows} & {int, float}
    name = key.replace("_", " ")
    return number_field(name, key, decimal if float in kinds else count) if kinds else text_field(name, key)


def transposed(table: Table, stub: str) -> Table:
    """The table with rows and columns exchanged: what a row was about becomes a heading.

    Args:
        table: the table.
        stub: heading of the first column, which holds the headings of the columns as they were.
    """
    rows = list(table.cells)
    heads = (" / ".join(dict.fromkeys(str(cell) for cell in row[: table.stub])) for row in rows)
    turned: Iterator[tuple[str | Cell, ...]] = (
        (column.line, *(row[place] for row in rows))
        for place, column in enumerate(table.columns[table.stub :], table.stub)
    )
    columns = (Column(stub), *(Column(head, numeric=True, narrow=True) for head in heads))
    return replace(table, columns=columns, rows=tuple(turned), stub=1)


def markdown(tables: Sequence[Table], note: str = "") -> str:
    """The tables one below the other, each with its notes; names escaped.

    Args:
        tables: the tables.
        note: what holds for all of them, written at the end.
    """
    parts = ["\n\n".join(_markdown_blocks(table)) + "\n" for table in tables]
    return "\n".join([*parts, *([escape_markdown(note) + "\n"] if note else [])])


def _markdown_blocks(table: Table) -> Iterator[str]:
    if table.caption:
        number = f"Table {table.number}. " if table.number else ""
        yield f"**{number}{escape_markdown(table.caption)}**"
    head = [escape_markdown(column.line) for column in table.columns]
    rule = ["---:" if column.numeric else "---" for column in table.columns]
    body = [[escape_markdown(str(cell)) for cell in row] for row in table.cells]
    yield "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *body])
    yield from map(escape_markdown, table.notes)


def latex(
    tables: Sequence[Table], note: str = "", *, caption: str | None = None, label: str | None = None
) -> str:
    """One `table*` environment each; needs the package booktabs and nothing else.

    Scripts other than Latin need XeLaTeX or LuaLaTeX and a font that has them, which a comment at the top then says.

    Args:
        tables: the tables.
        note: what holds for all of them, at the end of every caption.
        caption: in place of the tables' own captions and notes.
        label: of the first table; the others get a number behind it.
    """
    made = []
    for k, table in enumerate(tables, 1):
        name = label and (label if k == 1 else f"{label}-{k}")
        made.append(_latex_table(table, note, caption, name))
    foreign = any(character > LAST_LATIN for text in made for character in text)
    return "\n".join([PREAMBLE + (FOREIGN if foreign else ""), *made])


def _latex_table(table: Table, note: str, replacement: str | None, label: str | None) -> str:
    kinds = "".join("c" if column.narrow else "r" if column.numeric else "l" for column in table.columns)
    body = "\n".join(line for row in table.cells for line in _latex_rows(row))
    sentences = [f"{table.caption}." if table.caption else "", *table.notes, note]
    caption = escape_latex(" ".join(filter(None, sentences)) if replacement is None else replacement)
    named = f"\\label{{{label}}}\n" if label else ""
    return (
        f"\\begin{{table*}}\n\\centering\\footnotesize\\setlength{{\\tabcolsep}}{{{COLUMN_GAP}}}\n"
        f"\\begin{{tabular}}{{{kinds}}}\n\\toprule\n{_latex_head(table)}\\midrule\n{body}\n"
        f"\\bottomrule\n\\end{{tabular}}\n\\caption{{{caption}}}\n{named}\\end{{table*}}\n"
    )


def _latex_head(table: Table) -> str:
    """The headings: what stands above several columns with its rules, the names, their second lines."""
    stub, others = table.columns[: table.stub], table.columns[table.stub :]
    lines = []
    if any(column.above for column in others):
        spans = [(name, len(list(group))) for name, group in groupby(others, key=lambda column: column.above)]
        names = (rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(name)}}}" for name, width in spans)
        lines.append(_latex_line([*("" for _ in stub), *names]))
        start, rules = table.stub + 1, ""
        for _, width in spans:
            rules += rf"\cmidrule(lr){{{start}-{start + width - 1}}}"
            start += width
        lines.append(rules)
    heads = (stacked(column.name) if column.narrow else escape_latex(column.name) for column in others)
    lines.append(
        _latex_line([*(escape_latex(column.name[:1].upper() + column.name[1:]) for column in stub), *heads])
    )
    if any(column.below for column in others):
        lines.append(_latex_line(escape_latex(column.below) for column in table.columns))
    return "".join(f"{line}\n" for line in lines)


def _latex_rows(row: Sequence[Cell]) -> Iterator[str]:
    """The values with their marks; below them the intervals, where the row has any."""
    yield _latex_line(
        escape_latex(cell.text) + (LATEX_MARKS.get(cell.mark) or escape_latex(cell.mark)) for cell in row
    )
    if any(cell.below for cell in row):
        yield _latex_line(
            rf"{{\scriptsize {escape_latex(cell.below)}}}" if cell.below else "" for cell in row
        )


def _latex_line(cells: Sequence[str] | Iterator[str]) -> str:
    return " & ".join(cells) + r" \\"


def escape_latex(text: str) -> str:
    """The text with everything escaped that LaTeX would take as a command."""
    return text.translate(_LATEX)


def escape_markdown(text: str) -> str:
    """The text with everything escaped that Markdown would take as a mark; line breaks become blanks."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split("\n")))


def stacked(axis: str) -> str:
    """A column head that breaks after hyphens, blanks and slashes, without a further package."""
    words = [escape_latex(word) for word in re.split(r"(?<=[-/])|\s", axis) if word]
    stacked = r"\\".join(words)
    return stacked if len(words) == 1 else rf"\begin{{tabular}}[b]{{@{{}}c@{{}}}}{stacked}\end{{tabular}}"


def csv(tables: Sequence[Table], title: str) -> str:
    """The rows of all tables as CSV, columns of the same heading joined, minus signs that programs read.

    A column with intervals is followed by another one for them, "NAME interval".

    Args:
        tables: the tables.
        title: name of the first column, which holds the captions.
    """
    rows = [(table, list(zip(table.columns, row, strict=True))) for table in tables for row in table.cells]
    parted = {column.line for _, row in rows for column, cell in row if cell.below}
    lines = [
        {title: table.caption}
        | dict(
            part for column, cell in row for part in _csv_parts(column, cell, parted=column.line in parted)
        )
        for table, row in rows
    ]
    return csv_text(pl.DataFrame(lines, infer_schema_length=None).with_columns(pl.all().fill_null(NO_VALUE)))


def _csv_parts(column: Column, cell: Cell, *, parted: bool) -> Iterator[tuple[str, str]]:
    text = str(replace(cell, below=None)) if cell.below != "" else cell.text
    yield column.line, text.replace("−", "-") if column.numeric else text
    if parted:
        yield f"{column.line} interval", (cell.below or NO_VALUE).replace("−", "-")


def paper_texts(
    tables: Callable[[], Sequence[Table]],
    paper: ReportOptions,
    *,
    title: str,
    note: str = "",
    for_programs: Callable[[], Sequence[Table]] | None = None,
) -> dict[str, Callable[[], str]]:
    """The tables of a paper in every form that `endoxa report` writes: `md`, `latex` and `csv`.

    Args:
        tables: makes them.
        paper: caption, label, and what is said of the runs.
        title: name of the column of captions in the CSV.
        note: what holds for all tables, at the end.
        for_programs: makes those of the CSV, where they are others.
    """
    note = f"{note} {paper.note}".strip()
    return {
        "md": lambda: markdown(tables(), note),
        "latex": lambda: latex(tables(), note, caption=paper.caption, label=paper.label),
        "csv": lambda: csv((for_programs or tables)(), title),
    }
