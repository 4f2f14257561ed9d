"""What every command that asks models says of its run folder.

What `--plan` prints of every command that asks chat models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from endoxa.engine.asking.plan import Planned
    from endoxa.engine.asking.run import Filled


def require_out(out: Path | None) -> Path:
    """The run folder.

    Raises:
        UserError: none was given.
    """
    from endoxa.errors import UserError

    if out is None:
        raise UserError("No run folder was given: name one with --out (or look at --plan).")
    return out


def print_run(filled: Filled, counted: str) -> None:
    """Print what was asked, where it is, and what it cost."""
    if filled.was_complete:
        typer.echo(f"{filled.folder} was complete already; nothing was asked (--restart does it again).")
    typer.echo(f"{counted}: {filled.folder / 'records.parquet'}")
    for model, dollars in filled.cost.items():
        if dollars:
            typer.echo(f"{model}: ${dollars:.4f}")
    print_errors(filled.errors)


def print_errors(errors: Mapping[str, int]) -> None:
    """Print how many conversations of each model ended with an error."""
    for model, count in errors.items():
        if count:
            typer.echo(
                f"{model}: {count} ended with an error and have no answer (--retry-errors asks them again)."
            )


def print_plan(planned: Sequence[Planned]) -> None:
    """Print calls, tokens and cost by model, before anything is asked."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="Expected calls, tokens and cost (tokens: 4 bytes each, roughly)")
    table.add_column("model", overflow="fold")
    for name in ("calls", "tokens sent", "tokens received", "US dollars", "price in, out"):
        table.add_column(name, justify="right")
    for row in planned:
        price = row.price
        table.add_row(
            escape(row.model),
            f"{row.expected.calls:,}",
            _span(f"{row.expected.prompt_tokens:,}", f"{row.most.prompt_tokens:,}"),
            _span(f"{row.expected.completion_tokens:,}", f"{row.most.completion_tokens:,}"),
            _cost(row),
            "-" if price is None else f"{price.input_per_million:g}, {price.output_per_million:g}",
        )
    Console().print(table)


def _cost(row: Planned) -> str:
    if row.price is None:
        return row.unpriced
    return _span(_dollars(row.dollars or 0.0), _dollars(row.most_dollars or 0.0))


def _dollars(amount: float) -> str:
    """Cents matter below a dollar."""
    return f"{amount:.2f}" if amount >= 1 else f"{amount:.4f}"


def _span(low: str, high: str) -> str:
    """Both ends, or the one that they are."""
    return low if low == high else f"{low} to {high}"
