"""Columns and answers that could tell who a respondent is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from endoxa.curate.survey.columns import plain_header, without_code

USER_CODE = "user code"
"""Kind of column that a survey tool makes: fine as a respondent's code, but nothing to keep."""
LONG_NUMBER = "phone or personal number"
"""Kind of a bare number of ten to twelve digits: also the form of some survey tools' codes."""

_ACCOUNTS = r"(?:instagram|facebook|twitter|tiktok|telegram|snapchat|linkedin)"
_HEADERS = {
    "e-mail": r"\be-?mails?\b|\bcourriel\b|\bcorreo\b|\bbarua pepe\b",
    "phone number": r"\b(?:tele)?phones?\b|\btele(?:fono|fone|movel)s?\b|\bmobile (?:number|no)\b|\bcell ?phone\b"
    r"|\bwhatsapp\b|\btel\b|\bnumero de (?:celular|movil|portable)\b|\b(?:namba ya )?simu\b"
    r"|^(?:(?:your|tu|su|votre|seu) )?(?:mobile|cell|celular|movil|portable)$",
    "IP address": r"\bip\b|\bgeo-?ip\b",
    "place": r"\baddress\b|\badresse\b|\bdireccion\b|\bendereco\b|\banwani\b|\bgps\b|\blatitude\b|\blongitude\b"
    r"|\bgeo-?location\b|\bpost ?code\b|\bzip\b|\b(?:postal|zip) code\b|\bcod(?:e|igo) postal\b|\bcep\b",
    "name": r"\b(?:full|first|last|family|your|given|sur|user|interviewer'?s?) ?names?\b|^names?$|\bnom\b|\bprenoms?\b"
    r"|\binterviewer\b|\benqueteur\b|\bapellidos?\b|\bsobrenomes?\b|^nom[eb]r?e?s?$|\bnom(?:br)?e completo\b"
    r"|\b(?:tu|su|seu) nom(?:br)?e\b|\bnombre (?:y apellido|de (?:usuario|(?:la )?persona\b|(?:el |la )?entrevistad))"
    r"|\bjina\b",
    "date of birth": r"\bdate of birth\b|\bbirth ?da(?:te|y)\b|\bdob\b|\bfecha de nac|\bdate de naissance\b"
    r"|\bdata de nascimento\b|\btarehe ya kuzaliwa\b",
    "personal number": r"\b(?:national|passport|student|matric(?:ulation)?|employee|staff|voter'?s?|tax)[ -]?"
    r"(?:id\b|identification|identity (?:card|number)|number|no\b)"
    r"|\b(?:nin|ssn|bvn|curp|cpf|dni|cedula|aadhaar|pasaporte|passeport|kitambulisho)\b|\bsocial security\b"
    r"|\b(?:numero|carte|carteira|documento) d[e'](?: ?la)? ?(?:identi(?:te|dade?|ficacion)|etudiant|estudiante)\b",
    "account": rf"^(?:your )?{_ACCOUNTS}$"
    rf"|\b(?:{_ACCOUNTS}|social media) (?:handle|account|user ?name|id|profile|link)s?\b",
    USER_CODE: r"\b(?:user|device|advertising)[ -]?id\b|\buuid\b|\buid\b",
}
_VALUES = {
    "e-mail": r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.[a-z]{2,24}",
    "IP address": r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}\b",
    "phone number": r"(?<![\w.])\+\d[\d ().-]{7,20}\d\b"
    r"|(?<![\w.])\(?0\d{1,3}\)?[ .-]?\d{2,4}[ .-]?\d{2,4}(?:[ .-]?\d{2,4})?(?![\w.])"
    r"|(?<![\w.])\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}(?![\w.])|(?<![\w.-])\d{3}-\d{3}-\d{3}(?![\w.-])",
    LONG_NUMBER: r"(?<![\w.,])\d{10,12}(?![\w.,]*\w)",
    "place": r"-?\d{1,2}\.\d{4,20}\s{0,3}[,; ]\s{0,3}-?\d{1,3}\.\d{4,20}",
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
    """The kind of identifier (e-mail, IP address, phone or other long number, place) in `text`, or an empty text."""
    return next((kind for kind, pattern in _VALUE_PATTERNS.items() if pattern.search(text)), "")


def private_columns(table: pl.DataFrame, columns: Iterable[str]) -> list[Suspicion]:
    """Those of `columns` that look private by their header or by a fifth of their first filled cells."""
    found = []
    for column in columns:
        kind = _by_header(column) or _by_values(table[column])
        if kind:
            found.append(Suspicion(column, kind))
    return found


def _by_header(column: str) -> str:
    parts = unicodedata.normalize("NFKD", plain_header(column)).replace("_", " ")
    plain = without_code("".join(letter for letter in parts if not unicodedata.combining(letter))).strip(
        " :*?"
    )
    return next((kind for kind, pattern in _HEADER_PATTERNS.items() if pattern.search(plain)), "")


def _by_values(cells: pl.Series) -> str:
    filled = [cell for cell in cells.drop_nulls().to_list() if cell.strip()][:_LOOKED_AT]
    for kind, pattern in _VALUE_PATTERNS.items():
        if filled and sum(bool(pattern.fullmatch(cell.strip())) for cell in filled) >= _SHARE * len(filled):
            return kind
    return ""
