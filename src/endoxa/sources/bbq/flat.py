"""Questions in tables: BBQ's fields as columns (CSV, TSV, Parquet, XLSX), under the user's own names where given.

A cell holds one value: `answer_info.ans0` is the group of the first option, several stereotyped groups stand with `;`
between them or as a list, and the right option is 0 to 2, A to C, or its text.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.schema.provenance import PROVENANCE_COLUMNS
from endoxa.sources.tables import (
    TABLE_SUFFIXES,
    raise_fault,
    require_columns,
    require_known_columns,
    table_columns,
    table_rows,
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
    *PROVENANCE_COLUMNS,
    "answer_info",
    "additional_metadata",
    "names",
)
"""Columns that can be named."""
_OBJECTS = ("answer_info", "additional_metadata", "names")
_JSON = (".jsonl", ".ndjson", ".json")
_POLARITIES = {
    "negative": "neg",
    "negativa": "neg",
    "non-negative": "nonneg",
    "nonnegative": "nonneg",
    "no negativa": "nonneg",
}
_CONDITIONS = {
    "ambiguous": "ambig",
    "disambiguated": "disambig",
    "ambiguo": "ambig",
    "desambiguado": "disambig",
}


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
    known = (*named.values(), *QUESTION_COLUMNS)
    columns = table_columns(path, known)
    missing = [name for name in REQUIRED if named.get(name, name) not in columns]
    if missing:
        raise UserError(
            f"{path} has no column {', '.join(repr(named.get(name, name)) for name in missing)}. If the file calls it "
            f"otherwise, name it: --columns {','.join(f'{name}=NAME' for name in missing)}. Its columns are: "
            f"{', '.join(map(repr, columns))}."
        )
    require_columns(path, columns, list(named.values()))
    for row in table_rows(path, (), optional=known):
        raise_fault(path, row)
        line = row.line or row.number
        yield line, _record(renamed_fields(row.cells, named), path, row.number, line)


def renamed_fields(row: Mapping[str, Any], named: Mapping[str, str]) -> dict[str, Any]:
    """A record with our names of fields; a field that has one of our names without being meant is left out."""
    theirs = {name: ours for ours, name in named.items()}
    return {
        theirs.get(name, name): value for name, value in row.items() if name not in named or name in theirs
    }


def _record(cells: Mapping[str, str | None], path: Path, number: int, line: int) -> dict[str, Any]:
    record: dict[str, Any] = {name: cell.strip() for name, cell in cells.items() if cell and cell.strip()}
    for name in _OBJECTS:
        if name in record:
            record[name] = _value(record[name])
    answers = {name: _listed(record.pop(f"answer_info.{name}", None)) for name in OPTIONS}
    given = {name: groups * 2 if len(groups) == 1 else groups for name, groups in answers.items() if groups}
    if given:
        record["answer_info"] = {**(record.get("answer_info") or {}), **given}
    if "stereotyped_groups" in record:
        record["stereotyped_groups"] = _listed(record["stereotyped_groups"])
    record.setdefault("example_id", str(number))
    record.setdefault("category", path.stem)
    options = [record.get(name, "") for name in OPTIONS]
    for name in ("label", "unknown"):
        if name in record:
            record[name] = _place(record[name], options, f"{path}, line {line}, column '{name}'")
    for name, words in (("question_polarity", _POLARITIES), ("context_condition", _CONDITIONS)):
        if name in record:
            record[name] = words.get(record[name].casefold(), record[name].casefold())
    return record


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


def _listed(cell: str | None) -> list[str]:
    """Several values of a cell: a list, or words with ';' between them."""
    if not cell:
        return []
    value = _value(cell)
    if isinstance(value, list):
        return [str(group).strip() for group in value]
    return [part.strip() for part in cell.split(";") if part.strip()]


def _value(cell: str) -> Any:
    """An object or list written as JSON or as Python writes it; any other text is left as it is."""
    if cell[:1] in "[{":
        for read in (json.loads, ast.literal_eval):
            try:
                return read(cell)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
    return cell
