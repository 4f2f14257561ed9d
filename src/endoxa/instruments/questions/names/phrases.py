"""Noun phrases that name a group, and the words before and after the group word, by closed lists of words.

[determiner] [modifiers] GROUP [and GROUP] [modifiers] [nouns] HEAD [of mine] ['s]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.text import Token

Kind = Literal["person", "collective", "following", "one", "predicate"]

_IRREGULAR = {"men": "man", "women": "woman", "people": "person", "persons": "person", "children": "child"}


class UnwritableError(Exception):
    """A phrase that cannot be put into natural English with a name.

    Attributes:
        reason: why.
        phrase: the words at hand.
    """

    def __init__(self, reason: str, phrase: str) -> None:
        super().__init__(f"{reason}: {phrase}")
        self.reason = reason
        self.phrase = phrase


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase, or a predicate, that names one group or two.

    Attributes:
        start: first character of the phrase in its text.
        end: character after the last one; a final 's is not part of it.
        groups: the group, or the two of "my X and Y friends".
        kind: "person" (a man), "collective" (a family, or what belongs to it), "following" (fans), "one" ("the X one"),
            "predicate" ("one is X").
        determiner: in lower case, or empty.
        modifiers: adjectives beside the group word.
        compound: nouns before the head ("family" in "family home").
        head: the noun in lower case, singular unless `plural`; "" in predicates of one person.
        plural: the head is plural.
        owner: 's follows.
        of_mine: "of mine" or the like that follows, or empty.
        joined: "and" or "or" between two groups, or empty.
    """

    start: int
    end: int
    groups: tuple[str, ...]
    kind: Kind
    determiner: str = ""
    modifiers: tuple[str, ...] = ()
    compound: tuple[str, ...] = ()
    head: str = ""
    plural: bool = False
    owner: bool = False
    of_mine: str = ""
    joined: str = ""


def singular(noun: str) -> str:
    """The singular of a noun for persons, as the lists have it, or the word itself."""
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    return noun[:-1] if noun.endswith("s") and noun[:-1] in lexicon.PERSON else noun


@dataclass(frozen=True, slots=True)
class Left:
    """What stands before a group word.

    Attributes:
        first: first token of the phrase.
        determiner: in lower case, or empty.
        modifiers: adjectives in between.
    """

    first: int
    determiner: str
    modifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Right:
    """What stands after a group word.

    Attributes:
        last: the token after the phrase.
        kind: what the head is.
        head: the last noun, in lower case.
        modifiers: adjectives before the nouns.
        compound: nouns before the head.
        plural: the head is plural.
        of_mine: "of mine" or the like, or empty.
    """

    last: int
    kind: Kind
    head: str
    modifiers: tuple[str, ...] = ()
    compound: tuple[str, ...] = ()
    plural: bool = False
    of_mine: str = ""


def left_of(tokens: Sequence[Token], at: int) -> Left:
    """Determiner and adjectives before the group word at `at`."""
    first = at
    while folded(tokens, first - 1) in lexicon.BESIDE:
        first -= 1
    modifiers = tuple(token.folded for token in tokens[first:at])
    if folded(tokens, first - 1) in lexicon.DETERMINER:
        return Left(first - 1, folded(tokens, first - 1), modifiers)
    return Left(first, "", modifiers)


def right_of(tokens: Sequence[Token], at: int) -> Right | None:
    """Modifiers and nouns after the group word, or None where no known noun follows."""
    first = at + 1
    if folded(tokens, first) == "one":
        return Right(first + 1, "one", "one")
    while folded(tokens, first) in lexicon.MODIFIER and folded(tokens, first) not in lexicon.COLLECTIVE:
        first += 1
    last = _end_of_nouns(tokens, first)
    if last == first:
        return None
    family = folded(tokens, last - 1) in lexicon.COLLECTIVE and folded(tokens, last) == "'s"
    if family and folded(tokens, last + 1) in lexicon.FAMILY_COMPOUND:
        nouns = (*tokens[first:last], tokens[last + 1])
        last += 2
    else:
        nouns = tuple(tokens[first:last])
    head = nouns[-1].folded
    of_mine = ""
    if folded(tokens, last) == "of" and folded(tokens, last + 1) in lexicon.MINE:
        of_mine = f" of {folded(tokens, last + 1)}"
        last += 2
    return Right(
        last=last,
        kind=_kind(head),
        head=head,
        modifiers=tuple(token.folded for token in tokens[at + 1 : first]),
        compound=tuple(token.folded for token in nouns[:-1]),
        plural=noun_number(head) == "many",
        of_mine=of_mine,
    )


def _end_of_nouns(tokens: Sequence[Token], first: int) -> int:
    """The token after a noun, or after two that make one: "family home", "male student".

    Any other second noun is not taken, as it may be a verb ("my X friend and my Y friend cook").
    """
    noun, then = folded(tokens, first), folded(tokens, first + 1)
    if not noun_number(noun):
        return first
    family = noun in lexicon.COLLECTIVE and then in lexicon.FAMILY_COMPOUND
    described = noun in lexicon.ATTRIBUTIVE and singular(then) in lexicon.PERSON
    return first + 2 if family or described else first + 1


def goes_on(tokens: Sequence[Token], last: int) -> bool:
    """Whether what stands at `last`, after a phrase, may be more of it: a noun, a name, or a clause ("I met")."""
    word = folded(tokens, last)
    return bool(noun_number(word)) or word in lexicon.NAMING | {"i"} or is_name(tokens, last)


def is_name(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is written like a name."""
    token = tokens[at] if 0 <= at < len(tokens) else None
    return token is not None and not token.group and token.text[0].isupper() and token.text != "I"


def noun_number(word: str) -> str:
    """'one' or 'many' for a noun of the lists, else ''."""
    if word in lexicon.SINGULAR:
        return "one"
    if word in lexicon.PLURAL or singular(word) != word:
        return "many"
    return ""


def _kind(head: str) -> Kind:
    if head in lexicon.FOLLOWING:
        return "following"
    return "person" if singular(head) in lexicon.PERSON else "collective"


def shared_head(tokens: Sequence[Token], at: int) -> Right | None:
    """The noun of 'a X and a Y student', for X."""
    if folded(tokens, at + 1) not in lexicon.JOINING or folded(tokens, at + 2) not in lexicon.DETERMINER:
        return None
    other = at + 3
    while folded(tokens, other) in lexicon.BESIDE:
        other += 1
    right = right_of(tokens, other) if group_at(tokens, other) else None
    return None if right is None else replace(right, last=at + 1)


def folded(tokens: Sequence[Token], at: int) -> str:
    """The word at that place in lower case; empty before the first and after the last."""
    return tokens[at].folded if 0 <= at < len(tokens) else ""


def group_at(tokens: Sequence[Token], at: int) -> str:
    """The group that the word at that place names, or empty."""
    return tokens[at].group if 0 <= at < len(tokens) else ""
