"""The headline table for a paper: models against axes, as Markdown or LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import polars as pl

from endoxa.instruments.pairs.report.results import Results, identity_rows
from endoxa.page.claims import cannot_be_tested, is_clear, percent_ends
from endoxa.page.markup import LATEX_MARKS, escape_latex, escape_markdown, stacked
from endoxa.page.words import axis_name, count, language_name
from endoxa.schema import ALL
from endoxa.stats.verdicts import significance


@dataclass(frozen=True, slots=True)
class _Cell:
    """A preference ratio in percent, its star and its interval; empty where there is none."""

    value: str = "–"
    star: str = ""
    interval: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    """One model under one rule: pairs and a cell per axis."""

    model: str
    rule: str
    n: str
    cells: tuple[_Cell, ...]


@dataclass(frozen=True, slots=True)
class _Block:
    """One data set in one language."""

    title: str
    axes: tuple[str, ...]
    lines: tuple[_Line, ...]


def markdown(gathered: Sequence[Results]) -> str:
    """One table per data set and language, model names and axes escaped."""
    parts = []
    for block in _blocks(gathered):
        head = ["model", "rule", "pairs", *map(escape_markdown, block.axes)]
        rows = [
            [
                escape_markdown(line.model),
                escape_markdown(line.rule),
                line.n,
                *map(_markdown_cell, line.cells),
            ]
            for line in block.lines
        ]
        marks = ["---", "---", *["---:"] * (len(head) - 2)]
        table = "\n".join("| " + " | ".join(row) + " |" for row in [head, marks, *rows])
        parts.append(f"**{escape_markdown(block.title)}**\n\n{table}\n")
    return "\n".join([*parts, escape_markdown(_note(gathered[0])) + "\n"])


def latex(gathered: Sequence[Results]) -> str:
    """One `table*` environment per data set and language; needs the package booktabs and nothing else."""
    parts = ["% Made by endoxa report. Needs \\usepackage{booktabs}.\n"]
    for block in _blocks(gathered):
        head = ["Model", "Rule", "Pairs", *map(stacked, block.axes)]
        lines = []
        for line in block.lines:
            values = [f"{escape_latex(cell.value)}{LATEX_MARKS[cell.star]}" for cell in line.cells]
            intervals = [
                rf"{{\scriptsize {escape_latex(cell.interval)}}}" if cell.interval else ""
                for cell in line.cells
            ]
            lines.append(
                " & ".join([escape_latex(line.model), escape_latex(line.rule), line.n, *values]) + r" \\"
            )
            lines.append(" & ".join(["", "", "", *intervals]) + r" \\")
        caption = f"{block.title}. {_note(gathered[0])}"
        parts.append(
            "\\begin{table*}\n\\centering\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
            f"\\begin{{tabular}}{{llr{'c' * len(block.axes)}}}\n\\toprule\n"
            + " & ".join(head)
            + " \\\\\n\\midrule\n"
            + "\n".join(lines)
            + f"\n\\bottomrule\n\\end{{tabular}}\n\\caption{{{escape_latex(caption)}}}\n\\end{{table*}}\n"
        )
    return "\n".join(parts)


def _markdown_cell(cell: _Cell) -> str:
    """Value, star and interval, as in '55.8* (53.3–58.3)' with the star escaped."""
    return f"{cell.value}{escape_markdown(cell.star)} ({cell.interval})" if cell.interval else cell.value


def _note(results: Results) -> str:
    return (
        "Percentage of pairs in which the stereotypical sentence scores higher (ties count one half; "
        f"unbiased: 50), {results.level} interval with identities as clusters. An asterisk marks a preference that "
        f"differs from 50 (adjusted p ≤ {significance(results.confidence):g}, sign-flip test on identities, "
        "Benjamini-Hochberg); a dagger marks what cannot be tested (too few identities)."
    )


def _blocks(gathered: Sequence[Results]) -> list[_Block]:
    return [_block(results, language) for results in gathered for language in _languages(results)]


def _languages(results: Results) -> list[str]:
    """'all' stands for the only language there is."""
    return results.languages if len(results.languages) > 1 else [ALL]


def _block(results: Results, language: str) -> _Block:
    cells = identity_rows(results.estimates, "preference_ratio").filter(pl.col("language") == language)
    axes = [ALL, *sorted(set(cells["axis"]) - {ALL})]
    found = {(row["model"], row["rule"], row["axis"]): row for row in cells.iter_rows(named=True)}
    lines = [
        _Line(
            results.labels[model],
            rule,
            count(found[model, rule, ALL]["n"]),
            tuple(_cell(found.get((model, rule, axis))) for axis in axes),
        )
        for model, rule in results.combinations
        if (model, rule, ALL) in found
    ]
    spoken = results.languages[0] if language == ALL else language
    return _Block(
        f"{results.title}, {language_name(spoken)}", tuple(axis_name(axis) for axis in axes), tuple(lines)
    )


def _cell(row: dict[str, Any] | None) -> _Cell:
    if row is None:
        return _Cell()
    return _Cell(
        f"{100 * row['value']:.1f}",
        "*" if is_clear(row) else "†" if cannot_be_tested(row) else "",
        "" if isnan(row["low"]) else percent_ends(row).replace(" to ", "–"),
    )
