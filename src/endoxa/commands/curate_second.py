"""The second reader of `endoxa curate extract`: a chat model that reads every statement, too."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from endoxa.report.words import plural

if TYPE_CHECKING:
    import polars as pl

    from endoxa.curate.normalise import Tables
    from endoxa.curate.second import ReaderSettings


def reader_settings(
    survey: Path, model: str, *, batch: bool, max_cost: float | None, price: str | None
) -> ReaderSettings:
    """Settings of the second reader that the command line names."""
    from endoxa.curate.second import ReaderSettings
    from endoxa.schema.options import settings_from

    values = {"data": str(survey), "models": (model,), "batch": batch, "max_cost": max_cost, "price": price}
    return settings_from(
        ReaderSettings, {(name,): value for name, value in values.items() if value not in (None, False)}
    )


def print_reader_plan(table: pl.DataFrame, reader: ReaderSettings) -> None:
    """Print expected calls, tokens and cost."""
    from endoxa.commands.probe import print_plan
    from endoxa.curate.second import plan_reader, reader_items
    from endoxa.runs.asking.plan import plan_table

    print_plan(plan_table(plan_reader(reader_items(table), reader)))


def read_twice(
    table: pl.DataFrame, reader: ReaderSettings, output: Path, known: Tables | None
) -> pl.DataFrame:
    """The table with the reading of both readers that stands; the model's own goes into a table beside the output."""
    from endoxa.curate.second import second_reading
    from endoxa.runs.progress import shown
    from endoxa.sources.frames import write_table

    folder = output.with_name(f"{output.name}.model")
    beside = output.with_name(f"{output.stem}.model{output.suffix}")
    with shown("statements") as progress:
        both = second_reading(table, reader, folder, names=known, progress=progress, command=sys.argv)
    write_table(both.model, beside)
    unread = f"; {plural(both.unread, 'answer')} could not be read" if both.unread else ""
    typer.echo(
        f"{plural(both.n_read, 'statement')} read by {reader.models[0]} ({beside}){unread}; the readers differ on "
        f"{both.differing} (flag 'readers-differ')"
    )
    for line in both.cost:
        typer.echo(line)
    return both.combined
