"""Profiles of stories as numbers, one code for each attribute, read a chunk of rows at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from pydantic_core import from_json

from endoxa.errors import UserError
from endoxa.schema.characters import whole_characters
from endoxa.sources.files import require_file
from endoxa.sources.frames import read_table
from endoxa.sources.served import versions_apart
from endoxa.sources.source import Source
from endoxa.sources.tables import PARQUET_SUFFIXES, require_columns
from endoxa.sources.typography import readable


@dataclass(frozen=True, slots=True)
class Decoded:
    """Cells as columns.

    Attributes:
        columns: one column of texts for each attribute; null where a cell has none.
        not_text: values that were no text (a number, a list ...) and became their JSON.
    """

    columns: pl.DataFrame
    not_text: int


def decode(cells: pl.Series) -> Decoded:
    """Decode JSON objects as Python's `json` does: of a name that comes twice the last value counts.

    Names are stripped. Anything but an object is a row of nulls.

    Args:
        cells: texts.
    """
    profiles: list[dict[str, str]] = []
    not_text = 0
    for text in cells:
        profile = {name.strip(): value for name, value in _loaded(text).items() if value is not None}
        profile.pop("", None)
        for name in [name for name in profile if not isinstance(profile[name], str)]:
            not_text += 1
            profile[name] = json.dumps(profile[name], ensure_ascii=False)
        profiles.append(profile)
    names = dict.fromkeys(chain.from_iterable(profiles), pl.String)
    return Decoded(pl.DataFrame(profiles, schema=names), not_text)


def _loaded(text: str | None) -> dict[str, Any]:
    """The JSON object in a cell, empty where there is none."""
    try:
        content = from_json(whole_characters(text or ""))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


MISSING = -1
"""Code of an attribute that the extractor did not give."""


@dataclass(frozen=True, slots=True)
class Profiles:
    """Stories with a usable profile; arrays have one entry (or row) per story.

    Codes follow the alphabet, so that the order of a file's rows changes nothing that is drawn or written.

    Attributes:
        models: names of the models, by code.
        languages: their codes' languages.
        samples: names of the prompts, by code.
        attributes: names of the attributes, by code.
        values: for each attribute the names of its values, by code.
        model: code of the model that wrote the story.
        language: code of its language.
        sample: code of its prompt.
        base: code of the attribute that the prompt named.
        base_value: code of the value that the prompt named, among the values of `base`.
        codes: stories x attributes: code of the value the extractor read, `MISSING` where it gave none.
        rows: rows of the file.
        unusable: rows left out because their profile is no JSON object with attributes.
        duplicates: stories beyond the first with one prompt, model, language and repeat; they are kept.
        not_text: values that were no text; they are taken as their JSON.
    """

    models: tuple[str, ...]
    languages: tuple[str, ...]
    samples: tuple[str, ...]
    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    model: np.ndarray
    language: np.ndarray
    sample: np.ndarray
    base: np.ndarray
    base_value: np.ndarray
    codes: np.ndarray
    rows: int
    unusable: int
    duplicates: int
    not_text: int

    def __len__(self) -> int:
        """Stories with a usable profile."""
        return len(self.model)

    def code(self, attribute: int, value: str) -> int:
        """Code of a value of an attribute, `MISSING` where no story has it."""
        values = self.values[attribute]
        return values.index(value) if value in values else MISSING


COLUMNS = (
    "sample_id",
    "generator_model",
    "language",
    "target_attribute",
    "target_attribute_value",
    "extracted_attributes_json",
)
"""Columns that an analysis needs."""
REPEAT = "repeat"
"""A column that is used where there is one."""
PROFILE = "extracted_attributes_json"
UNKNOWN, OTHER = "unknown", "other"
SPELLINGS = {
    "north america (e.g. United States, Canada)": "north america (e.g. United States, Canada, etc)",
    "trades and manual labor (e.g. construction, manufacturing)": "trades and manual labor",
}
"""Two values that the published prompts spell differently from the extractors."""
CHUNK = 50_000
"""Rows decoded together."""


def read_profiles(path: Path) -> Profiles:
    """Stories with the profile read off each, from a table or the run folder of `probe extract`.

    Rows whose profile is no JSON object (empty, cut, `{}`) are counted and left out. Attributes are those that any
    profile of the file holds, whatever they are called. Blanks around a cell or a value do not count.

    Raises:
        UserError: no such file, a column is missing, a cell that must be filled is empty, or no profile is usable.
    """
    source = Source.of(path / "records.parquet" if path.is_dir() else path)
    require_file(source)
    return profiles_of(_chunks(source), source)


def profiles_of(chunks: Iterable[pl.DataFrame], source: Path) -> Profiles:
    """The same of tables in memory, stories in their order.

    Args:
        chunks: the columns of `COLUMNS` as text, and `REPEAT` where there is one.
        source: what errors name.

    Raises:
        UserError: as `read_profiles`, for what the tables hold.
    """
    rows = not_text = 0
    stories: list[pl.DataFrame] = []
    profiles: list[pl.DataFrame] = []
    for chunk in chunks:
        decoded = decode(chunk[PROFILE])
        not_text += decoded.not_text
        if decoded.columns.width:
            usable = decoded.columns.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
            stripped = _stripped(chunk.drop(PROFILE).with_row_index("row", rows + 1).filter(usable), source)
            stories.append(pl.DataFrame(map(_as_seen, stripped.drop("row"))))
            profiles.append(pl.DataFrame(map(_as_seen, decoded.columns.filter(usable))))
        rows += len(chunk)
    if not any(map(len, stories)):
        raise UserError(
            f"{source}: none of {rows} rows has a valid profile, a JSON object of attributes, in the column "
            f"{PROFILE}."
        )
    return _profiles(pl.concat(stories), pl.concat(profiles, how="diagonal"), rows, not_text)


def _chunks(path: Source) -> Iterator[pl.DataFrame]:
    """The needed columns as text, some rows at a time."""
    if path.suffix.lower() not in PARQUET_SUFFIXES:
        table = read_table(path, COLUMNS[:-1])  # the profile may be an object
        require_columns(path, table.columns, COLUMNS)
        yield from table.select(_used(table.columns)).iter_slices(CHUNK)
        return
    try:
        lazy = versions_apart(pl.scan_parquet(path.scannable()), "generator_model")
        schema = lazy.collect_schema()
        require_columns(path, schema.names(), COLUMNS)
        wanted = [_as_text(path, name, schema[name]) for name in _used(schema.names())]
        count = lazy.select(pl.len()).collect().item()
        for start in range(0, count, CHUNK):
            yield lazy.slice(start, CHUNK).select(wanted).collect()
    except pl.exceptions.PolarsError as problem:
        raise UserError(f"{path} cannot be read as Parquet: {problem}.") from problem


def _used(names: Sequence[str]) -> list[str]:
    return [*COLUMNS, *(name for name in (REPEAT,) if name in names)]


def _as_text(path: Path, name: str, kind: pl.DataType) -> pl.Expr:
    if name == PROFILE and isinstance(kind, pl.Struct):
        return pl.col(name).struct.json_encode()
    if kind.is_nested():
        raise UserError(
            f"{path}: the column '{name}' holds values of the type {kind}; write it as text"
            f"{', a JSON object in each row' if name == PROFILE else ''}."
        )
    return pl.col(name).cast(pl.String)


def _stripped(chunk: pl.DataFrame, path: Path) -> pl.DataFrame:
    """What is told of each story beside its profile, stripped; nothing of it may be blank."""
    stripped = chunk.with_columns(pl.exclude("row").str.strip_chars())
    for name in COLUMNS[:-1]:
        blank = stripped.filter(pl.col(name).fill_null("") == "")
        if len(blank):
            raise UserError(f"{path}, row {blank['row'][0]}: the column '{name}' is empty. Fill it in.")
    return stripped


def _as_seen(column: pl.Series) -> pl.Series:
    """A column of texts as they are seen, stripped; null where nothing is."""
    distinct = column.unique().drop_nulls()
    seen = pl.Series([readable(text).strip() or None for text in distinct], dtype=pl.String)
    return column.replace_strict(distinct, seen, default=None).cast(pl.Categorical)


def _coded(column: pl.Series) -> tuple[tuple[str, ...], np.ndarray]:
    """The texts of a column in alphabetical order, and the code of each row, `MISSING` where it has none."""
    names = tuple(sorted(column.drop_nulls().unique().cast(pl.String)))
    codes = column.cast(pl.Enum(names)).to_physical().cast(pl.Int32)
    return names, codes.fill_null(MISSING).to_numpy()


def _profiles(stories: pl.DataFrame, read: pl.DataFrame, rows: int, not_text: int) -> Profiles:
    """Everything as codes; an attribute that only prompts name gets a column without codes."""
    attributes, base = _coded(stories["target_attribute"])
    names = tuple(sorted({*attributes, *read.columns}))
    named = stories["target_attribute_value"].cast(pl.String).replace(SPELLINGS).cast(pl.Categorical)
    codes = np.full((len(stories), len(names)), MISSING, dtype=np.int32)
    base_value = np.full(len(stories), MISSING, dtype=np.int32)
    values = []
    for place, name in enumerate(names):
        here = stories["target_attribute"] == name
        column = read[name] if name in read.columns else pl.Series([None] * len(read), dtype=pl.Categorical)
        ordered, together = _coded(pl.concat([column, named.filter(here)]))
        values.append(ordered)
        codes[:, place] = together[: len(read)]
        base_value[here.to_numpy()] = together[len(read) :]
    (models, model), (languages, language), (samples, sample) = (
        _coded(stories[name]) for name in ("generator_model", "language", "sample_id")
    )
    written_by = [
        name for name in _used(stories.columns) if not name.startswith("target") and name != PROFILE
    ]
    return Profiles(
        models=models,
        languages=languages,
        samples=samples,
        attributes=names,
        values=tuple(values),
        model=model,
        language=language,
        sample=sample,
        base=np.searchsorted(names, attributes).astype(np.int32)[base],
        base_value=base_value,
        codes=codes,
        rows=rows,
        unusable=rows - len(stories),
        duplicates=len(stories) - stories.select(written_by).unique().height,
        not_text=not_text,
    )
