"""Words of which items are made: ours of a language (`words/LANGUAGE/choices.toml`), or those of the user's file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from endoxa.curate.persons import Person, person
from endoxa.errors import UserError
from endoxa.sources.check.wording import indefinite_article
from endoxa.sources.toml import read_toml, validated
from endoxa.words.packs import full_stops, languages_with, words_of

FILE = "choices.toml"
COMPONENT = "choice templates"
LABEL = "label"
Forms = Mapping[str, str]


class _Words(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Inference(_Words):
    """Words of inferences."""

    first: str
    second: str
    question: str
    options: tuple[str, str, str]
    reported: str
    premises: Mapping[str, str]
    hypotheses: tuple[str, ...]


class Decision(_Words):
    """Words of decisions."""

    situations: Mapping[str, str]
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]


class Association(_Words):
    """Words of word lists."""

    instruction: str
    words: str


class Answers(_Words):
    """Words by which open answers are read."""

    both: tuple[str, ...]
    neither: tuple[str, ...]


class Templates(_Words):
    """All words of a language."""

    letters: str
    text: str
    answer: str
    inner_quotes: tuple[str, str]
    people: Mapping[str, Forms]
    candidates: Mapping[str, Forms]
    inference: Inference
    decision: Decision
    association: Association
    answers: Answers

    def quotable(self, attribute: str) -> str:
        """An attribute as it stands within quotation marks: without a final stop, its marks of the other kind."""
        text = attribute.strip().rstrip(full_stops())
        for mark in '"“”„«»':
            text = text.replace(mark, self.inner_quotes[0])
        return text


@dataclass(frozen=True, slots=True)
class Named:
    """One person of a group, as a language names them.

    Attributes:
        kind: 'friend', 'noun' (`endoxa.curate.persons`), or 'label' where only the name of the group is known.
        word: the word.
        who: the person, where known.
    """

    kind: str
    word: str
    who: Person | None

    def filled(self, patterns: Mapping[str, Forms], gender: str) -> str:
        """The person in the pattern of their kind."""
        forms = patterns[self.kind]
        form = self.gender(gender)
        pattern = forms.get(form) or forms.get("") or next(iter(forms.values()))
        word = self.who.forms[form] if self.who else self.word
        return pattern.format(who=word, a=indefinite_article(word))

    def gender(self, wanted: str) -> str:
        """The gender in which the person can be named: the wanted one, else the only one there is."""
        forms = self.who.forms if self.who else {}
        return wanted if wanted in forms else next(iter(forms), wanted)


def named(identity: str, language: str) -> Named:
    """One person of an identity; by the name of the group where the language has no word that we know."""
    who = person(identity, language) if language in languages_with("people.csv") else None
    return Named(who.kind, "", who) if who else Named(LABEL, identity, None)


def load_templates(language: str, path: Path | None = None) -> Templates:
    """The words of a language; tables of the user's file stand in place of ours, key by key.

    Raises:
        UserError: the file cannot be used, or there are no words in the language.
    """
    ours: dict[str, Any] = dict(words_of(language, FILE)) if language in languages_with(FILE) else {}
    if path is None:
        if not ours:
            raise UserError(
                f"--language: no templates of choices in '{language}'. Available: "
                f"{', '.join(languages_with(FILE))}. Or give the words of your language with --templates FILE."
            )
        return Templates.model_validate(ours)
    for key, value in read_toml(path).items():
        both = isinstance(value, dict) and isinstance(ours.get(key), Mapping)
        ours[key] = {**ours[key], **value} if both else value
    return validated(Templates, ours, str(path), f"Expected the keys of words/en/{FILE}.")


@cache
def templates_of(language: str) -> Templates:
    """Words that ask in a language; English ones where there are none."""
    return load_templates(language if language in languages_with(FILE) else "en")
