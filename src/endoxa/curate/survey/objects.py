"""Whether a chunk behind a comma is one more object of what was said: "bad at maths, science and engineering"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from endoxa.curate.english import can_be, is_plain_verb, is_plural, is_third_person, tokens, words
from endoxa.curate.normalise import is_group

_LONGEST = 4
"""Words of an object at most."""
_JOINERS = frozenset({"and", "or", "&"})
_AGENT = re.compile(r"(?:ers|ors|ists|ians|men|wives|people)$")


def further_object(so_far: Sequence[str], chunk: str) -> bool:
    """Whether `chunk` names nothing but things, and what was said so far ends in things that a word governs.

    People are no further object: they may as well be what the group is ("good at cooking, mothers").

    Args:
        so_far: the chunks in front that make one statement.
        chunk: what stands behind the next comma.
    """
    heads = _heads([word.lower() for word in tokens(chunk)])
    if not heads or any(map(_person, heads)):
        return False
    *earlier, last = so_far
    return _governed([word.lower() for word in tokens(last)]) or (
        bool(earlier) and further_object(earlier, last)
    )


def _governed(low: Sequence[str]) -> bool:
    """Whether a text ends in an object: of a verb ("hate dogs") or of a preposition ("bad at maths")."""
    if not low or not _nominal(low[-1]):
        return False
    for place in range(len(low) - 2, max(len(low) - 2 - _LONGEST, -1), -1):
        word = low[place]
        if word in words("prepositions"):
            return not _of_a_noun(low, place)
        if _governs(low, place):
            return can_be(low[-1], "NOUN")
        if not (_nominal(word) or can_be(word, "ADJ") or word in words("determiners") | _JOINERS):
            return False
    return False


def _of_a_noun(low: Sequence[str], preposition: int) -> bool:
    """Whether a preposition only describes a noun that a copula joins: "are heads of the house"."""
    before = low[max(preposition - 1, 0)]
    copula = bool(words("copulas") & set(low[:preposition]))
    return copula and can_be(before, "NOUN") and not can_be(before, "ADJ") and not can_be(before, "VERB")


def _governs(low: Sequence[str], place: int) -> bool:
    """Whether the word is a verb with an object behind it: "hate", "have", not "good" and not "are"."""
    word = low[place]
    if word in words("auxiliaries"):
        return True
    if word in words("copulas") or word in words("modals") or can_be(word, "ADJ"):
        return False
    if place == 0 or low[place - 1] in words("modals") | words("auxiliaries") | {"to"}:
        return is_plain_verb(word)
    subject = is_plural(low[place - 1]) or is_group(low[place - 1])
    return (is_plain_verb(word) or is_third_person(word)) and (subject or not can_be(word, "NOUN"))


def _heads(low: Sequence[str]) -> list[str]:
    """The last words of the noun phrases that a text consists of; none where it holds anything else.

    One of them must be no verb as well: "gossip" and "dance and shout" could be what people do.
    """
    phrases: list[list[str]] = [[]]
    for word in low:
        if word in _JOINERS:
            phrases.append([])
        else:
            phrases[-1].append(word)
    filled = [phrase for phrase in phrases if phrase]
    heads = [phrase[-1] for phrase in filled]
    sure = not all(is_plain_verb(head) for head in heads)
    return heads if sure and all(map(_noun_phrase, filled)) else []


def _noun_phrase(phrase: Sequence[str]) -> bool:
    *front, head = phrase
    verb = bool(front) and is_plain_verb(front[0]) and not can_be(front[0], "ADJ")
    described = all(
        can_be(word, "NOUN") or can_be(word, "ADJ") or word in words("determiners") for word in front
    )
    return (
        len(phrase) <= _LONGEST
        and can_be(head, "NOUN")
        and not can_be(head, "ADJ")
        and described
        and not verb
    )


def _nominal(word: str) -> bool:
    """Whether the word can be a thing: a noun that is no adjective, or the name of an activity ("cooking")."""
    return (can_be(word, "NOUN") or (word.endswith("ing") and can_be(word, "VERB"))) and not can_be(
        word, "ADJ"
    )


def _person(word: str) -> bool:
    return is_group(word) or bool(_AGENT.search(word))
