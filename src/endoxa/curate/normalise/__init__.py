"""One name for one group, one form for one attribute; the raw text is kept beside.

Here are the editable tables of names of groups, a survey's own additions to them, and whether words are such a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from endoxa.curate.english import in_dictionary
from endoxa.sources.toml import read_toml, validated
from endoxa.words.packs import words_of
from endoxa.words.people import english_name, every_group, groups_in, plain


@dataclass(frozen=True)
class Tables:
    """What is known about names of groups.

    Attributes:
        synonyms: name as people write it -> canonical plural.
        terms: name in another language -> English term.
        peoples: names of peoples, without "people".
        spellings: other spellings of a people's name -> the one in `peoples`.
        collective: adjectives that name a people when they stand alone.
        directions: "north" -> "northern".
        demonyms: "nigeria" -> "nigerians".
    """

    synonyms: Mapping[str, str]
    terms: Mapping[str, str]
    peoples: frozenset[str]
    spellings: Mapping[str, str]
    collective: frozenset[str]
    directions: Mapping[str, str]
    demonyms: Mapping[str, str]

    @cached_property
    def inhabitants(self) -> frozenset[str]:
        """Who lives in the places of `demonyms` ("nigerians")."""
        return frozenset(self.demonyms.values())


@cache
def tables() -> Tables:
    """The tables that come with the package."""
    groups = words_of("en", "peoples.toml")
    peoples = frozenset(name for names in groups["peoples"].values() for name in names)
    synonyms = _inverted(words_of("en", "identities.toml"))
    spellings = {other: name for name, others in groups["spellings"].items() for other in others}
    return Tables(
        synonyms=synonyms,
        terms=_terms(peoples | spellings.keys() | synonyms.keys()),
        peoples=peoples | spellings.keys(),
        spellings=spellings,
        collective=frozenset(groups["collective"]["adjectives"]),
        directions=groups["directions"],
        demonyms={
            place: who for part in words_of("en", "inhabitants.toml").values() for place, who in part.items()
        },
    )


def _terms(english: Set[str]) -> dict[str, str]:
    """Words of other languages, but those that are `english`, or a singular that is a word of the dictionary."""
    known = english | {word.lower() for group in groups_in("en") for word, _ in group.forms}
    terms: dict[str, str] = {}
    for group in every_group():
        for word, _ in group.forms if group.language != "en" else ():
            plural = word in (group.plural, *group.also)
            for form in (word.lower(), plain(word)):
                if not {form, form.removesuffix("s")} & known and (plural or not in_dictionary(form)):
                    terms.setdefault(form, english_name(group.id))
    return terms


def _inverted(sections: Mapping[str, Mapping[str, list[str]]]) -> dict[str, str]:
    return {
        other: canonical
        for section in sections.values()
        for canonical, others in section.items()
        for other in (canonical, *others)
    }


def with_identities(path: Path) -> Tables:
    """The tables with a survey's own synonyms on top (a TOML file in the form of `identities.toml`).

    Raises:
        UserError: the file cannot be read, or is not of that form.
    """
    expected = 'Expected lines such as "old people" = ["elders", "the aged"].'
    listed = validated(dict[str, dict[str, list[str]]], read_toml(path), str(path), expected)
    base = tables()
    inverted = _inverted(listed).items()
    added = {form(other): canonical.lower() for form in (plain, str.lower) for other, canonical in inverted}
    return replace(
        base,
        synonyms={**base.synonyms, **added},
        peoples=base.peoples | frozenset(added) | frozenset(added.values()),
    )


def people_name(text: str, names: Tables | None = None) -> str | None:
    """Name of the people that the words stand for ("Igbos" -> "igbo"), or None."""
    names = names or tables()
    low = text.lower().removesuffix("'s").removesuffix("'")
    for form in (low, low.removesuffix("s"), low.removesuffix("es")):
        if form in names.spellings:
            return names.spellings[form]
        if form in names.peoples:
            return form
    return None


def people_plural(text: str, names: Tables | None = None) -> str | None:
    """The plural name of the people that the words stand for ("armenians", else "igbo people"), or None."""
    names = names or tables()
    low = text.lower().removesuffix(" people")
    for form in (low, f"{low}s"):
        if form in names.inhabitants:
            return form
    name = people_name(low, names)
    return f"{name} people" if name else None


def is_people(text: str, names: Tables | None = None) -> bool:
    """Whether the words name a people, nation or region's people without the word "people"."""
    names = names or tables()
    return people_name(text, names) is not None or text.lower() in names.collective


def is_group(text: str, names: Tables | None = None) -> bool:
    """Whether the words are a known name of a group ("Muslims", "the elderly", "Igbo")."""
    names = names or tables()
    low = text.lower()
    return low in names.synonyms or low in names.terms or is_people(low, names)
