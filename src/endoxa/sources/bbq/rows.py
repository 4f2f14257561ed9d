"""Lines of BBQ's JSONL: which fields they must have, read one by one and written back whole."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, model_validator

from endoxa.errors import UserError
from endoxa.sources.bbq.flat import QUESTION_COLUMNS, flat_rows, is_table, renamed_fields
from endoxa.sources.dialects import open_text, undecodable
from endoxa.sources.files import require_file
from endoxa.sources.tables import TABLE_SUFFIXES, require_known_columns, table_columns
from endoxa.sources.write import replacing

_ABSENT = (None, "None", "")

Number = Annotated[str, BeforeValidator(lambda value: str(value) if type(value) is int else value)]
"""A number that some files write as text; kept as text."""

Optional = Annotated[str, BeforeValidator(lambda value: "" if value in _ABSENT else value)]
"""Text that may be absent, which BBQ writes as the word "None"."""

Stated = Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else "")]
"""What endoxa says of records that it made; a field of that name in another's file may hold anything."""

Groups = Annotated[
    list[str],
    BeforeValidator(lambda value: [] if value in _ABSENT else [value] if isinstance(value, str) else value),
]
"""Names of groups; one alone may stand without a list."""


class AdditionalMetadata(BaseModel):
    """What BBQ says of the template, and what `endoxa build qa` adds."""

    stereotyped_groups: Groups = Field(default_factory=list)
    association_id: Optional = ""
    identity: Optional = ""
    region: Optional = ""


class Record(BaseModel):
    """A question as published; fields that nothing here reads are let through unchecked.

    `answer_info` has [text, group] for each option; some rows of Race_x_gender have two empty texts there.
    `language`, `names`, `variant`, `unknown` (the option that it cannot be known), `built_by` and `words` are ours.
    What `additional_metadata` holds may also stand beside it, as in EsBBQ. A missing `context_condition` follows from
    the right option.
    """

    example_id: Number = Field(min_length=1)
    question_index: Number = ""
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
    additional_metadata: AdditionalMetadata = Field(default_factory=AdditionalMetadata)
    stereotyped_groups: Groups = Field(default_factory=list)
    association_id: Optional = ""
    identity: Optional = ""
    region: Optional = ""
    unknown: int | None = Field(default=None, ge=0, le=2)
    language: Optional = ""
    built_by: Stated = ""
    words: Stated = ""
    names: dict[str, str] = Field(default_factory=dict)
    variant: Annotated[Number, BeforeValidator(lambda value: "" if value in _ABSENT else value)] = ""

    @model_validator(mode="after")
    def _gathered(self) -> Self:
        """Fields of `additional_metadata` that stand beside it are copied into it."""
        for name in AdditionalMetadata.model_fields:
            if not getattr(self.additional_metadata, name):
                setattr(self.additional_metadata, name, getattr(self, name))
        return self

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
    found = repr(first["input"])
    shown = found if len(found) <= 60 else f"{found[:57]}..."
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
            known = key in self._others
            self._others.add(key)
            return not known
        marks = self._marks[category, variant]
        if number >= len(marks):
            marks.extend(bytes(max(number + 1, 2 * len(marks)) - len(marks)))
        known = bool(marks[number])
        marks[number] = 1
        return not known


_MARKS = frozenset({"question_polarity", "context_condition", "ans0", "ans1", "ans2", "label"})
_SUFFIXES = (".jsonl", ".ndjson", ".json")
Columns = Mapping[str, str]
"""BBQ's name of a field -> the file's."""
NO_NAMES: Columns = {}


def is_bbq(path: Path) -> bool:
    """True for a file whose first line is a JSON object with BBQ's fields, or a table with such columns.

    Raises:
        UserError: there is no such file, or nothing in it.
    """
    require_file(path)
    if path.suffix.lower() not in _SUFFIXES:
        return path.suffix.lower() in TABLE_SUFFIXES and set(table_columns(path, tuple(_MARKS))) >= _MARKS
    with open_text(path, newline="\n") as stream:
        first = next((line for line in stream if line.strip()), "")
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and record.keys() >= _MARKS


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
        try:
            record = Record.model_validate(row)
        except ValidationError as error:
            raise UserError(f"{path}, line {line} {complaint(error)}.") from error
        if not seen.add(record.category, record.variant, record.example_id):
            variant = f", variant {record.variant}" if record.variant else ""
            raise UserError(
                f"{path}, line {line}: example_id {record.example_id} of {record.category}{variant} appears "
                "twice. Make the combination of category, example_id and variant unique."
            )
        yield line, row, record
    if not seen and only is None:
        raise UserError(f"{path} contains no questions: it has no row with something in it.")


def _json_rows(path: Path, columns: Columns) -> Iterator[tuple[int, dict[str, Any]]]:
    with open_text(path, newline="\n") as stream:
        for line, text in enumerate(stream, start=1):
            if text.strip():
                row = _object(path, line, text)
                yield line, renamed_fields(row, columns) if columns else row


_NAMING = ("category", "example_id", "variant")


def item_name(category: object, example_id: object, variant: object) -> str:
    """The name of the item of a record with these entries."""
    number = f"{category}-{example_id}"
    return number if variant in _ABSENT else f"{number}-{variant}"


def _object(path: Path, line: int, text: str) -> dict[str, Any]:
    if undecodable(text):
        raise UserError(f"{path}, line {line} is not UTF-8 text: save the file as UTF-8.")
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", None) or "too deep or too large"
        raise UserError(
            f"{path}, line {line} is not JSON ({reason}). Expected one question per line."
        ) from error
    if not isinstance(row, dict):
        raise UserError(
            f'{path}, line {line} is not a JSON object ({{"name": value}}). Expected one object per line.'
        )
    return row


def write_items(rows: Iterable[Mapping[str, Any]], path: Path) -> int:
    """Write records as BBQ's JSONL, all or nothing, making folders; returns how many.

    Raises:
        UserError: the name does not end in .jsonl, or the place cannot be written.
    """
    if path.suffix.lower() not in _SUFFIXES[:2]:
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
