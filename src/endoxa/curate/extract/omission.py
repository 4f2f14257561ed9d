"""Proposals to leave a statement out, by the reviewers' written rules of AfriStereo. Nothing is deleted."""

from __future__ import annotations

import re
from functools import cache

import regex

from endoxa.curate.english import can_be, is_plural, lemma, tokens, words
from endoxa.curate.extract.split import find_split
from endoxa.curate.normalise import is_group
from endoxa.curate.normalise.identity import ends_head
from endoxa.words.packs import words_of

NOT_PEOPLE = "not about people"
SYNONYM = "synonym instead of attribute"
NOISE = "noise"
MISSING = "identity or attribute missing"
NEEDS_COUNTRY = "needs a country"
TOO_GENERAL = "no particular group"
NOT_TRANSLATED = "not translated"
LATIN = "typed in Latin letters: read it by hand"
BY_HAND = "about one person: read it by hand"
"""No proposals: leaving out who types Hindi in Latin letters, or says "the woman", selects people by how they speak."""

REASONS = (NOT_PEOPLE, SYNONYM, NOISE, MISSING, NEEDS_COUNTRY, TOO_GENERAL, NOT_TRANSLATED)
"""Every reason for which omission is proposed."""

_COMPASS = r"(?:north|south|east|west)(?:[- ]?(?:east|west))?"
_DIRECTION = re.compile(rf"{_COMPASS}(?:ern)?ers|people (?:from|in|of) (?:the )?{_COMPASS}")


_FILE = "omission.toml"


@cache
def _patterns(language: str, name: str) -> regex.Pattern[str]:
    """What says nothing in a language."""
    listed = words_of(language, _FILE if language == "en" else "extract.toml").get(name, ())
    return regex.compile("|".join(listed) or "(?!)", regex.IGNORECASE)


def noise(text: str, language: str = "en") -> bool:
    """Whether an answer says nothing: no letters, "none", a placeholder, a reference to another answer."""
    low = re.sub(r"[‘’`´]", "'", text).lower().strip(" \t\n.,;:!?*-–—_\"'()")
    letters = re.sub(r"[^\w]|[\d_]", "", low)
    nothing = any(_patterns(code, "nothing").fullmatch(low) for code in ("en", language))
    return len(letters) < 2 or nothing or bool(_patterns("en", "placeholders").search(text))


def heading(text: str) -> bool:
    """Whether the text is a heading ("Social class:", "Men are:"), not a statement ("Men are strong:")."""
    parts = tokens(text)
    if not text.rstrip().endswith(":") or len(parts) > 8:
        return False
    split = find_split(parts[:-1])
    if split is None or split.rule in {"dash", "apposition"}:
        return True
    named = split.rule == "copula" or is_group(" ".join(parts[: split.end]))
    return not named or len(parts[split.start : -1]) < 2


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


def reason(identity: str, attribute: str, axis: str) -> str:
    """Why a pair should be left out, or an empty string.

    Args:
        identity: normalised name of the group, perhaps empty.
        attribute: normalised attribute, perhaps empty.
        axis: axis of the question ("age").
    """
    if not identity or not attribute:
        return MISSING
    if identity in words_of("en", _FILE)["general"]:
        return TOO_GENERAL
    if _same(identity, attribute):
        return SYNONYM
    if axis != "religion" and _thing(identity):
        return NOT_PEOPLE
    return ""


def _same(identity: str, attribute: str) -> bool:
    heads = {lemma(word, "NOUN") for word in identity.split()} - {"people"}
    other = [
        lemma(word, "NOUN") for word in attribute.removeprefix("will be ").removeprefix("can be ").split()
    ]
    if len(other) > 2 or not other:
        return False
    if heads == set(other) - {"people", "a", "the"}:
        return True
    head = other[-1]
    if len(other) == 2 and other[0] not in {"a", "the", "be"}:
        return False
    listed = words_of("en", _FILE)["synonyms"]
    return len(heads) == 1 and any(head in names and not heads.isdisjoint(names) for names in listed)


def needs_country(identity: str) -> bool:
    """Whether the name is a compass direction that several countries have; reviewers name the country."""
    return bool(_DIRECTION.fullmatch(identity))


def _thing(identity: str) -> bool:
    """Whether the subject is an abstract or a thing: a singular noun that is no people."""
    parts = identity.split()
    if is_group(identity) or any(is_group(part) for part in parts):
        return False
    end = next((at for at, part in enumerate(parts) if at and ends_head(part, parts[at - 1])), len(parts))
    head = parts[end - 1]
    gerund = head.endswith("ing") and can_be(head, "VERB")
    if head in words("collectives"):
        return False
    abstract = gerund or (bool(re.search(words_of("en", _FILE)["abstract"], head)) and can_be(head, "NOUN"))
    return abstract or (can_be(head, "NOUN") and not is_plural(head))
