"""The sentence of each language: a table that can be edited.

What a sentence says of its group, and the denial of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import Annotated, Any

import regex
from annotated_types import MaxLen
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from endoxa.sources.toml import read_toml, validated
from endoxa.words.packs import pack_of, rows_of, words_by_language

COLUMNS = 4
"""Of a sentence pattern: set, affirmed, denied, note."""
EXPECTED = "A language has said, denied, subject and, where needed, more: endoxa/words/en/pairs.toml explains each key."


def _holding(slot: str) -> AfterValidator:
    """Refuses a pattern that does not hold its slot, once and nothing else."""

    def check(pattern: str) -> str:
        try:
            slots = [name for _, name, _, _ in Formatter().parse(pattern) if name is not None]
        except ValueError:
            slots = []
        if slots != [slot]:
            raise ValueError(f"{pattern!r} must hold {{{slot}}} once and no other braces")
        return pattern

    return AfterValidator(check)


Said = Annotated[str, _holding("attribute")]
Subjects = Mapping[str, Annotated[str, _holding("identity")]]


class Template(BaseModel):
    """How a language says what a group is. `endoxa/words/en/pairs.toml` explains each field.

    `subject` has a pattern per gender ('f', 'm'), or one under '' that is for all. `collective` is for groups that are
    a singular ("la gente").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    language: str
    said: Said
    denied: Said
    subject: Annotated[Subjects, BeforeValidator(lambda text: {"": text} if isinstance(text, str) else text)]
    verb_denied: Annotated[str, _holding("verb")] | None = None
    grammar: tuple[Annotated[tuple[str, ...], MaxLen(COLUMNS)], ...] = ()
    stop: str = "."
    small: bool = False
    collective: Template | None = None
    feminine_words: Mapping[str, str] = {}
    framings: tuple[Annotated[str, _holding("sentence")], ...] = ()
    articles: tuple[str, ...] = ()
    feminine: tuple[str, ...] = ()
    masculine: tuple[str, ...] = ()
    feminine_endings: tuple[str, ...] = ()
    masculine_endings: tuple[str, ...] = ()

    @cached_property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Sentence patterns (set, affirmed, denied, note), as `grammar.csv` has them."""
        any_verb = (
            [("any verb", "{x}", self.verb_denied.replace("{verb}", "{x}"))] if self.verb_denied else []
        )
        return tuple((*row, "", "", "", "")[:COLUMNS] for row in (*self.grammar, *any_verb))

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
        tables = validated(dict[str, dict[str, Any]], read_toml(user_file), str(user_file), EXPECTED)
        templates |= {
            language: _template(language, table, str(user_file)) for language, table in tables.items()
        }
    return templates


def _template(language: str, table: Mapping[str, Any], name: str) -> Template:
    pack = pack_of(language)
    shared = {
        "language": language,
        "stop": table.get("stop") or (pack.stops[0] if pack else "."),
        "small": table.get("small", False),
    }
    table = {**table, **shared}
    if isinstance(collective := table.get("collective"), dict):
        table["collective"] = shared | collective
    return validated(Template, table, f"{name}, [{language}]", EXPECTED)


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
