"""Texts as items of the language check: a row each, with what speakers must see to judge it.

A text is shown as it is read: filled with the examples of its language, a value in the text that holds it, a word in
its list, a cell in its row.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from endoxa.errors import UserError
from endoxa.words.components import (
    COMPONENTS,
    ENGLISH,
    Text,
    component,
    file_of,
    languages_of,
    texts_of,
)
from endoxa.words.opening import tree_of
from endoxa.words.people import english_name

COLUMNS = ("item_id", "component", "language", "text", "in_use", "english", "purpose")
"""Columns of a table of items."""
_LONGEST = 150
_SLOT = re.compile(r"\{(\w+)\}")


def item_id(text: Text) -> str:
    """Name of the item of a text: component, language, and what it is called there. Long names are cut and numbered."""
    key = " ".join(text.key.split())
    name = f"{text.component}/{text.language}/{key}"
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - 9]}~{hashlib.sha256(text.key.encode()).hexdigest()[:8]}"


def items(language: str, components: Sequence[str] = ()) -> list[dict[str, str]]:
    """The texts of a language as rows with `COLUMNS`.

    Args:
        language: ISO 639 code.
        components: names; none takes all that have the language.

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
            "in_use": in_use(text),
            "english": text.english,
            "purpose": entry.purpose,
        }
        for entry in chosen
        for text in texts_of(entry, language)
    ]
    if not rows:
        languages = sorted({code for entry in chosen for code in languages_of(entry)} - {ENGLISH})
        raise UserError(f"No texts in '{language}'. Expected one of: {', '.join(languages)}.")
    return rows


def in_use(text: Text) -> str:
    """A text as it is read: in its row, or in the entry of a list that holds it; filled with the examples."""
    entry: Any = _tree(text.file)
    for part in text.path[:-1]:
        entry = entry[int(part) - 1] if isinstance(entry, list) else entry[part]
    shown = text.text
    if isinstance(entry, dict) and text.path[-2:-1] and text.path[-2].isdigit():
        names = {"id": english_name(entry["id"])} if "id" in entry else {}
        shown = "; ".join(f"{name}: {value}" for name, value in (entry | names).items() if name and value)
    elif text.file.endswith(".po"):
        shown = re.sub(r"%\((\w+)\)[a-z]", r"[\1]", re.sub(r"<[^<>]+>", "", shown))
    examples = {each.key: each.text for each in texts_of(COMPONENTS["examples"], text.language)}
    return _filled(shown, examples)


@cache
def _tree(file: str) -> dict[str, Any]:
    return tree_of(file_of(file))


def _filled(template: str, values: Mapping[str, str]) -> str:
    """A template with its slots filled as far as there are examples."""
    return _SLOT.sub(lambda match: values.get(match[1], match[0]), template)
