"""Noun phrases that name a group, and the words before and after the group word, by closed lists of words.

[determiner] [modifiers] GROUP [and GROUP] [modifiers] [nouns] HEAD [of mine] ['s]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.text import GroupWords, Token

Kind = Literal["person", "collective", "following", "one", "predicate"]

_IRREGULAR = {
    "men": "man",
    "women": "woman",
    "people": "person",
    "persons": "person",
    "children": "child",
}


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


_STILL_A_GROUP = "a whole group cannot be given one person's name"
_NAMED_ALREADY = "a name stands beside it already"


def find_phrases(text: str, words: GroupWords) -> list[Phrase]:
    """Every phrase that names a group, in order.

    Args:
        text: without slips (`text.mended`).
        words: what names a group.

    Raises:
        UnwritableError: a phrase whose build is not known.
    """
    tokens = words.tokens(text)
    phrases: list[Phrase] = []
    at = 0
    while at < len(tokens):
        if tokens[at].group:
            phrase, at = _phrase(text, tokens, at, phrases[-1] if phrases else None)
            _require_complete(text, tokens, phrase)
            phrases.append(phrase)
        else:
            at += 1
    return phrases


def _phrase(text: str, tokens: Sequence[Token], at: int, before: Phrase | None) -> tuple[Phrase, int]:
    """The phrase around the group word at `at`, and the token from which the search goes on."""
    if folded(tokens, at + 1) in lexicon.JOINING and group_at(tokens, at + 2):
        return _pair(text, tokens, at)
    left, right = left_of(tokens, at), right_of(tokens, at)
    if right is None:
        right = shared_head(tokens, at)
    if right is None:
        return _without_head(text, tokens, at, left)
    phrase = Phrase(
        start=tokens[left.first].start,
        end=tokens[right.last - 1].end,
        groups=(tokens[at].group,),
        kind=right.kind,
        determiner=left.determiner,
        modifiers=left.modifiers + right.modifiers,
        compound=right.compound,
        head=right.head,
        plural=right.plural,
        owner=folded(tokens, right.last) == "'s",
        of_mine=right.of_mine,
    )
    if phrase.plural and phrase.kind != "following":
        raise UnwritableError(_STILL_A_GROUP, text[phrase.start : phrase.end])
    if not phrase.determiner:
        phrase = _inherit(text, phrase, tokens, left, before)
    return phrase, right.last


def _require_complete(text: str, tokens: Sequence[Token], phrase: Phrase) -> None:
    """Refuse a phrase that may go on: "my X friend cook", "a X man named N", "N, my X friend,"."""
    before = sum(token.end <= phrase.start for token in tokens)
    last = sum(token.end <= phrase.end for token in tokens)
    comma = folded(tokens, last) == ","
    words = text[phrase.start : tokens[min(last + comma, len(tokens) - 1)].end]
    if phrase.kind != "predicate" and goes_on(tokens, last):
        raise UnwritableError("it is not clear where the words for the person end", words)
    beside = (comma and is_name(tokens, last + 1)) or (
        comma and folded(tokens, before - 1) == "," and is_name(tokens, before - 2)
    )
    if beside:
        raise UnwritableError(_NAMED_ALREADY, words)


def _pair(text: str, tokens: Sequence[Token], at: int) -> tuple[Phrase, int]:
    """'my X and Y friends'."""
    left, right = left_of(tokens, at), right_of(tokens, at + 2)
    last = right.last if right else at + 3
    words = text[tokens[left.first].start : tokens[last - 1].end]
    if right is None or not right.plural or right.kind == "following":
        raise UnwritableError("it is not clear whether one person or two are meant", words)
    if left.determiner not in lexicon.DEFINITE | lexicon.POSSESSIVE:
        raise UnwritableError(_STILL_A_GROUP, words)
    if folded(tokens, last) in ("'", "'s"):
        raise UnwritableError("what belongs to two people cannot be said with names", words)
    phrase = Phrase(
        start=tokens[left.first].start,
        end=tokens[last - 1].end,
        groups=(tokens[at].group, tokens[at + 2].group),
        kind=right.kind,
        determiner=left.determiner,
        modifiers=left.modifiers + right.modifiers,
        compound=right.compound,
        head=right.head,
        plural=True,
        of_mine=right.of_mine,
        joined=folded(tokens, at + 1),
    )
    return phrase, last


def _without_head(text: str, tokens: Sequence[Token], at: int, left: Left) -> tuple[Phrase, int]:
    """'one is X', 'one X and the other Y', 'a X', or nothing that is known."""
    token = tokens[at]
    if left.determiner == "one" or left.modifiers[-1:] == ("other",):
        return Phrase(token.start, token.end, (token.group,), "predicate"), at + 1
    follows = folded(tokens, at + 1)
    if not left.determiner and not left.modifiers:
        predicate = _predicate(tokens, at)
        if predicate:
            return predicate, at + 1
    words = text[tokens[left.first].start : tokens[min(at + 1, len(tokens) - 1)].end]
    if not _noun_ends(follows) and follows not in lexicon.BE_PLURAL:
        raise UnwritableError(
            f"'{follows}' is no noun that we know for a person, or for what people own", words
        )
    many = follows in lexicon.BE_PLURAL or token.folded.endswith(lexicon.PLURAL_ENDING)
    if many or not left.determiner:
        raise UnwritableError(_STILL_A_GROUP, words)
    phrase = Phrase(
        start=tokens[left.first].start,
        end=token.end,
        groups=(token.group,),
        kind="person",
        determiner=left.determiner,
        modifiers=left.modifiers,
        head=next((noun for noun in ("woman", "man") if token.folded.endswith(noun)), "person"),
        owner=follows == "'s",
    )
    return phrase, at + 1


def _noun_ends(follows: str) -> bool:
    """Whether a group word before that word, without a noun, can be a noun itself."""
    return not follows[:1].isalnum() or follows in lexicon.AFTER_NOUN


def _predicate(tokens: Sequence[Token], at: int) -> Phrase | None:
    """'one is X' or 'the fans were all X'; the head of the latter is the noun that is spoken of."""
    verb = at - 1
    adverbs: set[str] = set()
    while folded(tokens, verb) in lexicon.ADVERB:
        adverbs.add(folded(tokens, verb))
        verb -= 1
    if folded(tokens, verb) not in lexicon.BE:
        return None
    if is_name(tokens, verb - 1) and not _is_subject(folded(tokens, verb - 1)):
        raise UnwritableError(
            _NAMED_ALREADY, f"{tokens[verb - 1].text} {tokens[verb].text} {tokens[at].text}"
        )
    many = folded(tokens, verb) in lexicon.BE_PLURAL or bool(adverbs & lexicon.ALL_OF)
    subject = ""
    if many:
        for token in reversed(tokens[:verb]):
            if token.text in ".!?" or subject:
                break
            subject = token.folded if noun_number(token.folded) else ""
    return Phrase(
        tokens[at].start, tokens[at].end, (tokens[at].group,), "predicate", head=subject, plural=many
    )


def _is_subject(word: str) -> bool:
    return word in lexicon.SUBJECT or bool(noun_number(word))


def _inherit(text: str, phrase: Phrase, tokens: Sequence[Token], left: Left, before: Phrase | None) -> Phrase:
    """A phrase without determiner: 'a X man and Y man', a whole text, or a person told of before."""
    if left.first == 0 and phrase.end == len(text):
        return replace(phrase, determiner="the")
    if phrase.kind == "person" and before is not None:
        front = folded(tokens, left.first - 1)
        if front in lexicon.JOINING and left.first > 1 and before.end == tokens[left.first - 2].end:
            return replace(phrase, determiner=before.determiner)
        if front in lexicon.BEFORE_BARE:
            return replace(phrase, determiner="the")
    raise UnwritableError("a noun without an article that we know", text[phrase.start : phrase.end])
