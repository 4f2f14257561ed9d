"""Wording of records with names: the same people in the same order, and all other text unchanged.

Around each group word of the original a noun phrase is read by the word lists of `lexicon`. Text outside of these
phrases must be as published; in their places one of a few forms of words is allowed, each with the name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from endoxa.instruments.questions.names import lexicon
from endoxa.instruments.questions.names.phrases import singular
from endoxa.instruments.questions.names.text import GroupWords, Token, mended, option_label, people_options


@dataclass(frozen=True, slots=True)
class Published:
    """A record before names.

    Attributes:
        row: as published.
        people: the fields of the options that are people.
        texts: field -> text without slips, for the fields in which names may stand.
        mentions: field -> the words for groups, in order.
        words: what names a group.
    """

    row: Mapping[str, Any]
    people: tuple[str, ...]
    texts: Mapping[str, str]
    mentions: Mapping[str, tuple[Token, ...]]
    words: GroupWords


def published(row: Mapping[str, Any], words: GroupWords) -> Published:
    """A record, read for the checks."""
    people = people_options(row)
    texts = {field: mended(row[field]) for field in ("context", *people)}
    mentions = {
        field: tuple(token for token in words.tokens(text) if token.group) for field, text in texts.items()
    }
    return Published(row, people, texts, mentions, words)


PERSONS = lexicon.PERSON | {f"{noun}s" for noun in lexicon.PERSON} | lexicon.PEOPLE
"""Nouns for persons."""

_OWNER = re.compile(r"['’]s ")


def any_word_of(words: frozenset[str]) -> str:
    """A regular expression for any of these words, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


COLLECTIVES = f"(?:{any_word_of(lexicon.COLLECTIVE)})"
"""A regular expression for a family, a team and the like."""


@dataclass(frozen=True, slots=True)
class Place:
    """A noun phrase of the original.

    Attributes:
        start: its first character.
        end: the character after it.
        groups: the group that it names, or the two of "my X and Y friends".
        determiner: in lower case, or empty.
        adjectives: beside the group word.
        noun: in lower case, or empty.
        mine: " of mine" or the like, or empty.
        joined: "and" or "or" between two groups, or empty.
        first: no phrase before it names the group.
        owner: 's follows.
    """

    start: int
    end: int
    groups: tuple[str, ...]
    determiner: str
    adjectives: tuple[str, ...]
    noun: str
    mine: str
    joined: str
    first: bool
    owner: bool


def forms(place: Place, marks: Mapping[str, str], following: str) -> str:
    """A regular expression for what may stand in the place of a phrase, in any case (`surface` looks at capitals).

    Args:
        place: the phrase.
        marks: group -> what stands for its name.
        following: the noun of the phrase after it, which may be that of this one too ("a X and a Y student").
    """
    first, *second = (marks[group] for group in place.groups)
    either = _joined_wording(place, first, second[0]) if second else _single_wording(place, first, following)
    return f"(?i:{'|'.join(either)})"


def _joined_wording(place: Place, first: str, second: str) -> list[str]:
    pair = f"{first} {place.joined} {second}"
    described = _described(place, place.noun)
    owned = [rf"{first}['’]s {place.joined} {second}['’]s {re.escape(place.noun)}"]
    if place.noun in lexicon.COLLECTIVES:
        return owned
    if place.determiner in lexicon.POSSESSIVE:
        return [f"{place.determiner} {described} {pair}", *([] if place.first else [pair])]
    return [pair]


def _single_wording(place: Place, name: str, following: str) -> list[str]:
    theirs = rf"{name}['’]s {COLLECTIVES}"
    if not place.noun:
        kept = " ".join((place.determiner, *place.adjectives)).strip()
        noun = f"(?:{re.escape(following)}|person|man|woman)" if following else "(?:person|man|woman)"
        described = _described(place, noun, plain=False)
        return [
            f"{re.escape(kept)} named {name}" if kept else f"named {name}",
            f"(?:a|an|the|{place.determiner or 'the'}) {described} named {name}",
            *(
                [f"{place.determiner} {described} {name}"]
                if place.determiner in lexicon.POSSESSIVE
                else [name]
            ),
            f"(?:supporters of|from) {theirs}",
        ]
    if place.noun == "one":
        return [name, f"the one from {theirs}"]
    if place.noun in lexicon.FOLLOWING:
        return [rf"{name}['’]s {place.noun}", f"the {place.noun} of {theirs}"]
    if place.noun not in PERSONS and place.noun.split()[-1] not in PERSONS:
        owned = _OWNER.sub(" ", place.noun)
        return [rf"{name}['’]s {re.escape(owned)}"]
    return _person(place, name)


def _person(place: Place, name: str) -> list[str]:
    described = _described(place, place.noun)
    if place.determiner in lexicon.POSSESSIVE:
        return [f"{place.determiner} {described} {name}", *([] if place.first else [name])]
    if place.determiner in lexicon.INDEFINITE:
        article = "(?:a|an)" if place.determiner in ("a", "an") else place.determiner
        return [name] if place.owner else [f"{article} {described} named {name}"]
    article = place.determiner or "(?:a|an|the)"
    return [name, f"{article} {described} named {name}"]


def _described(place: Place, noun: str, *, plain: bool = True) -> str:
    adjectives = "".join(f"(?:{re.escape(word)} )?" for word in place.adjectives)
    return f"{adjectives}{re.escape(noun) if plain else noun}{re.escape(place.mine)}"


_OTHERS = lexicon.COLLECTIVE | lexicon.COLLECTIVES | lexicon.OWNED | lexicon.FOLLOWING | {"one"}
_SHOWN = 25
_LEFT = re.compile(
    rf"(?<![\w-])(?:(?P<determiner>{any_word_of(lexicon.DETERMINER)}) )?"
    rf"(?P<adjectives>(?:(?:{any_word_of(lexicon.BESIDE)}) )*)$",
    re.IGNORECASE,
)
_RIGHT = re.compile(
    rf"(?P<adjectives>(?: (?:{any_word_of(lexicon.MODIFIER)}))*?)"
    rf"(?: (?P<noun>(?:(?:{any_word_of(lexicon.ATTRIBUTIVE)}) )?(?:{any_word_of(PERSONS)})"
    rf"|{COLLECTIVES}(?:['’]s)? (?:{any_word_of(lexicon.FAMILY_COMPOUND)})|{any_word_of(_OTHERS)})(?![\w-]))"
    rf"(?P<mine> of (?:{any_word_of(lexicon.MINE)})\b)?",
    re.IGNORECASE,
)


def frame_problems(
    text: str, original: str, mentions: Sequence[Token], names: Mapping[str, str], *, option: bool
) -> Iterator[str]:
    """Where a text leaves its original.

    Args:
        text: with names.
        original: without slips.
        mentions: the words for groups in the original.
        names: group -> name.
        option: the text is an answer, before which the context was read.
    """
    marks = _marks(mentions)
    bare = text
    for group, mark in marks.items():
        bare = re.sub(rf"(?<!\w){re.escape(names.get(group, mark))}(?!\w)", mark, bare)
    pieces = _pieces(original, tuple(mentions), option)
    if re.fullmatch("".join(pieces), bare):
        return
    at = next((count for count in range(len(pieces), 0, -1) if re.match("".join(pieces[:count]), bare)), 0)
    match = re.match("".join(pieces[:at]), bare)
    end = match.end() if match else 0
    shown = bare[max(0, end - _SHOWN) : end + _SHOWN]
    for group, mark in marks.items():
        shown = shown.replace(mark, names.get(group, group))
    yield f"the words are not those of the original: '...{shown}...'"


def _marks(mentions: Sequence[Token]) -> dict[str, str]:
    """A character of no alphabet for each group, in the place of its name."""
    return {
        group: chr(0xE000 + at)
        for at, group in enumerate(dict.fromkeys(mention.group for mention in mentions))
    }


@lru_cache(maxsize=4096)
def _pieces(original: str, mentions: tuple[Token, ...], option: bool) -> tuple[str, ...]:
    """Regular expressions for the text, in turn what stands outside of the phrases and what may stand for them."""
    marks = _marks(mentions)
    places = list(_places(original, mentions, option))
    pieces: list[str] = []
    at = 0
    for number, place in enumerate(places):
        following = places[number + 1].noun if number + 1 < len(places) else ""
        pieces += [re.escape(original[at : place.start]), forms(place, marks, following)]
        at = place.end
    return (*pieces, re.escape(original[at:]))


def _places(original: str, mentions: tuple[Token, ...], option: bool) -> Iterator[Place]:
    joined = {
        first: original[first.end : second.start].strip()
        for first, second in pairwise(mentions)
        if original[first.end : second.start] in (" and ", " or ")
    }
    named_before: set[str] = set()
    at = 0
    coming = iter(mentions)
    for mention in coming:
        last = next(coming) if mention in joined else mention
        groups = tuple(dict.fromkeys((mention.group, last.group)))
        left = _LEFT.search(original, at, mention.start)
        right = _RIGHT.match(original, last.end)
        end = right.end() if right else last.end
        start = left.start() if left else mention.start
        yield Place(
            start=start,
            end=end,
            groups=groups,
            determiner=(left["determiner"] or "").lower() if left else "",
            adjectives=tuple(
                ((left["adjectives"] if left else "") + (right["adjectives"] if right else ""))
                .lower()
                .split()
            ),
            noun=right["noun"].lower() if right else "",
            mine=(right["mine"] or "") if right else "",
            joined=joined.get(mention, ""),
            first=not option and not named_before.intersection(groups),
            owner=original[end : end + 2] in ("'s", "’s"),
        )
        named_before.update(groups)
        at = end


_WORD = re.compile(r"[^\W_]+")
_MAY_COME = (
    lexicon.COLLECTIVE
    | lexicon.COLLECTIVES
    | frozenset(["named", "the", "one", "from", "of", "s", "a", "an", "supporters", "person", "man", "woman"])
)
_MAY_GO = lexicon.DETERMINER | lexicon.BESIDE | lexicon.PERSON | lexicon.COLLECTIVE | {"one", "s"}
_ORDINARY = frozenset(
    ["pole", "poles", "finn", "turk", "dane", "danes", "swede", "swedes", *lexicon.ORDINARY]
)


def wording_problems(record: Mapping[str, Any], before: Published) -> Iterator[str]:
    """Words for groups that are left, people who are lost or mixed up, words that came or went without a reason."""
    names = record["names"]
    group_of = {name: group for group, name in names.items()}
    written = {
        field: [group_of[word] for word in _WORD.findall(record[field]) if word in group_of]
        for field in before.texts
    }
    for field, mentions in before.mentions.items():
        for word in _left(record[field], before):
            yield f"{field}: a word for a group is left: '{word}'"
        original_groups = [token.group for token in mentions]
        if original_groups != written[field]:
            here, there = (", ".join(groups) or "nobody" for groups in (written[field], original_groups))
            yield f"{field}: speaks of {here}, where the original speaks of {there}"
        yield from (f"{field}: {what}" for what in _words(record[field], field, before, names))
        option = field in before.people
        framed = frame_problems(record[field], before.texts[field], mentions, names, option=option)
        yield from (f"{field}: {what}" for what in framed)
    first, second = (record[field] for field in before.people)
    if first.casefold() == second.casefold():
        yield f"both options are '{first}'"
    for field in before.people:
        for group in sorted(set(written[field]) - set(written["context"])):
            yield f"{field}: '{names[group]}' is not in the context"


def _left(text: str, before: Published) -> Iterator[str]:
    yield from (word for word in before.words.left_in(text) if word not in _ORDINARY)
    for field in before.people:
        label = option_label(before.row, field)
        if label and label not in before.words.forms and label.lower() in text.lower():
            yield label


def _words(text: str, field: str, before: Published, names: Mapping[str, str]) -> Iterator[str]:
    mentions = before.mentions[field]
    allowed = {word for token in mentions for word in _WORD.findall(token.text)} | set(names.values())
    had, has = (
        Counter(word.lower() for word in _WORD.findall(side) if word not in allowed)
        for side in (before.texts[field], text)
    )
    came, went = has - had, had - has
    for word in sorted(came.keys() - _MAY_COME):
        yield f"the word '{word}' came in"
    for word in went:
        if not (word in _MAY_GO or singular(word) in lexicon.PERSON):
            yield f"the word '{word}' was lost"
    if came.total() > 4 * len(mentions):
        yield "more words came in than names need"
