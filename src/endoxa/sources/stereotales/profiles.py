"""Profiles of stories as numbers, one code for each attribute, read a chunk of rows at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.sources.files import require_file
from endoxa.sources.frames import read_table
from endoxa.sources.served import versions_apart
from endoxa.sources.source import Source
from endoxa.sources.tables import PARQUET_SUFFIXES, require_columns
from endoxa.sources.typography import readable

LOOKED_AT = 1000
"""Cells that tell which attributes to expect; a cell with others is decoded by itself."""
_GAP = r"[ \t\r\n]*"
_NAME = r'"[^"\\\x00-\x1f\s](?:[^"\\\x00-\x1f]*[^"\\\x00-\x1f\s])?"'
_PAIR = rf'{_GAP}{_NAME}{_GAP}:{_GAP}"[^"\\\x00-\x1f]*"{_GAP}'
PLAIN = rf"^{_GAP}\{{(?:{_PAIR},)*{_PAIR}\}}{_GAP}$"
"""An object of texts without escapes, as nearly all are: valid JSON that Polars reads as Python's `json` does."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Cells as columns.

    Attributes:
        columns: one column of texts for each attribute; null where a cell has none.
        not_text: values that were no text (a number, a list ...) and became their JSON.
    """

    columns: pl.DataFrame
    not_text: int


def decode(cells: pl.Series, earlier: tuple[str, ...]) -> Decoded:
    """Decode JSON objects as Python's `json` does: of a name that comes twice the last value counts.

    Names are stripped. Anything but an object is a row of nulls.

    Args:
        cells: texts.
        earlier: attributes met before, which come first among the columns.
    """
    plain = cells.str.contains(PLAIN).fill_null(value=False)
    columns, complete = _all_at_once(cells, plain, earlier)
    odd = (~complete & (cells.str.len_bytes().fill_null(0) > 2)).arg_true()
    profiles, not_text = _row_by_row(cells.gather(odd))
    names = dict.fromkeys([*columns.columns, *(name for profile in profiles for name in profile)])
    merged = {
        name: (
            columns[name]
            if name in columns.columns
            else pl.Series(name, [None] * len(cells), dtype=pl.String)
        ).scatter(odd, pl.Series([profile.get(name) for profile in profiles], dtype=pl.String))
        for name in names
    }
    return Decoded(pl.DataFrame(merged), not_text)


def _all_at_once(
    cells: pl.Series, plain: pl.Series, earlier: tuple[str, ...]
) -> tuple[pl.DataFrame, pl.Series]:
    """The plain cells as columns, and which of them are complete: with none of a name unknown or given twice."""
    some = cells.filter(plain)
    expected = dict.fromkeys(earlier)
    for text in some.gather_every(max(1, len(some) // LOOKED_AT)):
        expected |= dict.fromkeys(json.loads(text))
    if not expected:
        return pl.DataFrame(), plain
    texts = pl.select(pl.when(plain).then(cells)).to_series()
    columns = texts.str.json_decode(pl.Struct(dict.fromkeys(expected, pl.String))).struct.unnest()
    decoded = columns.select(pl.sum_horizontal(pl.all().is_not_null().cast(pl.UInt32))).to_series()
    # In a plain cell every name is followed by this, as a rule; where a blank stands between, it only costs time.
    pairs = cells.str.count_matches('":', literal=True)
    return columns, plain & (decoded == pairs).fill_null(value=False)


def _row_by_row(cells: pl.Series) -> tuple[list[dict[str, str]], int]:
    """Any cells as objects of texts, and how many values were none."""
    profiles = []
    not_text = 0
    for text in cells:
        profile = {_text(name): value for name, value in _loaded(text).items() if value is not None}
        profile.pop("", None)
        not_text += sum(not isinstance(value, str) for value in profile.values())
        profiles.append(
            {
                name: _text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
                for name, value in profile.items()
            }
        )
    return profiles, not_text


def _loaded(text: str) -> dict[str, object]:
    """The JSON object in a cell, empty where there is none."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _text(text: str) -> str:
    """Stripped; half of a surrogate pair, which JSON can write and no file can hold, becomes a question mark."""
    return text.encode(errors="replace").decode().strip()


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


@dataclass(slots=True)
class Coder:
    """The codes of one column."""

    numbers: dict[str, int] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The texts, by code."""
        return tuple(self.numbers)

    def codes(self, column: pl.Series) -> np.ndarray:
        """Codes of a column of texts as they are seen, stripped; -1 where there is none or it is blank."""
        distinct = column.unique(maintain_order=True).drop_nulls().to_list()
        if not distinct:
            return np.full(len(column), -1, dtype=np.int32)
        new = [self._code(readable(text).strip()) for text in distinct]
        coded = column.replace_strict(distinct, new, default=None, return_dtype=pl.Int32)
        return coded.fill_null(-1).to_numpy()

    def _code(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers)) if text else -1


@dataclass(slots=True)
class Coders:
    """The codes of all columns of a file of stories."""

    models: Coder
    languages: Coder
    samples: Coder
    repeats: Coder
    attributes: Coder
    by_attribute: dict[str, Coder] = field(default_factory=dict)

    def values(self, attribute: str) -> Coder:
        """The codes of an attribute's values."""
        return self.by_attribute.setdefault(attribute, Coder())


def alphabetical(names: tuple[str, ...]) -> tuple[tuple[str, ...], np.ndarray]:
    """Names in order, and the new code of each old one; the last entry keeps -1, the code of none, as it is."""
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.full(len(names) + 1, -1, dtype=np.int32)
    place[order] = np.arange(len(names), dtype=np.int32)
    return tuple(names[k] for k in order), place


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
    coders = Coders(Coder(), Coder(), Coder(), Coder(), Coder())
    attributes: tuple[str, ...] = ()
    rows = not_text = 0
    parts: list[dict[str, np.ndarray]] = []
    for chunk, decoded in _decoded(chunks):
        attributes = tuple(decoded.columns.columns)
        not_text += decoded.not_text
        if attributes:
            usable = decoded.columns.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
            stripped = _stripped(chunk.drop(PROFILE).with_row_index("row", rows + 1).filter(usable), source)
            parts.append(_coded(stripped, decoded.columns.filter(usable), coders))
        rows += len(chunk)
    if not any(len(part["model"]) for part in parts):
        raise UserError(
            f"{source}: none of {rows} rows has a valid profile, a JSON object of attributes, in the column "
            f"{PROFILE}."
        )
    for part in parts:
        missing = len(attributes) - part["codes"].shape[1]
        part["codes"] = np.pad(part["codes"], ((0, 0), (0, missing)), constant_values=-1)
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return _profiles(joined, attributes, coders, rows, not_text)


def _decoded(chunks: Iterable[pl.DataFrame]) -> Iterator[tuple[pl.DataFrame, Decoded]]:
    """Each chunk with its profiles, the next one read and decoded by another thread while one is coded."""
    waiting = iter(chunks)

    def following(earlier: tuple[str, ...]) -> tuple[pl.DataFrame, Decoded] | None:
        chunk = next(waiting, None)
        return None if chunk is None else (chunk, decode(chunk[PROFILE], earlier))

    with ThreadPoolExecutor(1) as thread:
        begun = thread.submit(following, ())
        while (current := begun.result()) is not None:
            begun = thread.submit(following, tuple(current[1].columns.columns))
            yield current


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


def _coded(stripped: pl.DataFrame, profiles: pl.DataFrame, coders: Coders) -> dict[str, np.ndarray]:
    named = stripped["target_attribute_value"].replace(SPELLINGS)
    base_value = np.full(len(stripped), -1, dtype=np.int32)
    for name in stripped["target_attribute"].unique():
        here = (stripped["target_attribute"] == name).to_numpy()
        base_value[here] = coders.values(name).codes(named.filter(here))
    repeat = (
        stripped[REPEAT] if REPEAT in stripped.columns else pl.Series([None] * len(stripped), dtype=pl.String)
    )
    return {
        "model": coders.models.codes(stripped["generator_model"]),
        "language": coders.languages.codes(stripped["language"]),
        "sample": coders.samples.codes(stripped["sample_id"]),
        "repeat": coders.repeats.codes(repeat),
        "base": coders.attributes.codes(stripped["target_attribute"]),
        "base_value": base_value,
        "codes": np.stack([coders.values(column.name).codes(column) for column in profiles], axis=1),
    }


def _profiles(
    joined: dict[str, np.ndarray], attributes: tuple[str, ...], coders: Coders, rows: int, not_text: int
) -> Profiles:
    """Everything together, in alphabetical order; an attribute that only prompts name gets a column without codes."""
    named = coders.attributes.names
    names = tuple(sorted({*attributes, *named}))
    codes = np.full((len(joined["codes"]), len(names)), -1, dtype=np.int32)
    base_value = joined["base_value"].copy()
    values = []
    for place, name in enumerate(names):
        ordered, new = alphabetical(coders.values(name).names)
        values.append(ordered)
        if name in attributes:
            codes[:, place] = new[joined["codes"][:, attributes.index(name)]]
        if name in named:
            here = joined["base"] == named.index(name)
            base_value[here] = new[base_value[here]]
    (models, model), (languages, language), (samples, sample) = (
        alphabetical(coder.names) for coder in (coders.models, coders.languages, coders.samples)
    )
    return Profiles(
        models=models,
        languages=languages,
        samples=samples,
        attributes=names,
        values=tuple(values),
        model=model[joined["model"]],
        language=language[joined["language"]],
        sample=sample[joined["sample"]],
        base=np.array([names.index(name) for name in named], dtype=np.int32)[joined["base"]],
        base_value=base_value,
        codes=codes,
        rows=rows,
        unusable=rows - len(joined["model"]),
        duplicates=_duplicates(*(joined[name] for name in ("sample", "model", "language", "repeat"))),
        not_text=not_text,
    )


def _duplicates(*columns: np.ndarray) -> int:
    """Stories beyond the first with the same codes in all columns."""
    codes = pl.DataFrame({str(k): column for k, column in enumerate(columns)})
    return len(codes) - codes.unique().height
