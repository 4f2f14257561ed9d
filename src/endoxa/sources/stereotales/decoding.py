"""Profiles as JSON, decoded to one column of text for each attribute."""

from __future__ import annotations

import json
from dataclasses import dataclass

import polars as pl

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


def decode(cells: pl.Series, known: tuple[str, ...]) -> Decoded:
    """Decode JSON objects as Python's `json` does: of a name that comes twice the last value counts.

    Names are stripped. Anything but an object is a row of nulls.

    Args:
        cells: texts.
        known: attributes met before, which come first among the columns.
    """
    plain = cells.str.contains(PLAIN).fill_null(value=False)
    columns, complete = _all_at_once(cells, plain, known)
    odd = (~complete & (cells.str.len_bytes().fill_null(0) > 2)).arg_true()
    profiles, not_text = _one_by_one(cells.gather(odd))
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
    cells: pl.Series, plain: pl.Series, known: tuple[str, ...]
) -> tuple[pl.DataFrame, pl.Series]:
    """The plain cells as columns, and which of them are complete: with none of a name unknown or given twice."""
    some = cells.filter(plain)
    expected = dict.fromkeys(known)
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


def _one_by_one(cells: pl.Series) -> tuple[list[dict[str, str]], int]:
    """Any cells as objects of texts, and how many values were none."""
    profiles = []
    not_text = 0
    for text in cells:
        found = {_text(name): value for name, value in _loaded(text).items() if value is not None}
        found.pop("", None)
        not_text += sum(not isinstance(value, str) for value in found.values())
        profiles.append(
            {
                name: _text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
                for name, value in found.items()
            }
        )
    return profiles, not_text


def _loaded(text: str) -> dict[str, object]:
    """The JSON object in a cell, empty where there is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(text: str) -> str:
    """Stripped; half of a surrogate pair, which JSON can write and no file can hold, becomes a question mark."""
    return text.encode(errors="replace").decode().strip()
