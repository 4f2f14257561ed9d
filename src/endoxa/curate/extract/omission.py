"""Proposals to leave a statement out, by the reviewers' written rules of AfriStereo. Nothing is deleted."""

from __future__ import annotations

import re

from endoxa.curate.english import can_be, is_plural, lemma, tokens, words

NOT_PEOPLE = "not about people"
SYNONYM = "synonym instead of attribute"
NOISE = "noise"
MISSING = "identity or attribute missing"
NEEDS_COUNTRY = "needs a country"
TOO_GENERAL = "no particular group"

REASONS = (NOT_PEOPLE, SYNONYM, NOISE, MISSING, NEEDS_COUNTRY, TOO_GENERAL)
"""Every reason that is given."""

_NOTHING = re.compile(
    r"^(?:n/?a+|na+|nil|none|no|nope|nothing|not? (?:sure|applicable|comments?|idea|answer|others?)|same|idk|yes|ok(?:ay)?|etc|"
    r"(?:and )?(?:so on|etcetera|others?)|(?:i )?(?:don'?t|do not|can'?t) (?:know|have any|think of)\b.*|not that i .*|"
    r"none (?:that|at|of|for|i)\b.*|nothing (?:else|more|comes)\b.*|no(?:ne|thing)? (?:other|more|idea|comment|answer)\b.*|"
    r"(?:same )?as (?:above|before|stated).*|same (?:as|thing|answer)\b.*|"
    r".*\b(?:already|previous(?:ly)?|above|earlier)\b.*\b(?:answer|answered|question|mentioned|done|listed|stated|said)\b.*|"
    r".*\b(?:answer|answered|mentioned|done|listed|stated|said)\b.*\b(?:already|previous(?:ly)?|above|earlier)\b.*|"
    r".*\b(?:keep|rather keep) (?:this|that|it) private\b.*|.*\b(?:prefer|choose|rather) not (?:to )?(?:say|answer)\b.*)$"
)
_PLACEHOLDER = re.compile(
    r"\bxyz\b|\[[^\]]*(?:ethnic|group|name|identity)[^\]]*\]|\bx ethnic\b", re.IGNORECASE
)
_ABSTRACT = re.compile(r"(?:tion|sion|ness|ment|ism|ity|ship|hood|ance|ence|ure)s?$")
_PEOPLE = frozenset(
    {
        "people",
        "persons",
        "person",
        "everyone",
        "everybody",
        "humans",
        "human",
        "others",
        "some people",
        "these people",
        "they",
        "them",
        "someone",
        "one",
        "many people",
        "most people",
        "all people",
        "different people",
        "human beings",
        "somebody",
        "individuals",
    }
)

# Names of one group that are no attribute of it.
_SYNONYMS = (
    {"teacher", "lecturer", "educator", "tutor", "instructor"},
    {"doctor", "physician", "medic"},
    {"lawyer", "attorney", "barrister", "solicitor", "advocate"},
    {"trader", "merchant", "seller", "vendor"},
    {"farmer", "agriculturist", "cultivator"},
    {"woman", "female", "lady", "girl"},
    {"man", "male", "guy", "gentleman"},
    {"child", "kid"},
    {"elderly", "elder", "senior", "old", "aged"},
    {"youth", "youngster", "young"},
    {"police", "policeman", "cop"},
    {"soldier", "military"},
    {"cook", "chef"},
    {"muslim", "islam", "islamic"},
    {"christian", "christianity"},
)


def noise(text: str) -> bool:
    """Whether an answer says nothing: no letters, "none", a placeholder, a reference to another answer."""
    low = re.sub(r"[‘’`´]", "'", text).lower().strip(" \t\n.,;:!?*-–—_\"'()")
    letters = re.sub(r"[^\w]|[\d_]", "", low)
    return len(letters) < 2 or bool(_NOTHING.match(low)) or bool(_PLACEHOLDER.search(text))


def heading(text: str) -> bool:
    """Whether the text is a heading ("Social class:"), not a statement."""
    return text.rstrip().endswith(":") and len(tokens(text)) <= 8


def question_or_aside(text: str) -> bool:
    """Whether the respondent asks something or speaks of himself or of the form."""
    parts = [part.lower() for part in tokens(re.sub(r"[‘’`´]", "'", text))]
    if not parts:
        return True
    asks = parts[0] in words("interrogatives") and (
        text.rstrip().endswith("?")
        or (
            len(parts) > 1
            and parts[1] in {*words("pronouns"), *words("first_persons"), "do", "does", "are", "is"}
        )
    )
    return asks or parts[0] in words("first_persons")


def reason(identity: str, attribute: str, question: str, text: str) -> str:
    """Why a pair should be left out, or an empty string.

    Args:
        identity: normalised name of the group, perhaps empty.
        attribute: normalised attribute, perhaps empty.
        question: axis of the question ("age").
        text: the statement.
    """
    del text
    if not identity or not attribute:
        return MISSING
    if identity in _PEOPLE:
        return TOO_GENERAL
    if _same(identity, attribute):
        return SYNONYM
    if _unnamed_direction(identity):
        return NEEDS_COUNTRY
    if question != "religion" and _thing(identity):
        return NOT_PEOPLE
    return ""


def _same(identity: str, attribute: str) -> bool:
    one = {lemma(word, "NOUN") for word in identity.split()} - {"people"}
    other = [lemma(word, "NOUN") for word in attribute.split()]
    if len(other) > 2 or not other:
        return False
    if one == set(other) - {"people", "a", "the"}:
        return True
    head = other[-1]
    if len(other) == 2 and other[0] not in {"a", "the", "be"}:
        return False
    return any(head in names and one & names for names in _SYNONYMS if len(one) == 1)


def _unnamed_direction(identity: str) -> bool:
    return bool(
        re.match(
            r"^(?:(?:north|south|east|west)(?:ern)?ers|people (?:from|in|of) (?:the )?(?:north|south|east|west)(?:[- ]?(?:east|west))?)$",
            identity,
        )
    )


def _thing(identity: str) -> bool:
    """Whether the subject is an abstract or a thing: a singular noun that is no people."""
    from endoxa.curate.normalise import is_group

    parts = identity.split()
    if is_group(identity) or any(is_group(part) for part in parts):
        return False
    end = next(
        (at for at, part in enumerate(parts) if at and part in words("prepositions") | words("relatives")),
        len(parts),
    )
    head = parts[end - 1]
    abstract = bool(_ABSTRACT.search(head)) and can_be(head, "NOUN")
    return abstract or (can_be(head, "NOUN") and not is_plural(head))
