"""`endoxa probe`: one command for each instrument, made from its declaration."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from endoxa.errors import UserError
from endoxa.schema.options import OUTPUT, options_of
from endoxa.schema.terminal import terminal_console, terminal_table

if TYPE_CHECKING:
    from endoxa.commands.settings_command import RunOptions
    from endoxa.runs.instrument import Instrument, Plan, Run
    from endoxa.runs.settings import RunSettings


CONFIRMING = ("--model", "--trust-remote-code", "--ray-address")
"""Options that may be given beside --repeat: they allow what only the run asks for."""


class Commands(Mapping[str, Any]):
    """The commands of all instruments by name; each is made when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        from endoxa.commands.settings_command import settings_command
        from endoxa.runs.instrument import INSTRUMENTS

        if name not in INSTRUMENTS.entry_names():
            raise KeyError(name)
        instrument = INSTRUMENTS.get(name)
        return settings_command(name, instrument.help, instrument.settings, _probe(instrument))

    def __iter__(self) -> Iterator[str]:
        from endoxa.runs.instrument import INSTRUMENTS

        return iter(INSTRUMENTS.entry_names())

    def __len__(self) -> int:
        return len(list(iter(self)))


class Instruments(TyperGroup):
    """The group `endoxa probe`."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = Commands()  # type: ignore[assignment]


app = typer.Typer(
    cls=Instruments,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Measure models: items and models in, a run folder out.",
)


@app.callback()
def _probe_group() -> None:
    """Measure models: items and models in, a run folder out."""


def _probe(instrument: Instrument[Any]) -> Any:
    """What the command of an instrument does."""

    def probe(make: Any, given: Mapping[str, Any], how: RunOptions) -> None:
        from endoxa.sources.statuses import reading_drafts

        if how.repeat is not None:
            if others := [*sorted(set(given) - set(CONFIRMING)), *(["--plan"] if how.plan else [])]:
                raise UserError(f"--repeat takes all settings from RUN: leave out {', '.join(others)}.")
            settings, identity = recorded_settings(instrument, how.repeat)
            _require_recorded(settings, given, how.repeat)
            _run(instrument, settings, how, expected=identity)
            return
        settings = make()
        if how.plan:
            with reading_drafts(include=settings.include_drafts):
                _print_plan(instrument, settings)
        else:
            _run(instrument, settings, how)

    return probe


def _run(
    instrument: Instrument[Any],
    settings: RunSettings,
    how: RunOptions,
    expected: dict[str, Any] | None = None,
) -> None:
    from endoxa.runs.progress import shown
    from endoxa.runs.run import run

    out = how.out
    if out is None:
        raise UserError("No run folder was given: name one with --out (or look at --plan).")
    with nullcontext(lambda *_: None) if how.printing.quiet else shown(instrument.unit) as progress:
        done = run(
            instrument,
            settings,
            out,
            restart=how.restart,
            expected=expected,
            progress=progress,
            command=sys.argv,
        )
    lines = list(instrument.summary(settings, done))  # may write files that the settings ask for
    if how.printing.json:
        typer.echo(json.dumps(_as_json(instrument, done), ensure_ascii=False, indent=1))
    elif not how.printing.quiet:
        _print_done(instrument, done, lines)


def _print_done(instrument: Instrument[Any], done: Run, lines: Sequence[str]) -> None:
    """Say what was done, what came out, and what to do next."""
    from endoxa.runs.folder import data_notes

    if done.was_complete:
        typer.echo(f"{done.folder} was complete already; nothing was measured (--restart does it again).")
    for line in (*lines, *data_notes(done.facts)):
        typer.echo(line)
    if not done.counts.get("records", 1):
        return
    if (headline := instrument.headline_of(done.folder)) is not None:
        typer.echo(f"\n{headline}")
    typer.echo(f"Next: {instrument.following(done.folder)}")


def _as_json(instrument: Instrument[Any], done: Run) -> dict[str, Any]:
    """What a script wants to know of a run."""
    from endoxa.runs.folder import data_notes

    records = done.counts.get("records", 1)
    headline = instrument.headline_of(done.folder) if records else None
    notes = data_notes(done.facts)
    warnings = list(headline.warnings) if headline else []
    return {
        "run": str(done.folder),
        "kind": instrument.name,
        "counts": dict(done.counts),
        "headline": [dict(row) for row in headline.rows] if headline else [],
        **({"notes": notes} if notes else {}),
        **({"warnings": warnings} if warnings else {}),
    }


def _print_plan(instrument: Instrument[Any], settings: RunSettings) -> None:
    if instrument.plan is None:
        raise UserError(f"There is no plan for `endoxa probe {instrument.name}`: leave out --plan.")
    print_plan(instrument.plan(settings))
    if instrument.words is not None:
        from endoxa.words import unreviewed

        line = unreviewed(instrument.words(settings).items())
        if line:
            typer.echo(line)


def print_plan(plan: Plan) -> None:
    """Print a plan as a table, with its note below."""
    from rich.markup import escape

    table = terminal_table(plan.title)
    for number, name in enumerate(plan.columns):
        if number < plan.texts:
            table.add_column(name, overflow="fold")
        else:
            table.add_column(name, justify="right", no_wrap=True)
    for row in plan.rows:
        table.add_row(*map(escape, row))
    terminal_console().print(table)
    if plan.note:
        typer.echo(plan.note)


def _require_recorded(settings: RunSettings, given: Mapping[str, Any], run: Path) -> None:
    """Refuse to confirm what a run does not ask for.

    Raises:
        UserError: an option says something else than the run.
    """
    for one in options_of(type(settings)):
        if one.name not in given:
            continue
        value, recorded = given[one.name], reduce(getattr, one.path, settings)
        agrees = set(value) <= set(recorded) if isinstance(value, tuple) else value == recorded
        if not agrees:
            raise UserError(
                f"--repeat takes all settings from RUN, and {run} has other ones for {one.name}: leave it out."
            )


def recorded_settings(instrument: Instrument[Any], run: Path) -> tuple[RunSettings, dict[str, Any]]:
    """Settings and identity kept in a run folder.

    Raises:
        UserError: it is not a run of this instrument.
    """
    from pydantic import ValidationError

    path = run / "run.json" if run.is_dir() else run
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        given = kept["settings"]
        for option in options_of(instrument.settings):
            if option.is_file and option.option.group == OUTPUT:
                given.pop(option.path[0], None)  # only the command may say what is written outside of --out
        settings: RunSettings = instrument.settings.model_validate(given)
        return settings, dict(kept["identity"])
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as problem:
        raise UserError(f"{path} holds no settings of a run of {instrument.holds} to repeat.") from problem
