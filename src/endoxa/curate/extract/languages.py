"""Statements in other languages than English, read by words of their language (`words/LANGUAGE/extract.toml`).

A language says where its predicate stands: behind a copula or a verb (`order = "verb-second"`, the default), before
the last word ("verb-last", Hindi), or behind a definite subject without a copula ("nominal", Arabic). The group
stays as people named it. What these words do not tell apart is not read: a statement in the singular, or a subject
that may be none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from endoxa.words.packs import languages_with, words_of
from endoxa.words.patterns import COPULA, grammars_of, is_predicate
from endoxa.words.people import direct_forms, find_in, groups_in, is_governed, plain, plural_of, plural_of_one

FILE = "extract.toml"
_NOTHING = re.compile("(?!)")
_HEADS = ("profession", "gender", "family", "religion")
"""Kinds of groups whose names may follow another name ("bank clerks", "Indian women")."""
LONGEST = 6
"""Words of a subject; what is longer was not read rightly."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement cut into group and attributes.

    Attributes:
        subject: the group as it was named, without articles and quantifiers; empty where the statement has none.
        attributes: what is said of it.
        gender: 'f' or 'm' where an article or quantifier before the group shows it, else empty.
    """

    subject: str
    attributes: tuple[str, ...]
    gender: str = ""


class _Words(BaseModel):
    """What `extract.toml` says of a language; the Spanish file explains the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: str
    order: Literal["verb-second", "verb-last", "nominal"] = "verb-second"
    openers: tuple[str, ...] = ()
    articles: frozenset[str] = frozenset()
    quantifiers: frozenset[str] = frozenset()
    feminine: frozenset[str] = frozenset()
    masculine: frozenset[str] = frozenset()
    amounts: Mapping[str, str] = {}
    plural_verbs: Mapping[str, str] = {}
    spellings: Mapping[str, str] = {}
    singular: frozenset[str] = frozenset()
    collectives: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    copulas: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    before_verbs: frozenset[str] = frozenset()
    conjunctions: frozenset[str] = frozenset()
    plural: re.Pattern[str] = _NOTHING
    names: re.Pattern[str] = _NOTHING
    people: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    last: tuple[str, ...] = ()
    degree: frozenset[str] = frozenset()
    negators: frozenset[str] = frozenset()
    behind: frozenset[str] = frozenset()
    one: re.Pattern[str] = _NOTHING
    of_one: tuple[tuple[re.Pattern[str], str], ...] = ()
    respelled: tuple[tuple[str, str], ...] = ()
    corrected: tuple[tuple[re.Pattern[str], str], ...] = ()
    oblique: tuple[tuple[str, str], ...] = ()
    governing: tuple[str, ...] = ()

    @property
    def before_groups(self) -> frozenset[str]:
        """Articles and quantifiers."""
        return self.articles | self.quantifiers


@cache
def _words(language: str) -> _Words:
    classes = words_of(language, "word_classes.toml")
    classes = {name: classes.get(name, "").split() for name in ("degree", "negators")}
    entry = words_of(language, FILE)
    heads = (row.plural for row in groups_in(language) if row.kind in _HEADS and " " not in row.plural)
    people = {plain(word) for word in (*entry.get("people", ()), *filter(None, heads))}
    longest_first = {name: sorted(entry.get(name, ()), key=len, reverse=True) for name in ("openers", "last")}
    return _Words.model_validate(
        {**entry, **longest_first, "people": people, **classes, "language": language}
    )


def read(text: str, language: str) -> Reading | None:
    """Group and attributes of a statement; None where the words of the language do not tell.

    Args:
        text: one statement.
        language: ISO 639 code; one without words reads nothing.
    """
    code = re.split("[-_]", language)[0].lower()
    if code not in languages_with(FILE):
        return None
    words = _words(code)
    stripped = re.sub(r"\s+", " ", text.replace("’", "'")).strip(' .!?।؟,;"«»“”')
    plain = _without_amount(
        _without_opener(stripped.lower() if stripped.isupper() else stripped, words), words
    )
    for pattern, replacement in words.corrected:
        plain = pattern.sub(replacement, plain)
    labelled = re.match(r"^([^:]+?)\s*(?::|\s[-–—])\s+(\S.*)$", plain)
    if labelled and len(labelled[1].split()) <= LONGEST:
        tokens = labelled[1].split()
        subject = _named(tokens, words)
        return Reading(subject, _parts(labelled[2], words), _gender(tokens, words)) if subject else None
    tokens = _of_many(plain.split(), words)
    if len(tokens) < 2:
        return None
    readers = {"verb-second": _verb_second, "verb-last": _verb_last, "nominal": _nominal}
    return readers[words.order](tokens, words)


def _of_many(tokens: list[str], words: _Words) -> list[str]:
    """What is said of one person ("mwanamke anapenda"), said of the group where the table of people knows its name."""
    for end in range(min(3, len(tokens) - 1) if words.of_one else 0, 0, -1):
        many, said = plural_of_one(" ".join(tokens[:end]), words.language), " ".join(tokens[end:])
        for pattern, replacement in words.of_one if many else ():
            if pattern.search(said):
                return [*many.split(), *pattern.sub(replacement, said).split()]
    return tokens


def _without_opener(text: str, words: _Words) -> str:
    """Without "people say that" in front."""
    low = text.lower()
    for opener in words.openers:
        if low.startswith(f"{opener} ") or (opener.endswith("'") and low.startswith(opener)):
            return _without_opener(text[len(opener) :].strip(" ,:"), words)
    return text


def _without_amount(text: str, words: _Words) -> str:
    """With the article alone where "most of the" stands before a group, and the verb in the group's plural."""
    low = text.lower()
    for amount, article in words.amounts.items():
        if low.startswith(f"{amount} "):
            return _with_plural_verb(f"{article}{text[len(amount) :]}".split(), words)
    return text


def _with_plural_verb(tokens: Sequence[str], words: _Words) -> str:
    """The first word that is not of the group, in the plural where it is a verb: "a maioria dos baianos dança"."""
    low, ending = [token.lower() for token in tokens], words.plural_verbs.get("", "")
    group_start = _group_start(tokens, words)
    for at in range(group_start + 1, len(tokens)):
        of_group = words.plural.search(low[at]) or low[at] in words.links or low[at - 1] in words.links
        if of_group or low[at] in words.before_verbs | words.before_groups:
            continue
        plural = words.plural_verbs.get(low[at]) or f"{low[at]}{ending}"
        if low[at] not in words.copulas and not _is_verb(low[at], words) and _is_verb(plural, words):
            return " ".join([*tokens[:at], plural, *tokens[at + 1 :]])
        break
    return " ".join(tokens)


def _gender(tokens: Sequence[str], words: _Words) -> str:
    """The gender that words before a group show."""
    before = {token.lower() for token in tokens[: _group_start(tokens, words)]}
    shown = {gender for gender, forms in (("f", words.feminine), ("m", words.masculine)) if before & forms}
    return shown.pop() if len(shown) == 1 else ""


def _named(tokens: Sequence[str], words: _Words) -> str:
    """The group without its articles; empty where nothing is left, or a pronoun."""
    start = _group_start(tokens, words)
    low = tokens[start].lower()
    elided = next((each for each in words.articles if each.endswith("'") and low.startswith(each)), "")
    behind = (token for token in tokens[start + 1 :] if token.lower() not in words.behind)
    named = " ".join([tokens[start][len(elided) :], *behind]).strip(" ,")
    return "" if named.lower() in words.pronouns or len(named.split()) > LONGEST else named


def _parts(predicate: str, words: _Words) -> tuple[str, ...]:
    """Two attributes where only "and" stands between them ("lazy and violent"), else what is said as it stands."""
    tokens = predicate.split()
    if len(tokens) == 3 and tokens[1].lower() in words.conjunctions:
        return tokens[0], tokens[2]
    prefixes = tuple(each[:-1] for each in words.conjunctions if each.endswith("-"))
    if (
        len(tokens) == 2
        and tokens[0] not in words.negators
        and prefixes
        and tokens[1].startswith(prefixes)
        and len(tokens[1]) > 4
    ):
        return tokens[0], tokens[1][1:]
    return (predicate,)


def _is_verb(token: str, words: _Words) -> bool:
    return token.lower() in words.verbs | words.copulas or is_predicate(token, words.language)


def _verb_second(tokens: Sequence[str], words: _Words) -> Reading | None:
    start = _group_start(tokens, words)
    tokens = _with_accents(tokens, start, words)
    if not start and (reading := _without_subject(tokens, words)):
        return reading
    low = [token.lower() for token in tokens]
    begins = (
        at
        for at in range(start + 1, len(tokens))
        if _begins_predicate(low[at], words) or is_predicate(" ".join(tokens[at:]), words.language)
    )
    begin = next(begins, len(tokens))
    cut_short = begin + 1 == len(tokens) and low[begin] in words.verbs | words.copulas | words.before_verbs
    subject = _named(tokens[start:begin], words)
    reported = next((each for each in words.openers if subject.lower().endswith(f" {each}")), "")
    subject = subject[: len(subject) - len(reported)].strip()  # "Wakamba inaaminika kuwa wana nguvu"
    unnamed = not subject or set(low[start:begin]) & words.pronouns or words.one.search(subject)
    if begin == len(tokens) or cut_short or unnamed:
        return None
    many = set(low[:start]) & words.quantifiers or low[start] in words.collectives
    if set(low[:start]) & words.singular and not many:
        return None
    if not start and words.articles and not _is_bare_plural(low[:begin], words):
        return None
    gender = _gender(tokens, words)
    if low[begin] in words.copulas:
        return Reading(subject, _parts(" ".join(tokens[begin + 1 :]), words), gender)
    return Reading(subject, (" ".join(tokens[begin:]),), gender)


def _with_accents(tokens: Sequence[str], start: int, words: _Words) -> list[str]:
    """The tokens with the accents of verbs that are often typed without: behind the group, up to the first verb."""
    accented = list(tokens)
    for at in range(start and start + 1, len(tokens)):
        accented[at] = words.spellings.get(tokens[at].lower(), tokens[at])
        if _is_verb(accented[at], words) and accented[at].lower() not in words.before_verbs:
            break
    return accented


def _begins_predicate(token: str, words: _Words) -> bool:
    elided = tuple(each for each in words.before_verbs if each.endswith("'"))
    return token in words.verbs | words.copulas | words.before_verbs or token.startswith(elided)


def _is_bare_plural(low: Sequence[str], words: _Words) -> bool:
    """Whether words without an article are a group: a plural, and other plurals or a noun joined to it behind it."""
    joined = (
        words.plural.search(token) or token in words.links or low[at] in words.links
        for at, token in enumerate(low[1:])
    )
    return bool(words.plural.search(low[0])) and all(joined)


def _group_start(tokens: Sequence[str], words: _Words) -> int:
    """How many articles and quantifiers stand in front."""
    return next(
        (at for at, token in enumerate(tokens) if token.lower() not in words.before_groups), len(tokens) - 1
    )


def _without_subject(tokens: Sequence[str], words: _Words) -> Reading | None:
    """What is said with a copula, a verb or a word of degree in front ("are lazy", "dance well", "very calm")."""
    low = [token.lower() for token in tokens]
    tokens = [low[0] if tokens[0].istitle() else tokens[0], *tokens[1:]]
    pointing = low[0] in words.pronouns and len(low) > 2 and low[1] in words.copulas
    if low[0] in words.copulas or pointing:
        return Reading("", _parts(" ".join(tokens[1 + pointing :]), words))
    verbs = [at for at, token in enumerate(tokens) if _is_verb(token, words)]
    if low[0] in words.degree or verbs == [0]:
        return Reading("", (" ".join(tokens),))
    return None


def _verb_last(tokens: Sequence[str], words: _Words) -> Reading | None:
    """Hindi: the group, what is said of it, and a copula or verb in the plural."""
    if governed := _governed(tokens, words):
        return governed
    text = " ".join(tokens)
    copula = next((each for each in words.last if text.endswith(f" {each}")), None)
    end = _group_end(tokens, words)
    subject, rest = " ".join(tokens[:end]), " ".join(tokens[end:])
    if is_governed(rest, words.language):
        return None
    if tokens[0] in words.pronouns:
        subject = ""
    elif (tokens[0] in words.degree and end == 1) or (
        rest == copula and not find_in(words.language, subject)
    ):
        subject, rest = "", text
    readings = (each for rows in grammars_of(words.language) for each in rows.readings(rest) if each.there)
    first = next(readings, None)
    verb = first is not None and first.row.set != COPULA
    if copula is None and not verb:
        return None
    if rest.split()[1:] == ["नहीं"]:
        rest = " ".join(reversed(rest.split()))
    if verb or copula is None or not rest.removesuffix(copula).strip():
        return Reading(subject, (rest,)) if verb and rest else None
    return Reading(subject, _parts(rest.removesuffix(copula).strip(), words))


def _governed(tokens: Sequence[str], words: _Words) -> Reading | None:
    """What is said of a group in the case that the word behind it governs ("औरतों को गाना आता है")."""
    direct = direct_forms(words.language) if words.governing else {}
    for end in range(1, min(LONGEST, len(tokens) - 1) + 1):
        said = " ".join(tokens[end:])
        if not is_governed(said, words.language) or not is_predicate(said, words.language):
            continue
        for start in range(end):
            named = direct.get(plain(" ".join(tokens[start:end])))
            object_of_others = (
                start
                and tokens[start - 1] not in words.links
                and is_predicate(" ".join(tokens[start:]), words.language)
            )
            if named and not object_of_others:
                return Reading(" ".join([*tokens[:start], named]), (said,))
    return None


def _group_end(tokens: Sequence[str], words: _Words) -> int:
    """Where the group ends, with nouns of people that follow it, as long as something is said of them all."""
    end = _name_end(tokens, words)
    while end < len(tokens) - 1:
        if tokens[end] in words.links:
            end += 2
        elif plain(tokens[end]) in words.people and _says(tokens[end + 1 :], words):
            end += 1
        else:
            break
    return end


def _name_end(tokens: Sequence[str], words: _Words) -> int:
    """Where a name of several words ends: one of the table ("दक्षिण भारतीय"), or the people of a place ("... के लोग")."""
    for end in range(min(4, len(tokens) - 1), 1, -1):
        named = " ".join(tokens[:end])
        if plural_of(named, words.language) == named and _says(tokens[end:], words):
            return end
    if plural_of(tokens[0], words.language) != tokens[0]:
        for at in range(2, min(4, len(tokens) - 2)):
            of_people = tokens[at] in words.links and plain(tokens[at + 1]) in words.people
            if of_people and _says(tokens[at + 2 :], words):
                return at + 2
    return 1


def _says(tokens: Sequence[str], words: _Words) -> bool:
    """Whether these words are a predicate: no copula alone ("हैं", "नहीं हैं"), no "and ..."."""
    text = " ".join(tokens)
    copula = next((each for each in words.last if f" {text}".endswith(f" {each}")), "")
    named = text.removesuffix(copula).strip()
    return (
        tokens[0] not in words.conjunctions
        and named not in ("", "नहीं")
        and bool(copula or is_predicate(text, words.language))
    )


def _nominal(tokens: Sequence[str], words: _Words) -> Reading | None:
    """Arabic: a definite group, and what is said of it without a copula."""
    start = _group_start(tokens, words)
    if tokens[start] in words.pronouns:
        return Reading("", _parts(" ".join(tokens[start + 1 :]), words))
    end = start
    if not tokens[start].startswith("ال"):
        end += 1  # "the inhabitants of Morocco": only the second noun has the article
    while end < len(tokens) and tokens[end].startswith("ال"):
        end += 1
    if end < len(tokens) and tokens[end] in words.links:  # "the people in Japan"
        places = range(min(end + 4, len(tokens) - 1), end + 1, -1)
        end = next((at for at in places if is_predicate(" ".join(tokens[at:]), words.language)), end)
    of_place = not tokens[start].startswith("ال") and _is_people_of(tokens[start:], words)
    if of_place:
        end = start + 2
    subject, said = tokens[start:end], tokens[end:]
    definite = of_place or any(token.startswith("ال") for token in subject)
    if not said or not definite or said[0].startswith("وال"):  # "Sunnis and Shias"
        return None
    # Behind "all" or "most" a group is plural, whatever its form; else its table or an ending may tell.
    group = " ".join(subject)
    many = plural_of(group, words.language) == group
    if not (start or many) and plural_of_one(group, words.language):
        return None
    plural = start or many or words.plural.search(subject[0]) or words.plural.search(said[0])
    if not plural and not is_predicate(" ".join(said), words.language):
        return None
    return Reading(group, _parts(" ".join(said), words))


def _is_people_of(tokens: Sequence[str], words: _Words) -> bool:
    """Whether a noun of people and a name without an article are the group ("أهل حلب")."""
    head, *rest = tokens
    return (
        plain(head) in words.people
        and len(rest) > 1
        and not rest[0].startswith("ال")
        and not is_predicate(rest[0], words.language)
        and is_predicate(" ".join(rest[1:]), words.language)
    )
