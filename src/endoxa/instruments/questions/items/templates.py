"""What questions are made of: contexts and questions of a style, and people and options of a language.

`words/LANGUAGE/questions.toml` and `person_questions.toml` hold them; the English files explain the fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from endoxa.curate.persons import Kind, Person, person
from endoxa.errors import UserError
from endoxa.instruments.questions.items.user_templates import KINDS, persons, read_user_templates
from endoxa.instruments.questions.options import QaOptions
from endoxa.schema.qa import OWN, PEOPLE, PERSON
from endoxa.sources.check.wording import indefinite_article
from endoxa.words.countries import names_in
from endoxa.words.packs import full_stops, languages_with, words_of

PERSON_COMPONENT = "person question templates"
"""Words of endoxa with which questions about two persons are made, besides those of every question."""

_OPENING = "“„«"
_AROUND = frozenset([('"', '"'), ("“", "”"), ("„", "“"), ("«", "»")])
_QUOTE = re.compile(r'["“”„«»]')
_ATTACHED = re.compile(r"(\w+)\{who\}")
"""An article that is one word with what follows: it stands before each of two words ("الكوري الجنوبي")."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """Patterns by gender, or under '' where the language has none.

    Attributes:
        mention: in the context.
        option: among the answers.
    """

    mention: Mapping[str, str]
    option: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Templates:
    """What questions of a language and style are made of: the fields of the English files, where each is explained."""

    language: str
    style: str
    contexts: tuple[str, ...]
    questions: tuple[str, ...]
    unknown: tuple[str, ...]
    inner_quotes: tuple[str, str]
    phrases: Mapping[Kind, Phrases]
    disambiguated: str = ""
    persons: Mapping[str, Person] = field(default_factory=dict)

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
        return _filled(self.phrases[who.kind].mention, who, gender)

    def option(self, who: Person, gender: str) -> str:
        """The person as an answer names them ("The Chilean friend", "The nurse")."""
        return _filled(self.phrases[who.kind].option, who, gender)


def _filled(patterns: Mapping[str, str], who: Person, gender: str) -> str:
    word = who.forms[gender]
    article = _ATTACHED.search(patterns[gender])
    named = word.replace(" ", f" {article[1]}").replace("\u00a0", " ") if article else word
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
    if options.templates is not None:
        style = OWN
        chosen = read_user_templates(options.templates, language, whole=not every)
        every = {"inner_quotes": ("'", "'"), **every, **chosen}
    elif options.style == PEOPLE:
        style, chosen = PEOPLE, every
    else:
        style, chosen = PERSON, words_of(language, "person_questions.toml")
    if not chosen:
        raise UserError(
            f"There are no questions about two persons in '{language}'. Use --style people, or your own contexts and "
            "questions with --templates FILE."
        )
    if options.disambiguated and "disambiguated" not in chosen:
        where = f"{options.templates}, [{language}]" if style == OWN else "questions about what people think"
        raise UserError(
            f"--disambiguated: {where} has no sentence 'disambiguated' that says which person has the attribute. Leave "
            "the option out" + (", or add the sentence." if style == OWN else ", or use --style person.")
        )
    return Templates(
        language,
        style,
        tuple(chosen["contexts"]),
        tuple(chosen["questions"]),
        tuple(every["unknown"]),
        (every["inner_quotes"][0], every["inner_quotes"][1]),
        {kind: Phrases(every[kind]["mention"], every[kind]["option"]) for kind in KINDS if kind in every},
        chosen.get("disambiguated", ""),
        persons(chosen) if style == OWN else {},
    )
