"""Groups of associations in any language: their identity, their overlap, and the noun for one person.

`people.csv` of each language, in `endoxa/words`, holds facts of general knowledge; a language takes part by having it.
English singulars are those that people accept for themselves ("a Jewish person"), also where the plural in the data is
not accepted.

`Distractors` says who can stand beside the group of an association: groups of its axis that were never observed with
the attribute.

Crossed identities and their parts: "young nigerian men" are young people, Nigerians and men.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import polars as pl

from endoxa.curate.associations import association_id
from endoxa.curate.english import can_be, in_dictionary, is_plural, lemma, words
from endoxa.curate.grammar.subject import english_people, with_capitals
from endoxa.curate.grammar.templates import UnclearError
from endoxa.curate.normalise import is_group, people_plural, tables
from endoxa.curate.normalise.identity import foreign_identity, normal_identity
from endoxa.sources.identities import identity_key
from endoxa.words.countries import names_in
from endoxa.words.packs import words_of
from endoxa.words.people import (
    Says,
    find_people,
    groups_in,
    is_place,
    larger,
    members,
    plain,
    says,
    singulars,
    spellings,
)

Forms = Mapping[str, str]
"""A word by gender ('m', 'f'), or under '' where the language has no gender."""


Kind = Literal["friend", "noun"]


@dataclass(frozen=True, slots=True)
class Person:
    """How one person of a group is called in a language.

    Attributes:
        kind: 'friend': an adjective that goes with it ("my Chilean friend"); 'noun': a noun ("a nurse I know").
        forms: that word by gender; one gender only where the group has no other.
        says: gender that the name of the group says.
        paired: a noun by which men and women are told apart, and nothing else ("mother", "father").
        group: id of the group of a listed noun, the same in all languages.
    """

    kind: Kind
    forms: Forms
    says: Says = ""
    paired: bool = False
    group: str = field(default="", compare=False)


def find_noun(text: str, language: str) -> Person | None:
    """The noun that a plural is a form of, or None; articles in front do not matter.

    Args:
        text: the plural.
        language: ISO 639 code; there are no nouns in languages without a table.
    """
    nouns = _nouns(language)
    keys = (each for name in names_in(text) for each in spellings(name))
    return next((nouns[each] for each in keys if each in nouns), None)


_KIN = frozenset(["women", "men", "children", "parents", "grandparents"])
"""Groups within which nouns tell nothing but the gender."""


@cache
def _nouns(language: str) -> Mapping[str, Person]:
    """A plural of women has the feminine form alone; "policías" is the plural of both."""
    nouns: dict[str, Person] = {}
    for row in groups_in(language):
        for word, gender in row.forms:
            forms = singulars(row, gender)
            if row.is_people or not forms or (word in (row.singular, row.singular_f) and word != row.plural):
                continue
            gendered = says(row, gender)
            alone = not (row.singular and row.singular_f) and _KIN.issuperset(row.within)
            noun = Person("noun", forms, gendered, bool(gendered) and alone, row.id)
            nouns |= {form: nouns.get(form, noun) for form in (word.casefold(), plain(word))}
    return nouns


@dataclass(frozen=True, slots=True)
class Identity:
    """A group.

    Attributes:
        key: one name for one group: "Argentina" and "argentinians" have the same, "argentinas" another.
        group: the key without the gender: "argentinas" and "argentinos" have the same.
        larger: every group that holds it as far as names tell, `group` included.
        countries: ISO 3166 codes of the countries that a people or region has.
        words: words of its name; empty for the people of a place.
    """

    key: str
    group: str
    larger: frozenset[str]
    countries: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


@cache
def identity_of(text: str, language: str) -> Identity:
    """The group that an identity names.

    Args:
        text: the identity, as the table of associations has it.
        language: ISO 639 code of the association.
    """
    people = find_people(text, language)
    if people is not None:
        countries = frozenset(member for member in members(people.id) if len(member) == 2)
        return _identity(people.id, people.gender, _women(people.gender), countries)
    noun = find_noun(text, language) if language != "en" else None
    if noun is not None:
        return _identity(noun.group, "" if noun.paired else noun.says, _women(noun.says))
    name = normal_identity(text) if language == "en" else foreign_identity(text)
    if not name:
        return Identity("", "", frozenset())
    group = english_group(name)
    parts = frozenset(name.split())
    groups = [group, *_of_words(name), *_foreign(parts, language)]
    return Identity(group, group, frozenset().union(*map(larger, groups)), words=parts)


def overlap(noun: Identity, other: Identity) -> bool:
    """Whether the names say that somebody can belong to both.

    They do where they name the same ("doctors", "physicians"), where one holds the other ("latin americans",
    "mexicans"; "women", "mothers"), where both have a country in common, and where one is the other with a word more
    ("women", "muslim women").
    """
    more = bool(noun.words and other.words) and (noun.words <= other.words or other.words <= noun.words)
    holds = noun.group in other.larger or other.group in noun.larger
    return more or holds or bool(noun.countries & other.countries)


def english_group(name: str) -> str:
    """One name for the group of an English plural: "physicians" is "doctors"."""
    noun = find_noun(name, "en")
    return noun.group if noun else name


def singular(plural: str) -> str | None:
    """The singular of an English word, or None where it is no plural that we know to undo."""
    if not is_plural(plural):
        return None
    if not in_dictionary(plural):
        return plural.removesuffix("s") or None if plural.endswith("s") else None
    base = lemma(plural, "NOUN") if can_be(plural, "NOUN") else plural
    return base if base != plural else None


def _identity(
    code: str, gender: str, more: Iterable[str], countries: frozenset[str] = frozenset()
) -> Identity:
    holding = frozenset().union(*map(larger, (code, *more)))
    return Identity(f"{code}/{gender}" if gender else code, code, holding, countries)


def _women(gender: str) -> tuple[str, ...]:
    """A plural of women names some of all women."""
    return ("women",) if gender == "f" else ()


def _of_words(name: str) -> Iterable[str]:
    """Groups that an English name of several words lies in: "black women" in women and in black people."""
    *before, head = name.split()
    if head.endswith("women"):
        yield "women"
    elif head.endswith("men"):
        yield "men"
    if not before:
        return
    yield english_group(head)
    people = " ".join(before)
    yield english_group(normal_identity(f"{people} people"))
    for word in (people, *before):
        if (named := find_people(word)) is not None:
            yield named.id


def _foreign(parts: Iterable[str], language: str) -> Iterable[str]:
    """Groups that the words of a name in another language stand for: "mujeres musulmanas"."""
    for word in parts if language != "en" else ():
        if (noun := find_noun(word, language)) is not None:
            yield from (noun.group, *_women(noun.says))
        if (named := find_people(word, language)) is not None:
            yield named.id


@cache
def person(text: str, language: str) -> Person | None:
    """One person of an identity, or None where the language has no natural form for it that we know.

    Args:
        text: the identity; names of peoples and places may be in any of them.
        language: of the question.
    """
    people = find_people(text, language)
    if people is None:
        if is_place(text):
            return None
        return (
            _english_person(text)
            if language == "en"
            else find_noun(text, language) or _inhabitant(text, language)
        )
    rows = [row for row in groups_in(language) if row.id == people.id]
    key = identity_key(text)  # a people can have several names: "gringos", "estadounidenses"
    row = next(
        (row for row in rows if key in map(identity_key, (row.plural, row.plural_f))), next(iter(rows), None)
    )
    forms = singulars(row, people.gender) if row else {}
    return Person("friend", forms, people.gender) if forms else None


def comparable(noun: Person, other: Person) -> bool:
    """Whether two people differ in their group alone, not in how they are introduced.

    Both are friends, or both are nouns; and both are called by a word of the same gender. Nouns that only tell men and
    women apart may differ in that. Two people who would be called the same are not told apart at all.
    """
    if noun.kind != other.kind or any(_same(noun.forms[form], other.forms.get(form)) for form in noun.forms):
        return False
    if noun.paired and other.paired:
        return True
    return _can_be(noun, other.says) and _can_be(other, noun.says)


def _same(word: str, other: str | None) -> bool:
    return other is not None and word.casefold() == other.casefold()


def _can_be(who: Person, gender: Says) -> bool:
    """Whether somebody can be called by a word of the gender that the other's group says."""
    return not gender or who.says == gender or (not who.says and gender in who.forms)


def _inhabitant(text: str, language: str) -> Person | None:
    """Somebody of a group that is called after its place ("أهل فاس"), by `inhabitants` of `extract.toml`."""
    for pattern, *forms in words_of(language, "extract.toml").get("inhabitants", ()):
        if place := re.fullmatch(pattern, text):
            named = (place.expand(form).replace(" ", "\u00a0") for form in forms)  # one word to an article
            return Person("noun", dict(zip("mf", named, strict=True)))
    return None


def _english_person(text: str) -> Person | None:
    """For "igbo people" my Igbo friend, for "nurses" a nurse; None for "people from lagos"."""
    try:
        plural = english_people(text) if text.strip(" .,;:") else ""
    except UnclearError:
        return None
    spoken = {word.lower(): word for word in plural.split()}
    name = normal_identity(plural)
    listed = find_noun(name, "en")
    if listed is not None:
        return listed
    *before, head = name.split() or [""]
    people = " ".join(before)
    if head == "people" and (people in tables().peoples or people in tables().collective):
        return Person("friend", {"": with_capitals(people)})
    noun = "person" if head == "people" and before else singular(head)
    if noun is None or noun in words("place_nouns"):
        return None
    if any(word in words("prepositions") or word in words("relatives") for word in before):
        return None
    named = [spoken.get(word) or with_capitals(word) for word in before]
    return Person("noun", {"": " ".join([*named, _written(noun, plural)])}, _says(head))


def _written(noun: str, text: str) -> str:
    """The noun with the capital that its plural has: a Lagosian."""
    as_written = next((word for word in text.split() if word.casefold().startswith(noun)), "")
    if as_written[:1].isupper():
        return noun.capitalize()
    return with_capitals(noun)


def _says(head: str) -> Says:
    noun = find_noun(head, "en")
    if noun is not None:
        return noun.says
    return "f" if head.endswith("women") else "m" if head.endswith("men") else ""


@dataclass(frozen=True, slots=True)
class Observed:
    """One association, as far as distractors are concerned.

    Attributes:
        identity: the group.
        attribute: what is said of it.
        axis: social axis, or empty.
        group_id: group of like attributes, or empty.
    """

    identity: Identity
    attribute: str
    axis: str = ""
    group_id: str = ""


class Distractors:
    """All associations of a table, ready to be asked who was never observed with an attribute."""

    def __init__(self, observed: Iterable[Observed], nameable: Container[str]) -> None:
        """Take every association.

        Args:
            observed: all that was said, also what no question is made of.
            nameable: keys of the identities that the language of the questions can name.
        """
        axes: dict[str, dict[str, Identity]] = defaultdict(dict)
        self._said_of: dict[tuple[str, str], dict[str, Identity]] = defaultdict(dict)
        self._overlapping: dict[tuple[str, str], frozenset[str]] = {}
        for association in observed:
            if association.identity.key in nameable:
                axes[association.axis].setdefault(association.identity.key, association.identity)
            for key in _keys(association):
                self._said_of[key].setdefault(association.identity.key, association.identity)
        self._axes = {axis: dict(sorted(identities.items())) for axis, identities in axes.items()}

    def candidates(self, target: Observed) -> list[str]:
        """Keys of the identities that can stand beside the target, sorted.

        They are of its axis, and overlap neither with it nor with any identity that was observed with the attribute or
        with another one of its group.
        """
        seen = {
            key: association
            for statement in _keys(target)
            for key, association in self._said_of[statement].items()
        }
        observed = {**seen, target.identity.key: target.identity}.values()
        excluded = frozenset[str]().union(*(self._near(association, target.axis) for association in observed))
        return [key for key in self._axes.get(target.axis, ()) if key not in excluded]

    def _near(self, identity: Identity, axis: str) -> frozenset[str]:
        """Keys of the identities of an axis that overlap with one."""
        place = (identity.key, axis)
        if place not in self._overlapping:
            others = self._axes.get(axis, {}).items()
            self._overlapping[place] = frozenset(key for key, other in others if overlap(identity, other))
        return self._overlapping[place]


def plain_attribute(text: str) -> str:
    """An attribute in the one form in which attributes are compared."""
    return identity_key(text).strip(" .,;:!?\"'")


def _keys(association: Observed) -> Iterable[tuple[str, str]]:
    yield "attribute", plain_attribute(association.attribute)
    if association.group_id:
        yield "group", association.group_id


EVERYBODY = frozenset({"people", "persons", "folks", "ones", "individuals", "members", "others"})
"""Heads that name no group: "old people" has one part."""
CROSS_OF = "cross_of"
"""Column of the association whose crossed identity a part belongs to; empty in all other rows."""


def parts_of(identity: str) -> tuple[str, ...]:
    """The groups that a crossed identity belongs to, by its English words; empty where it is not crossed.

    Every word before the last must name a people, faith, age or other group that is known; the last is a group in the
    plural: "igbo women" are Igbo people and women. "Taxi drivers" and "poor women" are not taken apart.

    Args:
        identity: the group, in the plural.
    """
    *modifiers, head = identity_key(identity).split() or [""]
    if not modifiers or not (is_group(head) or is_plural(head)):
        return ()
    parts = []
    for modifier in modifiers:
        part = people_plural(modifier) or (normal_identity(modifier) if is_group(modifier) else "")
        if not part:
            return ()
        parts.append(part)
    if head not in EVERYBODY:
        parts.append(normal_identity(head) if is_group(head) else head)
    distinct = tuple(dict.fromkeys(parts))
    return distinct if len(distinct) > 1 else ()


def with_parts(associations: pl.DataFrame, language: str = "en") -> tuple[pl.DataFrame, int]:
    """The table with a row for each part of every crossed identity, and how many identities are crossed.

    A row of a part says the same of the part. It follows all rows of the table, so that what people said of the part
    itself comes first and is not made twice. Words are taken apart in English only.

    Args:
        associations: identity, attribute, and further columns.
        language: of rows that name none.
    """
    rows, crossed = [], set()
    for row in associations.iter_rows(named=True):
        key = identity_key(row["identity"] or "")
        english = (row.get("language") or language).startswith("en")
        parts = parts_of(key) if english else ()
        crossed |= {key} if parts else set()
        about = (str(row.get(name) or "") for name in ("identity", "attribute", "axis", "region", "source"))
        name = row.get("association_id") or association_id(*about)
        rows += [
            {
                **row,
                **dict.fromkeys({"identity_key", "agreement"} & row.keys(), ""),
                "identity": part,
                "association_id": f"{name}-part{number}",
                CROSS_OF: name,
            }
            for number, part in enumerate(parts, start=1)
        ]
    if "association_id" not in associations.columns:
        associations = associations.with_columns(association_id=pl.lit(""))
    full = associations.with_columns(pl.lit("").alias(CROSS_OF))
    return pl.concat([full, pl.DataFrame(rows, schema=full.schema)]), len(crossed)
