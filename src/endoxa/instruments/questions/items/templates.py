"""What questions are made of: contexts and questions of a style, and people and options of a language.

`words/LANGUAGE/questions.toml` and `person_questions.toml` hold them; the English files explain the fields.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from endoxa.errors import UserError
from endoxa.instruments.questions.items.groups import Kind, Person
from endoxa.instruments.questions.options import QaOptions
from endoxa.schema.qa import OWN, PEOPLE, PERSON
from endoxa.sources.check.wording import indefinite_article
from endoxa.sources.files import require_file
from endoxa.words.packs import languages_with, words_of

PERSON_COMPONENT = "person question templates"
"""Words of endoxa with which questions about two persons are made, besides those of every question."""

_OPENING = "“„«"
_AROUND = frozenset([('"', '"'), ("“", "”"), ("„", "“"), ("«", "»")])
_QUOTE = re.compile(r'["“”„«»]')
_FINAL_STOP = re.compile(r"(?<![.…])(?<!\b\w\.\w)\s*[.。]$")


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

    style: str
    contexts: tuple[str, ...]
    questions: tuple[str, ...]
    unknown: tuple[str, ...]
    inner_quotes: tuple[str, str]
    phrases: Mapping[Kind, Phrases]
    disambiguated: str = ""

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
        text = _FINAL_STOP.sub("", text)
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
    return patterns[gender].format(who=word, a=indefinite_article(word))


def load_templates(options: QaOptions) -> Templates:
    """The templates of a language and style, or with the contexts and questions of the user's file.

    Raises:
        UserError: there are none, or the user's file cannot be used.
    """
    language = str(options.language)
    languages = languages_with("questions.toml")
    if language not in languages:
        raise UserError(
            f"--language: no question templates in '{language}'. Available: {', '.join(languages)}."
        )
    every = words_of(language, "questions.toml")
    if options.templates is not None:
        style, chosen = OWN, _user_templates(options.templates, language)
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
        style,
        tuple(chosen["contexts"]),
        tuple(chosen["questions"]),
        tuple(every["unknown"]),
        (every["inner_quotes"][0], every["inner_quotes"][1]),
        {"friend": Phrases(**every["friend"]), "noun": Phrases(**every["noun"])},
        chosen.get("disambiguated", ""),
    )


_SLOTS = {
    "contexts": {"first", "second"},
    "questions": {"attribute"},
    "disambiguated": {"attribute", "right", "wrong"},
}
"""What each sentence of a user's file holds, once."""


def _user_templates(path: Path, language: str) -> Mapping[str, Any]:
    """Contexts and questions of a language from a user's file, checked."""
    require_file(path)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise UserError(f"{path} is not valid TOML in UTF-8: {problem}.") from problem
    table = tables.get(language)
    where = f"{path}, [{language}]"
    if not isinstance(table, Mapping):
        raise UserError(f"{where}: expected a table with the lists 'contexts' and 'questions'.")
    for name in table.keys() - _SLOTS.keys():
        raise UserError(f"{where}: '{name}' is not known. Expected {', '.join(_SLOTS)}.")
    for name, slots in _SLOTS.items():
        sentences = table.get(name)
        if name == "disambiguated":
            sentences = [sentences] if name in table else []
        elif not isinstance(sentences, list) or not sentences:
            raise UserError(f"{where}: expected a list of sentences '{name}'.")
        for sentence in sentences:
            if not isinstance(sentence, str) or _slots(sentence) != sorted(slots):
                expected = ", ".join(f"{{{slot}}}" for slot in sorted(slots))
                raise UserError(
                    f"{where}, {name}: {sentence!r} must hold {expected}, each once, and no other braces."
                )
    return table


def _slots(sentence: str) -> list[str]:
    """What a sentence leaves to be filled in, sorted; nothing where its braces do not match."""
    try:
        return sorted(name for _, name, _, _ in Formatter().parse(sentence) if name is not None)
    except ValueError:
        return []
