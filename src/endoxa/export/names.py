"""Names of tasks: words that a command line, a file system and a YAML file take as they are."""

from __future__ import annotations

from collections.abc import Iterable

import regex


def slug(text: str) -> str:
    """Lower-case letters, digits and underscores only ("race-color" -> "race_color"); 'unnamed' for nothing.

    Letters of every script stay, with their marks.
    """
    return regex.sub(r"\W+", "_", text.casefold()).strip("_") or "unnamed"


def unique_slugs(texts: Iterable[str]) -> dict[str, str]:
    """A slug for each text, numbered where two texts would share one ("a-b", "a b" -> "a_b", "a_b_2")."""
    slugs: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        name = base = slug(text)
        number = 2
        while name in taken:
            name = f"{base}_{number}"
            number += 1
        taken.add(name)
        slugs[text] = name
    return slugs
