"""Tables of `endoxa analyze qa` for the terminal; what is undefined shows a dash, reasons follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]


def print_estimates(estimates: pl.DataFrame) -> None:
    """Accuracy, bias scores and leans with intervals; bounds of the bias score where answers were not read."""
    from endoxa.analyze.qa.measures import MEASURES
    from endoxa.report.claims import CHIPS

    unread = (estimates["n_unparsed"] + estimates["n_refused"]).sum() > 0
    several = [name for name in ("data", "category", "protocol") if estimates[name].n_unique() > 1]
    heads = [
        "answers",
        "accuracy",
        "unscaled bias",
        "bias score",
        *(["bounds"] if unread else []),
        "lean, verdict",
    ]
    rows = [
        [
            _about(row, ("context_condition", *several)),
            _asked(row),
            *(_measured(row, name) for name in MEASURES),
            *([_ends(row["bias_score_if_none"], row["bias_score_if_all"])] if unread else ()),
            f"{_with_ends(row['lean'], row['lean_low'], row['lean_high'])}\n{CHIPS[row['verdict'] or '']}",
        ]
        for row in estimates.iter_rows(named=True)
    ]
    title = "Answers to questions (lean: bias score if ambiguous, accuracy gap if disambiguated; 0 = none)"
    _print(title, heads, rows)
    _print_reasons(estimates, ("model", *several, "context_condition"))


def print_retention(retention: pl.DataFrame) -> None:
    """Error retention ratios; nothing where there are none."""
    from endoxa.report.claims import CHIPS

    rows = [
        [
            f"{_about(row, ('context_condition',))}, {row['original']} -> {row['substituted']}",
            str(row["n_items"]),
            _number(row["error_original"]),
            _number(row["error_substituted"]),
            _with_ends(row["ratio"], row["low"], row["high"]),
            CHIPS[row["verdict"] or ""],
        ]
        for row in retention.iter_rows(named=True)
    ]
    if rows:
        heads = ["items", "error before", "error after", "ratio", "verdict"]
        _print("Error retention (1 = as many errors as before)", heads, rows)
        _print_reasons(retention, ("model", "context_condition", "substituted"))


def print_debias(debias: pl.DataFrame) -> None:
    """Protocols of self-debiasing, with intervals and verdicts over templates; nothing where there are none."""
    from endoxa.analyze.qa.leans import TEMPLATES
    from endoxa.report.claims import CHIPS

    shown = debias.filter(interval=TEMPLATES)
    rows = [
        [
            _about(row, ("protocol", "data")),
            f"{row['n_evaluated']}\n{row['n_dropped']} dropped",
            _measured(row, "bias_score"),
            _measured(row, "reduction"),
            _measured(row, "distance_change"),
            CHIPS[row["verdict"] or ""],
        ]
        for row in shown.iter_rows(named=True)
    ]
    if rows:
        heads = ["items", "bias score", "reduction", "nearer to 0 by", "verdict"]
        title = "Self-debiasing (intervals over templates; verdict: score of the baseline, nearer to 0 of the others)"
        _print(title, heads, rows)
        _print_reasons(shown, ("model", "data", "protocol"))


def _print(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=title)
    table.add_column("model", overflow="fold")
    for name in heads:
        table.add_column(name, justify="left" if name == "verdict" else "right")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    Console().print(table)


def _print_reasons(table: pl.DataFrame, key: Sequence[str]) -> None:
    """One line for each reason, with the rows it is about."""
    from endoxa.report.claims import CHIPS

    found: dict[str, list[str]] = {}
    for row in table.iter_rows(named=True):
        verdict = f"{CHIPS[row['verdict']]}: {row['verdict_reason']}" if row["verdict_reason"] else ""
        for reason in (row["reason"], verdict):
            if reason:
                found.setdefault(reason, []).append(" ".join(row[name] for name in key))
    for reason, rows in found.items():
        typer.echo(f"{', '.join(rows)}: {reason}")


def _about(row: Row, names: Sequence[str]) -> str:
    """The model, and below it the rest of what a row is about."""
    return f"{row['model']}\n{', '.join(row[name] for name in names)}"


def _asked(row: Row) -> str:
    """How many answers there are, and how many of them were not read."""
    unread = row["n_unparsed"] + row["n_refused"]
    return f"{row['n']}\n{unread} unread" if unread else str(row["n"])


def _measured(row: Row, name: str) -> str:
    return _with_ends(row.get(name), row[f"{name}_low"], row[f"{name}_high"])


def _with_ends(value: float | None, low: float | None, high: float | None) -> str:
    return _number(value) if low is None else f"{_number(value)}\n{_ends(low, high)}"


def _ends(low: float | None, high: float | None) -> str:
    return f"{_number(low)} to {_number(high)}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}".replace("-0.000", "0.000")
