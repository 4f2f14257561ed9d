"""Checks of the words by which groups are named."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from babel import Locale, UnknownLocaleError

from endoxa.datasets.check.item import Item, Replacement, join
from endoxa.datasets.check.lexicon import CASE_OPTIONAL, FUNCTION_WORDS, GENDERED
from endoxa.datasets.check.problem import Problem
from endoxa.datasets.spans import Word

_NAME_AXES = ("gender", "sex")


def country_for_group(item: Item) -> Iterator[Problem]:
    """A country stands where a group of people should (CLDR's territory names in the pair's language).

    Blodgett et al. 2021 on groups that are named indirectly: what is said of a place is not said of a person.
    """
    if not item.compares_groups():
        return
    known = _territories(item.language)
    found = [join(side) for one in item.replacements() for side in one.sides if _phrase(side) in known]
    if found:
        message = "names a country or territory where the other sentence has something else"
        yield item.problem("note", "country-for-group", "", message, ", ".join(found))


@cache
def _territories(language: str) -> frozenset[str]:
    try:
        names = Locale.parse(language).territories
    except (UnknownLocaleError, ValueError):
        return frozenset()
    return frozenset(name.casefold() for code, name in names.items() if len(code) == 2)


def _phrase(side: tuple[Word, ...]) -> str:
    return " ".join(word.folded for word in side).removesuffix("'s").removesuffix("’s")


def name_for_group(item: Item) -> Iterator[Problem]:
    """Under a gender axis, two capitalised words inside the sentence are names of persons, not of groups.

    A name carries more than gender: age, class, region (Blodgett et al. 2021 on groups named indirectly).
    Only English, and only this axis: elsewhere a capital is as likely that of a people or a faith.
    """
    if item.language != "en" or item.cell("axis") not in _NAME_AXES:
        return
    for one, span in zip(item.replacements(), item.spans, strict=True):
        inside = span.start_more > 0 and span.start_less > 0
        if inside and _looks_like_names(one):
            text = f"{join(one.more)} / {join(one.less)}"
            yield item.problem(
                "note", "name-for-group", "", "persons' names seem to stand for the groups", text
            )
            return


def _looks_like_names(one: Replacement) -> bool:
    return all(
        len(side) == 1 and side[0].text.istitle() and side[0].folded not in GENDERED for side in one.sides
    )


def no_group_term(item: Item) -> Iterator[Problem]:
    """Only words that name no group differ: articles, prepositions, auxiliaries. Only English."""
    if item.language != "en" or not item.compares_groups():
        return
    changed = [word for one in item.replacements() for side in one.sides for word in side]
    if changed and all(word.folded in FUNCTION_WORDS for word in changed):
        text = " ".join(word.text for word in changed)
        message = "the sentences differ only in words that name no group"
        yield item.problem("warning", "no-group-term", "", message, text)


def group_capitals(item: Item) -> Iterator[Problem]:
    """Of two group terms that may be written with a capital or without, one has it and the other has not.

    A cased model scores the spelling with the group. Only English: 'Black' beside 'white'.
    """
    if item.language != "en":
        return
    for one, span in zip(item.replacements(), item.spans, strict=True):
        if not (span.start_more and span.start_less and len(one.more) == len(one.less) == 1):
            continue
        more, less = one.more[0], one.less[0]
        optional = more.folded in CASE_OPTIONAL and less.folded in CASE_OPTIONAL
        if optional and more.text[0].isupper() != less.text[0].isupper():
            message = "one group term is written with a capital and the other is not"
            yield item.problem("warning", "group-capitals", "", message, f"{more.text} / {less.text}")
