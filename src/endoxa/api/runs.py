"""Runs and commands from Python: the words of the command line as keywords, by the same declarations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stdout
from contextvars import copy_context
from functools import partial, reduce
from io import StringIO
from os import fspath
from pathlib import Path
from typing import Any, TypeVar

from endoxa.api import inputs as frames
from endoxa.api.inputs import Columns, Models, Source, named
from endoxa.api.result import Result, temporary_folder
from endoxa.commands.plugins import verb_named
from endoxa.commands.verbs import Outcome
from endoxa.errors import UserError
from endoxa.runs.folder import with_paths
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.options import values_by_path
from endoxa.runs.progress import shown, without_progress
from endoxa.runs.run import run
from endoxa.schema import Progress
from endoxa.schema.options import options_of, settings_from
from endoxa.schema.typed import typed_words
from endoxa.sources.source import Source as Data
from endoxa.sources.source import reading_files

T = TypeVar("T")


def probe(
    name: str,
    data: Source,
    models: Models,
    *,
    out: str | Path | None = None,
    columns: Columns | None = None,
    restart: bool = False,
    progress: bool = True,
    **options: Any,
) -> Result:
    """Measure models (`endoxa probe NAME`), with an instrument of endoxa or of another package.

    Args:
        name: the instrument: "pairs", "embeddings", "qa", "stories", "extract", "harm", or another one.
        data: file, run folder, data frame, Hugging Face data set, or the result of an earlier run.
        models: names, networks with tokenizers, functions, or several of these.
        out: run folder; by default a temporary one, see `Result.keep`.
        columns: what the data calls endoxa's columns.
        restart: discard what the run folder holds.
        progress: show progress on stderr.
        options: those of the command.

    Raises:
        TypeError: an option is not known.
        UserError: any user error in data, models or options.
    """
    with temporary_folder() if out is None else nullcontext() as temporary:
        folder = temporary / "run" if temporary else Path(out or "")
        with _settings_asked(name, data, models, folder, columns, options, progress) as (values, report):
            instrument = INSTRUMENTS.get(name)
            settings = settings_from(instrument.settings, values)
            outside_loops(partial(run, instrument, settings, folder, restart=restart, progress=report))
    return Result(folder, temporary)


def probe_conditions(
    name: str,
    data: Source,
    models: Models,
    conditions: str | Path,
    *,
    out: str | Path,
    columns: Columns | None = None,
    restart: bool = False,
    progress: bool = True,
    **options: Any,
) -> dict[str, Result]:
    """Measure the same items under several conditions (`endoxa probe NAME --conditions FILE`), each a run of its own.

    Args: see `probe`.
        conditions: file with a table for each (TOML), or "laces" or "debias".
        out: folder of the runs.

    Returns:
        The result of each condition by its name.

    Raises:
        TypeError: an option is not known.
        UserError: any user error in data, models, options or conditions.
    """
    from endoxa.runs.conditions import read_conditions, run_conditions

    with _settings_asked(name, data, models, Path(out), columns, options, progress) as (values, report):
        instrument = INSTRUMENTS.get(name)
        read = read_conditions(str(conditions), instrument, values)
        work = partial(run_conditions, instrument, read, Path(out), restart=restart, progress=report)
        runs = outside_loops(work)
    return {condition: Result(done.folder, None) for condition, done in runs.items()}


@contextmanager
def _settings_asked(  # noqa: PLR0917
    name: str,
    data: Source,
    models: Models,
    folder: Path,
    columns: Columns | None,
    options: Mapping[str, Any],
    progress: bool,
) -> Iterator[tuple[dict[tuple[str, ...], Any], Progress]]:
    """Options of a run by path, its data in a file beside the folder; in the block the call counts as the command.

    Yields:
        The options, and a function that reports progress.
    """
    instrument = INSTRUMENTS.get(name)
    options = {word: value for word, value in options.items() if word != "rules" or value != ()}
    prepare, file = _PREPARED.get(name, (_stories, "data.parquet"))
    source = prepare(data, columns, options)
    values = values_by_path(instrument.settings, options) | {("models",): named(models)}
    beside = folder.with_name(f"{folder.name}-data") / file  # 'run-data/pairs.parquet' beside 'run'
    path = Path(source) if frames.is_path(source) else _written(source, beside)
    settings = with_paths(settings_from(instrument.settings, values | {("data",): str(path)}))
    values["data",] = settings.data
    with ExitStack() as stack:
        stack.enter_context(reading_files(languages=_languages(options)))
        if not frames.is_path(source):
            stack.enter_context(frames.naming_the_frame(Data.of(path)))
        stack.enter_context(typed_words(words_of(settings)))
        yield values, stack.enter_context(shown(instrument.unit)) if progress else lambda *_: None


def _pairs(data: Source, columns: Columns | None, options: dict[str, Any]) -> Source:
    options |= {"columns": dict(columns)} if columns else {}
    if frames.is_path(data):
        return data
    frame, languages = frames.as_polars(data), _languages(options)
    names = ("format", "prefix", "template", "include_drafts")
    reading = {name: options[name] for name in names if name in options}
    language = languages[0] if len(languages) == 1 else None
    frames.load_pairs(frame, columns=columns, language=language, **reading)  # said before models are loaded
    return frame


def _questions(data: Source, columns: Columns | None, options: dict[str, Any]) -> Source:
    options["columns"] = dict(columns or {})
    return data if frames.is_path(data) else frames.as_polars(data)


def _stories(data: Source, columns: Columns | None, _options: dict[str, Any]) -> Source:
    if isinstance(data, Result):
        data = data.folder
    return data if frames.is_path(data) and not columns else frames.load_stories(data, columns=columns)


_PREPARED: Mapping[str, tuple[Callable[..., Source], str]] = {
    "pairs": (_pairs, "pairs.parquet"),
    "qa": (_questions, "questions.parquet"),
    "embeddings": (lambda data, *_: data, "tests.json"),
}


def command(words: str, *inputs: Any, progress: bool = True, **options: Any) -> Outcome:
    """Carry out a command that measures nothing: `command("curate group", "statements.csv", out="groups.csv")`.

    Args:
        words: the command ("build pairs", "curate review").
        inputs: what stands behind the words: files, or data frames in place of files.
        progress: show progress on stderr.
        options: those of the command, by keyword.

    Returns:
        `.tables`, the data frames that were computed, by option; `.headline`; `str()` gives what the terminal shows.

    Raises:
        TypeError: there is no such command, or an option is not known.
        UserError: any user error.
    """
    verb = verb_named(words)
    positional = [entry.path[-1] for entry in options_of(verb.settings) if entry.option.positional]
    if len(inputs) > len(positional):
        raise TypeError(
            f"'{words}' takes {len(positional)} inputs ({', '.join(positional)}), not {len(inputs)}."
        )
    with ExitStack() as stack:
        stack.enter_context(reading_files(languages=_languages(options)))
        values = {
            name: _path_of(value, name, stack)
            for name, value in (dict(zip(positional, inputs, strict=False)) | options).items()
        }
        settings = settings_from(verb.settings, values_by_path(verb.settings, values))
        stack.enter_context(typed_words(words_of(settings)))
        stack.enter_context(nullcontext() if progress else without_progress())
        stack.enter_context(redirect_stdout(StringIO()))
        return outside_loops(partial(verb.done, settings))


def analyze(kind: str, records: Source, **options: Any) -> Any:
    """Estimates from records of one's own; those of runs are made by `analyze_run` and others.

    Args:
        kind: "pairs": a data frame with the columns of `endoxa.schema.RECORD_COLUMNS`, a row for each pair, model and
            rule; or "qa": `endoxa.schema.QA_RECORD_COLUMNS` and `data`, a label.
        records: the data frame.
        options: `confidence`, `seed`, `resamples`.

    Returns:
        `PairsAnalysis` or `QaAnalysis`: frames `.estimates`, and `.comparisons` and `.flips`, or `.debias` and others.

    Raises:
        UserError: the kind is unknown, or the records cannot be used.
    """
    from endoxa.instruments.pairs.estimates import analyze_pairs
    from endoxa.instruments.questions.estimates import analyze_qa

    kinds: Mapping[str, Callable[..., Any]] = {"pairs": analyze_pairs, "qa": analyze_qa}
    if kind not in kinds:
        raise UserError(f"Records of kind '{kind}' cannot be analyzed. Expected one of: {', '.join(kinds)}.")
    return kinds[kind](frames.as_polars(records), **options)


def _path_of(value: Any, name: str, stack: ExitStack) -> Any:
    """A value as the command line has it: the path of a run, or of a data frame that is in memory."""
    if isinstance(value, Result):
        return value.folder
    if isinstance(value, list | tuple):
        return tuple(
            _path_of(inner, f"{name}-{number}", stack) for number, inner in enumerate(value, start=1)
        )
    if not (hasattr(value, "columns") or hasattr(value, "to_polars")):
        return value
    return Path(fspath(stack.enter_context(frames.opened(value, name))))


def _languages(options: Mapping[str, Any]) -> tuple[str, ...]:
    names = options.get("languages") or options.get("language") or ()
    return (names,) if isinstance(names, str) else tuple(names)


def outside_loops(work: Callable[[], T]) -> T:
    """Do it; in a thread of its own where this one has an event loop already, as in notebooks."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(copy_context().run, work).result()


def words_of(settings: Any) -> list[str]:
    """What a call says as the words of a command: options that are on, and values (`endoxa.schema.typed`)."""
    values = [(entry.name, reduce(getattr, entry.path, settings)) for entry in options_of(type(settings))]
    words = [name for name, value in values if value is True]
    for _, value in values:
        words += [str(part) for part in (value if isinstance(value, tuple) else (value,))]
    return words


def _written(data: Any, path: Path) -> Path:
    """The file that data in memory is written into: a frame, or association tests."""
    from endoxa.instruments.association_tests.items import write_tests
    from endoxa.sources.frames import write_table

    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".json":
        write_tests(data, path)
    else:
        write_table(frames.as_stored(data), path)
    return path
