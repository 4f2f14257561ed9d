"""The published tables as Markdown or LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Sequence

from endoxa.report.markup import escape_latex, escape_markdown
from endoxa.report.qa.published import PaperTable


def markdown(tables: Sequence[PaperTable]) -> str:
    """One table after another, names escaped."""
    parts = []
    for table in tables:
        head = ["Model", *(escape_markdown(name) for name in table.heads)]
        marks = ["---", *["---:"] * len(table.heads)]
        body = [[escape_markdown(cell) for cell in row] for row in table.rows]
        grid = "\n".join("| " + " | ".join(row) + " |" for row in [head, marks, *body])
        notes = "\n\n".join(escape_markdown(note) for note in table.notes)
        parts.append(f"**Table {table.number}. {escape_markdown(table.title)}**\n\n{grid}\n\n{notes}\n")
    return "\n".join(parts)


def latex(tables: Sequence[PaperTable]) -> str:
    """One `table*` environment each; needs the package booktabs and nothing else."""
    parts = ["% Made by endoxa report. Needs \\usepackage{booktabs}.\n"]
    for table in tables:
        head = " & ".join(["Model", *(escape_latex(name) for name in table.heads)])
        body = "\n".join(" & ".join(map(_latex_text, row)) + r" \\" for row in table.rows)
        caption = _latex_text(" ".join([f"{table.title}.", *table.notes]))
        parts.append(
            "\\begin{table*}\n\\centering\\footnotesize\\setlength{\\tabcolsep}{4pt}\n"
            f"\\begin{{tabular}}{{l{'r' * len(table.heads)}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\n"
            f"\\bottomrule\n\\end{{tabular}}\n\\caption{{{caption}}}\n\\end{{table*}}\n"
        )
    return "\n".join(parts)


def _latex_text(text: str) -> str:
    marks = {"−": "$-$", "±": r"$\pm$", "×": r"$\times$"}
    escaped = escape_latex(text)
    for mark, command in marks.items():
        escaped = escaped.replace(mark, command)
    return escaped
