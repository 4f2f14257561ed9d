"""Statements in other languages than English, read by words of their language (`words/LANGUAGE/extract.toml`).

A language says where its predicate stands: behind a copula or a verb (`order = "verb-second"`, the default), before
the last word ("verb-last", Hindi), or behind a definite subject without a copula ("nominal", Arabic). The group
stays as people named it. What these words do not tell apart is not read: a statement in the singular, or a subject
that may be none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from endoxa.curate.grammar.other_languages import in_plural
from endoxa.curate.grammar.templates import UnclearError
from endoxa.curate.opposites.lexicon import load_lexicon, rules_of
from endoxa.words.packs import languages_with, quotation_marks, rows_of, stops, words_of
from endoxa.words.patterns import COPULA, grammars_of, is_predicate, set_of
from endoxa.words.people import (
    direct_forms,
    find_in,
    groups_in,
    in_citation_form,
    is_governed,
    oblique_of,
    plain,
    plural_of,
    plural_of_one,
)

FILE = "extract.toml"
_NOTHING = re.compile("(?!)")
_HEADS = ("profession", "gender", "family", "religion")
"""Kinds of groups whose names may follow another name ("bank clerks", "Indian women")."""
LONGEST = 6
"""Words of a subject; what is longer was not read rightly."""
LONGEST_QUALITY = 3
"""Words of a quality before "and" and a verb."""


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
    fillers: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    nothing: tuple[str, ...] = ()
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
    fronted: tuple[tuple[re.Pattern[str], str], ...] = ()
    of_one: tuple[tuple[re.Pattern[str], str], ...] = ()
    many: Mapping[str, str] = {}
    some: Mapping[str, str] = {}
    owners: Mapping[str, str] = {}
    infinitives: frozenset[str] = frozenset()
    clauses: frozenset[str] = frozenset()
    respelled: tuple[tuple[str, str], ...] = ()
    corrected: tuple[tuple[re.Pattern[str], str], ...] = ()
    oblique: tuple[tuple[str, str], ...] = ()
    governing: tuple[str, ...] = ()
    written: tuple[tuple[str, str], ...] = ()
    inhabitants: tuple[tuple[str, str, str], ...] = ()
    reworded: tuple[tuple[str, str], ...] = ()

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
    stripped = re.sub(r"\s+", " ", text.replace("’", "'")).strip(f" ,;{stops()}{quotation_marks()}")
    typed = _corrected(stripped.lower() if stripped.isupper() else stripped, words.corrected)
    plain = _without_amount(_without_opener(typed, words), words)
    plain = _corrected(plain, (*words.corrected, *words.fronted))
    labelled = re.match(r"^([^:=]+?)\s*(?:[:=]|\s[-–—])\s+(\S.*)$", plain)
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
    """What is said of one person ("la mujer debe ..."), said of the group where the table of people knows its name."""
    article = words.many.get(tokens[0].lower(), "") if len(tokens) > 2 else ""
    start = int(bool(article))
    if not words.of_one or tokens[start].lower() in words.collectives:
        return tokens
    for end in range(min(start + 3, len(tokens) - 1), start, -1):
        many = _plural_of_one(tokens[start:end], words)
        joined = tokens[end].lower() in words.links  # "el joven de hoy es ..."
        for begin in range(end + 2, min(end + 5, len(tokens))) if joined and many else (end,):
            said = " ".join(tokens[begin:])
            for pattern, replacement in words.of_one if many else ():
                if pattern.search(said) and not words.many:  # the patterns say everything
                    if tokens[end] in words.governing:  # "औरत का काम": the verb agrees with what they have
                        return [*oblique_of(many, words.language).split(), *tokens[end:]]
                    return [*many.split(), *tokens[end:begin], *pattern.sub(replacement, said).split()]
                if pattern.search(said):
                    gender = named.gender or "m" if (named := find_in(words.language, many)) else ""
                    group = [*filter(None, [article]), *many.split(), *tokens[end:begin]]
                    return [*group, *_said_of_many(said.split(), gender, words)]
    return tokens


def _said_of_many(said: Sequence[str], gender: str, words: _Words) -> list[str]:
    """What is said of one person, said of many, on both sides of an "and" ("é preguiçoso e bebe"); empty if unsure."""
    patterns = [entry for entry in words.of_one if entry[0].search(" ".join(said))][:1]
    for at in range(1, len(said) - 1) if patterns else ():
        behind = " ".join(said[at + 1 :])
        if said[at].lower() in words.conjunctions and any(each.search(behind) for each, _ in words.of_one):
            sides = [_said_of_many(side, gender, words) for side in (said[:at], said[at + 1 :])]
            return [*sides[0], said[at], *sides[1]] if all(sides) else []
    return _agreeing(_corrected(" ".join(said), patterns).split(), gender, words)


def _plural_of_one(tokens: Sequence[str], words: _Words) -> str:
    """The plural of a name for one person, also of a noun with its adjective ("mujer mexicana"); empty if unknown."""
    plural = plural_of_one(" ".join(tokens), words.language)
    if plural or not words.many:
        return plural
    plurals = [plural_of_one(token, words.language) for token in tokens]
    noun, adjective = [*plurals, "", ""][:2]
    return f"{noun} {adjective.lower()}" if len(plurals) == 2 and noun and adjective else ""


def _agreeing(said: Sequence[str], gender: str, words: _Words) -> list[str]:
    """A predicate whose verb is a plural, with its words in the plural, too; empty where a form is not sure."""
    rules, language = rules_of(words.language), words.language
    agreed = [words.owners.get(token.lower(), token) for token in said]
    copulas = (at for at, token in enumerate(said[:4]) if _agrees_behind(token.lower(), words))
    copula = next(copulas, None)
    if copula is None:
        clauses = words.conjunctions | words.clauses
        return [] if any(token.lower() in clauses for token in said[1:]) else agreed
    agrees, begins = True, True
    for at in range(copula + 1, len(said)):
        low, comma = said[at].lower().removesuffix(","), "," * said[at].endswith(",")
        if low in words.some:
            agreed[at] = words.some[low]
        elif low in words.conjunctions | words.copulas:
            agrees = True
        elif agrees and at + 1 < len(said) and low in rules.degree | words.before_verbs:
            continue
        elif low in rules.function:
            if begins and low in words.articles:
                return []
            break
        elif not agrees:
            return []
        else:
            try:
                plural = in_plural(low, language, grammars_of(language)[0], gender, load_lexicon(language))
            except UnclearError:
                return []
            agreed[at], agrees, begins = plural + comma, bool(comma), False
    return agreed


def _agrees_behind(token: str, words: _Words) -> bool:
    """Whether what stands behind a word agrees with the group ("es", "están", "quiere ser")."""
    return token in words.copulas | words.infinitives or set_of(f"{token} x", words.language) == "state"


def _corrected(text: str, patterns: Iterable[tuple[re.Pattern[str], str]]) -> str:
    for pattern, replacement in patterns:
        text = pattern.sub(replacement, text)
    return text


def _without_opener(text: str, words: _Words) -> str:
    """Without "people say that" in front, however it is spelled: "يقولون ان" as "يقولون إن"."""
    tokens = text.split()
    folded = [plain(token).rstrip(",:") for token in tokens]
    for opener, parts in _openers(words.language):
        if opener.endswith("'") and text.lower().startswith(opener):
            return _without_opener(text[len(opener) :].strip(" ,:"), words)
        if len(tokens) > len(parts) and folded[: len(parts)] == parts:
            return _without_opener(" ".join(tokens[len(parts) :]).strip(" ,:"), words)
    return text


@cache
def _openers(language: str) -> tuple[tuple[str, list[str]], ...]:
    return tuple((opener, plain(opener).split()) for opener in _words(language).openers)


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
    elided = max(
        (each for each in words.articles if each.endswith("'") and low.startswith(each)), key=len, default=""
    )
    behind = (token for token in tokens[start + 1 :] if token.lower() not in words.behind)
    named = " ".join([tokens[start][len(elided) :], *behind]).strip(" ,")
    return "" if named.lower() in words.pronouns or len(named.split()) > LONGEST else named


def _parts(predicate: str, words: _Words) -> tuple[str, ...]:
    """The attributes between which only commas, "and" or "but" stand ("lazy and very violent"), else what is said."""
    tokens = predicate.split()
    prefixes = tuple(each[:-1] for each in words.conjunctions if each.endswith("-"))
    if (
        len(tokens) == 2
        and tokens[0] not in words.negators
        and prefixes
        and tokens[1].startswith(prefixes)
        and len(tokens[1]) > 4
    ):
        return tokens[0], tokens[1][1:]
    joined = [at for at, token in enumerate(tokens) if token.lower() in words.conjunctions]
    if len(joined) == 1:
        before = " ".join(tokens[: joined[0]]).rstrip(",").split(", ")
        after = tokens[joined[0] + 1 :]
        parts = (*before, " ".join(after[after[0].lower() in words.copulas if after else 0 :]))
        heads = [part.lower().split() for part in parts]
        if all(head and "," not in head[-1] and words.degree.issuperset(head[:-1]) for head in heads):
            return parts
    return _quality_and_verb(tokens, words) or (predicate,)


def _quality_and_verb(tokens: Sequence[str], words: _Words) -> tuple[str, ...]:
    """A quality, and after "and" or "but" what is done: "mean and run the world"; empty where it is nothing such."""
    prefixes = tuple(each[:-1] for each in words.conjunctions if each.endswith("-"))
    for at in range(1, len(tokens) - 1):
        low, after = tokens[at].lower(), list(tokens[at + 1 :])
        if low not in words.conjunctions:
            if not (prefixes and low.startswith(prefixes)):
                continue
            after.insert(0, tokens[at][1:])
        said = " ".join(after[after[0].lower() in words.copulas :])
        done = said != " ".join(after) or is_predicate(said, words.language)
        quality = words.before_groups.union(words.clauses, words.links).isdisjoint(
            map(str.lower, tokens[:at])
        )
        if said and done and quality and at <= LONGEST_QUALITY:
            return " ".join(tokens[:at]).rstrip(","), said
    return ()


def _verb_and_quality(tokens: Sequence[str], words: _Words) -> tuple[str, ...]:
    """What is done, and after "and" or "but" with a copula a quality: "drive badly but are kind"."""
    low = [token.lower() for token in tokens]
    joined = (
        at for at in range(1, len(low) - 2) if low[at] in words.conjunctions and low[at + 1] in words.copulas
    )
    if (at := next(joined, 0)) and low[0] not in words.copulas:
        return _spelt(tokens[:at], words).rstrip(","), _spelt(tokens[at + 2 :], words)
    return (_spelt(tokens, words),)


def _is_verb(token: str, words: _Words) -> bool:
    return token.lower() in words.verbs | words.copulas or is_predicate(token, words.language)


def _verb_second(tokens: Sequence[str], words: _Words) -> Reading | None:
    start = _group_start(tokens, words)
    tokens = _with_accents(tokens, start, words)
    named_by_all = start and not words.singular.union(words.many.values()).issuperset(tokens[:start])
    if (not start or named_by_all) and (reading := _without_subject(tokens[start:], words)):
        return reading  # "all are unfaithful": those of the question
    low = [token.lower() for token in tokens]
    begins = (
        at
        for at in range(start + 1, len(tokens))
        if _begins_predicate(low[at], words) or is_predicate(" ".join(tokens[at:]), words.language)
    )
    begin = next(begins, len(tokens))
    cut_short = begin + 1 == len(tokens) and low[begin] in words.verbs | words.copulas | words.before_verbs
    nameless = bool(start) and low[start] in words.links  # "los de Medellín"
    subject = " ".join(tokens[start - 1 : begin]) if nameless else _named(tokens[start:begin], words)
    reported = next((each for each in words.openers if subject.lower().endswith(f" {each}")), "")
    subject = subject[: len(subject) - len(reported)].strip()  # "Wakamba inaaminika kuwa wana nguvu"
    pointing = words.links.isdisjoint(low[start + 1 : start + 2])  # "ceux du Nord" are named
    unnamed = (
        not subject or (pointing and set(low[start:begin]) & words.pronouns) or words.one.search(subject)
    )
    if begin == len(tokens) or cut_short or unnamed:
        return None
    many = set(low[:start]) & words.quantifiers or low[start] in words.collectives
    if set(low[:start]) & words.singular and not many:
        return None
    if not start and words.articles and not _is_bare_plural(low[:begin], words):
        return None
    gender = _gender(tokens, words)
    if low[begin] in words.copulas:
        return Reading(subject, _parts(_spelt(tokens[begin + 1 :], words), words), gender)
    return Reading(subject, _verb_and_quality(tokens[begin:], words), gender)


def _with_accents(tokens: Sequence[str], start: int, words: _Words) -> list[str]:
    """The tokens with the accents of verbs that are often typed without: behind the group, up to the first verb."""
    accented = list(tokens)
    for at in range(start and start + 1, len(tokens)):
        accented[at] = words.spellings.get(tokens[at].lower(), tokens[at])
        if _is_verb(accented[at], words) and accented[at].lower() not in words.before_verbs:
            break
    return accented


def _spelt(tokens: Sequence[str], words: _Words) -> str:
    """What is said, with the accents of adjectives that are often typed without ("preguicosos")."""
    degree = {low: word for low, word in words.spellings.items() if word in words.degree}
    return " ".join(degree.get(token) or _accents(words.language).get(token, token) for token in tokens)


@cache
def _accents(language: str) -> Mapping[str, str]:
    """Forms of the adjectives with an opposite by their letters without accents, where those are no other form."""
    lexicon = load_lexicon(language, may_be_empty=True)
    forms = {
        form
        for row in lexicon.rows
        if row.part == "adj"
        for term in (*row.poles[0], *row.poles[1])
        for form in lexicon.forms(row, term).values()
    } | {form for row in rows_of(language, "forms.csv") for name, form in row.items() if "_" in name}
    words = _words(language)
    others = forms | words.degree | words.conjunctions | words.before_verbs | lexicon.rules.function
    return {plain(form): form for form in forms if plain(form) not in others and len(form) > 3}


def begins_phrase(text: str, language: str) -> bool:
    """Whether the last word of a text needs another one behind it: an article, a copula, "and", "very"."""
    words, token = _words(language), (text.lower().split() or [""])[-1]
    return token in words.before_groups | words.conjunctions | words.degree or _begins_predicate(token, words)


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
    for begin in (0, low[0] in words.pronouns):  # "they like money", "do not know how to drive"
        said = " ".join(tokens[begin:])
        if (begin or low[0] in words.before_verbs) and is_predicate(said, words.language):
            return Reading("", (said,))
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
                and plain(named or "") not in words.people
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
    parts = _parts(" ".join(said), words)
    return Reading(group, tuple(_in_case(part, words) for part in parts))


def _in_case(part: str, words: _Words) -> str:
    """A predicate whose first word stands in the case of its group ("مبذرون"), also where people say another."""
    first, _, rest = part.partition(" ")
    if is_predicate(part, words.language):
        return part
    return " ".join(filter(None, (in_citation_form(f"ال{first}", words.language).removeprefix("ال"), rest)))


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
