"""Associations that were found in stories: their names, and reading tables of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import regex

from endoxa.errors import UserError
from endoxa.sources.files import require_file
from endoxa.sources.frames import read_table
from endoxa.sources.identities import one_spelling

PARTS = ("base_attribute", "base_value", "compared_attribute", "compared_value")
"""What makes an association: a value of the attribute that prompts named, and the value that comes with it."""
ALL_LANGUAGES = "all"
JSON_SUFFIX = ".json"
MODELS = "models"
_BRACKETS = regex.compile(r"\([^()]*\)")
_BETWEEN_WORDS = regex.compile(r"[^\p{L}\p{M}\p{N}]+")


def association_id(base_attribute: str, base_value: str, compared_attribute: str, compared_value: str) -> str:
    """The name of an association: a readable slug, and ten hexadecimal digits of the hash of its four parts.

    What stands in brackets is left out of the slug; the hash (BLAKE2b of the parts as a JSON list) tells it apart.
    """
    parts = [base_attribute, base_value, compared_attribute, compared_value]
    digest = hashlib.blake2b(json.dumps(parts, ensure_ascii=False).encode(), digest_size=5).hexdigest()
    base, compared = "-".join(map(_slug, parts[:2])), "-".join(map(_slug, parts[2:]))
    return f"{base}--{compared}-{digest}"


def read_associations(path: Path) -> pl.DataFrame:
    """Associations of a table of `endoxa analyze associations`, or of StereoTales' published JSON.

    Args:
        path: a table (CSV, TSV, JSONL, Parquet, XLSX) with the four columns of `PARTS`, and `model` and `aggregation`
            where it has them; or a JSON list of objects with the parts and a list `models`.

    Returns:
        One row per association, model and aggregation, in the file's order: `association_id`, the four parts, `model`
        (null where the file names none), `aggregation` ("all" where it names none), and `given_id` (the name that the
        file itself gives the association, or null).

    Raises:
        UserError: the file cannot be read, lacks a part, or a part is empty.
    """
    require_file(path)
    rows = _published(path) if path.suffix.lower() == JSON_SUFFIX else _table(path)
    table = pl.DataFrame(list(rows), schema=dict.fromkeys(_COLUMNS, pl.String), orient="row")
    if table.is_empty():
        raise UserError(f"{path} contains no associations. Expected at least one.")
    return table.unique(maintain_order=True)


def distinct_associations(associations: pl.DataFrame) -> pl.DataFrame:
    """Each association once, in the order in which they first come: `association_id` and the four parts."""
    return associations.select("association_id", *PARTS).unique("association_id", maintain_order=True)


_COLUMNS = ("association_id", *PARTS, "model", "aggregation", "given_id")


def _slug(text: str) -> str:
    """The words of a text, small, with hyphens between."""
    return str(_BETWEEN_WORDS.sub("-", _BRACKETS.sub(" ", text)).strip("-").lower())


def _table(path: Path) -> Iterator[tuple[str | None, ...]]:
    frame = one_spelling(read_table(path, PARTS), PARTS, str(path))
    for number, row in enumerate(frame.iter_rows(named=True), start=1):
        parts = _parts(row, f"{path}, row {number}")
        model, aggregation = row.get("model") or None, row.get("aggregation") or ALL_LANGUAGES
        yield association_id(*parts), *parts, model, aggregation, row.get("association_id") or None


def _published(path: Path) -> Iterator[tuple[str | None, ...]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as problem:  # of JSON or of UTF-8
        raise UserError(f"{path} is not valid JSON: {problem}.") from problem
    if not isinstance(content, list):
        raise UserError(
            f"{path}: expected a JSON list of associations, each an object with {', '.join(PARTS)}."
        )
    for number, entry in enumerate(content, start=1):
        where = f"{path}, entry {number}"
        if not isinstance(entry, dict):
            raise UserError(f"{where} is not a JSON object. Expected {', '.join(PARTS)}.")
        parts = _parts(entry, where)
        models = entry.get(MODELS, [])
        if not isinstance(models, list) or not all(isinstance(name, str) for name in models):
            raise UserError(f"{where}: '{MODELS}' is invalid. Expected a list of model names.")
        stated = entry.get("association_id")
        for model in models or [None]:
            yield (
                association_id(*parts),
                *parts,
                model,
                ALL_LANGUAGES,
                None if stated is None else str(stated),
            )


def _parts(entry: dict[str, Any], where: str) -> tuple[str, str, str, str]:
    """The four parts, all of them filled."""
    table = [entry.get(name) for name in PARTS]
    for name, value in zip(PARTS, table, strict=True):
        if not isinstance(value, str) or not value.strip():
            raise UserError(f"{where}: '{name}' is empty. Expected {', '.join(PARTS)}.")
    base, base_value, compared, compared_value = map(str, table)
    return base, base_value, compared, compared_value
