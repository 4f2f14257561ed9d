"""The closed vocabularies: which attributes of a protagonist there are, and which values each can have."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from endoxa.errors import UserError
from endoxa.sources.stereotales.profiles import OTHER, UNKNOWN
from endoxa.sources.toml import read_toml, validated

OURS = "vocabulary.toml"


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute.

    Attributes:
        name: as the column of profiles has it ("marital_status").
        values: its values.
        other: a reader of stories may also answer "other".
        synonyms: what else readers write, each with the value that it means.
    """

    name: str
    values: tuple[str, ...]
    other: bool = False
    synonyms: tuple[tuple[str, str], ...] = ()

    @property
    def answers(self) -> tuple[str, ...]:
        """Everything that can be read off a story: the values, "other" where it exists, and "unknown"."""
        return (*self.values, *((OTHER,) if self.other else ()), UNKNOWN)


Vocabulary = tuple[Attribute, ...]
"""All attributes, in the order in which readers are asked for them."""


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    values: list[str] = Field(min_length=2)
    other: bool = False
    synonyms: dict[str, list[str]] = Field(default_factory=dict)


def read_vocabulary(path: Path | None = None) -> Vocabulary:
    """The 19 attributes and 79 values of StereoTales, or those of a TOML file in the same form.

    Raises:
        UserError: the file is no TOML, an attribute lacks its values, a value or synonym is there twice or reserved, or
            a synonym is one of no value.
    """
    source = str(path or OURS)
    ours = files("endoxa.sources.stereotales").joinpath(OURS)
    tables = tomllib.loads(ours.read_text("utf-8")) if path is None else read_toml(path)
    expected = (
        "Each attribute needs a list 'values' of two or more texts, and may have 'other = true' and a table of "
        "'synonyms'."
    )
    entries = validated(dict[str, _Entry], tables, source, expected)
    if not entries:
        raise UserError(f"{source} contains no attributes. Expected [NAME] followed by values = [...].")
    return tuple(_attribute(source, name, entry) for name, entry in entries.items())


def _attribute(source: str, name: str, entry: _Entry) -> Attribute:
    """The attribute, if every value and synonym means one thing, whatever case a reader writes it in."""
    unknown = next((value for value in entry.synonyms if value not in entry.values), None)
    if unknown is not None:
        raise UserError(
            f"{source}: the attribute '{name}' has synonyms of '{unknown}', which is not one of its values."
        )
    synonyms = [(synonym, value) for value, several in entry.synonyms.items() for synonym in several]
    seen = {OTHER, UNKNOWN}
    for word, meaning in (*((value, "") for value in entry.values), *synonyms):
        plain = word.strip().casefold()
        if not plain or plain in seen:
            kind = f"synonym '{word}' of '{meaning}'" if meaning else f"value '{word}'"
            raise UserError(
                f"{source}: the attribute '{name}' has the {kind}, which is empty or already used. Values and synonyms "
                f"must differ in more than case; '{OTHER}' and '{UNKNOWN}' are added automatically."
            )
        seen.add(plain)
    return Attribute(name, tuple(entry.values), entry.other, tuple(synonyms))
