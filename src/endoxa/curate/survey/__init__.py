"""Reading a survey export: its map, its answers, the statements in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from endoxa.curate.extract import Question
from endoxa.errors import UserError
from endoxa.schema import STATEMENT_COLUMNS
from endoxa.sources.source import called
from endoxa.sources.toml import read_toml, validated

ID_LETTERS = 4
"""Letters of a question's name that a statement's id shows."""


def _plain(word: str) -> str:
    word = " ".join(word.split())
    if not word:
        raise ValueError("must not be empty")
    return word


Plain = Annotated[str, AfterValidator(_plain)]
Lower = Annotated[Plain, AfterValidator(str.lower)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ColumnChoice(_Strict):
    """A column by its header or the beginning of its header; quotes, case and white space do not matter.

    Attributes:
        column: the header, or how it begins (a code such as `S01_Q05.` in front may be left out).
        optional: whether a file without it is fine.
    """

    column: Plain
    optional: bool = False


Choice = Annotated[
    ColumnChoice, BeforeValidator(lambda value: {"column": value} if isinstance(value, str) else value)
]
"""A column, which may be given as text alone."""


class QuestionColumn(ColumnChoice):
    """A column of answers.

    Attributes:
        name: short name of the question.
        axis: social axis.
        identity: the group every answer is about, or None where the answer names it.
    """

    name: Lower
    axis: Lower
    identity: Lower | None = None
    optional: Literal[False] = False

    @property
    def question(self) -> Question:
        """What an extractor is told about the question."""
        return Question(self.name, self.axis, self.identity)


class KeptColumn(ColumnChoice):
    """A demographic column that goes along with every statement.

    Attributes:
        name: its name in the table of statements; columns of one name are joined by '; '.
    """

    name: Lower


class SurveyMap(_Strict):
    """What is read from an export; every column that is not named here is left out.

    Attributes:
        title: name of the survey.
        languages: ISO 639 codes of the languages the answers may be in; empty for a list of common ones.
        language: the one language of all answers, where there is only one.
        language_column: column that names each respondent's language (ISO 639 codes).
        respondent: column with a code of each respondent; without it the row's number from 0. An optional one is
            passed over where it does not hold a unique code with a digit in every row.
        country: column with each respondent's country.
        multi_select: mark behind each item of a "select all that apply" answer, as "*"; empty for none.
        question: columns of answers.
        keep: demographic columns.
    """

    title: str = ""
    languages: tuple[Lower, ...] = ()
    language: Lower | None = None
    language_column: Choice | None = None
    respondent: Choice | None = None
    country: Choice | None = None
    multi_select: str = ""
    question: tuple[QuestionColumn, ...] = Field(min_length=1)
    keep: tuple[KeptColumn, ...] = ()

    @model_validator(mode="after")
    def _names(self) -> SurveyMap:
        names = [entry.name for entry in self.question]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise ValueError(f"two questions are called '{twice}'")
        reserved = next((entry.name for entry in self.keep if entry.name in _RESERVED), None)
        if reserved:
            raise ValueError(
                f"a kept column cannot be called '{reserved}': statements have a column of that name"
            )
        return self

    def short_names(self) -> dict[str, str]:
        """Per question the letters that its statements' ids show: four, or the whole name where four are not unique."""
        names = [entry.name.replace(" ", "_") for entry in self.question]
        starts = [name[:ID_LETTERS] for name in names]
        return {
            entry.name: start if starts.count(start) == 1 else name
            for entry, name, start in zip(self.question, names, starts, strict=True)
        }


_RESERVED = frozenset(STATEMENT_COLUMNS)
_EXPECTED = "Expected a column mapping with [[question]] and [[keep]] (print a draft with --print-map)."


def preset_path(name: str) -> Path:
    """The file of a map that comes with the program."""
    return Path(str(files("endoxa.curate.survey") / "presets" / f"{name}.toml"))


def load_map(path: Path) -> SurveyMap:
    """The map in a TOML file.

    Raises:
        UserError: the file cannot be read, is no TOML, or says something a map does not know.
    """
    return validated(SurveyMap, read_toml(path), str(path), _EXPECTED)


_QUOTES = str.maketrans(dict.fromkeys("‘’‛`´ʼ", "'") | dict.fromkeys("“”„«»", '"'))
_CODE = re.compile(r"^(?:s\d+_)?[qs]?\d+[a-z]?\s*[.:)_-]+\s*|^s\d+_q\d+[a-z]?\s*[.:)_-]*\s*")
_CODES = re.compile(
    r"\b(?:participant|respondent|response|subject|informant|interview|record)e?\b.{0,20}\b(?:code|id|number|no)\b"
    r"|\b(?:code|id|c[oó]digo|identifiant) (?:of |de |del |du |do |da )?(?:the |la )?(?:participant|respond|r[eé]pond)"
    r"|^(?:respondent|participant|code|id|c[oó]digo)$"
)
_NEAR = 3
_SHOWN = 70


def plain_header(header: str) -> str:
    """A header as it is compared: straight quotes, single spaces, lower case."""
    return " ".join(unicodedata.normalize("NFKC", header).translate(_QUOTES).casefold().split())


def without_code(header: str) -> str:
    """A plain header without the code that survey tools put in front ('s01_q05.what ...')."""
    return _CODE.sub("", header).strip()


def is_code_header(header: str) -> bool:
    """Whether a header says that the column holds a code per respondent ("Participant code")."""
    return bool(_CODES.search(without_code(plain_header(header)).replace("_", " ")))


def find_column(path: Path, headers: Sequence[str], choice: ColumnChoice) -> str | None:
    """The header that `choice` means; None where there is none and that is fine.

    An equal header wins over one that only begins so.

    Raises:
        UserError: no header fits, or several begin so.
    """
    wanted = plain_header(choice.column)
    forms = {header: (low := plain_header(header), without_code(low)) for header in headers}
    for matching in (
        [header for header in headers if wanted in forms[header]],
        [header for header in headers if any(form.startswith(wanted) for form in forms[header])],
    ):
        if len(matching) > 1:
            raise UserError(
                f"{called(path)}: '{shown(choice.column)}' matches {len(matching)} columns "
                f"({', '.join(repr(shown(header)) for header in matching[:_NEAR])}): write a longer part of the header."
            )
        if matching:
            return matching[0]
    if choice.optional:
        return None
    starts = {forms[header][1][: len(wanted) + 10]: header for header in reversed(forms)}
    near = [starts[start] for start in get_close_matches(wanted, starts, _NEAR, cutoff=0)]
    raise UserError(
        f"{called(path)} has no column '{shown(choice.column)}'. "
        f"The nearest are: {', '.join(repr(shown(header)) for header in near)}."
    )


def shown(header: str) -> str:
    """A header short enough for a sentence."""
    line = " ".join(header.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
