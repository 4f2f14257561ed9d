"""The editable tables behind normalisation, and a survey's own additions to them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.sources.files import require_file


@dataclass(frozen=True)
class Tables:
    """What is known about names of groups.

    Attributes:
        synonyms: name as people write it -> canonical plural.
        terms: name in another language -> English term.
        peoples: names of peoples, without "people".
        spellings: other spellings of a people's name -> the one in `peoples`.
        collective: adjectives that name a people when they stand alone.
        directions: "north" -> "northern".
        demonyms: "nigeria" -> "nigerians".
    """

    synonyms: Mapping[str, str]
    terms: Mapping[str, str]
    peoples: frozenset[str]
    spellings: Mapping[str, str]
    collective: frozenset[str]
    directions: Mapping[str, str]
    demonyms: Mapping[str, str]

    @cached_property
    def inhabitants(self) -> frozenset[str]:
        """Who lives in the places of `demonyms` ("nigerians")."""
        return frozenset(self.demonyms.values())


def _bundled(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


@cache
def tables() -> Tables:
    """The tables that come with the package."""
    groups = _bundled("groups.toml")
    peoples = frozenset(name for names in groups["peoples"].values() for name in names)
    spellings = {other: name for name, others in groups["spellings"].items() for other in others}
    return Tables(
        synonyms=_inverted(_bundled("identities.toml")),
        terms={word: term for terms in _bundled("terms.toml").values() for word, term in terms.items()},
        peoples=peoples | spellings.keys(),
        spellings=spellings,
        collective=frozenset(groups["collective"]["adjectives"]),
        directions=groups["directions"],
        demonyms={place: who for part in _bundled("demonyms.toml").values() for place, who in part.items()},
    )


def _inverted(sections: Mapping[str, Mapping[str, list[str]]]) -> dict[str, str]:
    return {
        other: canonical
        for section in sections.values()
        for canonical, others in section.items()
        for other in (canonical, *others)
    }


def with_identities(path: Path) -> Tables:
    """The tables with a survey's own synonyms on top (a TOML file in the form of `identities.toml`).

    Raises:
        UserError: the file cannot be read, or is not of that form.
    """
    require_file(path)
    try:
        listed = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not valid TOML in UTF-8: {error}.") from error
    for name, section in listed.items():
        lists = section.values() if isinstance(section, dict) else ()
        if not isinstance(section, dict) or not all(
            isinstance(others, list) and all(isinstance(other, str) for other in others) for others in lists
        ):
            raise UserError(
                f'{path}, [{name}]: expected lines such as "old people" = ["elders", "the aged"].'
            )
    base = tables()
    added = {other.lower(): canonical.lower() for other, canonical in _inverted(listed).items()}
    return replace(
        base,
        synonyms={**base.synonyms, **added},
        peoples=base.peoples | frozenset(added) | frozenset(added.values()),
    )
