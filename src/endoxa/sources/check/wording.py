"""Checks of English wording: grammar after a change, and the words that name groups.

A sentence that the change has made ungrammatical is less probable for that reason alone (Blodgett et al. 2021 on
grammar and on agreement after a change).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from babel import Locale, UnknownLocaleError

from endoxa.sources.check.perturbation import (
    CASE_OPTIONAL,
    CONSONANT_SOUND,
    DOUBLED_ALLOWED,
    FEMININE,
    FUNCTION_WORDS,
    GENDERED,
    LETTERS_AN,
    PRONOUNS,
    VOWEL_SOUND,
)
from endoxa.sources.check.problems import SENTENCES, Item, Problem, join
from endoxa.sources.spans import Word


def article(item: Item) -> Iterator[Problem]:
    """'a' before a vowel sound or 'an' before a consonant, where the article or its noun was changed."""
    if item.language != "en":
        return
    for column, side, changed in _sides(item):
        for at in range(len(side) - 1):
            if at not in changed and at + 1 not in changed:
                continue
            if side[at].folded in ("a", "an") and side[at].folded != indefinite_article(side[at + 1].text):
                message = "has 'a' where the changed word needs 'an', or the other way round"
                text = f"{side[at].text} {side[at + 1].text}"
                yield item.problem("warning", "article", column, message, text)


def _sides(item: Item) -> Iterator[tuple[str, tuple[Word, ...], frozenset[int]]]:
    """Column, words, and positions of changed words, of both sentences."""
    more = frozenset(at for span in item.spans for at in range(span.start_more, span.end_more))
    less = frozenset(at for span in item.spans for at in range(span.start_less, span.end_less))
    yield SENTENCES[0], item.more, more
    yield SENTENCES[1], item.less, less


def indefinite_article(word: str) -> str:
    """The indefinite article before a word, by its first sound."""
    if word[0].isdigit():
        return "an" if word.startswith(("8", "11", "18")) else "a"
    spelled = re.split("[/-]", word, maxsplit=1)[0]
    if spelled.isupper() and (len(spelled) == 1 or not (len(spelled) > 4)):
        return "an" if word[0] in LETTERS_AN else "a"
    folded = word.casefold()
    if folded.startswith(VOWEL_SOUND):
        return "an"
    return "an" if folded[0] in "aeiou" and not folded.startswith(CONSONANT_SOUND) else "a"


def pronoun(item: Item) -> Iterator[Problem]:
    """A person's gender was changed, and a later pronoun was left: 'she ... his'.

    It may mean another person, so this is a note for the eye.
    """
    if item.language != "en" or not (
        any(
            {_gender(word.folded) for word in replacement.more}
            | {_gender(word.folded) for word in replacement.less}
            >= {"masculine", "feminine"}
            for replacement in item.replacements
        )
    ):
        return
    for column, side, changed in _sides(item):
        first = min(changed, default=0)
        own = {_gender(side[at].folded) for at in changed} - {None}
        left = [
            word.text
            for at, word in enumerate(side)
            if at > first
            and at not in changed
            and word.folded in PRONOUNS
            and _gender(word.folded) not in own
        ]
        if len(own) == 1 and left:
            message = "keeps a pronoun of the other gender after the changed word"
            yield item.problem("note", "pronoun", column, message, " ".join(left))


def _gender(word: str) -> str | None:
    """Gender of a person word, None for other words."""
    if word not in GENDERED:
        return None
    return "feminine" if word in FEMININE else "masculine"


def doubled_word(item: Item) -> Iterator[Problem]:
    """The same word twice in a row, left by editing. Only English: Hindi and others repeat on purpose."""
    if item.language != "en":
        return
    for (column, text), side in zip(item.sentences(), (item.more, item.less), strict=True):
        if not any(word.folded == following.folded for word, following in pairwise(side)):
            continue
        tokens = text.split()
        doubled = [
            token
            for token, following in pairwise(tokens)
            if len(token) <= len(following)
            and token.casefold() == following.rstrip(".,;:!?").casefold()
            and token.isalpha()
            and token.casefold() not in DOUBLED_ALLOWED
        ]
        if doubled:
            yield item.problem(
                "warning", "doubled-word", column, "has the same word twice", " ".join(doubled)
            )


_NAME_AXES = ("gender", "sex")


def country_for_group(item: Item) -> Iterator[Problem]:
    """A country stands where a group of people should (CLDR's territory names in the pair's language).

    Blodgett et al. 2021 on groups that are named indirectly: what is said of a place is not said of a person.
    """
    if not item.compares_groups:
        return
    known = _territories(item.language)
    found = [
        join(side)
        for replacement in item.replacements
        for side in replacement.sides
        if " ".join(word.folded for word in side).removesuffix("'s").removesuffix("’s") in known
    ]
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


def name_for_group(item: Item) -> Iterator[Problem]:
    """Under a gender axis, two capitalised words inside the sentence are names of persons, not of groups.

    A name carries more than gender: age, class, region (Blodgett et al. 2021 on groups named indirectly).
    Only English, and only this axis: elsewhere a capital is as likely that of a people or a faith.
    """
    if item.language != "en" or item.cell("axis") not in _NAME_AXES:
        return
    for one, span in zip(item.replacements, item.spans, strict=True):
        inside = span.start_more > 0 and span.start_less > 0
        if inside and (
            all(
                len(side) == 1 and side[0].text.istitle() and side[0].folded not in GENDERED
                for side in one.sides
            )
        ):
            text = f"{join(one.more)} / {join(one.less)}"
            yield item.problem(
                "note", "name-for-group", "", "persons' names seem to stand for the groups", text
            )
            return


def no_group_term(item: Item) -> Iterator[Problem]:
    """Only words that name no group differ: articles, prepositions, auxiliaries. Only English."""
    if item.language != "en" or not item.compares_groups:
        return
    changed = [word for replacement in item.replacements for side in replacement.sides for word in side]
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
    for one, span in zip(item.replacements, item.spans, strict=True):
        if not (span.start_more and span.start_less and len(one.more) == len(one.less) == 1):
            continue
        more, less = one.more[0], one.less[0]
        optional = more.folded in CASE_OPTIONAL and less.folded in CASE_OPTIONAL
        if optional and more.text[0].isupper() != less.text[0].isupper():
            message = "one group term is written with a capital and the other is not"
            yield item.problem("warning", "group-capitals", "", message, f"{more.text} / {less.text}")
