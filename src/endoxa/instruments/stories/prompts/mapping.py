"""Which cell of stories is which association: a table that people write, since values are no identities.

An association says "nurses are women"; stories show how often main characters of one value (occupation: healthcare)
have another (gender: woman). `associations-in-stories.csv` states which values mean which association.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from endoxa.errors import UserError
from endoxa.schema.stories import STORY_MAP_COLUMNS
from endoxa.sources.frames import read_table
from endoxa.sources.stereotales import Vocabulary


@dataclass(frozen=True, slots=True)
class Cell:
    """One association as stories show it; the fields are those of `STORY_MAP_COLUMNS`."""

    association_id: str
    base_attribute: str
    base_value: str
    compared_attribute: str
    compared_value: str


def read_map(path: Path, vocabulary: Vocabulary) -> tuple[Cell, ...]:
    """The associations of a table that have values; rows without any are left out.

    Raises:
        UserError: a column is missing, a row has only some of its values, a value is not in the vocabulary, an
            association stands there twice, or no row has values.
    """
    table = read_table(path, tuple(STORY_MAP_COLUMNS))
    cells: dict[str, Cell] = {}
    for number, row in enumerate(table.select(list(STORY_MAP_COLUMNS)).iter_rows(), start=1):
        name, *parts = (str(cell if cell is not None else "").strip() for cell in row)
        where = f"{path}, row {number}"
        if not any(parts):
            continue
        if not name or not all(parts):
            raise UserError(f"{where}: fill in all of {', '.join(STORY_MAP_COLUMNS)}, or only the id.")
        if name in cells:
            raise UserError(f"{where}: the association '{name}' appears twice. Keep one row.")
        for attribute, value in (parts[:2], parts[2:]):
            _require_value(attribute, value, vocabulary, where)
        if parts[0] == parts[2]:
            raise UserError(
                f"{where}: both attributes are '{parts[0]}'. Compare it with another attribute of the main character."
            )
        cells[name] = Cell(name, *parts)
    if not cells:
        raise UserError(f"{path} gives no association its values. Fill in at least one row.")
    return tuple(cells.values())


def _require_value(attribute: str, value: str, vocabulary: Vocabulary, where: str) -> None:
    known = {one.name: one.values for one in vocabulary}
    for what, word, words in (
        ("attribute", attribute, tuple(known)),
        ("value", value, known.get(attribute, ())),
    ):
        if word not in words:
            near = get_close_matches(word, words, n=3) or words
            raise UserError(f"{where}: there is no {what} '{word}'. Did you mean: {', '.join(near)}?")


def carried_by(cells: Iterable[Cell]) -> Mapping[tuple[str, str], str]:
    """What prompts that name an attribute and a value carry: the column `associations`, by both."""
    found: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for cell in cells:
        found.setdefault((cell.base_attribute, cell.base_value), []).append(
            (cell.association_id, cell.compared_attribute, cell.compared_value)
        )
    return {key: json.dumps(several, ensure_ascii=False) for key, several in found.items()}
