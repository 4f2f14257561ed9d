"""Columns and answers that could tell who a respondent is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from endoxa.curate.survey.columns import plain_header

_HEADERS = {
    "e-mail": r"\be-?mails?\b|\bcourriel\b|\bcorreo\b",
    "phone number": r"\b(?:tele)?phone\b|\bt[eé]l[eé]phone\b|\bmobile (?:number|phone)\b|\bcell ?phone\b"
    r"|\bwhatsapp\b|\btel\b",
    "IP address": r"\bip\b|\bgeo-?ip\b",
    "place": r"\baddress\b|\badresse\b|\bdirecci[oó]n\b|\bgps\b|\blatitude\b|\blongitude\b|\bgeo-?location\b"
    r"|\bpostcode\b",
    "name": r"\b(?:full|first|last|family|your|sur|user|interviewer'?s?) ?names?\b|^names?$|\bnom\b|\bpr[eé]nom\b"
    r"|\bnombre\b|\binterviewer\b|\benqu[eê]teur\b",
    "personal number": r"\b(?:user|device|national|passport|advertising)[ _-]?id\b|\buuid\b|\buid\b",
}
_VALUES = {
    "e-mail": r"[\w.+-]+@[\w-]+\.[a-z]{2,}",
    "IP address": r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}\b",
    "phone number": r"(?<![\w.])\+\d[\d ().-]{7,}\d\b"
    r"|(?<![\w.])\(?0\d{1,3}\)?[ .-]?\d{2,4}[ .-]?\d{2,4}(?:[ .-]?\d{2,4})?(?![\w.])",
    "place": r"-?\d{1,2}\.\d{4,}\s*[,; ]\s*-?\d{1,3}\.\d{4,}",
}
_HEADER_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _HEADERS.items()}
_VALUE_PATTERNS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _VALUES.items()}
_LOOKED_AT = 200
_SHARE = 0.2
"""Share of a column's filled cells that must look like an identifier before the column does."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A column that may say who somebody is, and the kind of thing it seems to hold."""

    column: str
    kind: str


def identifier_in(text: str) -> str:
    """The kind of identifier (e-mail, IP address, phone number, place) that stands in `text`, or an empty text."""
    return next((kind for kind, pattern in _VALUE_PATTERNS.items() if pattern.search(text)), "")


def private_columns(table: pl.DataFrame, columns: Iterable[str]) -> list[Suspicion]:
    """Those of `columns` that look private by their header or by a fifth of their first filled cells."""
    found = []
    for column in columns:
        kind = _by_header(column) or _by_values(table[column])
        if kind:
            found.append(Suspicion(column, kind))
    return found


def private_values(table: pl.DataFrame, columns: Iterable[str]) -> list[Suspicion]:
    """Those of `columns` whose cells look like identifiers, whatever the header says."""
    kinds = ((column, _by_values(table[column])) for column in columns)
    return [Suspicion(column, kind) for column, kind in kinds if kind]


def _by_header(column: str) -> str:
    plain = plain_header(column).replace("_", " ")
    return next((kind for kind, pattern in _HEADER_PATTERNS.items() if pattern.search(plain)), "")


def _by_values(cells: pl.Series) -> str:
    filled = [cell for cell in cells.drop_nulls().to_list() if cell.strip()][:_LOOKED_AT]
    for kind, pattern in _VALUE_PATTERNS.items():
        if filled and sum(bool(pattern.fullmatch(cell.strip())) for cell in filled) >= _SHARE * len(filled):
            return kind
    return ""
