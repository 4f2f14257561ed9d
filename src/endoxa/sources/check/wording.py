"""Checks of what changes between the two sentences, of grammar after the change, and of words that name groups.

Blodgett et al. 2021 ("Stereotyping Norwegian Salmon", ACL) list what goes wrong when a pair is made by
changing a sentence: several things changed at once, the topic changed with the group, a stereotype set
against its absence instead of its opposite, differences that have nothing to do with the group.
A sentence that the change has made ungrammatical is less probable for that reason alone (Blodgett et al. 2021 on
grammar and on agreement after a change).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise

from babel import Locale, UnknownLocaleError

from endoxa.sources.check.problems import SENTENCES, Findings, Item, Replacement, changes, check, join
from endoxa.sources.typography import Word, same_words, words
from endoxa.words.packs import words_by_language, words_of
from endoxa.words.patterns import denies

_LISTS = words_of("en", "checks.toml")


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


@cache
def lists_by_language(name: str) -> Mapping[str, frozenset[str]]:
    """The words of a list of `checks.toml` ("negations", "companions") in each language that has it."""
    by_language = words_by_language("checks.toml")
    return {code: frozenset(lists[name].split()) for code, lists in by_language.items() if name in lists}


MASCULINE_PRONOUNS = _words("masculine_pronouns")
FEMININE_PRONOUNS = _words("feminine_pronouns")
PRONOUNS = MASCULINE_PRONOUNS | FEMININE_PRONOUNS
MASCULINE = MASCULINE_PRONOUNS | _words("masculine_nouns")
FEMININE = FEMININE_PRONOUNS | _words("feminine_nouns")
GENDERED = MASCULINE | FEMININE
AGREEMENT = PRONOUNS | _words("agreement")
FUNCTION_WORDS = _words("agreement") | _words("function_words")
DOUBLED_ALLOWED = _words("doubled_allowed")
VOWEL_SOUND = tuple(_LISTS["vowel_sound"].split())
CONSONANT_SOUND = tuple(_LISTS["consonant_sound"].split())
LETTERS_AN = _words("letters_an")


_ENGLISH = {
    r"\b(?:any more|at all)\b": " ",
    r"\bwon't\b": "will not",
    r"\bcan(?:no|')t\b": "can not",
    r"\bneed(?: not|n't)\b": "must not",
}
"""What comes with a negation, contractions that change their verb, and the denial of "must"."""


@lru_cache(maxsize=8)  # several checks of a pair ask
def negates(more: str, less: str, language: str) -> bool:
    """Whether one sentence is only the negation of the other; False where the language is not known.

    Args:
        more: a sentence.
        less: another.
        language: ISO 639 code without script and region.
    """
    if denies(more.replace("’", "'"), less.replace("’", "'"), language):
        return True
    if language not in lists_by_language("negations") or denials(more, language) == denials(less, language):
        return False
    companions = lists_by_language("companions").get(language, frozenset())
    left, right = (
        [
            rest
            for word in _split(text, language)
            if (rest := _affirmed(word, language)) not in {"", *companions}
        ]
        for text in (more, less)
    )
    return len(left) == len(right) and all(
        a == b or (language == "en" and _same_verb(a, b)) for a, b in zip(left, right, strict=True)
    )


def denials(text: str, language: str) -> int:
    """How many negating words a sentence has, of one of the languages that have them."""
    return sum(_affirmed(word, language) != word for word in _split(text, language))


def _split(text: str, language: str) -> list[str]:
    straight = text.replace("’", "'")
    for pattern, full in _ENGLISH.items() if language == "en" else ():
        straight = re.sub(pattern, full, straight, flags=re.IGNORECASE)
    return [word.folded for word in words(straight)]


def _affirmed(word: str, language: str) -> str:
    """A word without its negation: nothing is left of "not", "is" of "isn't" (`-n't`), "ont" of "n'ont" (`n'-`)."""
    for mark in lists_by_language("negations")[language]:
        rest = word.removesuffix(mark[1:]) if mark.startswith("-") else word.removeprefix(mark.rstrip("-"))
        if rest != word and bool(rest) == ("-" in mark):
            return rest
    return word


def _same_verb(first: str, second: str) -> bool:
    """Whether an auxiliary took the ending of a verb: "likes" and "like", "used" and "use", "has" and "have"."""
    short, long = sorted((first, second), key=len)
    return {short, long} == {"has", "have"} or long in (f"{short}s", f"{short}es", f"{short}d", f"{short}ed")


LONG_SPAN = 4
"""Words of a group name; a longer replacement changes more than the group."""

LENGTH_DIFFERENCE = 3
"""Words by which one sentence may be longer before its summed probability suffers for that alone."""


@check("error")
def identical_sentences(item: Item) -> Findings:
    """Both sentences are the same text: the pair can only tie."""
    more, less = (text for _, text in item.texts)
    if more == less:
        yield "sent_less", "is the same text as the other sentence", ""


@check("warning")
def no_word_differs(item: Item) -> Findings:
    """Only case, blanks, punctuation or typography differ: what is measured is not a stereotype."""
    more, less = (text for _, text in item.texts)
    if more != less and (not item.spans or same_words(more, less)):
        yield "", "the sentences differ only in case, blanks or punctuation", f"{more} / {less}"


@check("warning")
def negation_only(item: Item) -> Findings:
    """One sentence is the negation of the other: an absent stereotype is not an opposite one.

    Blodgett et al. 2021 separate anti-stereotypes from non-stereotypes; a negation also has a probability of its
    own.
    """
    if _negates(item):
        message = (
            "one sentence is only the negation of the other: an absent stereotype is not an opposite one"
        )
        yield "", message, changes(item.replacements)


def _negates(item: Item) -> bool:
    return negates(item.cell("sent_more"), item.cell("sent_less"), item.language)


@check("note")
def several_spans(item: Item) -> Findings:
    """The sentences differ in more than one place, and these may be one change.

    The same replacement made twice and words that only agree (pronouns, articles, forms of be, have and do) are one
    change; outside of English agreement cannot be told from a second change. A negation is one change in several places
    ("ne ... pas").
    """
    if len(item.spans) > 1 and not _negates(item) and _unrelated_changes(item) < 2:
        yield "", f"the sentences differ in {len(item.spans)} places", changes(item.replacements)


@check("warning", english=True)
def multiple_perturbations(item: Item) -> Findings:
    """Two different replacements in English: the score can follow either (Blodgett et al. 2021)."""
    unrelated = _unrelated_changes(item)
    if unrelated > 1 and not _negates(item):
        message = f"the sentences differ in {unrelated} unrelated changes: the score may reflect any of them"
        yield "", message, changes(item.replacements)


def _unrelated_changes(item: Item) -> int:
    return len({_change(edit) for edit in item.replacements} - {None}) if item.language == "en" else 0


def _change(edit: Replacement) -> tuple[str, ...] | None:
    """What is changed, the same for a repeated change; None for words that only agree with one."""
    together = [word.folded for side in edit.sides for word in side]
    heads = [word.replace("’", "'").split("'")[0] for word in together]  # 'he'd' agrees as 'he' does
    left = [word for word, head in zip(together, heads, strict=True) if not {word, head} & AGREEMENT]
    if not left:
        return None
    if GENDERED.issuperset(left):
        return ("gender",)
    return tuple(sorted(" ".join(_stem(word) for word in side) for side in edit.sides))


def _stem(word: Word) -> str:
    """Plural and possessive are the same group: 'farmers', 'farmer's' -> 'farmer'."""
    return word.folded.replace("’", "'").removesuffix("'s").rstrip("'").removesuffix("s")


@check("warning")
def long_perturbation(item: Item) -> Findings:
    """A replaced stretch longer than a group's name: the topic changes too (Blodgett et al. 2021)."""
    longest = max((len(side) for replacement in item.replacements for side in replacement.sides), default=0)
    if longest > LONG_SPAN:
        message = f"the sentences differ in a stretch of {longest} words, more than a group's name"
        yield "", message, changes(item.replacements)


@check("warning")
def length_difference(item: Item) -> Findings:
    """One sentence is longer by words: a summed log-probability prefers the shorter one whatever it says."""
    difference = len(item.more) - len(item.less)
    if abs(difference) >= LENGTH_DIFFERENCE:
        message = f"is {abs(difference)} words longer than the other sentence: a sum prefers the shorter one"
        yield SENTENCES[difference < 0], message, changes(item.replacements)


@check("warning")
def other_changes(item: Item) -> Findings:
    """A word that both sentences share is written with other capitals: a cased model scores another word.

    First words are left out: a capital there follows from the place.
    """
    changed = [
        f"{a.text}/{b.text}"
        for i, j in _shared(item)
        if i and j and (a := item.more[i]).text != (b := item.less[j]).text
    ]
    if changed and item.spans:
        message = f"{len(changed)} word(s) that both sentences share are written with different capitals"
        yield "", message, " ".join(changed)


def _shared(item: Item) -> Iterator[tuple[int, int]]:
    """Positions of the words that both sentences share."""
    start_more = start_less = 0
    for span in item.spans:
        yield from zip(range(start_more, span.start_more), range(start_less, span.start_less), strict=True)
        start_more, start_less = span.end_more, span.end_less
    yield from zip(range(start_more, len(item.more)), range(start_less, len(item.less)), strict=True)


@check("warning", english=True)
def article(item: Item) -> Findings:
    """'a' before a vowel sound or 'an' before a consonant, where the article or its noun was changed."""
    for column, side, changed in _sides(item):
        for at in range(len(side) - 1):
            if at not in changed and at + 1 not in changed:
                continue
            if side[at].folded in ("a", "an") and side[at].folded != indefinite_article(side[at + 1].text):
                message = "has 'a' where the changed word needs 'an', or the other way round"
                yield column, message, f"{side[at].text} {side[at + 1].text}"


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


@check("note", english=True)
def pronoun(item: Item) -> Findings:
    """A person's gender was changed, and a later pronoun was left: 'she ... his'.

    It may mean another person, so this is a note for the eye.
    """
    if not any(
        {_gender(word.folded) for side in replacement.sides for word in side} >= {"masculine", "feminine"}
        for replacement in item.replacements
    ):
        return
    for column, side, changed in _sides(item):
        first = min(changed, default=0)
        genders = {_gender(side[at].folded) for at in changed} - {None}
        left = [
            word.text
            for at, word in enumerate(side)
            if at > first
            and at not in changed
            and word.folded in PRONOUNS
            and _gender(word.folded) not in genders
        ]
        if len(genders) == 1 and left:
            yield column, "keeps a pronoun of the other gender after the changed word", " ".join(left)


def _gender(word: str) -> str | None:
    """Gender of a person word, None for other words."""
    if word not in GENDERED:
        return None
    return "feminine" if word in FEMININE else "masculine"


@check("warning", english=True)
def doubled_word(item: Item) -> Findings:
    """The same word twice in a row, left by editing. Only English: Hindi and others repeat on purpose."""
    for column, text in item.texts:
        doubled = [
            token
            for token, following in pairwise(text.split())
            if token.casefold() == following.rstrip(".,;:!?").casefold()
            and token.isalpha()
            and token.casefold() not in DOUBLED_ALLOWED
        ]
        if doubled:
            yield column, "has the same word twice", " ".join(doubled)


@check("note", groups=True)
def country_for_group(item: Item) -> Findings:
    """A country stands where a group of people should (CLDR's territory names in the pair's language).

    Blodgett et al. 2021 on groups that are named indirectly: what is said of a place is not said of a person.
    """
    places = _territories(item.language)
    matches = [
        join(side)
        for replacement in item.replacements
        for side in replacement.sides
        if " ".join(word.folded for word in side).removesuffix("'s").removesuffix("’s") in places
    ]
    if matches:
        message = "names a country or territory where the other sentence has something else"
        yield "", message, ", ".join(matches)


@cache
def _territories(language: str) -> frozenset[str]:
    try:
        names = Locale.parse(language).territories
    except (UnknownLocaleError, ValueError):
        return frozenset()
    return frozenset(name.casefold() for code, name in names.items() if len(code) == 2)
