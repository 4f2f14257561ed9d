"""A statement cut into clauses, and a predicate into the several things it says.

Statements without a verb that a mark divides: "Basques - proud", "proud - Basques", "Basques (proud)".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from endoxa.curate.english import (
    can_be,
    in_dictionary,
    is_adverb,
    is_plain_verb,
    is_plural,
    lemma,
    tokens,
    words,
)
from endoxa.curate.extract.subject import find_split
from endoxa.curate.normalise import is_group, is_people
from endoxa.curate.normalise.attribute import linked

_BETWEEN = re.compile(r"\s*(?:;|,?\s+(?:and|while|whereas|but|yet)\s+|,\s+|(?<=\w{3})\.\s+)", re.IGNORECASE)
_CONJUNCTION = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|&|or)\s+", re.IGNORECASE)
_AMONG_SUBJECTS = re.compile(r"\s+(?:and|&|or|as well as|nor)\s+|\s*[,/]\s*", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|never|no|neither|nor|cannot)\b|n't\b")


def has_subject(text: str) -> bool:
    """Whether a piece of text opens with a subject of its own: a group or a plural, then a finite verb."""
    parts = tokens(text)
    split = find_split(parts)
    if split is None or split.rule == "apposition" or split.end > 8:
        return False
    subject = [part.lower() for part in parts[: split.end]]
    if {"and", "or"} & set(subject):
        return False
    return any(is_plural(part) or is_group(part) for part in subject) or subject[0] in words(
        "singular_determiners"
    )


def clauses(text: str) -> list[str]:
    """Cut where a new subject begins ("Ibos trade and Hausas farm" -> two); else the text as it is."""
    return [part for clause in _at_marks(text) for part in _run_on(clause)]


def _run_on(text: str) -> list[str]:
    """Cut where a second subject follows without a mark: "cooks are loud waiters are calm" -> two.

    Only behind a copula and one adjective, and in front of a plural with a copula of its own; an adjective that takes
    a clause ("sure cooks are loud") cuts nothing.
    """
    match = re.match(
        r"^(?P<left>.+?\b(?:are|is)\s+(?:(?:very|too|so|always|not)\s+)?(?P<quality>[\w-]+))\s+(?P<right>\w+\s+(?:are|is)\b.*)$",
        text,
        re.IGNORECASE,
    )
    if match is None or not (has_subject(match["left"]) and has_subject(match["right"])):
        return [text]
    quality = match["quality"].lower()
    takes_clause = quality in words("adjectives_with_clause")
    return [text] if takes_clause or not can_be(quality, "ADJ") else [match["left"], *_run_on(match["right"])]


def _at_marks(text: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for mark in _BETWEEN.finditer(text):
        left, right = text[start : mark.start()], text[mark.end() :]
        always = mark.group().strip() == ";" and not is_group(left)  # "Basques; proud" is one statement
        new = has_subject(right) or _takes_up(right) or _is_aside(right) or mark.group().startswith(".")
        begun = has_subject(left) or _takes_up(left)
        if left.strip() and right.strip() and (always or (begun and new)):
            pieces.append(left)
            start = mark.end()
    return [*pieces, text[start:]]


def _is_aside(text: str) -> bool:
    """Whether the respondent goes on about himself or speaks to the reader ("I think", "you can go and see")."""
    first, _, rest = text.partition(" ")
    return first.lower() in {"i", "we", "you"} and bool(rest)


def _takes_up(text: str) -> bool:
    """Whether the words take up the last subject with a pronoun ("they are also noisy", "they like beer")."""
    parts = text.lower().split()
    if len(parts) < 2 or parts[0] not in {"they", "he", "she"}:
        return False
    verb = next((word for word in parts[1:] if not is_adverb(word)), "")
    return verb in words("copulas") | words("modals") | words("auxiliaries") or is_plain_verb(verb)


def subjects(who: str) -> list[str]:
    """Take groups apart: "Bakers and cooks" -> two groups; "men and women in power" stays one."""
    who = re.sub(r"^(?:both|either|neither)\s+", "", who, flags=re.IGNORECASE)
    parts = [part.strip() for part in _AMONG_SUBJECTS.split(who) if part.strip()]
    parts = [part for part in parts if not part.lower().startswith(("especially", "mostly", "including"))]
    heads = [tokens(part) for part in parts]
    if len(parts) < 2 or any(head[0].lower() in words("pronouns") for head in heads if head):
        return parts if len(parts) == 1 else [who]
    if len(heads[-1]) > 1 and any(len(head) == 1 and _modifies(head[0]) for head in heads[:-1]):
        # "white/black women", "Igbo and Hausa women"; "deaf and mute people" may be both
        each = "/" in who or all(is_people(part) for part in parts[:-1])
        return _sharing_head(parts, heads[-1], each=each) or [who]
    if len(heads[0]) > 1 and _modifies(heads[0][0]) and all(_is_sex_or_age(head) for head in heads[1:]):
        shared = parts[0].removesuffix(heads[0][-1])  # "Basque men and women"
        return [parts[0], *(f"{shared}{part}" for part in parts[1:])]
    if all(
        head and len(head) <= 3 and (is_plural(head[-1]) or is_group(part))
        for head, part in zip(heads, parts, strict=True)
    ):
        return parts
    return [who]


def _modifies(word: str) -> bool:
    """Whether a word can stand in front of a noun for people: an adjective or the name of a people."""
    return can_be(word, "ADJ") or is_people(word)


def _is_sex_or_age(head: Sequence[str]) -> bool:
    return len(head) == 1 and head[0].lower() in _SEXES_AND_AGES


_SEXES_AND_AGES = {
    "men",
    "women",
    "males",
    "females",
    "boys",
    "girls",
    "ladies",
    "guys",
    "children",
    "youths",
}


def _sharing_head(parts: list[str], last: Sequence[str], *, each: bool) -> list[str]:
    """Each with the noun that they share, where that makes known groups ("young and old people"); else none.

    Args:
        parts: the words that a conjunction joins.
        last: tokens of the last of them.
        each: whether they are alternatives, so that any words that can modify a noun for people share it.
    """
    place = next((at for at, word in enumerate(last) if word.lower() in words("prepositions")), len(last))
    several = [*(f"{part} {' '.join(last[place - 1 :])}" for part in parts[:-1]), parts[-1]]
    shared = last[place - 1].lower() in _SEXES_AND_AGES | {"people", "man", "woman"}
    plain = each and shared and all(" " not in part and _modifies(part) for part in parts[:-1])
    return several if plain or all(map(is_group, several)) else []


def predicates(text: str) -> list[str]:
    """The several things that a predicate says, each fit to stand behind the subject.

    Adjectives and plural nouns that a copula joins are taken apart ("smart and rich", "liars and cheats"),
    and so are verb phrases ("like money and are loud"). Objects of one verb stay together ("love money and
    fame"): what is said may need both. So does anything that is negated or compared as a whole.
    """
    # Cut at conjunctions that stand outside brackets and quotation marks.
    pieces, start = [], 0
    for mark in _CONJUNCTION.finditer(text):
        before = text[: mark.start()]
        if before.count("(") == before.count(")") and before.count('"') % 2 == 0:
            pieces.append(text[start : mark.start()])
            start = mark.end()
    parts = [part.strip() for part in (*pieces, text[start:]) if part.strip()]
    if len(parts) < 2:
        return _alternatives(text)
    closed = all(_is_closed(part) for part in parts[1:])
    plain = all(_is_base_phrase(part) for part in parts[1:])
    if closed or (plain and _is_verb_phrase(parts[0])):
        return parts
    neither = " or " in text and bool(_DENIED.match(_copula_and_rest(text)[1])) and " and " not in text
    if " or " in text and not neither:  # "neat or rich" are not both
        return [text]
    head, first = _copula_and_rest(parts[0])
    # A denial reaches forward ("not kind and fair" denies both) and never back ("fair and not kind").
    first = linked(first)
    if head is None or " than " in text.lower() or (_NEGATION.search(parts[0].lower()) and not neither):
        return [text]
    several = [first, *(f"not {part}" if neither else part for part in parts[1:])]
    # A verb phrase may end the list where what is before it is what a copula joins ("calm, neat and sing well").
    tail = (
        1
        if head
        and (len(several) > 2 or _begins_with_plain_verb(several[-1]))
        and _is_base_phrase(several[-1])
        else 0
    )
    kinds = {_kind(_DENIED.sub("", part)) for part in several[: len(several) - tail]}
    return several if kinds <= {"adjective", "noun"} else [text]


def _begins_with_plain_verb(text: str) -> bool:
    """Whether the words begin with a verb that is no noun ("believe in ghosts"), so that no copula can govern them."""
    first = text.split(maxsplit=1)[0].lower()
    return is_plain_verb(first) and not can_be(first, "NOUN")


_DENIED = re.compile(r"^(?:not|never)\s+", re.IGNORECASE)


def _is_base_phrase(text: str) -> bool:
    """Whether the words are a verb phrase with a verb that fits "they"."""
    return _is_verb_phrase(text) and _is_base_form(text)


def _is_verb_phrase(text: str) -> bool:
    parts = [part.lower() for part in tokens(text)]
    while len(parts) > 1 and is_adverb(parts[0]):
        del parts[0]
    if not parts:
        return False
    first = parts[0]
    if first in words("copulas") or first in words("modals") or first in words("auxiliaries"):
        return len(parts) > 1
    return (
        is_plain_verb(first) and len(parts) > 1 and not can_be(first, "ADJ") and not can_be(parts[-1], "ADV")
    )


def _is_closed(text: str) -> bool:
    """Whether the words begin with a copula, modal or auxiliary, which only a verb phrase does."""
    first = text.split(maxsplit=1)[0].lower()
    return first in words("copulas") | words("modals") | words("auxiliaries")


def _is_base_form(text: str) -> bool:
    """Whether the verb is no participle ("show their strength", not "told to wait")."""
    first = next(word for word in tokens(text.lower()) if not is_adverb(word) or _is_closed(word))
    return _is_closed(first) or lemma(first, "VERB") == first


def _alternatives(text: str) -> list[str]:
    """Take alternatives apart: "are neat/jolly" -> two; "very quick/loud" stays one."""
    copula, rest = _copula_and_rest(text)
    words_between = rest.split("/")
    plain = copula is not None and len(words_between) > 1 and all(map(_is_single_adjective, words_between))
    return words_between if plain else [text]


def _is_single_adjective(text: str) -> bool:
    return len(text.split()) == 1 and _kind(text) == "adjective"


def _copula_and_rest(text: str) -> tuple[str | None, str]:
    """The copula in front and what follows; no copula is as good as one (an answer without its subject)."""
    first, _, rest = text.strip().partition(" ")
    if first.lower() in words("copulas"):
        return first, rest.strip()
    verbal = (
        first.lower() in words("modals") or first.lower() in words("auxiliaries") or _is_verb_phrase(text)
    )
    return (None if verbal else ""), text.strip()


def _kind(text: str) -> str:
    """'adjective', 'noun' or 'other', by the first and last word."""
    parts: Sequence[str] = [part.lower() for part in tokens(text)]
    while len(parts) > 1 and is_adverb(parts[0]):
        parts = parts[1:]
    if not parts or parts[0] in _OUTSIDE or len(parts) > _LONGEST_PART:
        return "other"
    if is_group(" ".join(parts)):
        return "noun"
    if _is_compound_adjective(parts) or (
        _is_adjective(parts[0]) and (len(parts) == 1 or parts[1] in _COMPLEMENTS)
    ):
        return "adjective"
    modified = len(parts) == 1 or (len(parts) == 2 and not is_plain_verb(parts[0]))
    return "noun" if modified and is_plural(parts[-1]) else "other"


def _is_compound_adjective(parts: Sequence[str]) -> bool:
    """Two words that make an adjective: "well educated", "hard working", "business minded"."""
    if len(parts) != 2 or not _is_participle(parts[1]):
        return False
    modifier = can_be(parts[0], "ADJ") or can_be(parts[0], "ADV")
    return modifier or (can_be(parts[0], "NOUN") and not is_plain_verb(parts[0]))


def _is_adjective(word: str) -> bool:
    return can_be(word, "ADJ") or _is_participle(word) or "-" in word


def _is_participle(word: str) -> bool:
    """Whether the word is a verb's participle ("cooking", "gifted"), not "king" or "need"."""
    if not word.endswith(("ed", "ing")):
        return False
    return lemma(word, "VERB") != word if in_dictionary(word) else len(word) > _SHORT


_SHORT = 5


_COMPLEMENTS = frozenset({"about", "of", "in", "with", "at", "on", "for", "to"})
_OUTSIDE = (
    (words("prepositions") - {"outside", "above", "under"})
    | words("pronouns")
    | {"unlike", "than", "especially", "such"}
)
"""First words of what is added to a predicate and is no further predicate ("calm, unlike cooks")."""
_LONGEST_PART = 6
"""Words of one predicate in a list; what is longer was not read rightly."""


_AGENTS = re.compile(r"(?:ers|ors|ists|ians|men|women)$", re.IGNORECASE)
_REVERSED = re.compile(r"^(?P<what>[^-–—:]+?)\s+[-–—]\s+(?P<who>[^-–—:]+)$")
_BRACKETED = re.compile(r"^(?P<who>[^()]+?)\s*\((?P<what>[^()]+)\)$")
_JOINED = re.compile(r"^(?P<who>\w+s|[A-Z]\w+)[-–—:](?=\w)")


def with_mark_behind_name(text: str) -> str:
    """The text with the name of the group in front and a dash behind it, where a mark divides it."""
    return _by_mark(_JOINED.sub(_apart, text))


def _by_mark(text: str) -> str:
    """With the name in front and a dash behind it: "dirty - Basques", "Basques (dirty)" -> "Basques - dirty"."""
    for pattern in (_REVERSED, _BRACKETED):
        match = pattern.match(text)
        if match is None or not is_group(match["who"]) or find_split(tokens(text)) is not None:
            continue
        verb = tokens(match["what"])[0]
        if can_be(verb, "ADJ") or not (is_plural(verb) or is_group(match["what"])):
            return f"{match['who']} - {match['what']}"
    return text


def _apart(match: re.Match[str]) -> str:
    """Part a name from what is said: "Bakers-jolly" -> "Bakers - jolly"; a compound ("risk-takers") stays."""
    who = match["who"]
    names = (
        is_group(who) or _AGENTS.search(who)
        if who.endswith("s")
        else (
            is_people(who) and find_split(tokens(match.string)) is None and not match.string.endswith("ing")
        )
    )
    return f"{who} - " if names else match.group()
