"""Bleached sentences: what is said of a term so that a sentence encoder can read it.

A language has templates by kind of term and agreement; the little words in them ("a", "the") agree with the term.
`tests.toml` of each language in `endoxa/words` is an example for a user's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import Annotated, Self

from annotated_types import Len
from pydantic import BaseModel, ConfigDict, Field, model_validator

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items.lists import ANY, Kind, Term
from endoxa.instruments.association_tests.options import WORDS
from endoxa.schema.provenance import words_cell
from endoxa.sources.toml import read_toml, validated
from endoxa.words.packs import languages_with, words_of

_TERM = ("term", "Term")
"""Slots of the term in a sentence; the second one is a capital."""


class Vowels(BaseModel):
    """Which words begin with a vowel sound.

    Attributes:
        letters: letters that such words begin with.
        also: beginnings of others.
        besides: beginnings that have none, although they begin with such a letter.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    letters: str = ""
    also: tuple[str, ...] = ()
    besides: tuple[str, ...] = Field(default=(), alias="except")

    def begin(self, text: str) -> bool:
        """Whether `text` begins with a vowel sound."""
        low = text.lower()
        return low.startswith(self.also) or (low[:1] in self.letters and not low.startswith(self.besides))


class Templates(BaseModel):
    """Sentences of a language.

    Attributes:
        language: ISO 639 code.
        source: who wrote them.
        agreement: meaning by agreement code.
        vowel: which words begin with a vowel sound.
        words: little words by name, then by agreement code, with '+vowel' before a vowel sound.
        templates: by kind of term, then by agreement codes (separated by spaces, or `ANY`): sentences with `{term}`.
        people: a bleached plural subject by gender, '' for all ("these people"), for attributes of associations.
        plural: agreement code of the plural by gender, '' for all.
        bundled: whether they come with endoxa.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    language: str
    source: str = ""
    agreement: dict[str, str] = {}
    vowel: Vowels = Vowels()
    words: dict[str, dict[str, str]] = {}
    templates: dict[Kind, dict[str, Annotated[tuple[str, ...], Len(1)]]]
    people: dict[str, str] = {}
    plural: dict[str, str] = {}
    bundled: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for kind, sentences_by_codes in self.templates.items():
            for codes, patterns in sentences_by_codes.items():
                for code in codes.split():
                    if code not in self.agreement and code != ANY:
                        known = ", ".join(self.agreement)
                        raise ValueError(f"[templates.{kind}]: '{code}' is not under [agreement] ({known})")
                for pattern in patterns:
                    self._require_slots(pattern)
        return self

    def _require_slots(self, pattern: str) -> None:
        """Raise ValueError where a sentence does not hold its term once, or names a word that is not there."""
        try:
            slots = _slots(pattern)
        except ValueError:
            slots = []
        if sum(slot in _TERM for slot in slots) != 1:
            raise ValueError(f"{pattern!r} must hold {{term}} (or {{Term}} at its beginning) once")
        for slot in slots:
            if slot not in _TERM and slot.lower() not in self.words:
                raise ValueError(f"{pattern!r} names {{{slot}}}, which is not a table under [words]")


def load_templates(user_file: Path | None = None) -> dict[str, Templates]:
    """Templates by language; a user's file (one language) takes the place of ours.

    Raises:
        UserError: the file cannot be read, or is not as described above.
    """
    languages = dict.fromkeys(("en", "hi", *languages_with("tests.toml")))
    tables = [(f"{code}/tests.toml", words_of(code, "tests.toml")) for code in languages]
    tables += [] if user_file is None else [(str(user_file), read_toml(user_file))]
    templates = {}
    for name, table in tables:
        content = validated(Templates, table, name, "docs/build/tests.md shows a file of templates.")
        update = {"source": content.source or Path(name).name, "bundled": name != str(user_file)}
        templates[content.language] = content.model_copy(update=update)
    return templates


def require_sentences(language: str, templates: Mapping[str, Templates], per_term: int) -> None:
    """Raise UserError where sentences are wanted in a language that has none."""
    if per_term != WORDS and language not in templates:
        raise UserError(
            f"No sentence templates for '{language}' (available for: {', '.join(templates)}). Give your own with "
            "--templates-file FILE, or use words only with --templates words."
        )


def words_used(language: str, used: Mapping[str, bool], templates: Templates | None) -> str:
    """The cell `words` of a test: the components of which it has something, and our templates where it has those."""
    components = {**used, "association templates": templates is not None and templates.bundled}
    return words_cell((name, language) for name, has in components.items() if has)


def sentences(term: Term, templates: Templates) -> Iterator[tuple[str, str]]:
    """Every sentence of a term with the agreement code of the form in it; the published form first.

    Raises:
        UserError: a little word has no form for that agreement.
    """
    for code, form in term.forms.items():
        for codes, patterns in templates.templates.get(term.kind, {}).items():
            if ANY in (codes, code) or code in codes.split():
                agreed = code if code != ANY else codes.split()[0]
                for pattern in patterns:
                    yield _filled(pattern, form, agreed, term.vowel, templates), agreed


def _filled(pattern: str, form: str, code: str, vowel: bool | None, templates: Templates) -> str:
    before_vowel = templates.vowel.begin(form) if vowel is None else vowel
    slots = {"term": form, "Term": form[:1].upper() + form[1:]}
    for slot in _slots(pattern):
        if slot not in slots:
            table = templates.words[slot.lower()]
            word = table.get(f"{code}+vowel") if before_vowel else None
            word = word or table.get(code, table.get(ANY))
            if word is None:
                raise UserError(
                    f"Templates of '{templates.language}': the word '{slot}' has no form for '{code}' ('{form}'); "
                    "add it under [words]."
                )
            slots[slot] = word[:1].upper() + word[1:] if slot[:1].isupper() else word
    text = pattern
    for slot, word in slots.items():  # an elided word stands without a space: l' + homme
        text = text.replace(f"{{{slot}}} ", f"{{{slot}}}") if word.endswith(("'", "’")) else text
    return text.format(**slots)


def _slots(pattern: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(pattern) if name is not None]
