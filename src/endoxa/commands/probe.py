"""`endoxa probe`: one command for each instrument, made from its declaration."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from endoxa.commands.options import run_settings
from endoxa.commands.plugins import SUMMARIES, Lazy
from endoxa.commands.verbs import Outcome, Printing, carry_out, command_function, plan_line, single_command
from endoxa.errors import UserError
from endoxa.export.trackers import log_run, require_tracker
from endoxa.runs.folder import RUN, data_notes, run_folder, with_paths
from endoxa.runs.instrument import INSTRUMENTS, Instrument, Run
from endoxa.runs.options import RunSettings
from endoxa.runs.progress import shown
from endoxa.runs.run import run
from endoxa.schema.headline import Headline
from endoxa.schema.options import ASKING, OUTPUT, Option, options_of, settings_from
from endoxa.sources.source import reading_files
from endoxa.words.state import unreviewed

USUAL_PRINTING = Printing()

Log = Annotated[
    Literal["mlflow", "wandb"] | None,
    Option("Also send estimates, settings, page and tables to MLflow or Weights & Biases.", OUTPUT),
]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of every run.

    Attributes:
        printing: what is printed.
        out: Run folder.
        restart: Discard what the run folder holds, or continue it.
        plan: Only print what the run would take or show; measure nothing.
        repeat: Take all settings from the run.json of this run. Servers on other machines have to be named with
            --model as well, and code that comes with a model needs --set trust_remote_code=yes.
        conditions: Conditions (TOML, a table for each): a run for each in a folder of RUN; or laces, debias.
        log: the tracker that is sent the results.
    """

    out: Annotated[Path | None, Option(group=OUTPUT, short="-o", metavar="RUN")] = None
    restart: Annotated[bool, Option(group=OUTPUT, name="--restart/--resume", default="resume")] = False
    plan: Annotated[bool, Option(group=OUTPUT, only_on=True)] = False
    repeat: Annotated[Path | None, Option(group=OUTPUT, metavar="RUN")] = None
    conditions: Annotated[str | None, Option(group=ASKING, metavar="FILE|NAME")] = None
    log: Log = None
    printing: Printing = USUAL_PRINTING


CONFIRMING = ("--model", "--set trust_remote_code", "--set ray_address")
"""Options that may be given beside --repeat: they allow what only the run asks for."""


def _command(name: str) -> Any:
    """The command of an instrument."""
    instrument = INSTRUMENTS.get(name)

    def body(make: Any, typed: Mapping[str, Any], how: RunOptions) -> None:
        printing = USUAL_PRINTING if how.plan else how.printing
        carry_out(lambda: _probed(instrument, make, typed, how), printing)

    callback = command_function(instrument.settings, body, RunOptions, later=True)
    return single_command(name, instrument.help, callback)


class Instruments(TyperGroup):
    """The group `endoxa probe`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = Lazy(INSTRUMENTS.entry_names, _command)  # type: ignore[assignment]


app = typer.Typer(cls=Instruments, rich_markup_mode=None, no_args_is_help=True, help=SUMMARIES["probe"])


def _probed(instrument: Instrument[Any], make: Any, typed: Mapping[str, Any], how: RunOptions) -> Outcome:
    """A plan, a run, or a run for each condition.

    Raises:
        UserError: any user error.
    """
    if how.log is not None:
        require_tracker(how.log)
    if how.repeat is not None:
        beside = {"--plan": how.plan, "--conditions": how.conditions}
        others = [*sorted(set(typed) - set(CONFIRMING)), *(word for word in beside if beside[word])]
        if others:
            raise UserError(f"--repeat takes all settings from RUN: leave out {', '.join(others)}.")
        repeated = run_folder(how.repeat)
        values, recorded = run_settings(
            instrument.settings, repeated / RUN if repeated.is_dir() else repeated
        )
        settings = settings_from(instrument.settings, values)
        _require_recorded(settings, typed, repeated)
        return _run(instrument, settings, how, expected=dict(recorded.get("identity", {})))
    settings = with_paths(make())
    if how.conditions is not None:
        return _run_conditions(instrument, settings, typed, how)
    if not how.plan:
        return _run(instrument, settings, how)
    if instrument.plan is None:
        raise UserError(f"There is no plan for `endoxa probe {instrument.name}`: leave out --plan.")
    with reading_files(include_drafts=settings.include_drafts):
        words = instrument.words(settings) if instrument.words else {}
        return Outcome(filter(None, (plan_line(instrument.plan(settings)), unreviewed(words.items()))))


def _run(
    instrument: Instrument[Any],
    settings: RunSettings,
    how: RunOptions,
    expected: dict[str, Any] | None = None,
) -> Outcome:
    """A run: what was done, what came out, and what to do next."""
    with shown(instrument.unit) as progress:
        done = run(
            instrument,
            settings,
            _out(how),
            restart=how.restart,
            expected=expected,
            progress=progress,
            command=sys.argv,
        )
    summary = instrument.summary(settings, done)  # may write files that the settings ask for
    lines = [*summary, *_logged(done, how), *data_notes(done.facts)]
    if done.was_complete:
        complete = f"{done.folder} was complete already; nothing was measured (--restart does it again)."
        lines.insert(0, complete)
    headline = _headline(instrument, done)
    lines += [f"\n{headline}"] if headline else []
    if done.counts.get("records", 1):
        lines.append(f"Next: {instrument.following(done.folder)}")
    return Outcome(lines, facts=_as_json(instrument, done, headline))


def _headline(instrument: Instrument[Any], done: Run) -> Headline | None:
    """The rows that stand for a run; None where it has none, or no records."""
    return instrument.headline_of(done.folder) if done.counts.get("records", 1) else None


def _logged(done: Run, how: RunOptions) -> list[str]:
    """Send a finished run to the tracker that was named, and say where it is."""
    return [log_run(done.folder, how.log)] if how.log and done.counts.get("records", 1) else []


def _out(how: RunOptions) -> Path:
    if how.out is None:
        raise UserError("No run folder was given: name one with --out (or look at --plan).")
    return how.out


def _run_conditions(
    instrument: Instrument[Any], settings: RunSettings, typed: Mapping[str, Any], how: RunOptions
) -> Outcome:
    """Plan or run every condition, say what came of each, and what to do next.

    Args:
        instrument: what is measured.
        settings: of the command.
        typed: what was typed of them, by option.
        how: options of the run; `conditions` is set.
    """
    from endoxa.runs.conditions import plan_conditions, read_conditions, run_conditions

    options = options_of(instrument.settings)
    values = {entry.path: reduce(getattr, entry.path, settings) for entry in options if entry.name in typed}
    conditions = read_conditions(how.conditions or "", instrument, values)
    if how.plan:
        with reading_files(include_drafts=settings.include_drafts):
            return Outcome([plan_line(plan_conditions(instrument, conditions))])
    out = _out(how)
    with shown(instrument.unit) as progress:
        runs = run_conditions(
            instrument, conditions, out, restart=how.restart, progress=progress, command=sys.argv
        )
    compared = [conditions.baseline, *(name for name in runs if name != conditions.baseline)]
    words = " ".join(f"{out}#{name}" for name in compared)
    shown_rows = {name: _headline(instrument, done) for name, done in runs.items()}
    lines = (
        *(f"{name}: {_condition_line(instrument, done, shown_rows[name])}" for name, done in runs.items()),
        *(line for done in runs.values() for line in _logged(done, how)),
        f"Next: endoxa compare {words} -o {out / 'compare.html'}",
    )
    facts = {name: _as_json(instrument, done, shown_rows[name]) for name, done in runs.items()}
    return Outcome(lines, facts=facts)


def _condition_line(instrument: Instrument[Any], done: Run, headline: Headline | None) -> str:
    """What came of the run of a condition, on one line."""
    parts = [f"{done.counts['items']} {instrument.holds}"]
    if headline is not None:
        several = len({row.get("model") for row in headline.rows}) > 1
        for row in headline.texts:
            cells = zip(headline.columns, row, strict=True)
            shown = (
                f"{column} {text}"
                for column, text in cells
                if text not in ("", "–") and (several or column != "model")
            )
            parts.append(", ".join(shown))
    costs = [dollars for dollars in done.cost.values() if dollars]
    failed = sum(done.errors.values())
    parts += [f"${sum(costs):.4f}"] if costs else []
    parts += [f"{failed} requests failed"] if failed else []
    return "; ".join(parts) + (" (was complete)" if done.was_complete else "")


def _as_json(instrument: Instrument[Any], done: Run, headline: Headline | None) -> dict[str, Any]:
    """What a script wants to know of a run."""
    facts = {
        "run": str(done.folder),
        "kind": instrument.name,
        "counts": dict(done.counts),
        "headline": [dict(row) for row in headline.rows] if headline else [],
    }
    besides: dict[str, Any] = {"notes": data_notes(done.facts)}
    if headline:
        besides |= {"warnings": list(headline.warnings), "diagnostics": [*map(dict, headline.diagnostics)]}
    return facts | {name: value for name, value in besides.items() if value}


def _require_recorded(settings: RunSettings, typed: Mapping[str, Any], run: Path) -> None:
    """Refuse to confirm what a run does not ask for.

    Raises:
        UserError: an option says something else than the run.
    """
    for entry in options_of(type(settings)):
        if entry.name not in typed:
            continue
        value, recorded = typed[entry.name], reduce(getattr, entry.path, settings)
        agrees = set(value) <= set(recorded) if isinstance(value, tuple) else value == recorded
        if not agrees:
            raise UserError(
                f"--repeat takes all settings from RUN, and {run} has other ones for {entry.name}: leave it out."
            )
