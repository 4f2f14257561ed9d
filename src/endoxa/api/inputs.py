"""What a program gives: data as files, data frames or data sets of Hugging Face; models by name or as objects.

Data comes out as Polars frames in the columns that endoxa reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from endoxa.errors import UserError
from endoxa.models.live import Weights, offer

if TYPE_CHECKING:
    from endoxa.schema import AssociationTest
    from endoxa.sources.source import Source as Data

Source: TypeAlias = Any
"""A path, or a data frame: polars, pandas, pyarrow or another one that narwhals knows, or a Hugging Face data set."""

Columns: TypeAlias = Mapping[str, str]
"""endoxa's name of a column -> the name that the data has for it."""


def load_pairs(
    source: Source,
    *,
    columns: Columns | None = None,
    format: str | None = None,  # noqa: A002
    language: str | None = None,
    prefix: str | None = None,
    template: str | None = None,
    include_drafts: bool = False,
) -> pl.DataFrame:
    """Sentence pairs of any known format, or of a data frame, checked.

    Args:
        source: file (or the name of a downloaded data set), data frame, or Hugging Face data set.
        columns: what the data calls endoxa's columns: {"sent_more": "stereotype", "sent_less": "antistereotype"}.
        format: name of the format; recognised by default.
        language: ISO 639 code, where the data does not say.
        prefix: S-AS tables: words before every identity.
        template: S-AS tables: sentence with {identity} and {attribute}.
        include_drafts: also drafts of `endoxa author` that nobody has judged; rejected ones never are.

    Returns:
        A row for each pair, columns of `endoxa.schema.PAIR_COLUMNS`.

    Raises:
        UserError: the data cannot be read as pairs; says which row and column.
    """
    from endoxa.schema import ReadOptions
    from endoxa.sources.read import read_pairs
    from endoxa.sources.source import reading_files
    from endoxa.sources.sources import locate

    options = ReadOptions(language=language, prefix=prefix, template=template, columns=dict(columns or {}))
    languages = [language] if language and is_path(source) else []
    with (
        reading_files(languages=languages, include_drafts=include_drafts),
        opened(locate(fspath(source)) if is_path(source) else source, "pairs") as data,
    ):
        return pl.concat(read_pairs(data, options, format))


def load_questions(source: Source, *, columns: Columns | None = None) -> pl.DataFrame:
    """Questions in BBQ's form (Parrish et al. 2022), of a file or a data frame, checked.

    Args:
        source: file, data frame, or Hugging Face data set with BBQ's fields.
        columns: what the data calls them.

    Returns:
        A row for each question, columns named as BBQ's fields; `names` is JSON text.

    Raises:
        UserError: the data cannot be read as questions; says which line and field.
    """
    from endoxa.sources.bbq.items import read_items
    from endoxa.sources.bbq.rows import read_rows

    named = columns or {}
    with opened(source, "questions") as data:
        for _ in read_items(data, columns=named):  # says what is wrong, and where
            pass
        rows = [row for _, row in read_rows(data, named)]
    for row in rows:
        if row.get("names") is not None:  # its keys are data; a frame holds them as text
            row["names"] = json.dumps(row["names"], ensure_ascii=False)
    return pl.DataFrame(rows, infer_schema_length=None)


def load_stories(source: Source, *, columns: Columns | None = None) -> pl.DataFrame:
    """Stories, or prompts for stories: a table as it is, its columns named as endoxa names them.

    Args:
        source: file (CSV, TSV, JSONL, Parquet), run folder of `probe stories`, data frame, or Hugging Face data set.
        columns: what the data calls them: {"story": "text", "generator_model": "model"}.

    Raises:
        UserError: the data cannot be read.
    """
    from endoxa.sources.frames import read_table
    from endoxa.sources.stereotales.stories import story_file

    if not is_path(source):
        return renamed(as_polars(source), columns)
    with opened(source, "stories") as path:
        return renamed(read_table(story_file(path)), columns)


def load_tests(source: Source) -> list[AssociationTest]:
    """Association tests (WEAT, SEAT) of a JSON file, or of a mapping in SEAT's published form.

    Args:
        source: file of `endoxa build tests` or SEAT's, or a dictionary with the keys targ1, targ2, attr1, attr2.

    Raises:
        UserError: the tests cannot be read.
    """
    from endoxa.instruments.association_tests.items import read_tests
    from endoxa.sources.source import Source as Data

    if is_path(source):
        with opened(source, "tests") as path:
            return read_tests(path)
    data = Data.in_memory("the tests/tests.json", json.dumps(source).encode(), "the tests")
    with naming_the_frame(data):
        return read_tests(data)


@contextmanager
def opened(source: Source, name: str) -> Iterator[Path]:
    """The file of data that is named, by its path or as sample data; of a frame one in memory, in errors the frame.

    Args:
        source: path or data frame.
        name: what the data is ("questions").

    Raises:
        UserError: it is neither, or what the block raises.
    """
    from endoxa.sources.source import Source as Data
    from endoxa.sources.sources import named_file

    if is_path(source):
        yield named_file(fspath(source), name) or (source if isinstance(source, Path) else Path(source))
        return
    data = Data.of_frame(as_stored(as_polars(source)), f"the data frame/{name}")
    with naming_the_frame(data):
        yield data


@contextmanager
def naming_the_frame(data: Data) -> Iterator[None]:
    """Errors about data that was given as a frame name the frame, and rows where a file has lines."""
    data.title = name = data.title or "the data frame"
    try:
        yield
    except UserError as problem:
        sentence = str(problem).replace(fspath(data), name).replace(f"{name}, line ", f"{name}, row ")
        raise UserError(sentence[:1].upper() + sentence[1:]) from problem


def is_path(source: Source) -> bool:
    """Whether the data is named, not given."""
    return isinstance(source, str | PathLike)


def as_polars(source: Source) -> pl.DataFrame:
    """A data frame of any kind as a Polars frame.

    Raises:
        UserError: it is no data frame.
    """
    import narwhals as nw

    if hasattr(source, "to_polars"):  # Hugging Face's data sets
        frame = source.to_polars()
        if isinstance(frame, pl.DataFrame):
            return frame
    try:
        native = nw.from_native(source)
    except TypeError as problem:
        raise UserError(
            f"Cannot read data from an object of type {type(source).__name__}. Give a path, a data frame (pandas, "
            "polars, pyarrow) or a Hugging Face data set; of a data set with several splits, one split."
        ) from problem
    frame = native.collect() if isinstance(native, nw.LazyFrame) else native
    try:
        return frame.to_polars()
    except (TypeError, ValueError) as problem:  # those of pyarrow name the column
        raise UserError(
            f"The data frame has a column with values of several types: {'; '.join(map(str, problem.args))}. Make them "
            "one type, for example text."
        ) from problem


def as_stored(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame that Parquet can hold: Python objects are text, a column of empty objects is left out.

    Raises:
        UserError: nothing is left.
    """
    hollow = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Struct) and not kind.fields]
    frame = frame.drop(hollow)
    if frame.is_empty():
        raise UserError("The data frame has no rows.")
    return frame.with_columns(
        pl.col(name).map_elements(str, pl.String) for name, kind in frame.schema.items() if kind == pl.Object
    )


def renamed(frame: pl.DataFrame, columns: Columns | None) -> pl.DataFrame:
    """The frame with endoxa's names.

    Raises:
        UserError: a column is not there, or would stand there twice.
    """
    from endoxa.sources.headers import spelled

    names = dict(columns or {})
    # A file's columns are in the spelling that is known; the name that was given may have its own.
    spellings = spelled(tuple(names.values()))
    names = {
        ours: theirs if theirs in frame.columns else spellings.get(theirs, theirs)
        for ours, theirs in names.items()
    }
    missing = [theirs for theirs in names.values() if theirs not in frame.columns]
    if missing:
        raise UserError(
            f"The data has no column '{missing[0]}'; its columns are: {', '.join(map(repr, frame.columns))}."
        )
    replaced = set(names) - set(names.values())
    return frame.drop(replaced, strict=False).rename({theirs: ours for ours, theirs in names.items()})


Model: TypeAlias = str | tuple[Any, Any] | Callable[..., Any]
"""The words of the command line ("hf/gpt2", "openai/gpt-4o-mini"), a network of transformers with its tokenizer, or a
function: of a conversation, giving the answer; for association tests, of texts, giving their vectors."""
Models: TypeAlias = Model | Sequence[Model]


def live_model(name: str, model: Any, tokenizer: Any = None) -> str:
    """Give an object of this program a name by which it can be probed.

    Args:
        name: stands in every record and table.
        model: a network of transformers (with `tokenizer`), or a function: `f(messages) -> str` for chat models, where
            messages are dictionaries with "role" and "content"; `f(texts) -> array` for encoders.
        tokenizer: of the network.

    Returns:
        The words that name it: 'live/NAME', for `models=[...]`.

    Raises:
        UserError: the name is taken by another object, or the object is neither.
    """
    if tokenizer is not None:
        return offer(name, Weights(model, tokenizer))
    if hasattr(model, "state_dict") and hasattr(model, "config"):
        raise UserError(f"The network '{name}' was given without its tokenizer.")
    if not callable(model):
        raise UserError(
            f"The model '{name}' is of type {type(model).__name__}: give a network or a function."
        )
    return offer(name, model)


def named(models: Models) -> tuple[str, ...]:
    """The words that name each model; objects are named after themselves."""
    several = [models] if isinstance(models, str) or callable(models) or _is_weights(models) else list(models)
    return tuple(model if isinstance(model, str) else _offered(model) for model in several)


def _is_weights(model: Any) -> bool:
    return isinstance(model, tuple) and len(model) == 2 and hasattr(model[0], "state_dict")


def _offered(model: Any) -> str:
    if _is_weights(model):
        network, tokenizer = model
        called = str(getattr(network.config, "_name_or_path", "") or type(network).__name__)
        return live_model(_name_of(called), network, tokenizer)
    called = getattr(model, "__qualname__", type(model).__name__)
    return live_model(re.sub("[<>]", "", called), model)


_UNNAMED = re.compile(
    r"[0-9a-f]{40}|(?:checkpoint|step|epoch)[-_]?\d*|model|final|best|last|weights|main|snapshots"
)
"""Names of folders that many models have."""


def _name_of(called: str) -> str:
    """The name of a network on the hub, or of its folder (with the one above where that is a name of many)."""
    path = Path(called).expanduser()
    if not (path.is_absolute() or called.startswith(".") or path.is_dir()):
        return called.strip("/").replace("/", "--")
    parts = path.resolve().parts[1:]
    cached = next((part for part in parts if part.startswith("models--")), "")
    if cached:
        return cached.removeprefix("models--")
    first = next((n for n in range(1, len(parts)) if not _UNNAMED.fullmatch(parts[-n].casefold())), 1)
    return "--".join(parts[-first:]) or "model"
