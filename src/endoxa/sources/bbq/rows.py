"""Lines of BBQ's JSONL, or rows of a table with its fields: read one by one, checked, and written back."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, model_validator

from endoxa.errors import UserError
from endoxa.sources.bbq.layouts import KOBBQ, as_bbq
from endoxa.sources.dialects import open_text
from endoxa.sources.files import replacing, require_file
from endoxa.sources.tables import (
    TABLE_SUFFIXES,
    raise_fault,
    require_columns,
    require_known_columns,
    rows_of_lines,
    table_columns,
    table_rows,
    value_of_text,
)

OPTIONS = ("ans0", "ans1", "ans2")
REQUIRED = ("context", "question", *OPTIONS, "label", "question_polarity")
"""Columns that a table must have; what else BBQ has follows from them or may be missing."""
QUESTION_COLUMNS = (
    *REQUIRED,
    "context_condition",
    "category",
    "example_id",
    "question_index",
    "variant",
    "language",
    "unknown",
    *(f"answer_info.{name}" for name in OPTIONS),
    "stereotyped_groups",
    "identity",
    "region",
    "association_id",
    "answer_info",
    "additional_metadata",
    "names",
)
"""Columns that can be named."""
_PLACES = ("label", "unknown")
_OBJECTS = ("answer_info", "additional_metadata", "names", "name_sources")
_JSON = (".jsonl", ".ndjson", ".json")
_LABELS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "question_polarity": {
        "neg": ("negative", "negativa"),
        "nonneg": ("nonnegative", "nonegativa"),
    },
    "context_condition": {
        "ambig": ("ambiguous", "ambiguo"),
        "disambig": ("disambiguated", "disambiguous", "desambiguado"),
    },
}
"""BBQ's labels and other words for them, without what is no letter."""
_LISTS_OF_OPTIONS = frozenset({"choices", "references", "options", "answers"})


def is_table(path: Path) -> bool:
    """Whether questions in the file are rows of a table, and not lines of JSON."""
    suffix = path.suffix.lower()
    return suffix not in _JSON and suffix in TABLE_SUFFIXES


def flat_rows(path: Path, named: Mapping[str, str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row of a table as a record of BBQ's form, with its line.

    Args:
        path: the file.
        named: BBQ's name of a column -> the file's.

    Raises:
        UserError: the file cannot be read, lacks a column, or a row is broken; says how to name columns.
    """
    require_known_columns(named, QUESTION_COLUMNS, "questions")
    wanted = (*named.values(), *QUESTION_COLUMNS)
    columns = table_columns(path, wanted)
    kobbq = set(columns) >= KOBBQ
    missing = [] if kobbq else [name for name in REQUIRED if named.get(name, name) not in columns]
    if missing:
        if options := options_in_a_list(columns):
            raise UserError(f"{path} {options}.")
        raise UserError(
            f"{path} has no column {', '.join(repr(named.get(name, name)) for name in missing)}. If the file calls it "
            f"otherwise, name it: --columns {','.join(f'{name}=NAME' for name in missing)}. Its columns are: "
            f"{', '.join(map(repr, columns))}."
        )
    require_columns(path, columns, list(named.values()))
    for row in table_rows(path, (), optional=wanted, as_written=kobbq, as_values=True):
        raise_fault(path, row)
        line = row.line or row.number
        unnamed = {"example_id": str(row.number), "category": path.stem}
        cells = renamed_fields(as_bbq(row.cells, path, line), named)
        yield line, cells | {name: cell for name, cell in unnamed.items() if _is_missing(cells.get(name))}


def options_in_a_list(columns: Collection[str]) -> str:
    """What is to be said of questions whose options are one list, as HELM writes them; empty for others."""
    name = next((name for name in columns if name in _LISTS_OF_OPTIONS), None)
    if name is None or "ans0" in columns or not {"question", "input", "context"} & set(columns):
        return ""
    return (
        f"has the options of a question as one list ('{name}'), as HELM and lighteval write BBQ. Such a file does not "
        "say which person the stereotype is about, and cannot be used. Take the questions from "
        "github.com/nyu-mll/BBQ, or a file with the columns ans0, ans1, ans2, question_polarity and stereotyped_groups"
    )


def renamed_fields(row: Mapping[str, Any], named: Mapping[str, str]) -> dict[str, Any]:
    """A record with our names of fields; a field that has one of our names without being meant is left out."""
    theirs = {name: ours for ours, name in named.items()}
    return {
        theirs.get(name, name): value for name, value in row.items() if name not in named or name in theirs
    }


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _as_published(row: Mapping[str, Any], path: Path, line: int) -> dict[str, Any]:
    """A record with lists and objects where BBQ has them, and its labels in BBQ's words; others stay as they are."""
    record: dict[str, Any] = {}
    for name, value in row.items():
        outer, _, inner = name.partition(".")
        if inner and outer in _OBJECTS:  # as pandas flattens objects
            nested = _groups(value) if inner in OPTIONS else value
            if not _is_missing(value):
                record[outer] = {**(record.get(outer) or {}), inner: nested}
        else:
            record[name] = value_of_text(value) if name in _OBJECTS else value
    # A column of objects has all their keys in every row.
    for name in ("answer_info", "names", "name_sources"):
        if isinstance(record.get(name), dict):
            record[name] = {
                key: value_of_text(value) for key, value in record[name].items() if value is not None
            }
    extra = record.get("additional_metadata")
    for place in (record, extra if isinstance(extra, dict) else {}):
        if isinstance(place.get("stereotyped_groups"), str):
            place["stereotyped_groups"] = _listed(place["stereotyped_groups"])
    options = [str(record.get(name, "")).strip() for name in OPTIONS]
    for name in _PLACES:
        if isinstance(record.get(name), str | float):
            record[name] = _place(str(record[name]), options, f"{path}, line {line}, column '{name}'")
    for name, labels in _LABELS.items():
        if isinstance(record.get(name), str):
            letters = "".join(filter(str.isalpha, record[name].casefold()))
            record[name] = next(
                (label for label, others in labels.items() if letters in (label, *others)), record[name]
            )
    return record


def _stated(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a record says: a blank is nothing, a number in place of text is text."""
    stated = {name: None if _is_missing(value) else value for name, value in record.items()}
    return {
        name: json.dumps(value) if isinstance(value, int | float) and name not in _PLACES else value
        for name, value in stated.items()
        if value is not None or name in REQUIRED
    }


def _place(cell: str, options: list[str], where: str) -> int:
    """An option by its number, its letter or its text.

    Raises:
        UserError: it is none of them.
    """
    text = cell.strip().casefold()
    ways = [[str(k), f"{k}.0", "abc"[k], f"ans{k}", option.casefold()] for k, option in enumerate(options)]
    places = [k for k, words in enumerate(ways) if text in words]
    if len(places) != 1:
        raise UserError(
            f"{where}: {cell!r} is no option. Expected 0 to 2, A to C, or the text of one of the options."
        )
    return places[0]


def _groups(cell: Any) -> Any:
    """Text and group of an option; a cell with one word has it for both."""
    groups = _listed(cell) if isinstance(cell, str) else cell
    return groups * 2 if isinstance(groups, list) and len(groups) == 1 else groups


def _listed(cell: str) -> list[str]:
    """Several values of a cell: a list, or words with ';' between them."""
    value = value_of_text(cell)
    if isinstance(value, list):
        return [str(group).strip() for group in value]
    return [part.strip() for part in cell.split(";") if part.strip() not in _ABSENT]


_ABSENT = (None, "None", "")

Optional = Annotated[str, BeforeValidator(lambda value: "" if value in _ABSENT else value)]
"""Text that may be absent, which BBQ writes as the word "None"."""

Stated = Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else "")]
"""What endoxa says of records that it made; a field of that name in another's file may hold anything."""

Groups = Annotated[
    list[str],
    BeforeValidator(lambda value: [] if value in _ABSENT else [value] if isinstance(value, str) else value),
]
"""Names of groups; one alone may stand without a list."""


_INNER = ("stereotyped_groups", "association_id", "identity", "identity_key", "region", "attribute")
"""Fields that stand in `additional_metadata` (BBQ, and what `endoxa build qa` adds) or beside it (EsBBQ)."""


class Record(BaseModel):
    """A question as published; fields that nothing here reads are let through unchecked.

    `answer_info` has [text, group] for each option; some rows of Race_x_gender have two empty texts there.
    `language`, `names`, `name_sources`, `variant`, `unknown` (the option that it cannot be known), `built_by` and
    `words` are ours. What `additional_metadata` holds may also stand beside it, as in EsBBQ. A missing
    `context_condition` follows from the right option.
    """

    example_id: str = Field(min_length=1)
    question_index: str = ""
    question_polarity: Literal["neg", "nonneg"]
    context_condition: Literal["ambig", "disambig", ""] = ""
    category: str = Field(min_length=1)
    context: str
    question: str
    ans0: str
    ans1: str
    ans2: str
    label: int = Field(ge=0, le=2, strict=True)
    answer_info: dict[str, list[str]] = Field(default_factory=dict)
    additional_metadata: dict[str, Any] = Field(default_factory=dict)
    stereotyped_groups: Groups = Field(default_factory=list)
    association_id: Optional = ""
    identity: Optional = ""
    identity_key: Optional = ""
    region: Optional = ""
    attribute: Stated = ""
    unknown: int | None = Field(default=None, ge=0, le=2)
    language: Optional = ""
    built_by: Stated = ""
    words: Stated = ""
    names: dict[str, str] = Field(default_factory=dict)
    name_sources: dict[str, str] = Field(default_factory=dict)
    variant: Optional = ""

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, fields: Any) -> Any:
        """Fields of `additional_metadata` go before those that stand beside it."""
        inner = fields.get("additional_metadata")
        inside = inner.items() if isinstance(inner, dict) else ()
        filled = {name: value for name, value in inside if name in _INNER and value not in (*_ABSENT, [])}
        return {**fields, **filled}

    @property
    def options(self) -> tuple[str, str, str]:
        """The three options, without blanks at their ends (some of template 7 of Nationality have them)."""
        return (self.ans0.strip(), self.ans1.strip(), self.ans2.strip())

    def text_and_group(self, option: int) -> tuple[str, str]:
        """The two entries of `answer_info` of an option; empty where the file has none."""
        text, group, *_ = [*self.answer_info.get(f"ans{option}", []), "", ""]
        return text.strip(), group.strip()


def complaint(error: ValidationError) -> str:
    """The first thing wrong with a record, as the rest of a sentence that begins with the place."""
    first = error.errors(include_url=False)[0]
    field = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return (
            f"has no field '{field}', which every question of BBQ has. If the file calls it otherwise, name it: "
            f"--columns {field}=NAME"
        )
    if first["input"] is None:
        return f"field '{field}': empty. Every question of BBQ needs it"
    text = repr(first["input"])
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return f"field '{field}': {first['msg'][0].lower()}{first['msg'][1:]}, found {shown}"


_NUMBERED = 1 << 26
"""Ids below this are marks in an array, one byte each; others are kept as they are."""


class Seen:
    """The ids of the questions read so far: about a byte each, since BBQ numbers its questions from 0."""

    def __init__(self) -> None:
        self._marks: defaultdict[tuple[str, str], bytearray] = defaultdict(bytearray)
        self._others: set[tuple[str, str, str]] = set()

    def __bool__(self) -> bool:
        return bool(self._marks or self._others)

    def add(self, category: str, variant: str, example_id: str) -> bool:
        """Note an id; False where it was noted before."""
        number = int(example_id) if example_id.isascii() and example_id.isdigit() else _NUMBERED
        if number >= _NUMBERED or str(number) != example_id:
            key = (category, variant, example_id)
            repeated = key in self._others
            self._others.add(key)
            return not repeated
        marks = self._marks[category, variant]
        if number >= len(marks):
            marks.extend(bytes(max(number + 1, 2 * len(marks)) - len(marks)))
        repeated = bool(marks[number])
        marks[number] = 1
        return not repeated


_MARKS = frozenset({"question_polarity", "context_condition", *OPTIONS, "label"})
Columns = Mapping[str, str]
"""BBQ's name of a field -> the file's."""
NO_NAMES: Columns = {}


def is_bbq(path: Path) -> bool:
    """True for a file whose first line is a JSON object with BBQ's fields, or a table with such columns.

    Raises:
        UserError: there is no such file, or nothing in it.
    """
    require_file(path)
    if is_table(path):
        columns = set(table_columns(path, tuple(_MARKS)))
        return columns >= _MARKS or columns >= KOBBQ
    if path.suffix.lower() not in _JSON:
        return False
    try:
        _, record = next(_json_rows(path, NO_NAMES), (0, {}))
    except UserError:
        return False
    return record.keys() >= _MARKS


def read_rows(path: Path, columns: Columns = NO_NAMES) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each record as published, with its line number from 1; checked, and changed only in the names of its fields.

    Raises:
        UserError: the file or a line is no such question, or one is there twice.
    """
    for line, row, _ in checked_rows(path, columns=columns):
        yield line, row


def checked_rows(
    path: Path, only: Collection[str] | None = None, columns: Columns = NO_NAMES
) -> Iterator[tuple[int, dict[str, Any], Record]]:
    """Each record as published and as checked, with its line number; one line in memory at a time.

    Args:
        path: the file.
        only: names of the items wanted (`item_name`), if not all; other lines are left unchecked, which is quicker.
        columns: BBQ's names of fields and what the file calls them.

    Raises:
        UserError: as for `read_rows`.
    """
    require_file(path)
    require_known_columns(columns, QUESTION_COLUMNS, "questions")
    seen = Seen()
    for line, row in flat_rows(path, columns) if is_table(path) else _json_rows(path, columns):
        if only is not None and item_name(*(row.get(name) for name in _NAMING)) not in only:
            continue
        published = _as_published(row, path, line)
        try:
            record = Record.model_validate(_stated(published))
        except ValidationError as error:
            wrong = options_in_a_list(row) or complaint(error)
            raise UserError(f"{path}, line {line} {wrong}.") from error
        if not seen.add(record.category, record.variant, record.example_id):
            variant = f", variant {record.variant}" if record.variant else ""
            raise UserError(
                f"{path}, line {line}: example_id {record.example_id} of {record.category}{variant} appears "
                "twice. Make the combination of category, example_id and variant unique."
            )
        yield line, published, record
    if not seen and only is None:
        raise UserError(f"{path} contains no questions: it has no row with something in it.")


def _json_rows(path: Path, columns: Columns) -> Iterator[tuple[int, dict[str, Any]]]:
    with open_text(path, newline="\n") as stream:
        for row in rows_of_lines(_lines(stream), as_values=True):
            line = row.line or row.number
            for fault in row.faults:
                raise UserError(f"{path}, line {line} {fault.message}. Expected one question per line.")
            published = as_bbq(row.cells, path, line)
            yield line, renamed_fields(published, columns) if columns else published


def _lines(stream: Iterable[str]) -> Iterator[str]:
    """The lines, or the objects of a JSON array that is the whole file (CBBQ), which is read at once."""
    lines = iter(stream)
    first = next(lines, "")
    if not first.lstrip("\ufeff ").startswith("["):
        yield first
        yield from lines
        return
    whole = "".join((first, *lines))
    try:
        objects = json.loads(whole)
    except (ValueError, RecursionError):
        yield whole
        return
    yield from (json.dumps(entry, ensure_ascii=False) for entry in objects)


_NAMING = ("category", "example_id", "variant")


def item_name(category: object, example_id: object, variant: object) -> str:
    """The name of the item of a record with these entries."""
    number = f"{category}-{example_id}"
    return number if variant in _ABSENT else f"{number}-{variant}"


def write_items(rows: Iterable[Mapping[str, Any]], path: Path) -> int:
    """Write records as BBQ's JSONL, all or nothing, making folders; returns how many.

    Raises:
        UserError: the name does not end in .jsonl, or the place cannot be written.
    """
    if path.suffix.lower() not in _JSON[:2]:
        raise UserError(f"'{path}' cannot be written: questions are written as .jsonl.")
    written = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
            for row in rows:
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
                written += 1
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from error
    return written
