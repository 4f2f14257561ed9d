"""How one person of a group is called, and which two can stand side by side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from endoxa.curate.english import in_dictionary, words
from endoxa.curate.grammar.subject import with_capitals
from endoxa.curate.normalise import normal_identity, tables
from endoxa.instruments.questions.items.demonyms import Forms, find_demonym, is_place
from endoxa.instruments.questions.items.groups import Says, find_noun, singular

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
        text: the identity; names of peoples and places may be in any of the three languages.
        language: of the question, 'en', 'es' or 'pt'.
    """
    found = find_demonym(text)
    if found is None and is_place(text):
        return None
    if found is None:
        return _english(text) if language == "en" else _noun(text, language)
    forms = found.demonym.forms(language)
    if found.gender:
        forms = {gender: word for gender, word in forms.items() if gender == found.gender}
    return Person("friend", forms, found.gender) if forms else None


def comparable(one: Person, other: Person) -> bool:
    """Whether two people differ in their group alone, not in how they are introduced.

    Both are friends, or both are nouns; and both are called by a word of the same gender. Nouns that only tell men and
    women apart may differ in that. Two people who would be called the same are not told apart at all.
    """
    if one.kind != other.kind or any(_same(one.forms[form], other.forms.get(form)) for form in one.forms):
        return False
    if one.paired and other.paired:
        return True
    return _can_be(one, other.says) and _can_be(other, one.says)


def _same(word: str, other: str | None) -> bool:
    return other is not None and word.casefold() == other.casefold()


def _can_be(who: Person, gender: Says) -> bool:
    """Whether somebody can be called by a word of the gender that the other's group says."""
    return not gender or who.says == gender or (not who.says and gender in who.forms)


def _noun(text: str, language: str) -> Person | None:
    noun = find_noun(text, language)
    return Person("noun", noun.forms, noun.says, noun.paired) if noun else None


def _english(text: str) -> Person | None:
    """For "igbo people" my Igbo friend, for "nurses" a nurse; None for "people from lagos"."""
    name = normal_identity(text)
    known = _noun(name, "en")
    if known is not None:
        return known
    *before, head = name.split() or [""]
    people = " ".join(before)
    if head == "people" and (people in tables().peoples or people in tables().collective):
        return Person("friend", {"": with_capitals(people)})
    one = "person" if head == "people" and before else singular(head)
    if one is None or any(word in words("prepositions") or word in words("relatives") for word in before):
        return None
    named = [word.capitalize() if find_demonym(word) else with_capitals(word) for word in before]
    return Person("noun", {"": " ".join([*named, _written(one, text)])}, _says(head))


def _written(one: str, text: str) -> str:
    """The noun with the capital that somebody wrote, where it is no word of the dictionary: a Lagosian."""
    as_written = next((word for word in text.split() if word.casefold().startswith(one)), "")
    if as_written[:1].isupper() and not in_dictionary(one):
        return one.capitalize()
    return with_capitals(one)


def _says(head: str) -> Says:
    noun = find_noun(head, "en")
    if noun is not None:
        return noun.says
    return "f" if head.endswith("women") else "m" if head.endswith("men") else ""
