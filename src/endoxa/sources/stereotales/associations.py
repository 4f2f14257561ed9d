"""Associations that were found in stories: their names, and reading tables of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import polars as pl
import regex
from pydantic import BaseModel, Field

from endoxa.errors import UserError
from endoxa.sources.files import require_file
from endoxa.sources.identities import one_spelling
from endoxa.sources.stereotales.stories import filled_rows
from endoxa.sources.toml import validated

PARTS = ("base_attribute", "base_value", "compared_attribute", "compared_value")
"""What makes an association: a value of the attribute that prompts named, and the value that comes with it."""
ALL_LANGUAGES = "all"
JSON_SUFFIX = ".json"
MODELS = "models"
_STATED = ("model", "aggregation", "association_id")
"""What a table may say beside."""
_Part = Annotated[str, Field(pattern=r"\S")]
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
    rows: Iterator[Mapping[str, str | None]]
    if path.suffix.lower() == JSON_SUFFIX:
        rows = _published(path)
    else:
        rows = (row.cells for row in filled_rows(path, PARTS, _STATED))
    cells = [[row.get(name) or None for name in (*PARTS, *_STATED)] for row in rows]
    if not cells:
        raise UserError(f"{path} contains no associations. Expected at least one.")
    table = pl.DataFrame(cells, schema=dict.fromkeys((*PARTS, *_STATED), pl.String), orient="row")
    table = one_spelling(table, PARTS, str(path))
    names = [association_id(*parts) for parts in table.select(PARTS).iter_rows()]
    return table.select(
        pl.Series("association_id", names),
        *PARTS,
        "model",
        pl.col("aggregation").fill_null(ALL_LANGUAGES),
        given_id="association_id",
    ).unique(maintain_order=True)


def distinct_associations(associations: pl.DataFrame) -> pl.DataFrame:
    """Each association once, in the order in which they first come: `association_id` and the four parts."""
    return associations.select("association_id", *PARTS).unique("association_id", maintain_order=True)


def _slug(text: str) -> str:
    """The words of a text, small, with hyphens between."""
    return str(_BETWEEN_WORDS.sub("-", _BRACKETS.sub(" ", text)).strip("-").lower())


class _Published(BaseModel):
    """An entry of the published JSON; what else it holds is not read."""

    base_attribute: _Part
    base_value: _Part
    compared_attribute: _Part
    compared_value: _Part
    models: list[str] = Field(default_factory=list)
    association_id: str | int | None = None


def _published(path: Path) -> Iterator[Mapping[str, str | None]]:
    """A row for each association and model."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as problem:  # of JSON or of UTF-8
        raise UserError(f"{path} is not valid JSON: {problem}.") from problem
    expected = f"Expected a list of objects with {', '.join(PARTS)}, and perhaps a list {MODELS}."
    for entry in validated(list[_Published], content, str(path), expected):
        for model in entry.models or [""]:
            stated = "" if entry.association_id is None else str(entry.association_id)
            yield entry.model_dump(include=set(PARTS)) | {"model": model, "association_id": stated}
