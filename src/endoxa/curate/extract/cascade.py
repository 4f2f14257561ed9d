"""The cascade of rules, from the most specific to the least."""

from __future__ import annotations

import re

from endoxa.curate.extract.types import Extraction, Question

_COPULA = re.compile(r"^(?P<identity>.+?)\s+(?:are|is)\s+(?P<attribute>.+)$", re.IGNORECASE)


def extract(statement: str, question: Question, country: str = "", subject: str = "") -> list[Extraction]:
    """Pairs of one statement; never empty."""
    del country
    found = _COPULA.match(statement.strip(" ."))
    if found:
        return [Extraction(found["identity"].lower(), found["attribute"].lower(), "copula", 0.9)]
    identity = question.identity or subject
    return [
        Extraction(
            identity, statement.lower(), "ellipsis", 0.5, not identity, "" if identity else "missing part"
        )
    ]


def begins_statement(piece: str) -> bool:
    """Whether a piece of an answer has a subject of its own."""
    return bool(_COPULA.match(piece.strip()))
