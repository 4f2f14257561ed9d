"""Peoples and groups in every language: the rows of `people.csv`, which their id joins.

The table of a language has a row for each word for a group; synonyms are rows with the same id. An id is the ISO 3166
code of a country for its people, else the English plural as English texts are normalised to it. `singular` and `plural`
are the masculine or only form (an adjective for a people: "Spanish"), `singular_f` and `plural_f` the feminine one;
where one word serves both it stands twice. `also` lists other words for the group, and other names of a place. `within`
names the larger groups by their ids. Rows of kind `neutral` are people in general, of whom nothing is said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

import regex
from babel.core import get_global

from endoxa.words.countries import in_small, names_in, territories
from endoxa.words.packs import languages_with, rows_of, words_of

Says = Literal["", "m", "f"]
"""The gender that a word says of everybody in the group, or ''."""

FILE = "people.csv"
NEUTRAL = "neutral"
_PEOPLES = ("nationality", "region")
_UNTYPED = regex.compile(
    r"[[\p{M}&&\p{Script=Inherited}]\u0640\p{Default_Ignorable_Code_Point}\p{Cf}]", regex.V1
)
_LETTERS = str.maketrans({"ة": "ه", "ی": "ي", "ک": "ك"})
_SPELLINGS = str.maketrans({"ى": "ي", "ँ": "ं", "\u093c": None})
"""Letters and dots that many people write for each other, or not at all, in the name of a group."""


@dataclass(frozen=True, slots=True)
class Group:
    """A row of the table of a language; the columns are explained at the head of this module."""

    id: str
    kind: str
    singular: str
    singular_f: str
    plural: str
    plural_f: str
    also: tuple[str, ...]
    within: tuple[str, ...]
    language: str

    @property
    def is_people(self) -> bool:
        """Whether it is the people of a place, whose singular is an adjective."""
        return self.kind in _PEOPLES

    @property
    def shown(self) -> str:
        """The word by which the row is called."""
        return self.plural or self.plural_f or next(iter(self.also), "")

    @property
    def forms(self) -> Iterator[tuple[str, Literal["", "f"]]]:
        """Every word of the row, with 'f' where it names women only."""
        yield from ((word, "") for word in (self.plural, self.singular, *self.also) if word)
        yield from ((word, "f") for word in (self.plural_f, self.singular_f) if word)


@dataclass(frozen=True, slots=True)
class Named:
    """The group that words name.

    Attributes:
        id: of the group.
        gender: 'f' where the words name its women only ("argentinas", "mexicana"), else empty.
    """

    id: str
    gender: Literal["", "f"] = ""


@cache
def _rows(language: str) -> tuple[Group, ...]:
    return tuple(
        Group(
            **{name: row[name] for name in ("id", "kind", "singular", "singular_f", "plural", "plural_f")},
            also=tuple(filter(None, row["also"].split("; "))),
            within=tuple(filter(None, row["within"].split("; "))),
            language=language,
        )
        for row in (rows_of(language, FILE) if language else ())
    )


@cache
def groups_in(language: str) -> tuple[Group, ...]:
    """The groups of a language in the order of its table; none where it has no table."""
    return tuple(group for group in _rows(language) if group.kind != NEUTRAL)


@cache
def neutral_identities(language: str, agreement: str = "") -> tuple[str, ...]:
    """Noun phrases for people in general; none where the table has none of that gender.

    Args:
        language: ISO 639 code.
        agreement: 'f' where the words around them are feminine.
    """
    rows = (group for group in _rows(language) if group.kind == NEUTRAL)
    return tuple(filter(None, (row.plural_f if agreement == "f" else row.plural for row in rows)))


@cache
def every_group() -> tuple[Group, ...]:
    """The groups of all languages, English first: by its order those of one id are found."""
    languages = sorted(languages_with(FILE), key=lambda code: (code != "en", code))
    return tuple(group for language in languages for group in groups_in(language))


@cache
def has_gender(language: str) -> bool:
    """Whether nouns of the language tell women from men."""
    return any(group.singular_f or group.plural_f for group in groups_in(language))


@cache
def _within() -> Mapping[str, frozenset[str]]:
    within: dict[str, frozenset[str]] = {}
    for group in every_group():
        within[group.id] = within.get(group.id, frozenset()) | frozenset(group.within)
    return within


@cache
def larger(group: str) -> frozenset[str]:
    """The ids of all groups that hold a group, with its own."""
    return frozenset({group}).union(*map(larger, _within().get(group, ())))


@cache
def members(group: str) -> frozenset[str]:
    """The ids of all that lies within a group, with its own."""
    return frozenset(each for each in _within() if group in larger(each)) | {group}


@cache
def english_name(group: str) -> str:
    """The English plural of an id in lower case ("argentinians" for "AR"): the key that all languages share."""
    return (called(group, "en") if len(group) == 2 else group).lower() or group.lower()


def folded(text: str) -> str:
    """Small letters without accents, vowel signs and hamza, which many people do not type, and what is not seen."""
    return str(_UNTYPED.sub("", in_small(unicodedata.normalize("NFKD", text)))).translate(_LETTERS)


def plain(text: str) -> str:
    """A folded text, also without the dots of Devanagari."""
    return folded(text).translate(_SPELLINGS)


@cache
def _articles() -> tuple[str, ...]:
    """Articles of all languages, with the blank that follows those that are words of their own."""
    articles: set[str] = set()
    for language in {*languages_with("surface.toml"), *languages_with("extract.toml")}:
        articles.update(words_of(language, "surface.toml").get("articles", "").split())
        articles.update(words_of(language, "extract.toml").get("articles", ()))
    written = (
        plain(each).removesuffix("-") if each.endswith(("'", "-")) else f"{plain(each)} " for each in articles
    )
    return tuple(sorted(written, key=lambda each: (-len(each), each)))  # "los " before "lo"


def _without_prefix(word: str) -> str:
    """A word of the table without an article that is written together with it ("أطباء" of "الأطباء")."""
    joined = tuple(each for each in _articles() if each[-1] not in " '")
    return " ".join(
        next((part.removeprefix(each) for each in joined if part.startswith(each)), part)
        for part in plain(word).split()
    )


def spellings(text: str) -> Iterator[str]:
    """A text as it may stand in the table: as it is, without accents, without an article."""
    bare = plain(text)
    yield from (in_small(text), bare)
    yield from (bare.removeprefix(article) for article in _articles() if bare.startswith(article))


@lru_cache(maxsize=1 << 16)
def find(text: str, language: str = "") -> Named | None:
    """The group that words name in any form: plural, singular, feminine, with an article, a place.

    Args:
        text: the words.
        language: whose table is asked before all others.
    """
    return find_in(language, text) or _find(_index(), text) or find_people(text)


def find_in(language: str, text: str) -> Named | None:
    """The group that words of one language name in any form, see `find`."""
    return _find(_index(language), text) if language else None


def _find(index: Mapping[str, Named], text: str) -> Named | None:
    return next((index[each] for each in spellings(text) if each in index), None)


def native_form(text: str, language: str) -> str:
    """A word with its accents and capitals as the table of a language has it; empty where it does not have it."""
    written, low = _written(language), plain(text)
    article = _joined_article(language)
    without = written.get(low.removeprefix(article), "") if article and low.startswith(article) else ""
    return written.get(low, "") or (without and f"{article}{without}")


@cache
def _written(language: str) -> Mapping[str, str]:
    words = [word for group in groups_in(language) for word, _ in group.forms]
    return {plain(word): word for word in reversed(words)}


def find_people(text: str, language: str = "") -> Named | None:
    """The people that words name in any of the languages: plural, singular, place; or an ISO code in capitals.

    Args:
        text: the words.
        language: whose table is asked before all others: "índios" are no people of India in Portuguese.
    """
    here = find_in(language, text)
    if here and not any(row.is_people for row in groups_in(language) if row.id == here.id):
        return None
    phrase = " ".join(text.split())
    if phrase.isupper():
        code = (*get_global("territory_aliases").get(phrase, ()), phrase)[0]
        if code in _within():
            return Named(code)
    peoples = _index(peoples=True)
    keys = (spelt(name) for spelt in (str.casefold, _without_prefix) for name in names_in(text))
    named = next((peoples[each] for each in keys if each in peoples), None)
    return here if here and (named is None or named.id != here.id) else named


@cache
def _index(language: str = "", *, peoples: bool = False) -> Mapping[str, Named]:
    """Words as they are and in plain letters; where two say the same, the first holds: "armenia" is no woman."""
    rows = groups_in(language) if language else every_group()
    groups = [group for group in rows if group.is_people or not peoples]
    every = [(word, Named(group.id, gender)) for group in groups for word, gender in group.forms]
    ids = {group.id for group in groups}
    countries = [(name, Named(code)) for name, code in places() if code in ids]
    # Codes of countries are no words for people: in small letters they are other words ("in", "ga people").
    english = [(each, Named(each)) for each in sorted(ids) if not each.isupper()] if not language else []
    words = [*countries, *sorted(every, key=lambda entry: entry[1].gender), *english]
    index: dict[str, Named] = {}
    for form in (str.casefold, plain, _without_prefix):
        for word, named in words:
            index.setdefault(form(word), named)
    return index


@cache
def places() -> tuple[tuple[str, str], ...]:
    """Names of countries, territories and regions in all languages, with their codes (CLDR)."""
    return tuple(
        (name, code) for language in languages_with(FILE) for code, name in territories(language).items()
    )


@cache
def _place_spellings(language: str) -> Mapping[str, str]:
    return {plain(name): name for name in territories(language).values()}


def with_place(text: str, language: str) -> str:
    """Words such as "de la peru" with the capitals and accents of the place at their end, where CLDR has it."""
    tokens = text.split()
    for at in range(1, len(tokens)):
        if name := _place_spellings(language).get(plain(" ".join(tokens[at:]))):
            return " ".join([*tokens[:at], name])
    return text


def is_country(text: str, language: str) -> bool:
    """Whether the words are the name of a country or territory in a language, and no word for its people."""
    return plain(text) in _place_spellings(language) and plain(text) not in _plurals(language)


@cache
def _place_names() -> frozenset[str]:
    return frozenset(name.casefold() for name, _ in places())


def is_place(text: str) -> bool:
    """Whether the words are a country, territory or region of CLDR, also one whose people is not in the table."""
    return " ".join(text.split()).casefold() in _place_names()


@cache
def _plurals(language: str) -> frozenset[str]:
    """Words of a language for several people; other names of a place have a capital and no s at their end."""
    plurals: set[str] = set()
    for row in groups_in(language):
        also = (word for word in row.also if not row.is_people or word.islower() or word.endswith("s"))
        plurals.update(plain(word) for word in (row.plural, row.plural_f, *also))
    return frozenset(plurals)


def plural_of(text: str, language: str) -> str:
    """The plural of the group that words name, in a language: the people of a place, many for one.

    Returns:
        the words where they are a plural; empty where no table has the group.
    """
    text = in_citation_form(text, language)
    written = [*spellings(text)]
    if not is_place(text) and not _plurals(language).isdisjoint(written):
        return text
    named = find_in(language, text) or _index(peoples=True).get(text.casefold())
    rows = [row for row in groups_in(language) if named and row.id == named.id]
    rows.sort(key=lambda row: {plain(row.singular), plain(row.singular_f)}.isdisjoint(written))
    plural = next((row.plural_f if named and named.gender else row.plural for row in rows), "")
    return _with_joined_article(plural, language)


def _joined_article(language: str) -> str:
    articles = words_of(language, "extract.toml").get("articles", ())
    return next((each[:-1] for each in articles if each.endswith("-")), "")


def _with_joined_article(word: str, language: str) -> str:
    joined = _joined_article(language)
    return word if not word or word.startswith(joined) else joined + word


def may_be_women(text: str, language: str) -> bool:
    """Whether the words are a plural that the table of a language has for women, alone or as well."""
    written = {*spellings(text)}
    return any(plain(row.plural_f) in written for row in groups_in(language) if row.plural_f)


def with_article(word: str, language: str) -> str:
    """A group of one word with the article that its language joins to a name ("الأفغان"); others as they are."""
    return word if " " in word else _with_joined_article(word, language)


def plural_of_one(text: str, language: str) -> str:
    """The plural of a word for one person ("mwanamke"); empty where the table of the language has no such word."""
    there, article = {*spellings(text)}, _joined_article(language)
    for row in groups_in(language):
        for one, many in ((row.singular, row.plural), (row.singular_f, row.plural_f or row.plural)):
            forms = {plain(one), plain(written(f"{article}{one}", language))}
            if one and many and not forms.isdisjoint(there):
                return _with_joined_article(many, language)
    return ""


def in_citation_form(text: str, language: str) -> str:
    """The name of a group as the subject of a sentence has it, in case and spelling, by `respelled` of its language."""
    for pattern, replacement in words_of(language, "extract.toml").get("respelled", ()):
        text = re.sub(pattern, replacement, text)
    return text


def oblique_of(text: str, language: str) -> str:
    """A group in the case that words behind it govern ("औरतों" before "को"), by `oblique` of its language."""
    for pattern, replacement in words_of(language, "extract.toml").get("oblique", ()):
        if re.search(pattern, text):
            return re.sub(pattern, replacement, text, count=1)
    return text


@cache
def direct_forms(language: str) -> Mapping[str, str]:
    """Plurals of the table of a language by their `oblique_of`, both as they are written there."""
    plurals = [*words_of(language, "extract.toml").get("people", ())]
    plurals += (word for row in groups_in(language) for word in (*row.also, row.plural_f, row.plural) if word)
    return {plain(oblique_of(word, language)): word for word in plurals}


def is_governed(predicate: str, language: str) -> bool:
    """Whether a predicate begins with a word that governs a case of its group ("को गाना आता है")."""
    governing = words_of(language, "extract.toml").get("governing", ())
    return any(predicate.startswith(f"{each} ") for each in governing)


def written(text: str, language: str) -> str:
    """A person with the article as the language writes both ("el ama", "المرأة"), by `written` of `extract.toml`."""
    for pattern, replacement in words_of(language, "extract.toml").get("written", ()):
        text = re.sub(pattern, replacement, text)
    return text.replace("\u00a0", " ")


def called(group: str, language: str) -> str:
    """The first word of a language for a group; empty where it has none."""
    return next((row.shown for row in groups_in(language) if row.id == group), "")


def says(group: Group, gender: str = "") -> Says:
    """The gender that a plural of a row says of everybody in it ("enfermeras", "hombres", "boys")."""
    if gender == "f":
        return "f"
    if has_gender(group.language):
        return "" if group.singular_f or not group.singular else "m"
    holding = larger(group.id)
    return "f" if "women" in holding else "m" if "men" in holding else ""


def singulars(group: Group, gender: str = "") -> Mapping[str, str]:
    """The word for one person of a row by gender, under '' where the language tells none.

    Args:
        group: the row.
        gender: 'f' for its women only.
    """
    if not has_gender(group.language):
        return {"": group.singular} if group.singular and not gender else {}
    forms = {"m": group.singular, "f": group.singular_f}
    return {each: word for each, word in forms.items() if word and gender in ("", each)}
