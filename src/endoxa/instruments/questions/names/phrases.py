"""Noun phrases that name a group, and the words before and after the group word, by closed lists of words.

[determiner] [modifiers] GROUP [and GROUP] [modifiers] [nouns] HEAD [of mine] ['s]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.text import GroupWords, Row, Token

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
        row: the record that holds it, where records are written and one of them is the reason.
    """

    row: Row | None = None

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
        said: the phrase as it is written.
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
    said: str = ""


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
    sentence = _Sentence(text, words.tokens(text))
    phrases: list[Phrase] = []
    at = 0
    while at < len(sentence.tokens):
        if sentence.group(at):
            phrase, at = sentence.phrase(at, phrases[-1] if phrases else None)
            sentence.require_complete(phrase)
            phrases.append(replace(phrase, said=text[phrase.start : phrase.end]))
        else:
            at += 1
    return phrases


def singular(noun: str) -> str:
    """The singular of a noun for persons, as the lists have it, or the word itself."""
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    return noun[:-1] if noun.endswith("s") and noun[:-1] in lexicon.PERSON else noun


def _is_plural(noun: str) -> bool:
    return noun not in lexicon.SINGULAR and (noun in lexicon.PLURAL or singular(noun) != noun)


def _is_noun(word: str) -> bool:
    return word in lexicon.SINGULAR or _is_plural(word)


def _kind(head: str) -> Kind:
    if head in lexicon.FOLLOWING:
        return "following"
    return "person" if singular(head) in lexicon.PERSON else "collective"


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A text and its tokens, in which phrases are looked for."""

    text: str
    tokens: Sequence[Token]

    def word(self, at: int) -> str:
        """The word at that place in lower case; empty before the first and after the last."""
        return self.tokens[at].folded if 0 <= at < len(self.tokens) else ""

    def group(self, at: int) -> str:
        """The group that the word at that place names, or empty."""
        return self.tokens[at].group if 0 <= at < len(self.tokens) else ""

    def is_name(self, at: int) -> bool:
        """Whether a word is written like a name."""
        token = self.tokens[at] if 0 <= at < len(self.tokens) else None
        return token is not None and not token.group and token.text[0].isupper() and token.text != "I"

    def quoted(self, first: int, last: int) -> str:
        """The text from one token up to another, which is not part of it."""
        return self.text[self.tokens[first].start : self.tokens[min(last, len(self.tokens)) - 1].end]

    def phrase(self, at: int, before: Phrase | None) -> tuple[Phrase, int]:
        """The phrase around the group word at `at`, and the token from which the search goes on."""
        first, determiner, modifiers = self.left_of(at)
        joined = self.word(at + 1) if self.word(at + 1) in lexicon.JOINING and self.group(at + 2) else ""
        right, last = self.right_of(at + 2 if joined else at)
        words = self.quoted(first, last)
        if joined and (right is None or not right.plural or right.kind == "following"):
            raise UnwritableError("it is not clear whether one person or two are meant", words)
        if joined and determiner not in lexicon.DEFINITE | lexicon.POSSESSIVE:
            raise UnwritableError(_STILL_A_GROUP, words)
        if joined and self.word(last) in ("'", "'s"):
            raise UnwritableError("what belongs to two people cannot be said with names", words)
        right = right or self.shared_head(at)
        if right is None:
            return self.without_head(at, first, determiner, modifiers), last
        if right.plural and right.kind != "following" and not joined:
            raise UnwritableError(_STILL_A_GROUP, words)
        phrase = replace(
            right,
            start=self.tokens[first].start,
            end=self.tokens[last - 1].end,
            groups=(self.group(at), self.group(at + 2)) if joined else (self.group(at),),
            determiner=determiner,
            modifiers=modifiers + right.modifiers,
            owner=self.word(last) == "'s",
            joined=joined,
        )
        return phrase if determiner else self.inherited(phrase, first, before), last

    def left_of(self, at: int) -> tuple[int, str, tuple[str, ...]]:
        """First token of the phrase of a group word, and the determiner and the adjectives before that word."""
        first = at
        while self.word(first - 1) in lexicon.BESIDE:
            first -= 1
        modifiers = tuple(token.folded for token in self.tokens[first:at])
        determiner = self.word(first - 1) if self.word(first - 1) in lexicon.DETERMINER else ""
        return first - bool(determiner), determiner, modifiers

    def right_of(self, at: int) -> tuple[Phrase | None, int]:
        """The phrase from a group word on, None where no known noun follows, and the token after it."""
        first = at + 1
        start, end = self.tokens[at].start, self.tokens[at].end
        if self.word(first) == "one":
            return Phrase(start, end, (), "one", head="one"), first + 1
        while self.word(first) in lexicon.MODIFIER - lexicon.COLLECTIVE:
            first += 1
        last = self.end_of_nouns(first)
        if last == first:
            return None, at + 1
        nouns = [token.folded for token in self.tokens[first:last]]
        family = nouns[-1] in lexicon.COLLECTIVE and self.word(last) == "'s"
        if family and self.word(last + 1) in lexicon.FAMILY_COMPOUND:
            nouns.append(self.word(last + 1))
            last += 2
        modifiers = tuple(token.folded for token in self.tokens[at + 1 : first])
        *compound, head = nouns
        of_mine = ""
        if self.word(last) == "of" and self.word(last + 1) in lexicon.MINE:
            of_mine = f" of {self.word(last + 1)}"
            last += 2
        kind, plural = _kind(head), _is_plural(head)
        return Phrase(
            start, end, (), kind, "", modifiers, tuple(compound), head, plural, of_mine=of_mine
        ), last

    def end_of_nouns(self, first: int) -> int:
        """The token after a noun, or after two that make one: "family home", "male student".

        Any other second noun is not taken, as it may be a verb ("my X friend and my Y friend cook").
        """
        noun, then = self.word(first), self.word(first + 1)
        family = noun in lexicon.COLLECTIVE and then in lexicon.FAMILY_COMPOUND
        described = noun in lexicon.ATTRIBUTIVE and singular(then) in lexicon.PERSON
        return first + _is_noun(noun) + (family or described)

    def shared_head(self, at: int) -> Phrase | None:
        """The noun of 'a X and a Y student', for X."""
        if self.word(at + 1) not in lexicon.JOINING or self.word(at + 2) not in lexicon.DETERMINER:
            return None
        other = at + 3
        while self.word(other) in lexicon.BESIDE:
            other += 1
        return self.right_of(other)[0] if self.group(other) else None

    def require_complete(self, phrase: Phrase) -> None:
        """Refuse a phrase that may go on: "my X friend cook", "a X man named N", "N, my X friend,"."""
        before = sum(token.end <= phrase.start for token in self.tokens)
        last = sum(token.end <= phrase.end for token in self.tokens)
        comma = self.word(last) == ","
        words = self.quoted(before, last + comma + 1)
        follows = self.word(last)
        goes_on = _is_noun(follows) or follows in lexicon.NAMING | {"i"} or self.is_name(last)
        if phrase.kind != "predicate" and goes_on:
            raise UnwritableError("it is not clear where the words for the person end", words)
        apposed = self.word(before - 1) == "," and self.is_name(before - 2)
        if comma and (apposed or self.is_name(last + 1)):
            raise UnwritableError(_NAMED_ALREADY, words)

    def without_head(self, at: int, first: int, determiner: str, modifiers: tuple[str, ...]) -> Phrase:
        """'one is X', 'one X and the other Y', 'a X', or nothing that is known."""
        token, follows = self.tokens[at], self.word(at + 1)
        if determiner == "one" or modifiers[-1:] == ("other",):
            return Phrase(token.start, token.end, (token.group,), "predicate")
        if not determiner and not modifiers and (predicate := self.predicate(at)):
            return predicate
        words = self.quoted(first, at + 2)
        many = follows in lexicon.BE_PLURAL
        if follows[:1].isalnum() and follows not in lexicon.AFTER_NOUN and not many:
            raise UnwritableError(
                f"'{follows}' is no noun that we know for a person, or for what people own", words
            )
        if many or token.folded.endswith(lexicon.PLURAL_ENDING) or not determiner:
            raise UnwritableError(_STILL_A_GROUP, words)
        head = next((noun for noun in ("woman", "man") if token.folded.endswith(noun)), "person")
        start = self.tokens[first].start
        return Phrase(
            start, token.end, (token.group,), "person", determiner, modifiers, (), head, owner=follows == "'s"
        )

    def predicate(self, at: int) -> Phrase | None:
        """'one is X' or 'the fans were all X'; the head of the latter is the noun that is spoken of."""
        verb = at - 1
        while self.word(verb) in lexicon.ADVERB:
            verb -= 1
        if self.word(verb) not in lexicon.BE:
            return None
        subject = self.word(verb - 1)
        if self.is_name(verb - 1) and subject not in lexicon.SUBJECT and not _is_noun(subject):
            named = (self.tokens[verb - 1].text, self.tokens[verb].text, self.tokens[at].text)
            raise UnwritableError(_NAMED_ALREADY, " ".join(named))
        adverbs = {token.folded for token in self.tokens[verb + 1 : at]}
        many = self.word(verb) in lexicon.BE_PLURAL or bool(adverbs & lexicon.ALL_OF)
        head = ""
        for token in reversed(self.tokens[:verb] if many else ()):
            if token.text in ".!?" or head:
                break
            head = token.folded if _is_noun(token.folded) else ""
        token = self.tokens[at]
        return Phrase(token.start, token.end, (token.group,), "predicate", head=head, plural=many)

    def inherited(self, phrase: Phrase, first: int, before: Phrase | None) -> Phrase:
        """A phrase without determiner: 'a X man and Y man', a whole text, or a person told of before."""
        if first == 0 and phrase.end == len(self.text):
            return replace(phrase, determiner="the")
        if phrase.kind == "person" and before is not None:
            front = self.word(first - 1)
            if front in lexicon.JOINING and first > 1 and before.end == self.tokens[first - 2].end:
                return replace(phrase, determiner=before.determiner)
            if front in lexicon.BEFORE_BARE:
                return replace(phrase, determiner="the")
        raise UnwritableError("a noun without an article that we know", self.text[phrase.start : phrase.end])
