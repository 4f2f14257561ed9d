"""The table of association tests as in a paper (IndiBias, Tables 3, 4 and 9), before it is Markdown, LaTeX or CSV.

A row is a pair of groups and a pair of attributes, a column one encoder in one language.

The table of association tests as Markdown, LaTeX or CSV.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from endoxa.instruments.association_tests.report.results import CLAIMED, UNTESTABLE, Associations, mark
from endoxa.page.markup import LATEX_MARKS, escape_latex, escape_markdown
from endoxa.page.words import language_name, signed

ROW = ("axis", "x", "y", "a", "b")
COLUMN = ("language", "label", "pooling")
DIGITS = 3
MISSING = "–"
UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class Head:
    """Heading of a column: language as readers see it, model label, pooling (may be empty)."""

    language: str
    model: str
    pooling: str

    @property
    def line(self) -> str:
        """'Hindi: muril (cls)'."""
        return (f"{self.language}: " if self.language else "") + self.encoder

    @property
    def encoder(self) -> str:
        """'muril (cls)'."""
        return f"{self.model} ({self.pooling})" if self.pooling else self.model


@dataclass(frozen=True, slots=True)
class Cell:
    """An effect size as text and its mark."""

    value: str = MISSING
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One test: 'x / y', 'a / b', and a cell per column."""

    groups: str
    attributes: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """The tests of one axis (empty where it is not stated)."""

    axis: str
    heads: tuple[Head, ...]
    lines: tuple[Line, ...]


def note(results: Associations) -> str:
    """What the numbers and stars mean."""
    daggers = results.estimates.select(mark() == UNTESTABLE).to_series().any()
    untested = f"; {UNTESTABLE}: cannot be tested" if daggers else ""
    return (
        f"Effect sizes (ddof {results.ddof}); positive: the first group lies nearer to the first attribute, rather "
        f"than the second, than the second group does. {CLAIMED}: the groups differ ({results.sides} permutation "
        f"p-value at most {results.level} after Benjamini-Hochberg over all tests){untested}."
    )


def blocks(results: Associations) -> list[Block]:
    """One block per axis, or per axis and language where languages do not share their set names.

    Columns of one language stand together, then those of one model.

    Tests that share their set names and differ in name only (other templates, say) get rows of their own, with
    the name of the test behind the attributes.
    """
    found = []
    for (axis,), tests in _by(results.estimates, "axis"):
        languages = tests.select("language", *ROW).unique()["language"].len()
        if languages > tests.select(ROW).unique().height:
            found.append(_block(axis, tests))
        else:
            found += [_block(axis, own) for _, own in _by(tests, "language")]
    return found


def _block(axis: str, tests: pl.DataFrame) -> Block:
    heads = [
        key
        for (language,), own in _by(tests, "language")
        for key, _ in _by(own, "label", "pooling", before=language)
    ]
    alike = tests.select(*ROW, *COLUMN).is_duplicated().any()
    keys = (*ROW, "test") if alike else ROW
    shown = tests.with_columns(
        mark=mark(),
        text=pl.col("effect_size")
        .map_elements(lambda d: signed(d, DIGITS), return_dtype=pl.String)
        .fill_null(UNDEFINED),
    )
    lines = []
    for key, own in _by(shown, *keys):
        cells: dict[tuple[str, ...], Cell] = {
            (row["language"], row["label"], row["pooling"]): Cell(row["text"], row["mark"])
            for row in own.iter_rows(named=True)
        }
        _, x, y, a, b, *name = map(str, key)
        attributes = f"{a} / {b}" + (f" ({name[0]})" if name else "")
        lines.append(Line(f"{x} / {y}", attributes, tuple(cells.get(head, Cell()) for head in heads)))
    named = tuple(
        Head(language_name(language) if language else "", label, pooling)
        for language, label, pooling in heads
    )
    return Block(axis, named, tuple(lines))


def _by(
    frame: pl.DataFrame, *names: str, before: object = None
) -> Iterator[tuple[tuple[str, ...], pl.DataFrame]]:
    """Groups in order of appearance; `before` is put in front of each key."""
    front = () if before is None else (str(before),)
    for key, own in frame.group_by(names, maintain_order=True):
        yield (*front, *map(str, key)), own


def markdown(results: Associations) -> str:
    """One table per axis, names escaped."""
    parts = []
    for block in blocks(results):
        head = ["groups", "attributes", *(escape_markdown(head.line) for head in block.heads)]
        marks = ["---", "---", *["---:"] * len(block.heads)]
        rows = [
            [
                escape_markdown(line.groups),
                escape_markdown(line.attributes),
                *(f"{cell.value}{escape_markdown(cell.mark)}" for cell in line.cells),
            ]
            for line in block.lines
        ]
        table = "\n".join("| " + " | ".join(row) + " |" for row in [head, marks, *rows])
        parts.append((f"**{escape_markdown(block.axis)}**\n\n" if block.axis else "") + f"{table}\n")
    return "\n".join([*parts, escape_markdown(note(results)) + "\n"])


def latex(results: Associations) -> str:
    """One `table*` environment per axis, languages above models; needs the package booktabs and nothing else.

    Scripts other than Latin need XeLaTeX or LuaLaTeX and a font that has them.
    """
    parts = ["% Made by endoxa report. Needs \\usepackage{booktabs}.\n"]
    for block in blocks(results):
        rows = [
            " & ".join(
                [
                    escape_latex(line.groups),
                    escape_latex(line.attributes),
                    *map(_latex_cell, line.cells),
                ]
            )
            + r" \\"
            for line in block.lines
        ]
        caption = (f"{block.axis}. " if block.axis else "") + note(results)
        parts.append(
            "\\begin{table*}\n\\centering\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
            f"\\begin{{tabular}}{{ll{'r' * len(block.heads)}}}\n\\toprule\n"
            + _latex_heads(block.heads)
            + "\\midrule\n"
            + "\n".join(rows)
            + f"\n\\bottomrule\n\\end{{tabular}}\n\\caption{{{escape_latex(caption)}}}\n\\end{{table*}}\n"
        )
    return "\n".join(parts)


def wide(results: Associations) -> pl.DataFrame:
    """The same as a table of texts for CSV: axis, groups, attributes and a column per encoder and language."""
    frames = [
        pl.DataFrame(
            [
                {
                    "axis": block.axis,
                    "groups": line.groups,
                    "attributes": line.attributes,
                    **{
                        head.line: f"{cell.value}{cell.mark}".replace("−", "-")
                        for head, cell in zip(block.heads, line.cells, strict=True)
                    },
                }
                for line in block.lines
            ]
        )
        for block in blocks(results)
    ]
    return pl.concat(frames, how="diagonal").with_columns(pl.all().fill_null(MISSING))


def _latex_cell(cell: Cell) -> str:
    return escape_latex(cell.value).replace("−", "$-$") + LATEX_MARKS[cell.mark]


def _latex_heads(heads: tuple[Head, ...]) -> str:
    """A line of languages over a line of models, and one of poolings where there are any."""
    spans: list[tuple[str, int]] = []
    for head in heads:
        same = bool(spans) and spans[-1][0] == head.language
        spans[-1:] = [(head.language, spans[-1][1] + 1)] if same else [*spans[-1:], (head.language, 1)]
    above = " & ".join(
        ["", "", *(rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(name)}}}" for name, width in spans)]
    )
    start, rules = 3, ""
    for _, width in spans:
        rules += rf"\cmidrule(lr){{{start}-{start + width - 1}}}"
        start += width
    models = " & ".join(["Groups", "Attributes", *(escape_latex(head.model) for head in heads)])
    poolings = " & ".join(["", "", *(escape_latex(head.pooling) for head in heads)])
    lines = [f"{above} \\\\\n{rules}\n"] if any(head.language for head in heads) else []
    lines.append(f"{models} \\\\\n")
    if any(head.pooling for head in heads):
        lines.append(f"{poolings} \\\\\n")
    return "".join(lines)
