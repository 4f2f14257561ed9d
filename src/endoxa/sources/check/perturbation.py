"""Checks of what is changed between the two sentences.

Blodgett et al. 2021 ("Stereotyping Norwegian Salmon", ACL) list what goes wrong when a pair is made by
changing a sentence: several things changed at once, the topic changed with the group, a stereotype set
against its absence instead of its opposite, differences that have nothing to do with the group.
"""

from __future__ import annotations

from collections.abc import Iterator

from endoxa.sources.check.lexicon import AGREEMENT, GENDERED, negates
from endoxa.sources.check.problems import Item, Problem, Replacement, join
from endoxa.sources.spans import Word
from endoxa.sources.typography import same_words

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
