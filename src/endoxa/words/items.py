"""Texts as items of the language check: a row each, with what speakers must see to judge it.

A text is shown as it is read: filled with the examples of its language, a value in the text that holds it, a word in
its list, a cell in its row.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
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
    leaves,
    parsed,
    texts_of,
)
from endoxa.words.people import english_name

COLUMNS = ("item_id", "component", "language", "text", "in_use", "english", "purpose")
"""Columns of a table of items."""
_LONGEST = 150
_SLOT = re.compile(r"\{(\w+)\}")
_MOST_NEIGHBOURS = 6
_HEARSAY = frozenset(
    {
        "About people",
        "some say:",
        "About people from",
        "Which of these have you heard where you live? About people <bdi>%(from_country)s</bdi> some say:",
    }
)
"""English of the page texts by which people are asked what is said of a group: the measurement rests on them."""
READINGS = (
    "Two readings: (1) others say this about people from the country; (2) some of the people from the country say this "
    "themselves. It must have reading (1) alone. If (2) is possible, choose wrong and change the text"
)
"""What speakers decide between for the texts that ask what is said of a group."""


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
            "purpose": f"{entry.purpose}. {READINGS}" if text.english in _HEARSAY else entry.purpose,
        }
        for entry in chosen
        for text in texts_of(entry, language)
    ]
    if not rows:
        languages = sorted({code for entry in chosen for code in languages_of(entry)} - {ENGLISH})
        raise UserError(f"No texts in '{language}'. Expected one of: {', '.join(languages)}.")
    return rows


def in_use(text: Text) -> str:
    """A text as it is read: in its row, its list or the text that holds it; else filled with the examples."""
    tree = _tree(text.file)
    if text.file.endswith(".csv"):
        row = tree[text.path[0]] | (
            {"id": english_name(tree[text.path[0]]["id"])} if "id" in tree["1"] else {}
        )
        return "; ".join(f"{name}: {value}" for name, value in row.items() if name and value)
    examples = {each.key: each.text for each in texts_of(COMPONENTS["examples"], text.language)}
    for source in COMPONENTS[text.component].sources:
        for pattern, slot, holder in source.inside:
            if fnmatchcase("/".join(text.path), pattern):
                return _filled(dict(leaves(tree))[tuple(holder.split("/"))], examples | {slot: text.text})
    plain = re.sub(r"%\((\w+)\)[a-z]", r"[\1]", re.sub(r"<[^<>]+>", "", text.text))
    return _filled(_in_list(text, tree) or (plain if text.file.endswith(".po") else text.text), examples)


@cache
def _tree(file: str) -> dict[str, Any]:
    return parsed(file, file_of(file).read_text(encoding="utf-8"))


def _in_list(text: Text, tree: Mapping[str, Any]) -> str:
    """The list in which a word stands, with its neighbours, or its entry of a list; empty where it is in none."""
    parent: Any = tree
    for part in text.path[:-1]:
        parent = parent[int(part) - 1] if isinstance(parent, list) else parent[part]
    if isinstance(parent, dict) and text.path[-2:-1] and text.path[-2].isdigit():
        return "; ".join(f"{name}: {value}" for name, value in parent.items())
    if not isinstance(parent, list):
        return ""
    at = int(text.path[-1]) - 1
    near = sorted(range(len(parent)), key=lambda k: abs(k - at))[:_MOST_NEIGHBOURS]
    words = [parent[k] for k in sorted(near) if isinstance(parent[k], str)]
    name = next((part for part in reversed(text.path[:-1]) if not part.isdigit()), "")
    return f"{name}: {', '.join(f'[{word}]' if word == text.text else word for word in words)}"


def _filled(template: str, values: Mapping[str, str]) -> str:
    """A template with its slots filled as far as there are examples."""
    return _SLOT.sub(lambda match: values.get(match[1], match[0]), template)
