"""The group as the subject of a sentence: in the plural, with its article and its capitals.

Names of nations, peoples, languages, faiths and places in English texts, written with their capitals.

The word lists of `endoxa/words/en/grammar.toml`. What each holds is said there.
"""

from __future__ import annotations

import re
from functools import cache

import regex
from babel import Locale
from babel.core import get_global

from endoxa.curate.english import can_be, in_dictionary, inflected, is_plural, lemma, words
from endoxa.curate.grammar.templates import Template, UnclearError
from endoxa.curate.normalise import is_people, tables
from endoxa.words.packs import words_of
from endoxa.words.people import (
    called,
    english_name,
    every_group,
    find_in,
    find_people,
    has_gender,
    in_citation_form,
    is_place,
    native_form,
    plural_of,
    with_article,
)

_FILE = "grammar.toml"


@cache
def listed(name: str) -> frozenset[str]:
    """A class of words."""
    return frozenset(words_of("en", _FILE)[name].split())


@cache
def mapped(name: str) -> dict[str, str]:
    """Words and what takes their place."""
    return dict(words_of("en", _FILE)[name])


_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_LONGEST = 4
_PEOPLE = ("people", "men", "women")
_UPPER = {"lgbtq": "LGBTQ", "lgbt": "LGBT", "usa": "USA", "uk": "UK"} | {
    f"gen{rest} {letter}": f"Gen{rest} {letter.upper()}" for rest in ("", "eration") for letter in "xyz"
}
_COUNTRIES = re.compile(
    r"^(?:[A-Z][\w'’.-]*|of|the|and|&|do|da|la)(?: (?:[A-Z][\w'’.-]*|of|the|and|&|do|da|la))*$"
)


def without_titles(text: str) -> str:
    """A predicate without the capitals of a cell or a title: "Intelligent", "Hard Working"; names keep theirs."""
    parts = text.split()
    titled = all(part[:1].isupper() for part in parts if len(part) > 3)
    for place, part in enumerate(parts if titled else parts[:1]):
        low = part.lower()
        if part[1:] == low[1:] and in_dictionary(low) and with_capitals(low) == low and low != "i":
            parts[place] = low
    return " ".join(parts)


def with_capitals(text: str) -> str:
    """The text with names written as names: "young nigerian men" -> "young Nigerian men".

    A text that has a capital somewhere is the writer's own and stays as it is. Known are the territories and
    languages of CLDR, the cities of the time zone database, and the peoples and demonyms of the table of groups;
    a language that is also a word of the dictionary ("even") is left alone.
    """
    if text != text.lower():
        return text
    matches = list(_WORD.finditer(text))
    names = _names()
    pieces: list[str] = []
    start = at = 0
    while at < len(matches):
        for end in range(min(len(matches), at + _LONGEST), at, -1):
            span = text[matches[at].start() : matches[end - 1].end()]
            name = names.get(span) or names.get(span.removesuffix("s").removesuffix("'"))
            if name:
                plural = "s" if span not in names else ""
                pieces += [text[start : matches[at].start()], name + plural]
                start = matches[end - 1].end()
                at = end
                break
        else:
            at += 1
    return "".join([*pieces, text[start:]])


@cache
def english_names() -> frozenset[str]:
    """Plural names of groups, in lower case, that are spelt so in English only ("christians", "nigerians").

    They are the English names of the table of groups that no other language has, and names in -ians and -ists.
    """
    names = (*tables().demonyms.values(), *(f"{name}s" for name in listed("names")))
    english = {english_name(group.id) for group in every_group()}
    english |= {name for name in names if name.endswith(("ians", "ists"))}
    others = (group for group in every_group() if group.language != "en")
    return frozenset(english) - {word.lower() for group in others for word, _ in group.forms}


@cache
def _names() -> dict[str, str]:
    """Names in lower case and as they are written."""
    locale = Locale.parse("en")
    territories = [name for code, name in locale.territories.items() if _COUNTRIES.match(name)]
    languages = [name for name in locale.languages.values() if not in_dictionary(name) and " " not in name]
    cities = [zone.rpartition("/")[2].replace("_", " ") for zone in get_global("zone_territories")]
    peoples = tables()
    nationals = {form for name in peoples.demonyms.values() for form in (name, name.removesuffix("s"))}
    words = [*peoples.collective, *peoples.demonyms, *nationals, *listed("names")]
    unlisted = [word for word in words if not in_dictionary(word)]
    homographs = [f"{word} {who}" for word in peoples.collective - set(unlisted) for who in _PEOPLE]
    places = [name for name in cities if not in_dictionary(name)]
    names = [*unlisted, *peoples.peoples, *homographs]
    written = [*languages, *places, *territories]
    return {name: _titled(name) for name in names} | {name.lower(): name for name in written} | _UPPER


def _titled(name: str) -> str:
    small = ("of", "and", "the", *_PEOPLE)
    return " ".join(word if word in small else word[:1].upper() + word[1:] for word in name.split())


_LETTER = regex.compile(r"\p{L}")


def subject(
    identity: str, template: Template, gender: str = "", prefix: str = "", *, reported: bool = False
) -> str:
    """The identity as it stands inside a sentence.

    Args:
        identity: a group in the plural, with or without its article.
        template: of the language.
        gender: 'm' or 'f', where the article or the predicate depends on it, else empty.
        prefix: word(s) before the identity ("African").
        reported: whether people made a sentence of it, so that a name without a plural ending is no place.

    Raises:
        UnclearError: the identity is empty or a singular, or its article is not known.
    """
    text = " ".join(identity.split())
    if not _LETTER.search(text):
        raise UnclearError("the identity holds no word" if text else "the identity is empty")
    if template.language == "en":
        # English:.
        first, *rest = text.lower().split()
        if first in listed("quantifiers") or first.removesuffix("s") in listed("quantifiers"):
            raise UnclearError(
                f"the identity '{text}' says how many are meant ('{first}'): name the group alone"
            )
        if not rest and first in listed("determiners"):
            raise UnclearError(f"the identity '{text}' names no group")
        text = english_people(text)
        _require_plural(text)
    if template.articles and text.split()[0].lower() in template.articles:
        return text
    if template.language != "en":
        text = _as_written(text, template)
    if template.language != "en" and _is_english(text) and not _is_of(template, text):
        raise UnclearError(
            f"the identity '{text}' is English and the language '{template.language}': translate it, or write it with "
            "its article"
        )
    pattern = template.subject.get("") or template.subject.get(gender)
    if pattern is None:
        raise UnclearError(
            f"the gender of '{text}' is not known: write the identity with its article, or add a column 'agreement'"
        )
    extracted = words_of(template.language, "extract.toml")
    plural, names = extracted.get("plural", ""), extracted.get("names", "(?!)")
    ends = (text.lower().split()[0], text.lower())
    is_plural_name = plural_of(text, template.language) == text or (reported and re.search(names, text))
    if (
        template.articles
        and plural
        and not is_plural_name
        and not any(re.search(plural, end) for end in ends)
    ):
        raise UnclearError(
            f"the identity '{text}' seems to be a singular or a place: write the people in the plural"
        )
    return pattern.format(identity=f"{prefix} {text}".strip())


def _as_written(text: str, template: Template) -> str:
    """A name with the capitals and accents that the table of its language has; others small where all of them are."""
    first, blank, rest = text.partition(" ")
    if native := native_form(text, template.language):
        return native
    return f"{first.lower()}{blank}{rest}" if template.small and first.istitle() else text


def _is_of(template: Template, text: str) -> bool:
    """Whether the text is a group of the language of a template, or has one of its words."""
    links = words_of(template.language, "extract.toml").get("links", ())
    listed_words = {*links, *template.feminine, *template.masculine}
    return find_in(template.language, text) is not None or not listed_words.isdisjoint(text.lower().split())


def english_people(text: str) -> str:
    """An English name of a group in the plural and with its capitals.

    Raises:
        UnclearError: it is not known whom the words name.
    """
    return _capitals_of(_english_plural(people_meant(text.strip(" .,;:"), "en")))


def people_meant(identity: str, language: str) -> str:
    """The people in the plural whom an identity means: "Bolivians" for "Bolivia" and for "Bolivian".

    Raises:
        UnclearError: a place whose people is not known.
    """
    plural = plural_of(identity, language)
    if not plural and is_place(identity):
        raise UnclearError(f"the identity '{identity}' is a place: write its people")
    return with_article(plural, language) or in_citation_form(identity, language)


def _english_plural(text: str) -> str:
    """The plural of an English name that no table has as it stands: "South Indians", "Texans", "Punjabi people".

    Raises:
        UnclearError: a name that may be a place, a people or a singular.
    """
    *before, last = text.split()
    low = last.lower()
    bare = words_of("en", "peoples.toml")["peoples"]["africa"]
    if (
        is_plural(low)
        or low in (*bare, "people")
        or not listed("complements").isdisjoint(text.lower().split())
    ):
        return text
    adjective, noun, known = can_be(low, "ADJ"), can_be(low, "NOUN"), in_dictionary(low)
    if not before and low in tables().synonyms:
        text = tables().synonyms[low]
    elif people := find_people(last):
        text = " ".join([*before, called(people.id, "en")])
    elif is_people(low) or (adjective and not noun):
        text = f"{text} people"
    elif adjective and not before and low not in words("plurals"):
        raise UnclearError(f"'{text}' may be a quality or one person: write the group in the plural")
    elif not known and low.endswith(_ONE_PERSON):
        text = f"{text}s"
    elif not known and text != text.lower():
        raise UnclearError(
            f"it is not known who '{text}' are: write the people in the plural, or '{text} people'"
        )
    return text


_ONE_PERSON = ("an", "er", "ite", "ese")


def _capitals_of(text: str) -> str:
    """A name of a group with the capitals that it has inside a sentence, and those that somebody wrote in it."""
    titled = any(word[:1].isupper() for word in text.split()[1:])
    written, names = text if titled else without_titles(text), with_capitals(text.lower())
    pairs = (
        zip(written, names, strict=True) if len(written) == len(names) else ((each, each) for each in names)
    )
    return "".join(known if known.isupper() else written for written, known in pairs)


def _is_english(text: str) -> bool:
    """An English plural, or the English name of a group that is written otherwise in other languages."""
    last = text.lower().split()[-1]
    return (is_plural(last) and in_dictionary(last)) or bool({text.lower(), last} & english_names())


def _require_plural(text: str) -> None:
    """English: "are" needs a plural, and the plural is what the sentence would be made with."""
    low = text.lower().split()
    stop = next((at for at, word in enumerate(low) if at and word in listed("complements")), len(low))
    head = low[stop - 1]
    plain = can_be(head, "NOUN") and not can_be(head, "ADJ") and not is_plural(head)
    if low[0] in listed("singulars") or (
        plain and lemma(head, "NOUN") == head and head not in words("plurals")
    ):
        plural = inflected(lemma(head, "NOUN"), "NNS")
        if low[0] not in listed("singulars") and plural == head:
            return
        raise UnclearError(f"the identity '{text}' is a singular: write '{plural}'")


def gender_of(identity: str, template: Template) -> str:
    """'f' or 'm' by the article, the table of nouns or the ending of the identity; empty where none tells."""
    text = " ".join(identity.lower().split())
    if (
        text and text.split()[0] in template.feminine
    ):  # "personnes âgées" stands in the column of both genders
        return "f"
    named = find_in(template.language, text) if has_gender(template.language) else None
    if named:
        return named.gender or "m"
    for gender, pattern in template.subject.items():
        article = pattern.partition("{identity}")[0]
        if gender and article and text.startswith(article):
            return gender
    bare = text.split()[1:] if text.split()[:1] and text.split()[0] in template.articles else text.split()
    phrase, head = " ".join(bare), bare[0] if bare else ""
    for name in (phrase, head, *bare[-1:]):
        for gender, nouns in (("f", template.feminine), ("m", template.masculine)):
            if name in nouns:
                return gender
    for gender, endings in (("m", template.masculine_endings), ("f", template.feminine_endings)):
        if head and endings and head.endswith(endings) and not (gender == "f" and head.endswith("istas")):
            return gender
    return ""
