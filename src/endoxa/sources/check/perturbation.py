"""Checks of what is changed between the two sentences.

Blodgett et al. 2021 ("Stereotyping Norwegian Salmon", ACL) list what goes wrong when a pair is made by
changing a sentence: several things changed at once, the topic changed with the group, a stereotype set
against its absence instead of its opposite, differences that have nothing to do with the group.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest

from endoxa.sources.check.problems import Item, Problem, Replacement, join
from endoxa.sources.spans import Word, words
from endoxa.sources.typography import same_words
from endoxa.words.packs import words_by_language, words_of

_LISTS = words_of("en", "checks.toml")


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


def _by_language(name: str) -> dict[str, frozenset[str]]:
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
CASE_OPTIONAL = _words("case_optional")
DOUBLED_ALLOWED = _words("doubled_allowed")
VOWEL_SOUND = tuple(_LISTS["vowel_sound"].split())
CONSONANT_SOUND = tuple(_LISTS["consonant_sound"].split())
LETTERS_AN = _words("letters_an")
NEGATIONS = _by_language("negations")
COMPANIONS = _by_language("companions")


NOT = "not"
_ENGLISH_TAILS = re.compile(r"\b(?:any more|at all)\b", re.IGNORECASE)
_ENGLISH_CONTRACTED = {"won't": ["will", NOT], "cannot": ["can", NOT], "can't": ["can", NOT]}
_FRENCH_ELIDED = re.compile(r"\b([ndl])['’](?=\w)", re.IGNORECASE)
_SWAHILI_SHORT = {
    "hawali": "wanakula",
    "hawanywi": "wanakunywa",
    "hawaji": "wanakuja",
    "hawafi": "wanakufa",
    "hawaendi": "wanakwenda",
}


def negates(more: str, less: str, language: str) -> bool:
    """Whether one sentence is only the negation of the other; False where the language is not known.

    Args:
        more: a sentence.
        less: another.
        language: ISO 639 code without script and region.
    """
    negating = NEGATIONS.get(language)
    if negating is None:
        return False
    sides = [_SPLITTERS.get(language, _folded)(text) for text in (more, less)]
    denials = [sum(word in negating for word in side) for side in sides]
    if denials[0] == denials[1]:
        return False
    passing = negating | COMPANIONS.get(language, frozenset())
    one, other = ([word for word in side if word not in passing] for side in sides)
    return len(one) == len(other) and all(
        a == b or (language == "en" and _same_verb(a, b)) for a, b in zip(one, other, strict=True)
    )


def _folded(text: str) -> list[str]:
    return [word.folded.replace("’", "'") for word in words(text)]


def _english(text: str) -> list[str]:
    """Contractions written out; "need not" denies "must"; "any more" and "at all" come with a negation."""
    full: list[str] = []
    for word in _folded(_ENGLISH_TAILS.sub(" ", text)):
        if word in _ENGLISH_CONTRACTED:
            full += _ENGLISH_CONTRACTED[word]
        elif word.endswith("n't"):
            full += [word.removesuffix("n't"), NOT]
        else:
            full.append(word)
    if "need" not in full:
        return full
    following = zip_longest(full, full[1:], fillvalue="")
    return ["must" if pair == ("need", NOT) else pair[0] for pair in following]


def _same_verb(one: str, other: str) -> bool:
    """Whether an auxiliary took the ending of a verb: "likes" and "like", "used" and "use", "has" and "have"."""
    short, long = sorted((one, other), key=len)
    return {short, long} == {"has", "have"} or long in (f"{short}s", f"{short}es", f"{short}d", f"{short}ed")


def _french(text: str) -> list[str]:
    return _folded(_FRENCH_ELIDED.sub(r"\1e ", text))


def _swahili(text: str) -> list[str]:
    """The present "wana-" and its denial "hawa-" with -i for a final -a; "hawana" denies "wana" ("have")."""
    found: list[str] = []
    for word in _folded(text):
        said = _SWAHILI_SHORT.get(word, word)
        denied = said.startswith("hawa") and len(said) > len("hawa")
        stem = said.removeprefix("hawa" if denied else "wana")
        if stem == said:
            found.append(said)
        else:
            found += [*([NOT] if said != word or denied else []), stem.removesuffix("na").rstrip("ai")]
    return found


def _arabic(text: str) -> list[str]:
    """After "laysū" a plural stands in the accusative: -īn for -ūn."""
    return [re.sub("ين$", "ون", word) for word in _folded(text)]


_SPLITTERS: Mapping[str, Callable[[str], list[str]]] = {
    "en": _english,
    "fr": _french,
    "sw": _swahili,
    "ar": _arabic,
}


LONG_SPAN = 4
"""Words of a group name; a longer replacement changes more than the group."""

LENGTH_DIFFERENCE = 3
"""Words by which one sentence may be longer before its summed probability suffers for that alone."""


def identical_sentences(item: Item) -> Iterator[Problem]:
    """Both sentences are the same text: the pair can only tie."""
    more, less = (text for _, text in item.sentences())
    if more == less:
        yield item.problem(
            "error", "identical-sentences", "sent_less", "is the same text as the other sentence"
        )


def no_word_differs(item: Item) -> Iterator[Problem]:
    """Only case, blanks, punctuation or typography differ: what is measured is not a stereotype."""
    more, less = (text for _, text in item.sentences())
    if more != less and (not item.spans or same_words(more, less)):
        message = "the sentences differ only in case, blanks or punctuation"
        yield item.problem("warning", "no-word-differs", "", message, f"{more} / {less}")


def negation_only(item: Item) -> Iterator[Problem]:
    """One sentence is the negation of the other: an absent stereotype is not an opposite one.

    Blodgett et al. 2021 separate anti-stereotypes from non-stereotypes; a negation also has a probability of its
    own.
    """
    if _negates(item):
        message = (
            "one sentence is only the negation of the other: an absent stereotype is not an opposite one"
        )
        yield item.problem("warning", "negation-only", "", message, _changes(item.replacements))


def _negates(item: Item) -> bool:
    return negates(item.cell("sent_more"), item.cell("sent_less"), item.language)


def several_spans(item: Item) -> Iterator[Problem]:
    """The sentences differ in more than one place.

    In English the places are looked at: the same replacement made twice and words that only agree (pronouns,
    articles, forms of be, have and do) are one change, reported as a note; two different replacements are
    'multiple-perturbations' (Blodgett et al. 2021), because the score can follow either. In other languages
    agreement cannot be told from a second change, so there is only the note. A negation is one change in several places
    ("ne ... pas").
    """
    if len(item.spans) < 2 or _negates(item):
        return
    changed = item.replacements
    changes = {_change(one) for one in changed} - {None} if item.language == "en" else set()
    if len(changes) > 1:
        message = (
            f"the sentences differ in {len(changes)} unrelated changes: the score may reflect any of them"
        )
        yield item.problem("warning", "multiple-perturbations", "", message, _changes(changed))
    else:
        message = f"the sentences differ in {len(item.spans)} places"
        yield item.problem("note", "several-spans", "", message, _changes(changed))


def _change(one: Replacement) -> tuple[str, ...] | None:
    """What is changed, the same for a repeated change; None for words that only agree with one."""
    together = [word.folded for side in one.sides for word in side]
    heads = [word.replace("’", "'").split("'")[0] for word in together]  # 'he'd' agrees as 'he' does
    left = [word for word, head in zip(together, heads, strict=True) if not {word, head} & AGREEMENT]
    if not left:
        return None
    if GENDERED.issuperset(left):
        return ("gender",)
    return tuple(sorted(" ".join(_stem(word) for word in side) for side in one.sides))


def _stem(word: Word) -> str:
    """Plural and possessive are the same group: 'farmers', 'farmer's' -> 'farmer'."""
    return word.folded.replace("’", "'").removesuffix("'s").rstrip("'").removesuffix("s")


def long_perturbation(item: Item) -> Iterator[Problem]:
    """A replaced stretch longer than a group's name: the topic changes too (Blodgett et al. 2021)."""
    longest = max((len(side) for replacement in item.replacements for side in replacement.sides), default=0)
    if longest > LONG_SPAN:
        message = f"the sentences differ in a stretch of {longest} words, more than a group's name"
        yield item.problem("warning", "long-perturbation", "", message, _changes(item.replacements))


def length_difference(item: Item) -> Iterator[Problem]:
    """One sentence is longer by words: a summed log-probability prefers the shorter one whatever it says."""
    difference = len(item.more) - len(item.less)
    if abs(difference) >= LENGTH_DIFFERENCE:
        column = "sent_more" if difference > 0 else "sent_less"
        message = f"is {abs(difference)} words longer than the other sentence: a sum prefers the shorter one"
        yield item.problem("warning", "length-difference", column, message, _changes(item.replacements))


def other_changes(item: Item) -> Iterator[Problem]:
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
        yield item.problem("warning", "other-changes", "", message, " ".join(changed))


def _shared(item: Item) -> Iterator[tuple[int, int]]:
    """Positions of the words that both sentences share."""
    start_more = start_less = 0
    for span in item.spans:
        yield from zip(range(start_more, span.start_more), range(start_less, span.start_less), strict=True)
        start_more, start_less = span.end_more, span.end_less
    yield from zip(range(start_more, len(item.more)), range(start_less, len(item.less)), strict=True)


def _changes(changed: tuple[Replacement, ...]) -> str:
    return "; ".join(f"{join(one.more) or '-'} / {join(one.less) or '-'}" for one in changed)
