"""The sentence of each language: a table that can be edited.

What a sentence says of its group, and the denial of it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from typing import Any

import regex

from endoxa.errors import UserError
from endoxa.sources.files import require_file
from endoxa.words.packs import pack_of, rows_of, words_by_language

_SLOTS = {"said": "attribute", "denied": "attribute", "verb_denied": "verb"}
_COLUMNS = ("set", "affirmed", "denied", "note")
_FURTHER = ("subject", "grammar", "stop", "small", "collective", "feminine_words")
_LISTS = (
    "framings",
    "articles",
    "feminine",
    "masculine",
    "feminine_endings",
    "masculine_endings",
)


@dataclass(frozen=True, slots=True)
class Template:
    """How a language says what a group is. `endoxa/words/en/pairs.toml` explains each field.

    `subject` has a pattern per gender ('f', 'm'), or one under '' that is for all. `rows` are sentence patterns (set,
    affirmed, denied, note), as `grammar.csv` has them. `collective` is for groups that are a singular ("la gente").
    """

    language: str
    said: str
    denied: str
    subject: Mapping[str, str]
    rows: tuple[tuple[str, ...], ...] = ()
    stop: str = "."
    small: bool = False
    collective: Template | None = None
    feminine_words: Mapping[str, str] = field(default_factory=dict)
    framings: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()
    feminine: tuple[str, ...] = ()
    masculine: tuple[str, ...] = ()
    feminine_endings: tuple[str, ...] = ()
    masculine_endings: tuple[str, ...] = ()

    @property
    def gendered(self) -> bool:
        """Whether predicates agree in gender."""
        return bool(self.feminine)

    def of_women(self, predicate: str) -> str:
        """A predicate with the words at its beginning or end that are others of women ("لسن", "होती हैं")."""
        for word, feminine in self.feminine_words.items():
            if f"{predicate} ".startswith(f"{word} "):
                return f"{feminine}{predicate.removeprefix(word)}"
            if predicate.endswith(f" {word}"):
                return f"{predicate.removesuffix(word)}{feminine}"
        return predicate


def load_templates(user_file: Path | None = None) -> dict[str, Template]:
    """Templates by language; those of a user's file take the place of ours.

    Raises:
        UserError: the file cannot be read, or a template is not as `endoxa/words/en/pairs.toml` describes it.
    """
    templates = {
        language: _template(
            language,
            {"grammar": [[*row.values()] for row in rows_of(language, "grammar.csv")], **table},
            "pairs.toml",
        )
        for language, table in words_by_language("pairs.toml").items()
    }
    if user_file is not None:
        require_file(user_file)
        try:
            text = user_file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise UserError(f"{user_file} is not UTF-8 text: save it as UTF-8.") from error
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise UserError(f"{user_file} is not TOML ({error}).") from error
        templates |= {
            language: _template(language, table, str(user_file)) for language, table in tables.items()
        }
    return templates


def _template(language: str, table: object, name: str) -> Template:
    where = f"{name}, [{language}]"
    if not isinstance(table, Mapping):
        raise UserError(f"{where}: expected a table with 'said', 'denied' and 'subject'.")
    missing = [key for key in ("said", "denied", "subject") if key not in table]
    unknown = [key for key in table if key not in (*_SLOTS, *_FURTHER, *_LISTS)]
    if missing or unknown:
        fault = f"'{missing[0]}' is missing" if missing else f"'{unknown[0]}' is not known"
        raise UserError(f"{where}: {fault}; a language has said, denied, subject and, where needed, more.")
    for key, slot in _SLOTS.items():
        if key in table:
            _require_slot(table[key], slot, f"{where}, {key}")
    subject = table["subject"] if isinstance(table["subject"], dict) else {"": table["subject"]}
    for pattern in subject.values():
        _require_slot(pattern, "identity", f"{where}, subject")
    for framing in table.get("framings", ()):
        _require_slot(framing, "sentence", f"{where}, framings")
    rows = table.get("grammar", ())
    if not isinstance(rows, list | tuple) or not all(
        isinstance(row, list) and len(row) <= len(_COLUMNS) and all(isinstance(cell, str) for cell in row)
        for row in rows
    ):
        raise UserError(f"{where}, grammar: expected a list of rows, each with {', '.join(_COLUMNS)}.")
    if "verb_denied" in table:
        rows = [*rows, ["any verb", "{x}", table["verb_denied"].replace("{verb}", "{x}")]]
    fields: dict[str, Any] = {key: tuple(table[key]) for key in _LISTS if key in table}
    fields["stop"] = str(table.get("stop") or (pack.stops[0] if (pack := pack_of(language)) else "."))
    fields["feminine_words"] = dict(table.get("feminine_words", {}))
    fields["small"] = table.get("small") is True
    if "collective" in table:
        fields["collective"] = _template(
            language,
            {**{key: table[key] for key in ("stop", "small") if key in table}, **table["collective"]},
            f"{name}, collective",
        )
    fields["rows"] = tuple((*row, "", "", "", "")[: len(_COLUMNS)] for row in rows)
    return Template(language, table["said"], table["denied"], subject, **fields)


def _require_slot(pattern: object, slot: str, where: str) -> None:
    """Raise UserError where a pattern does not hold its slot, once and nothing else."""
    try:
        slots = [name for _, name, _, _ in Formatter().parse(str(pattern)) if name is not None]
    except ValueError:
        slots = []
    if not isinstance(pattern, str) or slots != [slot]:
        raise UserError(f"{where}: {pattern!r} must hold {{{slot}}} once and no other braces.")


LONGEST_WORDS = 12
LONGEST_CHARACTERS = 90

_SPACES = re.compile(r"\s+")
_EDGES = regex.compile(r"^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}%)']+$")
_INSIDE = regex.compile(r"[^\p{L}\p{M}\p{N}\s'’‘()&%+.\u00a0\u200c\u200d-]|\.(?=\s)")


class UnclearError(ValueError):
    """Why no grammatical sentence can be made, as the end of a sentence about the attribute or the identity."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate and its denial.

    Attributes:
        asserted: what is said, with its copula or verb ("are strong", "talk too much", "are not smart").
        denied: the same denied ("are not strong", "do not talk too much", "are smart").
        core: the attribute whose opposite may be looked for ("strong"); empty where `asserted` is a negation already.
        frame: `asserted` with `{}` in place of the core.
        no_denial: why `denied` is empty, where it is; the opposite may be known all the same.
    """

    asserted: str
    denied: str
    core: str = ""
    frame: str = "{}"
    no_denial: str = ""


def cleaned(attribute: str) -> str:
    """An attribute in one line, without marks at its ends (emoji too) and quotation marks; apostrophes straight.

    Raises:
        UnclearError: nothing is left, it is too long for a predicate, or it holds several statements.
    """
    straight = re.sub(r"[“”„«»\"]", "", re.sub(r"[‘’`´]", "'", attribute))
    text: str = _EDGES.sub("", _SPACES.sub(" ", straight).strip())
    if not regex.search(r"\p{L}", text):
        raise UnclearError("the attribute holds no word" if attribute.strip() else "the attribute is empty")
    if len(text) > LONGEST_CHARACTERS or len(text.split()) > LONGEST_WORDS:
        raise UnclearError(
            f"the attribute has {len(text.split())} words and {len(text)} characters, too long for one predicate"
        )
    match = _INSIDE.search(text)
    if match:
        raise UnclearError(f"the attribute holds '{match.group()}', so it may be more than one predicate")
    return text
