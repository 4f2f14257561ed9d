"""Where the group of an English statement ends: by closed classes, a dictionary and the tables of groups."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from endoxa.curate.english import (
    can_be,
    is_adverb,
    is_plain_verb,
    is_plural,
    is_third_person,
    is_word,
    lemma,
    tokens,
    words,
)
from endoxa.curate.normalise import is_group, is_people, tables

_OF_PEOPLE = re.compile(
    r"(?:people|those|women|men|ladies|girls|boys|youths) (?:from|of|in|with) (?:the )?(?!the\b)\S+(?: \S+)?"
)
_PERSON = re.compile(r"\w{2,}(?:er|or|ist|ian|eer|ic|man|woman|person)$")
_MARKS = frozenset({"-", "–", "—", ":", ";", "=", ">", "→", "⇒", "!", "?", "as"})
_LOOKING = frozenset(
    ["looks", "seems", "appears", "feels", "acts", "gets", "sounds", "becomes", "stays", "dresses"]
)
_QUALITIES = 4
"""Words of what is said without a verb behind a plural that no table knows."""
LONGEST = 14
"""A subject of more words than this is a sentence that was read wrongly."""


@dataclass(frozen=True, slots=True)
class Split:
    """A statement cut in two.

    Attributes:
        end: number of tokens of the subject.
        start: first token of the predicate (after a dash or colon where there was one).
        rule: 'copula', 'verb', 'dash' or 'apposition'.
    """

    end: int
    start: int
    rule: str


def is_closed(word: str) -> bool:
    """Whether the word is a copula, a modal or an auxiliary."""
    return word in words("copulas") or word in words("modals") or word in words("auxiliaries")


def has_subject(text: str) -> bool:
    """Whether a piece of text opens with a subject of its own: a group or a plural, then a finite verb."""
    parts = tokens(text)
    split = find_split(parts)
    if split is None or split.rule == "apposition" or split.end > 8:
        return False
    subject = [part.lower() for part in parts[: split.end]]
    named = any(is_plural(part) or is_group(part) for part in subject)
    return not {"and", "or"} & set(subject) and (named or subject[0] in words("singular_determiners"))


def find_split(parts: Sequence[str]) -> Split | None:
    """Cut a statement at its first finite verb, at a mark, or behind a known group; None where nothing tells.

    A copula, modal or auxiliary is a finite verb anywhere outside a relative clause; any other word that can be a plain
    verb where the word before it can be the head of a plural subject ("nurses love", not "night watch women"); failing
    that, a third person, or a verb behind a noun for a person ("tailor disappoint").
    """
    low = [part.lower() for part in parts]
    verb = next(filter(None, (_walk(low, test) for test in (_behind_plural, _behind_singular))), None)
    mark = _mark(low)
    if verb is not None and (mark is None or verb < mark.end):
        end = verb  # adverbs in front of the verb are no part of the subject
        relative = words("relatives") & set(low[:verb])  # its last word may be the clause's own adverb
        while end > 1 and is_adverb(low[end - 1]) and not relative:
            end -= 1
        dropped = low[verb] in words("copulas") and not words("negative_adverbs") & set(low[end:verb])
        return Split(end, verb if dropped else end, "copula" if is_closed(low[verb]) else "verb")
    return mark or _apposition(low)


def _walk(low: Sequence[str], is_verb: Callable[[Sequence[str], int], bool]) -> int | None:
    """First verb from the second word on, without brackets and the verb of each relative clause."""
    relative, depth = False, 0
    for place, word in enumerate(low[: LONGEST + 1]):
        depth += (word in "([") - (word in ")]")
        if place and word in ":;":
            return None
        if place == 0 or depth or not is_word(word):
            continue
        if word in words("relatives"):
            relative = True
        elif (is_closed(word) and low[place - 1] != "to") or is_verb(low, place):
            if not relative and not (place == 1 and low[0] in words("openers")):
                return place
            relative = False  # the clause ends with its verb
        elif relative and can_be(word, "VERB") and low[_head(low, place)] in words("relatives"):
            relative = False
    return None


def _head(low: Sequence[str], place: int) -> int:
    """The word that the one at `place` follows, adverbs and brackets left aside."""
    before = place - 1
    while before > 0 and (is_adverb(low[before]) or (low[before] == ")" and "(" in low[1:before])):
        before = before - 1 if low[before] != ")" else max(at for at in range(before) if low[at] == "(") - 1
    return before


def _behind_plural(low: Sequence[str], place: int) -> bool:
    """A plain verb behind a word that can head a plural subject, or one that holds an opinion behind any plural."""
    word, behind = low[place], low[place + 1] if place + 1 < len(low) else ""
    opinion = lemma(word, "VERB") in words("opinion_verbs") and low[place - 1] not in words("prepositions")
    if opinion and is_word(behind) and any(is_plural(each) or is_group(each) for each in low[:place]):
        return not word.endswith(("ing", "ed", "thought", "said", "felt"))
    noun = word.endswith("s") and is_plural(word) and can_be(word, "NOUN")
    adjective = can_be(word, "ADJ") and _head(low, place) == place - 1 and not is_word(behind)
    modifier = can_be(word, "NOUN") and is_closed(behind)
    in_place = word in words("place_nouns") and _OF_PEOPLE.match(" ".join(low[:place]))
    fits = is_plain_verb(word) and not (noun or adjective or modifier or in_place)
    return fits and _heads_plural(low, _head(low, place), place)


def _heads_plural(low: Sequence[str], at: int, place: int) -> bool:
    """Whether the words up to `at` can be a plural subject of the verb at `place`: by the head, a name, or a place."""
    word, head, subject = low[place], low[at], " ".join(low[: at + 1])
    transitive = place + 1 < len(low) and is_word(low[place + 1]) and not any(map(is_closed, low[place:]))
    if head.endswith("'s"):  # "Igbo's love parties", a common slip, but not "Igbo's food is hot"
        return is_people(head) and transitive
    if head == "they" or (is_plural(head) and not can_be(head, "ADJ")):
        return True
    direction = low[0] == "the" and low[1].removesuffix("ern") in tables().directions
    if direction and head not in words("prepositions"):
        return word not in words("place_nouns") and (
            not can_be(word, "ADJ") or (word == "like" and transitive)
        )
    if is_plural(head) or is_group(head) or is_group(subject):
        # "the old complain", but not "old age", "the Jewish lobby"
        return not (can_be(head, "ADJ") and can_be(word, "NOUN"))
    # not "women from the upper class drink"
    modifies = (
        can_be(head, "ADJ")
        and head not in tables().directions
        and can_be(word, "NOUN")
        and place + 1 < len(low)
        and is_plain_verb(low[place + 1])
    )
    return bool(_OF_PEOPLE.fullmatch(subject)) and not modifies and not any(map(is_closed, low[place:]))


def _behind_singular(low: Sequence[str], place: int) -> bool:
    """A third person without another verb ("people likes" is a slip), or a plain verb a word further from its head."""
    word, head = low[place], low[place - 1]
    closed = any(map(is_closed, low[place:]))
    if head in words("prepositions") | words("determiners"):
        return False
    if is_third_person(word) and not closed and not can_be(head, "ADJ"):
        named = is_group(head) or is_person(head) or low[0] in words("singular_determiners") | {"the", "no"}
        slip = head in words("plurals") or (is_plural(head) and not can_be(word, "NOUN"))
        return slip or (named and not is_plural(head)) or bool(_OF_PEOPLE.match(" ".join(low[:place])))
    if not is_plain_verb(word) or (can_be(word, "ADJ") and word != "like"):
        return False
    first = next((at for at in range(place - 1) if is_plural(low[at])), None)
    joined = first is not None and (
        low[first + 1] in words("prepositions") | words("relatives") or low[first + 1].endswith("ing")
    )
    return joined or (place == 1 and is_person(head) and (word == "like" or not can_be(word, "NOUN")))


def is_person(word: str) -> bool:
    """Whether the word is a noun for one who does something ("mechanic", "teacher", "dentist")."""
    return bool(_PERSON.search(word)) and can_be(word, "NOUN")


def _mark(low: Sequence[str]) -> Split | None:
    """Cut at a mark behind a short subject: "Bakers - jolly", "Welders: strong", "nuns as strict"."""
    for place, word in enumerate(low[1:9], start=1):
        if word == "as" and (
            {"well", "whole"} & set(low[place - 1 : place + 3]) or any(map(is_closed, low[place:]))
        ):
            continue  # "cooks as well as bakers", "cooks as a group are"
        if word in _MARKS:
            rest = next((at for at in range(place + 1, len(low)) if is_word(low[at])), None)
            head = low[_head(low, place)]
            name = " ".join(word for word in low[:place] if word not in words("determiners"))
            label = word != "as" and place <= 2 and is_person(head)
            named = is_plural(head) or is_group(name) or label
            return Split(place, rest, "dash") if rest and named else None
    return None


def _apposition(low: Sequence[str]) -> Split | None:
    """Cut after a known name without a verb ("Sikhs cheerful", not "old age"), or a plural before adjectives alone."""
    article = int(low[:1] == ["the"])
    for end in range(min(4 + article, len(low) - 1), article, -1):
        head, word, name = low[end - 1], low[end], low[article:end]
        modifier = can_be(head, "ADJ") or not is_plural(head)
        noun = is_plural(word) or (can_be(word, "NOUN") and not can_be(word, "ADJ"))
        qualities = can_be(low[-1], "ADJ") and all(map(_grades, low[end:])) and len(low) - end <= _QUALITIES
        tabled = is_group(" ".join(name)) and not (modifier and noun) and (qualities or not article)
        described = all(can_be(each, "ADJ") or can_be(each, "NOUN") for each in name[:-1])
        plural = not modifier and described and head not in _LOOKING and qualities
        if is_word(word) and word not in {"and", "or", "but"} and (tabled or plural):
            return Split(end, end, "apposition")
    return None


def _grades(word: str) -> bool:
    return can_be(word, "ADJ") or is_adverb(word) or word in {"and", "or"}
