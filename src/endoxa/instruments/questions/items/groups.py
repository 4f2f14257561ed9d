"""Groups of associations in any language: their identity, their overlap, and the noun for one person.

`demonyms.csv` and `nouns.csv` of each language and `groups.csv` of English, in `endoxa/words`, hold facts of general
knowledge; a language takes part by having them.
`means` is one name for a group in all languages, so that synonyms ("médicos", "doctores", "physicians") are the same;
`within` names the larger groups that hold it, by `means` or by a code of `demonyms.csv`. English singulars are those
that people accept for themselves ("a Jewish person"), also where the plural in the data is not accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from babel import Locale
from babel.core import get_global

from endoxa.curate.english import can_be, in_dictionary, is_plural, lemma, words
from endoxa.curate.grammar.subject import with_capitals
from endoxa.curate.normalise import foreign_identity, normal_identity, tables
from endoxa.words.countries import country_of_people
from endoxa.words.packs import languages_with, rows_of

Gender = Literal["m", "f"]
Forms = Mapping[str, str]
"""A word by gender ('m', 'f'), or under '' where the language has no gender."""

LANGUAGES = languages_with("questions.toml")
_OTHERS = tuple(language for language in LANGUAGES if language != "en")

_OPENERS = re.compile(
    r"^(?:(?:the|el|los|las|os|as|la|les|o) )?"
    r"(?:(?:people|those|inhabitants|gente|personas|pobladores|habitantes|ciudadanos|pessoas|povo|moradores|gens"
    r"|personnes|peuple|habitants|ressortissants) (?:(?:from|of|del?|da|dos?|das|du|des) |d'))?"
    r"(?:(?:the|el|los|las|os|as|la|le|les) |l')?"
)


@dataclass(frozen=True, slots=True)
class Demonym:
    """The people of a place; words that would name another people as well ("Dominican") are left empty.

    Attributes:
        code: name of the row.
        english: adjective ("Spanish").
        others: masculine, feminine and plural in other languages, by their code.
        english_plural: plural noun ("Spaniards").
        within: codes of larger groups, nearest only.
        also: further words for the people, their language's adjective or the place.
    """

    code: str
    english: str
    others: Mapping[str, tuple[str, str, str]]
    english_plural: str
    within: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    def forms(self, language: str) -> Forms:
        """The adjective that goes with "friend", by gender; nothing where no word is clear.

        Raises:
            KeyError: a language that is none of `LANGUAGES`.
        """
        if language == "en":
            forms = {"": self.english}
        else:
            masculine, feminine, _ = self.others[language]
            forms = {"m": masculine, "f": feminine}
        return {gender: word for gender, word in forms.items() if word}


@dataclass(frozen=True, slots=True)
class People:
    """A people that words stand for.

    Attributes:
        demonym: the people.
        gender: 'f' where the words name its women only ("argentinas", "mexicana"), else empty.
    """

    demonym: Demonym
    gender: Gender | Literal[""] = ""


@cache
def demonyms() -> Mapping[str, Demonym]:
    """Every row of the table, by code."""
    tables = {
        language: {
            row["code"]: (row["m"], row["f"], row["plural"]) for row in rows_of(language, "demonyms.csv")
        }
        for language in _OTHERS
    }
    return {
        row["code"]: Demonym(
            row["code"],
            row["name"],
            {language: table.get(row["code"], ("", "", "")) for language, table in tables.items()},
            row["plural"],
            tuple(filter(None, row["within"].split(";"))),
            tuple(filter(None, row["also"].split(";"))),
        )
        for row in rows_of("en", "demonyms.csv")
    }


def find_demonym(text: str) -> People | None:
    """The people that an identity names, in any of the languages: plural, singular, place or ISO code."""
    plain = " ".join(text.split())
    if plain.isupper():
        code = (*get_global("territory_aliases").get(plain, ()), plain)[0]
        if code in demonyms():
            return People(demonyms()[code])
    if (country := country_of_people(plain)) in demonyms():
        return People(demonyms()[str(country)])
    low = _OPENERS.sub("", _straight(plain))
    return _index().get(low) or _index().get(low.removesuffix(" people"))


def is_place(text: str) -> bool:
    """Whether the words are a country, territory or region of CLDR, also one whose people is not in the table."""
    return " ".join(text.split()).casefold() in _places_in_lower_case()


@cache
def _places_in_lower_case() -> frozenset[str]:
    return frozenset(name.casefold() for name, _ in _places())


@cache
def members(code: str) -> frozenset[str]:
    """The codes of all that lies within a people or region, with its own."""
    inside = [demonym.code for demonym in demonyms().values() if code in demonym.within]
    return frozenset({code}).union(*(members(other) for other in inside))


@cache
def _index() -> Mapping[str, People]:
    index: dict[str, People] = {}
    for phrase, result in _words():
        index.setdefault(_straight(phrase), result)
    return index


def _straight(phrase: str) -> str:
    """In lower case, with the apostrophe of typewriters: "les gens d’Inde" is written with both."""
    return phrase.casefold().replace("’", "'")


def _words() -> Iterator[tuple[str, People]]:
    """Words and what they stand for; where two say the same, the first holds: "armenia" is the country, no woman."""
    table = demonyms()
    for place, code in _places():
        if code in table:
            yield place, People(table[code])
    for people in table.values():
        forms = (
            people.english,
            people.english_plural,
            people.english and f"{people.english}s",
            *people.also,
            *(form for masculine, _, plural in people.others.values() for form in (masculine, plural)),
        )
        yield from ((form, People(people)) for form in forms if form)
    plurals = {people.english_plural.casefold(): people for people in table.values()}
    for place, inhabitants in tables().demonyms.items():
        if inhabitants in plurals:
            yield place, People(plurals[inhabitants])
    for people in table.values():
        for masculine, feminine, _ in people.others.values():
            if feminine != masculine:
                yield from ((form, People(people, "f")) for form in (feminine, f"{feminine}s"))


def _places() -> Iterator[tuple[str, str]]:
    for language in LANGUAGES:
        for code, name in Locale.parse(language).territories.items():
            yield name, code


Says = Literal["", "m", "f"]
"""The gender that a word says of everybody in the group, or ''."""


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun for a group.

    Attributes:
        means: name of the group, the same in all languages.
        forms: the noun for one person, by gender; under '' in English.
        says: gender of everybody in the group.
        paired: men and women are told apart by such a noun and nothing else ("mothers", "fathers").
    """

    means: str
    forms: Forms
    says: Says = ""
    paired: bool = False


def find_noun(text: str, language: str) -> Noun | None:
    """The noun that a plural is a form of, or None; articles in front do not matter.

    Args:
        text: the plural.
        language: one of `LANGUAGES`; there are no nouns in others.
    """
    low = " ".join(text.casefold().split())
    first, _, rest = low.partition(" ")
    return _nouns().get((language, rest if first in _ARTICLES else low))


@cache
def larger(code: str) -> frozenset[str]:
    """The codes of all groups that hold a group, or people, with its own."""
    return frozenset({code}).union(*map(larger, _within().get(code, ())))


_KIN = frozenset(["woman", "man", "child", "parent", "grandparent"])
"""Groups within which nouns tell nothing but the gender."""

_ARTICLES = frozenset(["el", "la", "los", "las", "o", "a", "os", "as", "the", "les", "le"])


@cache
def _nouns() -> Mapping[tuple[str, str], Noun]:
    return dict([*_english_nouns(), *_romance_nouns()])


def _english_nouns() -> Iterator[tuple[tuple[str, str], Noun]]:
    for row in rows_of("en", "groups.csv"):
        says: Says = "f" if row["gender"] == "f" else "m" if row["gender"] == "m" else ""
        kin = _KIN.issuperset(filter(None, row["within"].split(";")))
        noun = Noun(row["means"], {"": row["singular"]}, says, paired=bool(says) and kin)
        yield ("en", row["plural"]), noun


def _romance_nouns() -> Iterator[tuple[tuple[str, str], Noun]]:
    """A plural of women has the feminine form alone; "policías" is the plural of both."""
    for language, row in _romance_rows():
        if row["f_plural"] != row["m_plural"] and row["f_plural"]:
            noun = Noun(row["means"], {"f": row["f"]}, "f", paired=not row["m"])
            yield (language, row["f_plural"]), noun
        if row["m_plural"]:
            forms = {gender: row[gender] for gender in ("m", "f") if row[gender]}
            noun = Noun(row["means"], forms, "" if row["f"] else "m", paired=not row["f"])
            yield (language, row["m_plural"]), noun


@cache
def _within() -> Mapping[str, frozenset[str]]:
    within = {code: frozenset(noun.within) for code, noun in demonyms().items()}
    for row in (*rows_of("en", "groups.csv"), *(row for _, row in _romance_rows())):
        holding = frozenset(filter(None, row["within"].split(";")))
        within[row["means"]] = within.get(row["means"], frozenset()) | holding
    return within


def _romance_rows() -> Iterator[tuple[str, Mapping[str, str]]]:
    """Rows of `nouns.csv` with their language."""
    for language in languages_with("nouns.csv"):
        yield from ((language, row) for row in rows_of(language, "nouns.csv"))


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
    within = find_demonym(text)
    if within is not None:
        code = within.demonym.code
        countries = frozenset(member for member in members(code) if len(member) == 2)
        return _identity(code, within.gender, _women(within.gender), countries)
    noun = find_noun(text, language) if language != "en" else None
    if noun is not None:
        return _identity(noun.means, "" if noun.paired else noun.says, _women(noun.says))
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
    """One name for the group of an English plural: "physicians" is "doctor", "plumbers" is "plumber"."""
    noun = find_noun(name, "en")
    return noun.means if noun else singular(name) or name


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
    return ("woman",) if gender == "f" else ()


def _of_words(name: str) -> Iterable[str]:
    """Groups that an English name of several words lies in: "black women" in women and in black people."""
    *before, head = name.split()
    if head.endswith("women"):
        yield "woman"
    elif head.endswith("men"):
        yield "man"
    if not before:
        return
    yield english_group(head)
    people = " ".join(before)
    yield english_group(normal_identity(f"{people} people"))
    for word in (people, *before):
        if (named := find_demonym(word)) is not None:
            yield named.demonym.code


def _foreign(parts: Iterable[str], language: str) -> Iterable[str]:
    """Groups that the words of a name in another language stand for: "mujeres musulmanas"."""
    for word in parts if language != "en" else ():
        if (noun := find_noun(word, language)) is not None:
            yield from (noun.means, *_women(noun.says))
        if (named := find_demonym(word)) is not None:
            yield named.demonym.code


Kind = Literal["friend", "noun"]


@dataclass(frozen=True, slots=True)
class Person:
    """How one person of a group is called in a language.

    Attributes:
        kind: 'friend': an adjective that goes with it ("my Chilean friend"); 'noun': a noun ("a nurse I know").
        forms: that word by gender; one gender only where the group has no other.
        says: gender that the name of the group says.
        paired: a noun by which men and women are told apart, and nothing else ("mother", "father").
    """

    kind: Kind
    forms: Forms
    says: Says = ""
    paired: bool = False


@cache
def person(text: str, language: str) -> Person | None:
    """One person of an identity, or None where the language has no natural form for it that we know.

    Args:
        text: the identity; names of peoples and places may be in any of them.
        language: of the question, one of `LANGUAGES`.
    """
    within = find_demonym(text)
    if within is None and is_place(text):
        return None
    if within is None:
        return _english_person(text) if language == "en" else _noun(text, language)
    forms = within.demonym.forms(language)
    if within.gender:
        forms = {gender: word for gender, word in forms.items() if gender == within.gender}
    return Person("friend", forms, within.gender) if forms else None


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


def _noun(text: str, language: str) -> Person | None:
    noun = find_noun(text, language)
    return Person("noun", noun.forms, noun.says, noun.paired) if noun else None


def _english_person(text: str) -> Person | None:
    """For "igbo people" my Igbo friend, for "nurses" a nurse; None for "people from lagos"."""
    name = normal_identity(text)
    listed = _noun(name, "en")
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
    named = [word.capitalize() if find_demonym(word) else with_capitals(word) for word in before]
    return Person("noun", {"": " ".join([*named, _written(noun, text)])}, _says(head))


def _written(noun: str, text: str) -> str:
    """The noun with the capital that somebody wrote, where it is no word of the dictionary: a Lagosian."""
    as_written = next((word for word in text.split() if word.casefold().startswith(noun)), "")
    if as_written[:1].isupper() and not in_dictionary(noun):
        return noun.capitalize()
    return with_capitals(noun)


def _says(head: str) -> Says:
    noun = find_noun(head, "en")
    if noun is not None:
        return noun.says
    return "f" if head.endswith("women") else "m" if head.endswith("men") else ""
