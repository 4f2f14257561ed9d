"""Word lists, ours and those of a user: terms with their forms, in sets that stand for a group or for an attribute.

A file has a `source` and sets; a set has `list`, `language`, `kind`, `terms`, and either `group` (values by axis) or
`attribute`, `side` and `name`. The bundled files under `lists/`, and `lists.toml` of each language in
`endoxa/words`, are the examples.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import polars as pl
from annotated_types import Len
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from endoxa.sources.toml import read_toml, validated
from endoxa.words.packs import languages_with, words_of

Kind = Literal["name", "noun", "mass", "adjective", "verb", "pronoun", "modifier"]
ANY = "*"
"""Agreement of a form that never changes, and of sentences that take any form."""
_FLAGS = ("kind", "without", "vowel")


def _form(text: str) -> str:
    if not text.strip():
        raise ValueError("a form of a term is empty")
    return unicodedata.normalize("NFC", " ".join(text.split()))


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase.

    Attributes:
        kind: decides which sentences it stands in.
        forms: its forms by agreement code, as the language's templates name them ("ms": masculine singular), the
            published form first; `ANY` where it never changes.
        without: axes whose modifiers it does not take ("boy" is not crossed with ages).
        vowel: whether it begins with a vowel sound, where the language's rule is wrong.
    """

    kind: Kind
    forms: Mapping[str, Annotated[str, AfterValidator(_form)]]
    without: tuple[str, ...] = ()
    vowel: bool | None = None

    @property
    def text(self) -> str:
        """The published form."""
        return next(iter(self.forms.values()))

    def form(self, code: str) -> str | None:
        """The form of that agreement, or None where there is none."""
        return self.forms.get(code, self.forms.get(ANY))


def _as_table(entry: Any, kind: str | None, codes: Sequence[str]) -> dict[str, Any]:
    """The fields of a term, from a text, from an array in the order of `codes`, or from a table of forms."""
    if isinstance(entry, Mapping):
        table = dict(entry)
    elif isinstance(entry, Sequence) and not isinstance(entry, str) and len(entry) == len(codes):
        table = dict(zip(codes, entry, strict=True))
    elif isinstance(entry, str):
        table = {ANY: entry}
    else:
        raise ValueError(f"found {entry!r}, expected a text, a table, or {len(codes)} forms (see 'forms')")
    fields = {"kind": kind} | {name: table.pop(name) for name in _FLAGS if name in table}
    if not table:
        raise ValueError(f"the term {entry!r} has no form; write it as text, or by agreement")
    if fields["kind"] == "noun" and ANY in table:
        raise ValueError(
            f"the noun '{table[ANY]}' needs its number and gender, for example {{ s = \"{table[ANY]}\" }}"
        )
    return {**fields, "forms": table}


class WordSet(BaseModel):
    """Terms that stand for a group, or for one side of a pair of attributes.

    Attributes:
        list: name of the list it is part of ("indibias-names").
        language: ISO 639 code.
        kind: of its terms, where they do not say their own.
        forms: agreement codes of terms that are written as a list of forms.
        terms: at least one.
        group: value by axis, for terms of a group; empty for heads that say no group ("person").
        attribute: name of the attribute pair, or empty.
        side: 'a' or 'b', for attributes.
        name: what an attribute set is called.
        head: whether its nouns may be crossed with modifiers.
        place: where a modifier stands: 'before' or 'after' its head.
        source: citation.
        bundled: whether it is one of endoxa's own lists.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    list: str
    language: str
    kind: Kind
    forms: tuple[str, ...] = ()
    terms: Annotated[tuple[Term, ...], Len(1)]
    group: dict[str, str] = {}
    attribute: str = ""
    side: Literal["", "a", "b"] = ""
    name: str = ""
    head: bool = False
    place: Literal["before", "after"] = "before"
    source: str = ""
    bundled: bool = False

    @field_validator("terms", mode="before")
    @classmethod
    def _as_tables(cls, entries: Any, info: ValidationInfo) -> Any:
        if not isinstance(entries, Sequence) or isinstance(entries, str):
            return entries
        return [_as_table(entry, info.data.get("kind"), info.data.get("forms", ())) for entry in entries]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if ("group" in self.model_fields_set) == bool(self.attribute) or bool(self.attribute) != bool(
            self.side
        ):
            raise ValueError("give either 'group' (values by axis), or 'attribute' with 'side' ('a' or 'b')")
        if len({term.kind == "modifier" for term in self.terms}) > 1:
            raise ValueError("modifiers and other terms stand in one set; make two sets")
        return self

    @property
    def modifies(self) -> bool:
        """Whether its terms are modifiers of heads."""
        return self.terms[0].kind == "modifier"


class AttributePair(BaseModel):
    """Two attribute sets that are held against each other.

    Attributes:
        direction: what a positive effect means for groups that differ on an axis, with its source, by axis.
        lead: axes that decide first which of two groups is X.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    direction: dict[str, str] = {}
    lead: tuple[str, ...] = ()


class ListFile(BaseModel):
    """What one file of lists holds; see `WordLists` for all of them together."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = ""
    axes: dict[str, tuple[str, ...]] = {}
    labels: dict[str, dict[str, str]] = {}
    attributes: dict[str, AttributePair] = {}
    sets: tuple[WordSet, ...] = Field(alias="set")


@dataclass(frozen=True, slots=True)
class WordLists:
    """Everything that tests are made from.

    Attributes:
        axes: values by axis, in the order that makes X and Y.
        labels: how a value is called in names of sets, by axis.
        pairs: attribute pairs by name.
        sets: in the order of the files.
    """

    axes: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, Mapping[str, str]]
    pairs: Mapping[str, AttributePair]
    sets: tuple[WordSet, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages of the sets, in order."""
        return tuple(dict.fromkeys(entry.language for entry in self.sets))

    def label(self, axis: str, value: str) -> str:
        """What a value is called."""
        return self.labels.get(axis, {}).get(value, value)


def load_lists(user_files: Sequence[Path] = ()) -> WordLists:
    """The bundled lists, after those of the user: theirs are looked at first.

    Raises:
        UserError: a file of the user cannot be read, or is not as described above.
    """
    folder = files(__package__).joinpath("lists")
    published = {
        name: folder.joinpath(f"{name}.toml").read_text("utf-8") for name in ("axes", "weat", "indibias")
    }
    # English and Hindi, the languages of the published lists, come first.
    languages = dict.fromkeys(("en", "hi", *languages_with("lists.toml")))
    ours = {f"endoxa-{code}": words_of(code, "lists.toml") for code in languages}
    theirs = {str(path): read_toml(path) for path in user_files}
    tables = {
        **theirs,
        **{name: {"set": (), **tomllib.loads(text)} for name, text in published.items()},
        **ours,
    }
    contents = {
        name: validated(ListFile, table, name, "docs/build/tests.md shows a file of lists.")
        for name, table in tables.items()
    }
    axes: dict[str, tuple[str, ...]] = {}
    labels: dict[str, dict[str, str]] = {}
    pairs: dict[str, AttributePair] = {}
    for content in reversed(contents.values()):
        axes |= content.axes
        labels |= {axis: labels.get(axis, {}) | words for axis, words in content.labels.items()}
        pairs |= content.attributes
    sets = tuple(
        entry.model_copy(
            update={
                "name": entry.name or entry.attribute,
                "source": entry.source or content.source or Path(name).name,
                "bundled": name in ours,
            }
        )
        for name, content in contents.items()
        for entry in content.sets
    )
    for entry in sets:
        for axis, value in entry.group.items():
            axes[axis] = tuple(dict.fromkeys((*axes.get(axis, ()), value)))
        if entry.attribute:
            pairs.setdefault(entry.attribute, AttributePair())
    return WordLists(axes, labels, pairs, sets)


def available(lists: WordLists) -> pl.DataFrame:
    """Every set of terms: columns what, list, language, terms (how many), source."""
    rows = [
        (_stands_for(entry), entry.list, entry.language, len(entry.terms), entry.source)
        for entry in lists.sets
    ]
    columns = ["what", "list", "language", "terms", "source"]
    return pl.DataFrame(rows, columns, orient="row").sort("what", "list", maintain_order=True)


def _stands_for(entry: WordSet) -> str:
    if entry.attribute:
        return f"{entry.attribute}: {entry.name}"
    values = ", ".join(f"{axis} {value}" for axis, value in entry.group.items()) or "people of any group"
    return f"{values} (with a noun)" if entry.modifies else values
