"""What questions are made of: contexts and questions of a style, and people and options of a language.

`words/LANGUAGE/questions.toml` and `person_questions.toml` hold them; the English files explain the fields. A user's
file takes the place of a style, or holds all texts of a language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from string import Formatter
from typing import Annotated, Any, Self

from annotated_types import Len
from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, model_validator

from endoxa.curate.persons import Kind, Person, person
from endoxa.errors import UserError
from endoxa.instruments.questions.options import QaOptions
from endoxa.schema.qa import OWN, PEOPLE, PERSON
from endoxa.sources.check.wording import indefinite_article
from endoxa.sources.toml import read_toml, validated
from endoxa.words.countries import in_small, names_in
from endoxa.words.packs import full_stops, languages_with, words_of
from endoxa.words.people import written

PERSON_COMPONENT = "person question templates"
"""Words of endoxa with which questions about two persons are made, besides those of every question."""

_OPENING = "“„«"
_AROUND = frozenset([('"', '"'), ("“", "”"), ("„", "“"), ("«", "»")])
_QUOTE = re.compile(r'["“”„«»]')
_ATTACHED = re.compile(r"(\w+)\{who\}")
"""An article that is one word with what follows: it stands before each of two words ("الكوري الجنوبي")."""
_OF_LANGUAGE = ("unknown", "inner_quotes", "friend", "noun")
"""Texts that a user's file need not hold where we have the language."""

Sentences = Annotated[tuple[str, ...], Len(1)]
ByGender = Annotated[
    dict[Annotated[str, StringConstraints(pattern="^[mf]?$")], Annotated[str, Len(1)]],
    Len(1),
    BeforeValidator(lambda stated: {"": stated} if isinstance(stated, str) else stated),
]
"""Texts by gender ('m', 'f'), or one for all under ''."""


def _require_slots(sentence: str, *slots: str) -> None:
    """Raise ValueError where a sentence does not hold each slot once, or has other braces."""
    if sorted(name for _, name, _, _ in Formatter().parse(sentence) if name is not None) != sorted(slots):
        expected = f"hold {', '.join(f'{{{slot}}}' for slot in slots)}, each once" if slots else "be a text"
        raise ValueError(f"{sentence!r} must {expected}, and no other braces")


class Phrases(BaseModel):
    """How one kind of person is spoken of.

    Attributes:
        mention: patterns in the context.
        option: patterns among the answers.
        people: the word for one person of an identity, where the user's file says it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    mention: ByGender
    option: ByGender
    people: dict[str, ByGender] = {}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.mention.keys() != self.option.keys():
            raise ValueError("'mention' and 'option' must have the same genders")
        for pattern in (*self.mention.values(), *self.option.values()):
            _require_slots(pattern.replace("{a}", ""), "who")
        for identity, forms in self.people.items():
            if not forms.keys() <= self.mention.keys():
                raise ValueError(f"people, '{identity}': expected genders as in 'mention'")
        return self


class Templates(BaseModel):
    """What questions of a language and style are made of: the fields of the English files, where each is explained."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    language: str
    style: str
    contexts: Sentences
    questions: Sentences
    unknown: Sentences
    inner_quotes: tuple[str, str] = ("'", "'")
    friend: Phrases | None = None
    noun: Phrases | None = None
    disambiguated: str = ""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for sentences, slots in (
            (self.contexts, ("first", "second")),
            (self.questions, ("attribute",)),
            (self.unknown, ()),
            ((self.disambiguated,) if self.disambiguated else (), ("attribute", "right", "wrong")),
        ):
            for sentence in sentences:
                _require_slots(sentence, *slots)
        if not self.phrases:
            raise ValueError("the table 'friend' or 'noun' is missing")
        return self

    @cached_property
    def phrases(self) -> Mapping[Kind, Phrases]:
        """Patterns by kind of person."""
        kinds: dict[Kind, Phrases | None] = {"friend": self.friend, "noun": self.noun}
        return {kind: phrases for kind, phrases in kinds.items() if phrases is not None}

    @cached_property
    def persons(self) -> Mapping[str, Person]:
        """How the user's file calls one person of an identity, by the identity in small letters.

        A group that has one form of two is one of men or of women, and nothing but the form tells them apart.
        """
        return {
            in_small(identity): Person(kind, forms, "m" if "m" in forms else "f", paired=True)
            if len(forms) < len(phrases.mention)
            else Person(kind, forms)
            for kind, phrases in self.phrases.items()
            for identity, forms in phrases.people.items()
        }

    def person(self, identity: str) -> Person | None:
        """One person of an identity: as the user's file calls them, else as we do; None where neither has a word."""
        named = (self.persons[name] for name in names_in(identity) if name in self.persons)
        who = next(named, None) or (
            person(identity, self.language) if self.language in languages_with("questions.toml") else None
        )
        return who if who is not None and who.kind in self.phrases else None

    def disambiguating(self, attribute: str, right: str, wrong: str) -> str:
        """The sentence that says to which of two people, named as in the options, an attribute belongs."""
        right, wrong = (name[:1].lower() + name[1:] for name in (right, wrong))
        return self.disambiguated.format(attribute=self.quotable(attribute), right=right, wrong=wrong)

    def question(self, number: int, attribute: str) -> str:
        """A question, with the attribute as it is in the table but for its final stop and its quotation marks."""
        return self.questions[number].format(attribute=self.quotable(attribute))

    def quotable(self, attribute: str) -> str:
        """An attribute as it stands within quotation marks: without a final stop, its own marks of the other kind."""
        text = attribute.strip()
        while len(text) > 2 and (text[0], text[-1]) in _AROUND and not _QUOTE.search(text[1:-1]):
            text = text[1:-1].strip()
        text = re.sub(rf"(?<![.…])(?<!\b\w\.\w)\s*[{re.escape(full_stops())}۔]$", "", text)
        opened = False

        def inner(mark: re.Match[str]) -> str:
            nonlocal opened
            opened = mark[0] in _OPENING or (mark[0] == '"' and not opened)
            return self.inner_quotes[not opened]

        return _QUOTE.sub(inner, text)

    def mention(self, who: Person, gender: str) -> str:
        """The person as the context introduces them ("my Chilean friend", "a nurse I know")."""
        return written(_filled(self.phrases[who.kind].mention, who, gender), self.language)

    def option(self, who: Person, gender: str) -> str:
        """The person as an answer names them ("The Chilean friend", "The nurse")."""
        return written(_filled(self.phrases[who.kind].option, who, gender), self.language)


def _filled(patterns: Mapping[str, str], who: Person, gender: str) -> str:
    word = who.forms[gender]
    article = _ATTACHED.search(patterns[gender])
    named = word.replace(" ", f" {article[1]}") if article else word
    return patterns[gender].format(who=named, a=indefinite_article(word))


def load_templates(options: QaOptions) -> Templates:
    """The templates of a language and style, or with the contexts and questions of the user's file.

    Raises:
        UserError: there are none, or the user's file cannot be used.
    """
    language = str(options.language)
    languages = languages_with("questions.toml")
    if language not in languages and options.templates is None:
        raise UserError(
            f"--language: no question templates in '{language}'. Available: {', '.join(languages)}. Or give all texts "
            "of your language with --templates FILE."
        )
    every = words_of(language, "questions.toml")
    where, style, chosen = f"questions in '{language}'", str(options.style), every
    if options.templates is not None:
        where, style = f"{options.templates}, [{language}]", OWN
        chosen = read_toml(options.templates).get(language, {})
        if not isinstance(chosen, Mapping) or not chosen:
            raise UserError(f"{where}: expected a table with the lists 'contexts' and 'questions'.")
    elif style == PERSON:
        chosen = words_of(language, "person_questions.toml")
        if not chosen:
            raise UserError(
                f"There are no questions about two persons in '{language}'. Use --style {PEOPLE}, or your own contexts "
                "and questions with --templates FILE."
            )
    of_language = {name: every[name] for name in _OF_LANGUAGE if name in every}
    content: dict[str, Any] = {**of_language, **chosen, "language": language, "style": style}
    templates = validated(Templates, content, where, "The manual (build qa) shows a file of templates.")
    if options.disambiguated and not templates.disambiguated:
        what = where if style == OWN else "questions about what people think"
        instead = "add the sentence" if style == OWN else f"use --style {PERSON}"
        raise UserError(
            f"--disambiguated: {what} has no sentence 'disambiguated' that says which person has the attribute. Leave "
            f"the option out, or {instead}."
        )
    return templates
