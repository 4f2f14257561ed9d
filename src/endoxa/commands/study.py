"""`endoxa study`: the same associations through several instruments."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.commands.settings_command import Printing, add_command
from endoxa.runs.options import Allowed
from endoxa.schema.options import DATA, OUTPUT, Option
from endoxa.schema.terminal import terminal_console, terminal_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endoxa.study.file import Study
    from endoxa.study.items import Items
    from endoxa.study.run import Done

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Measure the same associations with several instruments, and compare what they find.",
)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the study.")]


def init(
    folder: Folder,
    *,
    source: Annotated[
        Path, Option("Associations: columns identity and attribute.", DATA, name="--from", metavar="FILE")
    ],
    model: Annotated[
        tuple[str, ...],
        Option(
            "Model; repeatable. Each instrument takes those it can.",
            DATA,
            metavar="MODEL",
            default="sim/latent",
        ),
    ] = (),
    language: Annotated[
        tuple[str, ...],
        Option("Language (ISO 639); repeatable.", DATA, metavar="CODE", default="those of the associations"),
    ] = (),
) -> None:
    """Write a study file to edit: associations, models, instruments and their settings, seed, budget.

    Without --model the study is a rehearsal with a simulated model. stories.csv says which values of main characters
    mean which association; the suggestions in it have to be looked at.

    \b
    Examples:
      endoxa study init out/study --from associations.csv
      endoxa study init out/study --from associations.csv --model hf/openai-community/gpt2 --model openai/gpt-4o-mini
    """  # noqa: D301
    from endoxa.study.init import init_study

    count, suggested = init_study(folder, source, model, language)
    values = f", {len(suggested)} of them with suggested values of stories" if suggested else ""
    typer.echo(f"{count} associations{values}: {folder}")
    typer.echo(
        f"Next: edit {folder / 'study.toml'} and {folder / 'stories.csv'}, then: endoxa study plan {folder}"
    )


def plan(folder: Folder, *, allowed: Allowed) -> None:
    """Show what the study takes: items, calls, dollars, hours, and what each instrument can detect.

    \b
    Examples:
      endoxa study plan out/study
    """  # noqa: D301
    from endoxa.commands.probe import print_plan
    from endoxa.study.file import read_study
    from endoxa.study.plan import plan_study, plan_table

    study = read_study(folder, allowed)
    items, rows = plan_study(study)
    _tell(items)
    print_plan(plan_table(items, rows))
    if study.budget is not None:
        typer.echo(f"Budget: ${study.budget:g} for all of it.")
    typer.echo(f"Next: endoxa study run {folder}")


def run(folder: Folder, *, allowed: Allowed, printing: Printing) -> None:
    """Run every instrument of the study; what is measured already is not measured again.

    A study that was stopped continues with the same command. Where settings or associations have changed, only the runs
    that depend on them are made again; the old ones are kept in DIR/earlier and used again if the settings return.

    \b
    Examples:
      endoxa study run out/study
    """  # noqa: D301
    import json
    from contextlib import nullcontext

    from endoxa.runs.progress import shown
    from endoxa.study.file import read_study
    from endoxa.study.run import run_study, total_cost

    study = read_study(folder, allowed)
    with nullcontext(lambda *_: None) if printing.quiet else shown("items") as progress:
        items, done = run_study(study, progress, sys.argv)
    if printing.json:
        typer.echo(json.dumps({one.step.name: dict(one.run.counts) for one in done}, indent=1))
    elif not printing.quiet:
        _tell(items)
        _tell_runs(study, done)
        typer.echo(f"Spent: ${total_cost(study):.2f}")
        typer.echo(f"Next: endoxa study report {folder} -o study.html")


def report(
    folder: Folder,
    *,
    allowed: Allowed,
    out: Annotated[Path, Option("Page to write (.html).", OUTPUT, short="-o")],
) -> None:
    """Write the page of the study: findings, convergence of the instruments, and the page of each instrument.

    Beside the page lie the tables effects.csv, correlations.csv and agreement.csv, and the page of each instrument.

    \b
    Examples:
      endoxa study report out/study -o out/study.html
    """  # noqa: D301
    from endoxa.study.file import read_study
    from endoxa.study.report import write_study

    written = write_study(read_study(folder, allowed), out)
    typer.echo(str(written.headline) if written.headline.rows else "\n".join(written.headline.notes))
    for path in written.files:
        typer.echo(f"Written: {path}")


add_command(app, init)
add_command(app, plan)
add_command(app, run)
add_command(app, report)


def _tell(items: Sequence[Items]) -> None:
    """Say on stderr which associations have no item."""
    from endoxa.study.items import left_out_lines

    for one in items:
        for line in left_out_lines(one):
            typer.echo(line, err=True)


def _tell_runs(study: Study, done: Sequence[Done]) -> None:
    """A row for each run: where it is, and what was done."""
    table = terminal_table()
    for name in ("run", "folder", "items", "records", ""):
        table.add_column(name, overflow="fold")
    for one in done:
        what = "was complete" if one.run.was_complete else "begun anew" if one.again else "done"
        counts = one.run.counts
        folder = str(one.step.folder(study))
        table.add_row(one.step.name, folder, str(counts["items"]), str(counts.get("records", "")), what)
    terminal_console().print(table)
