"""Verbs: a function whose parameters declare its options; the command and the Python function are made from it.

    def learn(
        reviewed: Annotated[tuple[Path, ...], argument(metavar="REVIEWED...")],
        *,
        out: Annotated[Path, Option(group=OUTPUT, short="-o")],
        how: Resampling,
    ) -> Outcome:
        '''Learn names and spellings.

        Options:
            reviewed: Gold files.
            out: Lexicon (TOML).
        '''

A parameter whose type is a settings class stands for all options of the class. Typer is kept because the campaign site
uses it; what is added here is the way from declared options to its own.
"""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, field, make_dataclass, replace
from functools import partial, reduce
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer
from typer.main import get_command

from endoxa.commands.options import Further, read_value, values_set
from endoxa.commands.plugins import SUMMARIES
from endoxa.commands.settings_command import GroupedCommand
from endoxa.errors import UserError
from endoxa.runs.progress import without_progress
from endoxa.schema.headline import Headline
from endoxa.schema.options import OUTPUT, Option, OptionField, is_settings, options_of, settings_from

if TYPE_CHECKING:
    import polars as pl

    from endoxa.runs.instrument import Plan


@dataclass(frozen=True, slots=True)
class Printing:
    """What a command prints of its results.

    Attributes:
        quiet: Print warnings and errors only.
        json: Print the headline as JSON, for scripts, and nothing else.
    """

    quiet: Annotated[bool, Option(group=OUTPUT, only_on=True)] = False
    json: Annotated[bool, Option(group=OUTPUT, only_on=True)] = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a verb.

    Attributes:
        lines: what the terminal shows: sentences, headlines, tables.
        tables: data frames by the option that names the file of each; those whose file was named are written. Where
            `out` is declared by `TABLES`, by the names of the files in its folder, the main one first; None for a table
            that this command can make and did not.
        headline: the few rows that stand for the result.
        notes: sentences beside the result, on stderr.
        facts: what `--json` prints, where it is not the headline or the table.
        exit_code: of the command.
        file: the main table that was written, of those of `TABLES`.
    """

    lines: Iterable[str | Headline] = ()
    tables: Mapping[str, Any] = field(default_factory=dict)
    headline: Headline | None = None
    notes: Sequence[str] = ()
    facts: Any = None
    exit_code: int = 0
    file: Path | None = None

    def __str__(self) -> str:
        """What the terminal shows."""
        return "\n".join(map(str, self.lines))


@dataclass(frozen=True, slots=True)
class Verb:
    """One declaration, from which the command and the Python function are made.

    Attributes:
        name: its words ("curate group").
        help: a sentence, paragraphs and examples.
        settings: a class; every argument and option is a field.
        run: does it.
    """

    name: str
    help: str
    settings: type[Any]
    run: Callable[[Any], Outcome]

    def done(self, settings: Any) -> Outcome:
        """Carry it out, and write its tables; each input is opened once, and `RUN#NAME` is the run of a condition.

        Raises:
            UserError: any user error.
        """
        from endoxa.runs.folder import with_paths
        from endoxa.sources.source import reading_files

        layout = getattr(settings, "layout", None)  # of the commands that have `Layout`
        drafts = getattr(getattr(settings, "reading", None), "include_drafts", None)
        with reading_files(include_drafts=drafts, **(layout.reading if layout else {})):
            return self._run_and_write(with_paths(settings))

    def _run_and_write(self, settings: Any) -> Outcome:
        from endoxa.sources.files import require_apart
        from endoxa.sources.frames import require_table_name, write_table

        outputs: dict[str, tuple[OptionField, Path]] = {}
        inputs: list[Path] = []
        for entry in options_of(self.settings):
            value = reduce(getattr, entry.path, settings)
            paths = [
                path for path in (value if isinstance(value, tuple) else (value,)) if isinstance(path, Path)
            ]
            if entry.option.group != OUTPUT:
                inputs += paths
            elif isinstance(value, Path):
                outputs[entry.path[-1]] = entry, value
        require_apart([path for _, path in outputs.values()], inputs)
        for entry, path in outputs.values():
            ending, tables = entry.option.ending, entry.option is TABLES
            if ending and path.suffix.lower() != ending:
                raise UserError(f"{entry.name} {path}: expected a file that ends in {ending}.")
            if entry.option.table or (tables and path.suffix):
                require_table_name(path)
            folder = path.parent if path.suffix else path
            if tables and (folder / "run.json").exists():
                raise UserError(f"{entry.name}: '{folder}' is a run folder. Name another place for tables.")
        outcome = self.run(settings)
        outcome = replace(outcome, lines=tuple(outcome.lines))
        if outcome.tables and "out" in outputs and outputs["out"][0].option is TABLES:
            place = outputs["out"][1]
            written = _write_tables(outcome.tables, place, inputs)
            names = "" if place.suffix else f" ({', '.join(path.name for path in written)})"
            return replace(outcome, lines=(*outcome.lines, f"Written: {place}{names}"), file=written[0])
        for name in outcome.tables.keys() & outputs.keys():
            write_table(outcome.tables[name], outputs[name][1])
        return outcome


def _write_tables(tables: Mapping[str, Any], out: Path, inputs: Sequence[Path]) -> list[Path]:
    """Write the main table to a file, or every one into a folder, without those that an earlier command left there."""
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import write_table

    if out.suffix:
        tables = {"": next(iter(tables.values()))}
    paths = {name: out / f"{name}.csv" if name else out for name in tables}
    require_apart(paths.values(), inputs)
    written = [
        name
        for place, name in enumerate(tables)
        if place == 0 or (tables[name] is not None and len(tables[name]))
    ]
    for name, path in paths.items():
        if name in written:
            write_table(tables[name], path)
        else:
            path.unlink(missing_ok=True)
    return [paths[name] for name in written]


TABLES = Option(
    "The main table (.csv, .tsv, .jsonl, .parquet), or a folder for every table of the analysis.",
    OUTPUT,
    short="-o",
    metavar="FILE|FOLDER",
)
"""The option `out` of an analysis of several tables."""


def table_option(what: str) -> Option:
    """The option `out` of a command that writes one table."""
    return Option(f"{what}: .csv, .tsv, .jsonl or .parquet.", OUTPUT, short="-o", table=True)


VERBS: dict[str, Verb] = {}
"""Every verb by its words."""


def argument(text: str = "", metavar: str = "FILE", sample: str = "") -> Option:
    """A word of a command that has no name in front."""
    return Option(text, "Data", metavar=metavar, positional=True, sample=sample)


def verb_of(function: Callable[..., Outcome | None], name: str) -> Verb:
    """The verb that a function declares."""
    hints = get_type_hints(function, include_extras=True)
    fields: list[Any] = []
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        if parameter.default is not parameter.empty:
            fields.append((parameter.name, hint, field(default=parameter.default)))
        elif is_settings(hint) and all(entry.default is not ... for entry in options_of(hint)):
            fields.append((parameter.name, hint, field(default_factory=hint)))
        else:
            fields.append((parameter.name, hint))
    text = inspect.getdoc(function) or ""
    settings = make_dataclass(
        f"{function.__name__}_settings", fields, namespace={"__doc__": text}, frozen=True, kw_only=True
    )

    def run(values: Any) -> Outcome:
        return function(**{name: getattr(values, name) for name in hints if name != "return"}) or Outcome()

    return Verb(name, text.partition("\n\nOptions:\n")[0], settings, run)


def command_group(name: str) -> typer.Typer:
    """The app of a group of commands (`endoxa curate`)."""
    return typer.Typer(name=name, help=SUMMARIES[name], rich_markup_mode=None, no_args_is_help=True)


def add_command(
    app: typer.Typer,
    function: Callable[..., Outcome | None],
    name: str = "",
    following: str = "",
    *,
    printing: bool = False,
) -> None:
    """Add the command that a function declares to an app.

    Args:
        app: the app; that of a group has its word.
        function: what the command does.
        name: its word; by default that of the function.
        following: what to do next; {out} stands for the main file that was written, {runs} for the runs that were read,
            {settings} for what was typed, {language} for the option that names the one language of the table.
        printing: it has the options of `Printing`.
    """
    name = name or function.__name__
    verb = verb_of(function, f"{app.info.name or ''} {name}".strip())
    VERBS[verb.name] = verb

    def body(settings: Callable[[], Any], _typed: Mapping[str, Any], how: Any) -> None:
        made, printed = settings(), how or Printing()

        def work() -> Outcome:
            outcome = verb.done(made)
            out = outcome.file or getattr(made, "out", None)
            if out is None:
                return outcome
            if printed.json and outcome.facts is None:
                return replace(outcome, facts=_rows(outcome, out))
            if not following:
                return outcome
            runs = getattr(made, "runs", None) or [getattr(made, "run", None)]
            words = " ".join(str(path or "RUN...") for path in runs)
            language = language_option(outcome.tables.get("out"))
            sentence = following.format(out=out, runs=words, settings=made, language=language)
            return replace(outcome, lines=(*outcome.lines, f"Next: {sentence}"))

        carry_out(work, printed)

    callback = command_function(verb.settings, body, Printing if printing else None)
    app.command(name, help=verb.help, cls=GroupedCommand)(callback)


def carry_out(work: Callable[[], Outcome], printing: Printing) -> None:
    """Do it, and print what came of it: sentences and tables, or JSON, or nothing.

    Raises:
        typer.Exit: its exit code is not 0.
    """
    with (
        redirect_stdout(StringIO()) if printing.quiet or printing.json else nullcontext(),
        without_progress() if printing.quiet else nullcontext(),
    ):
        outcome = work()
    if printing.json:
        if outcome.facts is not None:
            typer.echo(json.dumps(outcome.facts, ensure_ascii=False, indent=1))
    elif not printing.quiet:
        note(*outcome.notes)
        for line in outcome.lines:
            typer.echo(str(line))
    if outcome.exit_code:
        raise typer.Exit(outcome.exit_code)


def language_option(table: pl.DataFrame | None) -> str:
    """The option with the language of a table; empty where it is English, or there is none or several."""
    languages = set(table["language"]) if table is not None and "language" in table.columns else set()
    return f" --language {languages.pop()}" if len(languages) == 1 and languages != {"en"} else ""


def note(*sentences: str) -> None:
    """Say something beside the result: on stderr, at once."""
    for sentence in sentences:
        typer.echo(sentence, err=True)


def plan_line(plan: Plan) -> Headline:
    """A plan as a table, with its note below."""
    notes = [plan.note] if plan.note else []
    return Headline(plan.title, plan.columns, plan.rows, (), plan.columns[: plan.texts], notes)


def _rows(outcome: Outcome, out: Path) -> dict[str, Any]:
    """What a script is told: the headline, or every row that was written."""
    from endoxa.sources.frames import read_table

    if outcome.headline is not None:
        return {"out": str(out), "rows": list(map(dict, outcome.headline.rows))}
    return {"out": str(out), "rows": read_table(out).to_dicts()}


def single_command(name: str, text: str, callback: Callable[..., None]) -> Any:
    """A command made when it is asked for."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(name, help=text, short_help=text.partition("\n")[0], cls=GroupedCommand)(callback)
    return get_command(app)


def command_function(
    settings: type[Any],
    body: Callable[[Callable[[], Any], Mapping[str, Any], Any], None],
    beside: type[Any] | None = None,
    *,
    later: bool = False,
) -> Callable[..., None]:
    """The function that Typer calls; its parameters are the options of `settings` and of `beside`.

    Args:
        settings: every argument and option of the verb.
        body: is given what makes the settings, the options that were typed by name, and `beside`.
        beside: options of the command line alone.
        later: whether required options are looked for when the settings are made, not before.
    """
    entries = options_of(settings)
    options = by_key(entry for entry in entries if not entry.option.rare)
    further = [entry for entry in entries if entry.option.rare]
    others = by_key(options_of(beside)) if beside else {}
    beyond = by_key(options_of(Further)) if further else {}

    def call(**values: Any) -> None:
        set_values = values_set(settings, settings_from(Further, _typed(beyond, values))) if further else {}
        typed = set_values | _typed(options, values)
        how = settings_from(beside, _typed(others, values)) if beside else None

        def make() -> Any:
            for entry in entries:
                if entry.default is ... and entry.path not in typed:
                    raise UserError(f"Missing option {entry.name}: {entry.option.help}")
            return settings_from(settings, typed)

        body(make, {entry.name: typed[entry.path] for entry in entries if entry.path in typed}, how)

    parameters = [
        _parameter(key, entry, required=entry.default is ... and not later)
        for key, entry in (options | others | beyond).items()
    ]
    if further:
        call.further = partial(_as_options, further)  # type: ignore[attr-defined]
    return _taking(call, parameters)


def _taking(call: Callable[..., None], parameters: Sequence[inspect.Parameter]) -> Callable[..., None]:
    """The function with the signature that Typer reads."""
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {entry.name: entry.annotation for entry in parameters}
    return call


def _as_options(further: Sequence[OptionField]) -> list[Any]:
    """Further settings as options, for help and manual."""
    shown = by_key(replace(entry, option=replace(entry.option, rare=False)) for entry in further)
    parameters = [_parameter(key, entry) for key, entry in shown.items()]
    return list(single_command("further", "", _taking(lambda **_: None, parameters)).params)


def by_key(entries: Iterable[OptionField]) -> dict[str, OptionField]:
    """Options by the name of Typer's parameter."""
    return {"__".join(entry.path): entry for entry in entries}


def _typed(options: dict[str, OptionField], values: dict[str, Any]) -> dict[tuple[str, ...], Any]:
    """Values by path of the options that were typed.

    Raises:
        UserError: a text cannot be read.
    """
    return {
        entry.path: read_value(entry, values[key])
        for key, entry in options.items()
        if values[key] is not None
    }


def _parameter(key: str, entry: OptionField, *, required: bool = False) -> inspect.Parameter:
    """A parameter of Typer; None stands for what was not typed, so that defaults live in the settings alone."""
    plain = _plain(entry.type)
    element = get_args(plain)[0] if get_origin(plain) is tuple else plain
    limited = element in (int, float)
    kind: Any = element if plain is element else list[element]  # type: ignore[valid-type]
    if entry.option.parse is not None:
        kind = str
    if entry.option.positional:
        declared: Any = typer.Argument(metavar=entry.option.metavar, help=entry.option.help)
    else:
        # A switch can be turned off, too.
        name = entry.name
        if entry.type is bool and entry.option.parse is None and not entry.option.only_on and "/" not in name:
            name = f"{name}/--no-{name.removeprefix('--')}"
        limits = entry.limits
        declared = typer.Option(
            *([name, entry.option.short] if entry.option.short else [name]),
            help=entry.option.help + (f" Above {limits['gt']:g}." if "gt" in limits else ""),
            metavar=entry.option.metavar or _METAVARS.get(element),
            show_default=entry.option.default if entry.option.default is not None else _shown(entry.default),
            rich_help_panel=entry.option.group,
            min=entry.limits.get("ge") if limited else None,
            max=entry.limits.get("le") if limited else None,
        )
    return inspect.Parameter(
        key,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if required else None,
        annotation=Annotated[kind if required else kind | None, declared],
    )


_METAVARS = {str: "TEXT", int: "N", float: "X", Path: "FILE"}


def _plain(kind: Any) -> Any:
    """The type without None."""
    if get_origin(kind) in (Union, types.UnionType):
        return next(part for part in get_args(kind) if part is not type(None))
    return kind


def _shown(default: Any) -> str | bool:
    """How `--help` shows a default."""
    if default is ... or default is None or default is False or default in ((), "", {}):
        return False
    return "on" if default is True else str(default)
