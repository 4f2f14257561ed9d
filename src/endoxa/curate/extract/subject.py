"""Where the subject of a statement ends, in English and, for plain "X are Y", in a few other languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from endoxa.curate.english import (
    can_be,
    is_adverb,
    is_plain_verb,
    is_plural,
    is_third_person,
    is_word,
    lemma,
    words,
)
from endoxa.curate.normalise import is_group, is_people, tables
from endoxa.words.packs import words_by_language

_Test = Callable[[Sequence[str], int], bool]

_OF_A_PLACE = re.compile(
    r"(?:people|those) from (?:the )?(?:"
    + "|".join(sorted(tables().directions, key=len, reverse=True))
    + r"|[\w'-]+ (?:ethnic group|tribe|community|group))\b"
)

_OF_PEOPLE = re.compile(
    r"(?:people|those|women|men|ladies|girls|boys|youths) (?:from|of|in|with) (?:the )?(?!the\b)\S+(?: \S+)?"
)

_PERSON = re.compile(r"\w{2,}(?:er|or|ist|ian|eer|ic|man|woman|person)$")

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


def find_split(tokens: Sequence[str]) -> Split | None:
    """Cut a statement after its subject, or None where no subject can be made out.

    A finite verb is found without a tagger: a copula, modal or auxiliary anywhere outside a relative
    clause; any other word that can be a plain verb where the word before it can be the head of a plural
    subject ("nurses love", not "night watch women"); failing that, a third person after a singular, or a
    verb anywhere behind a plural head ("men with money cheat").
    """
    low = [token.lower() for token in tokens]
    finite = _finite(low)
    dash = _dash(low)
    if finite is not None and (dash is None or finite < dash.end):
        # Adverbs in front of the verb are no part of the subject;.
        end = finite
        relative = words("relatives") & set(low[:finite])  # its last word may be the clause's own adverb
        while end > 1 and is_adverb(low[end - 1]) and not relative:
            end -= 1
        rule = "copula" if _closed(low[finite]) else "verb"
        dropped = low[finite] in words("copulas") and not words("negative_adverbs") & set(low[end:finite])
        return Split(end, finite if dropped else end, rule)
    if dash is not None:
        return dash
    return _apposition(low)


def _closed(word: str) -> bool:
    return word in words("copulas") or word in words("modals") or word in words("auxiliaries")


def _finite(low: Sequence[str]) -> int | None:
    """Index of the finite verb (or of the adverb in front of it)."""
    for test in (_after_plural, _after_singular, _after_person, _behind_plural):
        place = _walk(low, test)
        if place is not None:
            return place
    return None


def _walk(low: Sequence[str], is_verb: _Test) -> int | None:
    """First verb from the second word on, skipping the verb of each relative clause."""
    relative = False
    depth = 0
    for place, word in enumerate(low):
        if place > LONGEST:  # a subject is never that long, and long answers must not take forever
            return None
        depth += (word in "([") - (word in ")]")
        if place == 0 or depth or not is_word(word):
            if place and word in ":;":
                return None
            continue
        if word in words("relatives"):
            relative = True
            continue
        if (_closed(word) and low[place - 1] != "to") or is_verb(low, place):
            if relative:
                relative = False
                # The clause ends with its verb; a closed word and the verb it governs count as one.
                continue
            if low[place - 1] in words("openers") and place == 1:
                continue
            return place
        if relative and can_be(word, "VERB") and low[_before_adverbs(low, place)] in words("relatives"):
            relative = False
    return None


def _after_plural(low: Sequence[str], place: int) -> bool:
    """A plain verb behind a word that can head a plural subject ("nurses love", not "night watch women")."""
    before = _before_adverbs(low, place)
    word = low[place]
    if _holds_opinion(low, place):
        return True
    noun = word.endswith("s") and is_plural(word) and can_be(word, "NOUN")
    adjective = can_be(word, "ADJ") and before == place - 1 and not _takes_object(low, place)
    verb = is_plain_verb(word) and not noun and not adjective and not _is_place_noun(low, place)
    return verb and _heads_plural(low, before, place)


def _holds_opinion(low: Sequence[str], place: int) -> bool:
    """Whether a verb that takes a clause has a plural in front and a clause or an object behind it."""
    verb = lemma(low[place], "VERB") in words("opinion_verbs") and low[place - 1] not in words("prepositions")
    ends = low[place].endswith(("ing", "ed", "thought", "said", "felt"))
    plural = any(is_plural(word) or is_group(word) for word in low[:place])
    return verb and not ends and plural and _takes_object(low, place)


def _is_place_noun(low: Sequence[str], place: int) -> bool:
    """Whether a word that can be a verb is the noun of a place: "people from Kano state", "Hausa land are"."""
    after = low[place + 1] if place + 1 < len(low) else ""
    if can_be(low[place], "NOUN") and _closed(after):
        return True
    return low[place] in words("place_nouns") and _OF_PEOPLE.match(" ".join(low[:place])) is not None


def _before_adverbs(low: Sequence[str], place: int) -> int:
    """The word that the one at `place` follows, adverbs and brackets left aside."""
    before = place - 1
    while before > 0:
        if low[before] == ")" and "(" in low[1:before]:
            before = len(low[:before]) - 1 - list(reversed(low[:before])).index("(") - 1
        elif is_adverb(low[before]):
            before -= 1
        else:
            break
    return before


def _heads_plural(low: Sequence[str], head: int, verb: int) -> bool:
    """Whether the words up to `head` can be a plural subject: by the head, or as a name."""
    if low[head].endswith("'s"):  # "Igbo's love parties", a common slip, but not "Igbo's food is hot"
        return is_people(low[head]) and verb + 1 < len(low) and not any(map(_closed, low[verb:]))
    subject = " ".join(low[: head + 1])
    if low[head] == "they" or (is_plural(low[head]) and not can_be(low[head], "ADJ")):
        return True
    if low[0] == "the" and _is_region(low[1 : head + 1]):  # "the north love peace"
        return not can_be(low[verb], "ADJ") or _likes(low, verb)
    if is_plural(low[head]) or is_group(low[head]) or is_group(subject):
        # "the old complain", but not "old age", "the Jewish lobby"
        return not (can_be(low[head], "ADJ") and can_be(low[verb], "NOUN"))
    noun = can_be(low[head], "ADJ") and can_be(low[verb], "NOUN") and low[head] not in tables().directions
    if noun and verb + 1 < len(low) and is_plain_verb(low[verb + 1]):  # "women from the upper class drink"
        return False
    return _OF_PEOPLE.fullmatch(subject) is not None and not any(map(_closed, low[verb:]))


def _takes_object(low: Sequence[str], place: int) -> bool:
    """Whether a word that can be both verb and adjective ("like", "own") is followed by something."""
    return place + 1 < len(low) and is_word(low[place + 1])


def _after_singular(low: Sequence[str], place: int) -> bool:
    """A third person, also behind a plural that has none of its own ("people likes": a common slip)."""
    head = low[place - 1]
    return (
        is_third_person(low[place])
        and not can_be(head, "ADJ")
        and head not in words("prepositions")
        and not any(_closed(word) for word in low[place:])
        and (
            _is_singular(low, head)
            or head in words("plurals")
            or (is_plural(head) and not can_be(low[place], "NOUN"))  # "tailors disappoints", a slip
            or _OF_PEOPLE.match(" ".join(low[:place])) is not None
        )
    )


def _is_singular(low: Sequence[str], head: str) -> bool:
    determined = low[0] in words("singular_determiners") or low[0] in {"the", "no"}
    return not is_plural(head) and (determined or is_group(head) or _is_person(head))


def _is_person(word: str) -> bool:
    """Whether the word is a noun for one who does something ("mechanic", "teacher", "dentist")."""
    return bool(_PERSON.search(word)) and can_be(word, "NOUN")


def _after_person(low: Sequence[str], place: int) -> bool:
    """A plain verb behind a noun for one person, where the -s was forgotten ("tailor disappoint customers")."""
    word = low[place]
    return (
        place == 1
        and _is_person(low[0])
        and is_plain_verb(word)
        and (_likes(low, place) or not (can_be(word, "NOUN") or can_be(word, "ADJ")))
    )


def _behind_plural(low: Sequence[str], place: int) -> bool:
    head = next((at for at in range(place) if is_plural(low[at])), None)
    return (
        head is not None
        and head < place - 1
        and low[place - 1] not in words("prepositions")
        and low[place - 1] not in words("determiners")
        and (low[head + 1] in words("prepositions") | words("relatives") or low[head + 1].endswith("ing"))
        and is_plain_verb(low[place])
        and (not can_be(low[place], "ADJ") or _likes(low, place))
    )


def _is_region(low: Sequence[str]) -> bool:
    """Whether the words are a compass direction, or a part named by one ("northern part of Peru")."""
    directions = tables().directions
    part = (
        len(low) > 1
        and low[0].removesuffix("ern") in directions
        and low[1].removesuffix("s") in words("place_nouns")
    )
    return " ".join(low) in directions or (part and low[-1] not in words("prepositions"))


def _likes(low: Sequence[str], place: int) -> bool:
    """Whether "like" is the verb: "people from the coast like tea", not "people like them are"."""
    return low[place] == "like" and _takes_object(low, place) and not any(map(_closed, low[place:]))


def _dash(low: Sequence[str]) -> Split | None:
    """Cut at a mark behind a short subject: "Bakers - jolly", "Welders: strong", "nuns as strict"."""
    for place, word in enumerate(low[1:9], start=1):
        if word == "as" and ("well" in low[place - 1 : place + 2] or low[place + 2 : place + 3] == ["whole"]):
            continue  # "cooks as well as bakers"
        if word == "as" and low[place + 1 : place + 2] == ["a"] and any(map(_closed, low[place:])):
            continue  # "cooks as a group are"
        if word in {"-", "–", "—", ":", ";", "=", ">", "→", "⇒", "!", "?", "as"} and place + 1 < len(low):
            rest = next((at for at in range(place + 1, len(low)) if is_word(low[at])), None)
            head = low[_before_adverbs(low, place)]
            named = " ".join(word for word in low[:place] if word not in words("determiners"))
            label = word != "as" and place <= 2 and _is_person(head)
            if rest is None or not (is_plural(head) or is_group(named) or label):
                return None
            return Split(place, rest, "dash")
    return None


def _apposition(low: Sequence[str]) -> Split | None:
    """Cut after a name: "Sikhs cheerful": a known group, then something that is said of it without a verb."""
    place = _OF_A_PLACE.match(" ".join(low))
    if place and len(low) > len(place.group().split()):
        end = len(place.group().split())
        return None if low[end] in words("place_nouns") else Split(end, end, "apposition")
    for end in range(min(4, len(low) - 1), 0, -1):
        if is_group(" ".join(low[:end])) and _may_be_apposition(low, end):
            return Split(end, end, "apposition")
    return None


def _may_be_apposition(low: Sequence[str], end: int) -> bool:
    """Whether the word behind a name is said of it: not "old age", "the Jewish lobby", "old women who ..."."""
    word = low[end]
    modifier = can_be(low[end - 1], "ADJ") or (
        low[end - 1] not in words("plurals") and not is_plural(low[end - 1])
    )
    noun = is_plural(word) or (can_be(word, "NOUN") and not can_be(word, "ADJ"))
    return is_word(word) and word not in {"and", "or", "but"} and not (modifier and noun)


LONGEST_FOREIGN = 6
"""Words of a subject: what is longer was not read rightly without a grammar."""


@dataclass(frozen=True, slots=True)
class ForeignSplit:
    """A statement in another language cut in two.

    Attributes:
        start: first token of the subject, behind its article.
        end: token behind the subject.
        predicate: first token of what is said.
    """

    start: int
    end: int
    predicate: int


_ORDER = ("fr", "es", "pt", "it", "de", "sw")
"""Which language is tried first, as some share an article ("la")."""


@cache
def _languages() -> dict[str, dict[str, frozenset[str]]]:
    table = words_by_language("extract.toml")
    return {
        code: {name: frozenset(table[code][name]) for name in ("articles", "verbs", "copulas")}
        for code in _ORDER
    }


def find_foreign_split(tokens: Sequence[str]) -> ForeignSplit | None:
    """Cut at the first finite verb of a language whose article stands in front, or None.

    The article tells the languages apart ("le", "los", "os"); where a language has none, its copula must
    stand right behind one or two words. The copula is left out, any other verb is part of what is said.
    """
    low = [token.lower() for token in tokens]
    for language in _languages().values():
        start = 0
        while start < len(low) and low[start] in language["articles"]:
            start += 1
        if bool(start) != bool(language["articles"]):
            continue
        verb = next((at for at in range(start + 1, len(low) - 1) if low[at] in language["verbs"]), None)
        longest = LONGEST_FOREIGN if start else 2
        if verb is not None and verb - start <= longest:
            return ForeignSplit(start, verb, verb + (low[verb] in language["copulas"]))
    return None
