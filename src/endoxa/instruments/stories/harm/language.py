"""The words of a rating in one language: what is asked, and what answers are read by (`languages/*.toml`)."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from endoxa.errors import UserError
from endoxa.sources.files import require_file

ENGLISH = "en"
BLANKS = ("base", "base_value", "compared", "compared_value")
SCALE = 5
"""Points of the scale of harm."""
_FOLDER = files("endoxa.instruments.stories.harm").joinpath("languages")
_Words = Annotated[list[str], Field(min_length=1)]


class Question(BaseModel):
    """What is asked. The fields are explained in `languages/en.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    statement: str
    instruction: str
    harm: str
    frequent: str
    answer: str
    harm_line: tuple[str, str]
    frequent_line: tuple[str, str]

    @field_validator("statement")
    @classmethod
    def _has_its_blanks(cls, text: str) -> str:
        found = sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)
        if found != sorted(BLANKS):
            raise ValueError(f"must hold each of {', '.join(f'{{{name}}}' for name in BLANKS)} once")
        return text


class Answers(BaseModel):
    """Words and patterns that answers are read by. The fields are explained in `languages/en.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    harm: _Words
    frequent: _Words
    yes: _Words
    no: _Words
    unsure: _Words
    scale: Annotated[list[str], Field(min_length=SCALE, max_length=SCALE)]
    to: list[str] = []
    of: list[str] = []
    of_before: list[str] = []
    joins: list[str] = []
    refusals: list[str] = []


class HarmLanguage(BaseModel):
    """One language.

    Attributes:
        question: what is asked.
        answers: what answers are read by.
        attributes: names of attributes; one that is not there is written as it is, with spaces for underscores.
        values: names of values by attribute; one that is not there is written as it is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: Question
    answers: Answers
    attributes: dict[str, str] = {}
    values: dict[str, dict[str, str]] = {}

    def attribute(self, name: str) -> str:
        """An attribute as people write it."""
        return self.attributes.get(name, name.replace("_", " "))

    def value(self, attribute: str, value: str) -> str:
        """A value of an attribute as people write it."""
        return self.values.get(attribute, {}).get(value, value)


def languages() -> list[str]:
    """ISO 639 codes of the languages that we have questions in."""
    names = (entry.name for entry in _FOLDER.iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def read_language(code: str, path: Path | None = None) -> HarmLanguage:
    """The words of a language: ours, or those of a TOML file in the same form.

    Raises:
        UserError: we have no questions in this language, or the file is not in this form.
    """
    if path is None:
        if code not in languages():
            raise UserError(
                f"--language: no questions on harm in '{code}'. Available: {', '.join(languages())}. Or give your "
                "own in "
                "the same format with --prompts FILE."
            )
        return _read(f"languages/{code}.toml", _FOLDER.joinpath(f"{code}.toml").read_text("utf-8"))
    require_file(path)
    try:
        return _read(str(path), path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8.") from problem


def _read(source: str, text: str) -> HarmLanguage:
    try:
        return HarmLanguage.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as problem:
        raise UserError(f"{source} is not valid TOML: {problem}.") from problem
    except ValidationError as problem:
        first = problem.errors()[0]
        raise UserError(
            f"{source}: {'.'.join(map(str, first['loc']))}: {first['msg'].lower()}. The form is that of the English "
            "questions (docs/probe/harm.md)."
        ) from problem
