"""The table of association tests as Markdown, LaTeX or CSV."""

from __future__ import annotations

import polars as pl

from endoxa.report.association_table import MISSING, Cell, Head, blocks, note
from endoxa.report.associations import Associations
from endoxa.report.markup import LATEX_MARKS, escape_latex, escape_markdown


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
