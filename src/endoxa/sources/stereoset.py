"""StereoSet (Nadeem et al. 2021): the published JSON document with its intra- and intersentence parts, or a table.

Each entry has a stereotypical, an anti-stereotypical and an unrelated sentence; the first two make the
pair. In intersentence entries the sentence follows its context, so both are written out: context, a blank,
sentence. The document is one JSON value and is loaded whole (12 MB as published). In a table, as the hub of Hugging
Face serves it, a row is an entry; its context has the word BLANK in intrasentence entries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.schema import ReadOptions
from endoxa.sources.dialects import open_text
from endoxa.sources.drafts import Draft, Format, axis_of, example, read_frames
from endoxa.sources.files import require_file
from endoxa.sources.tables import TABLE_SUFFIXES, Fault, table_columns, table_rows, text_faults, value_of_text

_PARTS = ("intersentence", "intrasentence")
_LABELS = {"sent_more": "stereotype", "sent_less": "anti-stereotype"}
_KEY = re.compile(r'"(?:intersentence|intrasentence)"\s*:\s*\[')
_START = 65_536
_COLUMNS = ("id", "target", "bias_type", "context", "sentences")
_GOLD_LABELS = ("anti-stereotype", "stereotype", "unrelated")
"""Labels by the number that the hub writes for them."""


def _is_stereoset(path: Path) -> bool:
    """True for a document whose start holds one of the two parts, or a table of entries."""
    require_file(path)
    if path.suffix.lower() in TABLE_SUFFIXES:
        return set(table_columns(path)) >= set(_COLUMNS)
    if path.suffix.lower() != ".json":
        return False
    with open_text(path, newline="") as stream:
        return _KEY.search(stream.read(_START)) is not None


def drafts(path: Path, options: ReadOptions) -> Iterator[Draft]:
    """One pair per entry, intersentence entries first as in the file; `options.language` defaults to 'en'."""
    if path.suffix.lower() in TABLE_SUFFIXES:
        for record in table_rows(path, _COLUMNS, as_values=True):
            entry = {**record.cells, "sentences": _sentences_of_cell(record.cells.get("sentences"))}
            part = _PARTS["BLANK" in str(entry.get("context"))]
            draft = _draft(part, record.number, entry, options.language or "en")
            yield replace(draft, line=record.line, faults=record.faults or draft.faults)
        return
    row = 0
    for part, entries in _parts(path):
        for entry in entries:
            row += 1
            yield _draft(part, row, entry, options.language or "en")


def _sentences_of_cell(cell: Any) -> Any:
    """The sentences of an entry: a list of objects, also where it is JSON text or has a list for each key."""
    value = value_of_text(cell)
    if isinstance(value, dict):
        value = [dict(zip(value, cells, strict=False)) for cells in zip(*value.values(), strict=False)]
    for sentence in value if isinstance(value, list) else ():
        label = sentence.get("gold_label") if isinstance(sentence, dict) else None
        if isinstance(label, int) and 0 <= label < len(_GOLD_LABELS):
            sentence["gold_label"] = _GOLD_LABELS[label]
    return value


def _parts(path: Path) -> list[tuple[str, list[Any]]]:
    require_file(path)
    with open_text(path, newline="") as stream:
        text = stream.read()
    try:
        data = json.loads(text)["data"]
        parts = [(part, data[part]) for part in data if part in _PARTS]
    except (ValueError, RecursionError) as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        reason = getattr(error, "msg", None) or "too deep or too large"
        raise UserError(f"{path}{line} is not JSON ({reason}): download it again.") from error
    except (KeyError, TypeError) as error:
        raise UserError(f"{path} is not StereoSet: it has no entries under 'data'.") from error
    if not parts or not all(isinstance(entries, list) for _, entries in parts):
        raise UserError(f"{path} is not StereoSet: 'data' has no list {' or '.join(_PARTS)}.")
    return parts


def _draft(part: str, row: int, entry: object, language: str) -> Draft:
    fields = entry if isinstance(entry, dict) else {}
    texts = {key: value for key, value in fields.items() if isinstance(value, str)}
    name = texts.get("id") or f"number {row}"
    sentences, faults = _sentences(part, name, fields, texts.get("context", ""))
    pair = {
        "item_id": texts.get("id"),
        "language": language,
        "axis": axis_of(texts.get("bias_type")),
        "direction": "stereo",
        "stereotypical": "more",
        **sentences,
        "identity": texts.get("target"),
    }
    names = {"item_id": "id", "axis": "bias_type", "sent_more": "sentence", "sent_less": "sentence"}
    return Draft(row, None, pair, names, (*faults, *text_faults(pair)))


def _sentences(
    part: str, name: str, entry: dict[str, Any], context: str
) -> tuple[dict[str, str | None], tuple[Fault, ...]]:
    """The two sentences by column, and a fault for each label that is not there exactly once."""
    listed = entry.get("sentences")
    listed = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    sentences: dict[str, str | None] = {}
    faults: list[Fault] = []
    for column, label in _LABELS.items():
        texts = [item.get("sentence") for item in listed if item.get("gold_label") == label]
        if len(texts) != 1 or not isinstance(texts[0], str):
            message = f"{part} entry {name} has {len(texts)} sentences labelled '{label}'; it needs one"
            faults.append(Fault("missing-label", "gold_label", message))
        else:
            sentences[column] = f"{context} {texts[0]}" if part == "intersentence" else texts[0]
    return sentences, tuple(faults)


STEREOSET = Format(
    name="stereoset",
    title="StereoSet (Nadeem et al. 2021)",
    suffixes=(".json", *TABLE_SUFFIXES),
    recognise=_is_stereoset,
    read=partial(read_frames, drafts),
    example=example("stereoset.json"),
    units="one entry, one pair (stereotype against anti-stereotype); unrelated sentences are left out",
    drafts=drafts,
    marks="a .json document with data.intersentence or data.intrasentence, or a table with the columns "
    f"{', '.join(_COLUMNS)}",
)
