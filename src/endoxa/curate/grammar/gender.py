"""The gender that an attribute shows ("bavardes"), and the attribute in both genders ("bavards / bavardes")."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from endoxa.curate.opposites import Lexicon
from endoxa.curate.opposites.inflection import Forms, forms_of_word
from endoxa.words.packs import words_of
from endoxa.words.people import has_gender


@dataclass(frozen=True, slots=True)
class Shown:
    """What the form of an attribute says of the people that have it.

    Attributes:
        gender: 'm' or 'f'; empty where it fits both, or where the tables of the language do not know its words.
        both: the attribute in the masculine and the feminine; empty where the other form is not known.
    """

    gender: str = ""
    both: str = ""


def shown_gender(attribute: str, language: str, lexicon: Lexicon | None) -> Shown:
    """The gender that an attribute shows, where all its words are known: adjectives, nouns and words of degree.

    Args:
        attribute: as people said it.
        language: ISO 639 code; without genders nothing is shown.
        lexicon: opposites of the language, whose forms are looked up beside those of `forms.csv` and of endings.
    """
    if not has_gender(language):
        return Shown()
    beside = {*words_of(language, "word_classes.toml").get("degree", "").split()}
    beside |= lexicon.rules.function if lexicon else set()
    tokens = attribute.split()
    versions: list[tuple[str, str]] = []
    genders: set[str] = set()
    for token in tokens:
        if token.lower() in beside:
            versions.append((token, token))
            continue
        readings = {_read(token.lower(), entry) for entry in forms_of_word(token.lower(), language, lexicon)}
        if not readings:
            return Shown()
        gender, masculine, feminine = _agreed(readings, token)
        genders |= {gender} - {""}
        versions.append((masculine, feminine) if gender else (token, token))
    if len(genders) != 1:
        return Shown()
    whole = [" ".join(version) for version in zip(*versions, strict=True)]
    complete = all(all(version) for version in versions)
    return Shown(genders.pop(), " / ".join(whole) if complete else "")


def _agreed(readings: Set[tuple[str, str, str]], word: str) -> tuple[str, str, str]:
    """What several entries say of a word: no gender where they differ in it, no other form where forms differ."""
    if len(readings) == 1:
        return next(iter(readings))
    genders = {gender for gender, _, _ in readings}
    return (genders.pop(), "", "") if len(genders) == 1 else ("", word, word)


def _read(word: str, inflected: Forms) -> tuple[str, str, str]:
    """The gender that one entry gives a form, and that form in the masculine and the feminine."""
    features = {feature for feature, form in inflected.items() if form == word}
    masculine, feminine = features & {"", "p"}, features & {"f", "fp"}
    if len(inflected) == 1:  # a table that lists each form by itself says nothing of the others
        return {"p": "m", "f": "f", "fp": "f"}.get(next(iter(features)), ""), "", ""
    if (masculine and feminine) or not (inflected.get("f") or inflected.get("fp")):
        return "", word, word
    if masculine:
        other = inflected.get("f", "") if "" in masculine else inflected.get("fp") or inflected.get("f", "")
        return "m", word, other
    many = "fp" in feminine or "fp" not in inflected
    return "f", inflected.get("p" if many else "", ""), word
