"""Texts as items of the language check: a row each, with what speakers must see to judge it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from endoxa.errors import UserError
from endoxa.words.components import COMPONENTS, ENGLISH, PACKAGE, Text, component, languages_of, texts_of
from endoxa.words.in_use import in_use

COLUMNS = ("item_id", "component", "language", "text", "in_use", "english", "purpose")
"""Columns of a table of items."""
_LONGEST = 150


def item_id(text: Text) -> str:
    """Name of the item of a text: component, language, and what it is called there. Long names are cut and numbered."""
    key = " ".join(text.key.split())
    name = f"{text.component}/{text.language}/{key}"
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - 9]}~{hashlib.sha256(text.key.encode()).hexdigest()[:8]}"


def items(language: str, components: Sequence[str] = (), package: Path = PACKAGE) -> list[dict[str, str]]:
    """The texts of a language as rows with `COLUMNS`.

    Args:
        language: ISO 639 code.
        components: names; none takes all that have the language.
        package: folder of the package.

    Raises:
        UserError: an unknown component, a language without texts, or English, from which the others were made.
    """
    if language == ENGLISH:
        raise UserError("English is the source of the other languages. Name another one with --language.")
    chosen = [component(name) for name in components] or list(COMPONENTS.values())
    rows = [
        {
            "item_id": item_id(text),
            "component": text.component,
            "language": text.language,
            "text": text.text,
            "in_use": in_use(text, package),
            "english": text.english,
            "purpose": entry.purpose,
        }
        for entry in chosen
        for text in texts_of(entry, language, package)
    ]
    if not rows:
        languages = sorted({code for entry in chosen for code in languages_of(entry, package)} - {ENGLISH})
        raise UserError(f"No texts in '{language}'. Expected one of: {', '.join(languages)}.")
    return rows
