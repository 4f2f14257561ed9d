"""Runs from Python: the options of the command line as keywords, by the same declarations."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial, reduce
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from endoxa.api.data import (
    Columns,
    Source,
    as_polars,
    is_path,
    load_pairs,
    load_stories,
    naming_the_frame,
    question_file,
    renamed,
    write_frame,
)
from endoxa.api.models import Model, named
from endoxa.api.result import Result
from endoxa.errors import UserError
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.keywords import values_by_path
from endoxa.runs.progress import shown
from endoxa.runs.run import run
from endoxa.schema import Progress
from endoxa.schema.options import options_of, settings_from
from endoxa.schema.typed import typed_words
from endoxa.sources.dialects import declared_languages

if TYPE_CHECKING:
    from endoxa.schema import AssociationTest

F = TypeVar("F", bound=Callable[..., Any])
Models = Model | Sequence[Model]


def _documented(kind: str) -> Callable[[F], F]:
    """Give a function the signature and the help of all its options, as `help()` and notebooks show them."""

    def decorate(function: F) -> F:
        own = [one for one in signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
        taken = {one.name for one in own} | {"models", "data", "tests", "notice"}
        options = [one for one in options_of(INSTRUMENTS.get(kind).settings) if one.path[-1] not in taken]
        added = [
            Parameter(one.path[-1], Parameter.KEYWORD_ONLY, default=one.default, annotation=one.type)
            for one in options
        ]
        told = signature(function).replace(parameters=[*own, *added])
        function.__signature__ = told  # type: ignore[attr-defined]
        lines = "\n".join(f"        {one.path[-1]}: {one.option.help}" for one in options)
        function.__doc__ = f"{function.__doc__}\n    Options:\n{lines}\n"
        return function

    return decorate


@_documented("pairs")
def probe_pairs(
    data: Source,
    models: Models,
    rules: Sequence[str] | str = (),
    *,
    out: str | Path | None = None,
    columns: Columns | None = None,
    restart: bool = False,
    progress: bool = True,
    **options: Any,
) -> Result:
    """Which sentence of each pair models find more probable (`endoxa probe pairs`).

    Args:
        data: file, name of a downloaded data set, data frame, or Hugging Face data set; see `load_pairs`.
        models: names, networks with tokenizers, or several of these.
        rules: scoring rules; by default the usual one of each architecture.
        out: run folder; by default a temporary one, see `Result.keep`.
        columns: what the data calls endoxa's columns.
        restart: discard what the run folder holds.
        progress: show progress on stderr.
        options: see below.
    """
    options["rules"] = rules
    if not is_path(data):
        # What says how the data are read is used up here: the run reads pairs in our own columns.
        languages = several(options.get("languages", ()))
        reading = {name: options.pop(name, None) for name in ("format", "prefix", "template")}
        language = languages[0] if len(languages) == 1 else None
        include_drafts = bool(options.get("include_drafts"))
        data = load_pairs(data, columns=columns, language=language, include_drafts=include_drafts, **reading)
    elif columns:
        options["columns"] = dict(columns)
    return _Call("pairs", models, out, restart, progress, options).run(data, write_frame, "pairs.parquet")


@_documented("qa")
def probe_questions(
    data: Source,
    models: Models,
    *,
    out: str | Path | None = None,
    columns: Columns | None = None,
    restart: bool = False,
    progress: bool = True,
    **options: Any,
) -> Result:
    """Which person models pick in questions about people (`endoxa probe qa`).

    Args:
        data: BBQ's JSONL, data frame or Hugging Face data set; see `load_questions`.
        models: names, functions, networks with tokenizers, or several of these.
        out: run folder; by default a temporary one, see `Result.keep`.
        columns: what the data calls BBQ's fields.
        restart: discard what the run folder holds.
        progress: show progress on stderr.
        options: see below.
    """
    if is_path(data):
        options["columns"] = dict(columns or {})
    else:
        data = renamed(as_polars(data), columns)
    return _Call("qa", models, out, restart, progress, options).run(data, *question_file(data))


@_documented("embeddings")
def probe_embeddings(
    tests: Source | Sequence[AssociationTest],
    models: Models,
    *,
    out: str | Path | None = None,
    restart: bool = False,
    progress: bool = True,
    **options: Any,
) -> Result:
    """Which of two groups encoders place nearer to an attribute (`endoxa probe embeddings`).

    Args:
        tests: file of tests, or what `load_tests` gives.
        models: names of encoders, functions from texts to vectors, or several of these.
        out: run folder; by default a temporary one, see `Result.keep`.
        restart: discard what the run folder holds.
        progress: show progress on stderr.
        options: see below.
    """
    from endoxa.instruments.association_tests.items import write_tests

    return _Call("embeddings", models, out, restart, progress, options).run(
        tests, write_tests, "tests.json", "tests"
    )


@_documented("stories")
def probe_stories(
    data: Source,
    models: Models,
    *,
    out: str | Path | None = None,
    restart: bool = False,
    progress: bool = True,
    **options: Any,
) -> Result:
    """Have models write stories (`endoxa probe stories`).

    Args:
        data: prompts of `endoxa build stories`: file or data frame.
        models: names, functions, networks with tokenizers, or several of these.
        out: run folder; by default a temporary one, see `Result.keep`.
        restart: discard what the run folder holds.
        progress: show progress on stderr.
        options: see below.
    """
    source = data if is_path(data) else load_stories(data)
    return _Call("stories", models, out, restart, progress, options).run(source, write_frame, "prompts.jsonl")


@_documented("extract")
def extract(
    data: Source | Result,
    models: Models,
    *,
    out: str | Path | None = None,
    columns: Columns | None = None,
    restart: bool = False,
    progress: bool = True,
    **options: Any,
) -> Result:
    """Have models read the main character's profile from each story (`endoxa probe extract`).

    Args:
        data: result of `probe_stories`, run folder, table with a column 'story', or data frame.
        models: the extractors: names, functions, or several of these; the majority decides.
        out: run folder; by default a temporary one, see `Result.keep`.
        columns: what the data calls endoxa's columns.
        restart: discard what the run folder holds.
        progress: show progress on stderr.
        options: see below.
    """
    if isinstance(data, Result):
        data = data.folder
    source = data if is_path(data) and not columns else load_stories(data, columns=columns)
    return _Call("extract", models, out, restart, progress, options).run(
        source, write_frame, "stories.parquet"
    )


@_documented("harm")
def rate_harm(
    data: Source,
    models: Models,
    *,
    out: str | Path | None = None,
    restart: bool = False,
    progress: bool = True,
    **options: Any,
) -> Result:
    """Have models rate how harmful associations are (`endoxa probe harm`).

    Args:
        data: associations of `endoxa analyze associations`: file or data frame.
        models: names, functions, or several of these.
        out: run folder; by default a temporary one, see `Result.keep`.
        restart: discard what the run folder holds.
        progress: show progress on stderr.
        options: see below.
    """
    source = data if is_path(data) else load_stories(data)
    return _Call("harm", models, out, restart, progress, options).run(
        source, write_frame, "associations.parquet"
    )


def analyze(kind: str, records: Any, **options: Any) -> Any:
    """Estimates from records of one's own, as `endoxa analyze` makes them of runs.

    Args:
        kind: "pairs" (columns of `endoxa.schema.RECORD_COLUMNS`: a row for each pair, model and rule) or "qa" (columns
            of `endoxa.schema.QA_RECORD_COLUMNS` and `data`, a label).
        records: any data frame.
        options: `confidence`, `seed`, `resamples`.

    Returns:
        `PairsAnalysis` or `QaAnalysis`: frames `.estimates`, and `.comparisons` and `.flips`, or `.debias` and others.

    Raises:
        UserError: the kind is unknown, or the records cannot be used.
    """
    from endoxa.api.data import as_polars
    from endoxa.instruments.pairs.estimates import analyze_pairs
    from endoxa.instruments.questions.estimates import analyze_qa

    kinds: Mapping[str, Callable[..., Any]] = {"pairs": analyze_pairs, "qa": analyze_qa}
    if kind not in kinds:
        raise UserError(f"Records of kind '{kind}' cannot be analyzed. Expected one of: {', '.join(kinds)}.")
    return kinds[kind](as_polars(records), **options)


@dataclass(frozen=True, slots=True)
class _Call:
    """What every `probe` function was given besides its data."""

    kind: str
    models: Models
    out: str | Path | None
    restart: bool
    progress: bool
    options: Mapping[str, Any]

    def run(self, data: Source, write: Callable[[Any, Path], Any], name: str, field: str = "data") -> Result:
        """Measure, as the command line does.

        Args:
            data: a path, or what `write` writes into a file called `name`, beside the run folder.
            write: see `data`.
            name: see `data`.
            field: the setting that names the data.
        """
        instrument = INSTRUMENTS.get(self.kind)
        values = values_by_path(instrument.settings, self.options) | {("models",): named(self.models)}
        temporary = Path(tempfile.mkdtemp(prefix="endoxa-")) if self.out is None else None
        folder = temporary / "run" if temporary else Path(self.out or "")
        try:
            path = Path(data) if is_path(data) else _written(data, write, folder, name)
            values[field,] = str(path)
            settings = settings_from(instrument.settings, values)
            languages = several(self.options.get("languages") or self.options.get("language") or ())
            naming = nullcontext() if is_path(data) else naming_the_frame(path)
            with (
                naming,
                declared_languages(*languages),
                typed_words(words_of(settings)),
                self._progress(instrument.unit) as told,
            ):
                outside_loops(partial(run, instrument, settings, folder, restart=self.restart, progress=told))
        except BaseException:
            if temporary is not None:
                shutil.rmtree(temporary, ignore_errors=True)
            raise
        return Result(folder, temporary)

    def _progress(self, unit: str) -> AbstractContextManager[Progress]:
        return shown(unit) if self.progress else nullcontext(lambda *_: None)


def several(given: Sequence[str] | str) -> tuple[str, ...]:
    """One name, or several, as a tuple."""
    return (given,) if isinstance(given, str) else tuple(given)


def outside_loops(work: Callable[[], Any]) -> None:
    """Do it; in a thread of its own where this one has an event loop already, as in notebooks."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        work()
    else:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(copy_context().run, work).result()


def words_of(settings: Any) -> list[str]:
    """What a call says as the words of a command: options that are on, and values (`endoxa.schema.typed`)."""
    values = [(one.name, reduce(getattr, one.path, settings)) for one in options_of(type(settings))]
    words = [name for name, value in values if value is True]
    for _, value in values:
        words += [str(part) for part in (value if isinstance(value, tuple) else (value,))]
    return words


def _written(data: Any, write: Callable[[Any, Path], Any], folder: Path, name: str) -> Path:
    """The file that the data is written into: 'run-data/pairs.parquet' beside 'run'."""
    path = folder.with_name(f"{folder.name}-data") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    write(data, path)
    return path
