"""Checks of characters: damage done by encodings and mark-up, sentences of two alphabets."""

from __future__ import annotations

import re
from functools import cache, lru_cache

import regex
from babel.localedata import load as load_locale

from endoxa.sources.check.problems import SENTENCES, Checked, Findings, Item, check
from endoxa.sources.typography import differences

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
    patterns = []
    for code in load_locale("en")["scripts"]:
        try:
            patterns.append((code, regex.compile(rf"\p{{Script={code}}}")))
        except regex.error:
            continue
    return tuple(patterns)


@cache
def script_of(letter: str) -> str | None:
    """ISO 15924 code of a letter's script; None for what belongs to no script or to all."""
    if letter.isascii():
        return "Latn" if letter.isalpha() else None
    if not letter.isalpha():
        return None
    script = next((code for code, pattern in _patterns() if pattern.match(letter)), None)
    return None if script in ("Zyyy", "Zinh") else script


_LATIN = frozenset({"Latn"})


@lru_cache(maxsize=8)
def scripts_of(text: str) -> frozenset[str]:
    """Scripts of the letters of a text."""
    if text.isascii():
        return _LATIN if any(map(str.isalpha, text)) else frozenset()
    return frozenset(filter(None, map(script_of, set(text))))


def _compatible(scripts: frozenset[str]) -> bool:
    return len(scripts) < 2 or any(scripts <= together for together in _COMBINED.values())


@check("note")
def mixed_scripts(item: Item) -> Findings:
    """Words of several scripts in one sentence: a tokenizer cuts the foreign ones into many pieces."""
    for column, text in item.texts:
        scripts = scripts_of(text)
        if not _compatible(scripts):
            yield column, f"is written in several scripts ({_listed(scripts)})", text


@check("warning")
def scripts_differ(item: Item) -> Findings:
    """The two sentences are not written in the same scripts, so their scores compare scripts as well."""
    more, less = (scripts_of(text) for _, text in item.texts)
    if more != less and not _compatible(more | less):
        yield "", f"the sentences use different scripts ({_listed(more)} against {_listed(less)})", ""


def _listed(scripts: frozenset[str]) -> str:
    return ", ".join(sorted(scripts)) or "none"


_LINE_BREAK = re.compile("[\n\r\v\f\x85\u2028\u2029]")
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


@check("warning")
def line_break(item: Checked) -> Findings:
    """A line break inside a sentence, usually left by a spreadsheet: a token that the other side lacks."""
    for column, text in item.texts:
        if _LINE_BREAK.search(text.strip()):
            yield column, "holds a line break, which is scored as part of the sentence", text


@check("warning")
def invisible_character(item: Checked) -> Findings:
    """Characters that are not seen but scored: zero-width space, soft hyphen, direction marks, controls.

    The zero-width joiner and non-joiner are left alone: scripts of India and Persian are written with them.
    """
    message = "holds an invisible character (zero-width space, soft hyphen or control character)"
    for column, text in item.texts:
        if _INVISIBLE.search(text):
            yield column, message, text


@check("warning")
def typography(item: Item) -> Findings:
    """The sentences are written differently where their words are the same: other quotes, dashes, blanks, joiners.

    A tokenizer cuts them into other tokens, so that the scores compare typography as well.
    """
    differing = differences(item.cell("sent_more"), item.cell("sent_less"))
    if differing:
        kinds = ", ".join(dict.fromkeys(difference.kind for difference in differing))
        message = f"the sentences are written differently where their words are the same ({kinds})"
        yield "", message, "; ".join(f"{difference.more} / {difference.less}" for difference in differing)


@check("warning")
def final_punctuation(item: Item) -> Findings:
    """A full stop (or its like) ends one sentence only: a token that has nothing to do with the stereotype.

    Blodgett et al. 2021 count such uncontrolled differences among the pitfalls of pair data.
    """
    more, less = (_ends(text) for _, text in item.texts)
    if more != less:
        column = SENTENCES[more]
        yield column, "lacks the final punctuation that the other sentence has", item.cell(column)


def _ends(text: str) -> bool:
    return text.rstrip(" \t\r\n\"'”’»)").endswith(
        (".", "!", "?", "…", "।", "॥", "。", "！", "？", "؟", "۔", "።")
    )
