"""Checks of scripts: letters of two alphabets in one word, one sentence, or between the two sentences."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import regex
from babel.core import get_global
from babel.localedata import load as load_locale

from endoxa.datasets.check.item import SENTENCES, Item
from endoxa.datasets.check.problem import Problem
from endoxa.datasets.spans import Word

_COMBINED = {
    "Jpan": frozenset({"Hira", "Kana", "Hani"}),
    "Kore": frozenset({"Hang", "Hani"}),
    "Hans": frozenset({"Hani", "Bopo"}),
    "Hant": frozenset({"Hani", "Bopo"}),
}
"""Scripts that are written with several sets of letters (ISO 15924; UTS #39, section 5.1)."""


@cache
def _patterns() -> tuple[tuple[str, regex.Pattern[str]], ...]:
    """A pattern for each script that CLDR names and the Unicode data of `regex` know."""
    found = []
    for code in load_locale("en")["scripts"]:
        try:
            found.append((code, regex.compile(rf"\p{{Script={code}}}")))
        except regex.error:
            continue
    return tuple(found)


@cache
def script_of(letter: str) -> str | None:
    """ISO 15924 code of a letter's script; None for what belongs to no script or to all."""
    if letter.isascii():
        return "Latn" if letter.isalpha() else None
    if not letter.isalpha():
        return None
    found = next((code for code, pattern in _patterns() if pattern.match(letter)), None)
    return None if found in ("Zyyy", "Zinh") else found


def scripts_of(text: str) -> frozenset[str]:
    """Scripts of the letters of a text."""
    return frozenset(found for letter in set(text) if (found := script_of(letter)))


def _compatible(found: frozenset[str]) -> bool:
    return len(found) < 2 or any(found <= together for together in _COMBINED.values())


def mixed_script_word(item: Item) -> Iterator[Problem]:
    """Letters of two scripts in one word: look-alikes from another keyboard (UTS #39, section 5.1)."""
    for column, side in zip(SENTENCES, (item.more, item.less), strict=True):
        mixed = [word for word in side if not word.text.isascii() and _mixed(word)]
        if mixed:
            message = f"holds {len(mixed)} word(s) with letters of more than one script"
            text = " ".join(word.text for word in mixed)
            yield item.problem("warning", "mixed-script-word", column, message, text)


def _mixed(word: Word) -> bool:
    parts = regex.split(r"[^\p{L}\p{M}]+", word.text)
    return not all(_compatible(scripts_of(part)) for part in parts)


def mixed_scripts(item: Item) -> Iterator[Problem]:
    """Words of several scripts in one sentence: a tokenizer cuts the foreign ones into many pieces."""
    for column, text in item.sentences():
        found = scripts_of(text)
        if not _compatible(found):
            message = f"is written in several scripts ({', '.join(sorted(found))})"
            yield item.problem("note", "mixed-scripts", column, message, text)


def scripts_differ(item: Item) -> Iterator[Problem]:
    """The two sentences are not written in the same scripts, so their scores compare scripts as well."""
    more, less = (scripts_of(text) for _, text in item.sentences())
    if more != less and not _compatible(more | less):
        message = f"the sentences use different scripts ({_listed(more)} against {_listed(less)})"
        yield item.problem("warning", "scripts-differ", "", message)


def _listed(found: frozenset[str]) -> str:
    return ", ".join(sorted(found)) or "none"


def script_language(item: Item) -> Iterator[Problem]:
    """Most letters are of a script in which the declared language is not usually written.

    The usual script is that of CLDR's likely subtags; a tag with a script ('sr-Latn') says otherwise.
    """
    expected = _expected(item.cell("language"))
    if not expected:
        return
    for column, text in item.sentences():
        letters = [found for letter in text if (found := script_of(letter))]
        inside = sum(found in expected for found in letters)
        if letters and inside * 2 < len(letters):
            message = (
                f"is mostly not in the script of language '{item.cell('language')}' ({_listed(expected)}); "
                "declare another language, or the script as in 'sr-Latn'"
            )
            yield item.problem("warning", "script-language", column, message, text)


@cache
def _expected(tag: str) -> frozenset[str]:
    parts = tag.replace("-", "_").split("_")
    script = next((part.title() for part in parts[1:] if len(part) == 4 and part.isalpha()), None)
    if script is None and parts[0] != "und":
        likely = get_global("likely_subtags").get(parts[0].lower(), "")
        script = next((part for part in likely.split("_")[1:] if len(part) == 4), None)
    if script is None:
        return frozenset()
    return _COMBINED.get(script, frozenset({script}))
