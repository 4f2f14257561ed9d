"""Licences by their SPDX id, and the terms of a data set. Its owner states them; they are never guessed."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path

from endoxa.errors import UserError
from endoxa.sources.files import require_file


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence.

    Attributes:
        spdx: its SPDX id.
        hub: the Hugging Face hub's word for it.
        name: its full name.
        url: where its legal text is.
        terms: what it asks, in one sentence of ours.
    """

    spdx: str
    hub: str
    name: str
    url: str
    terms: str


@cache
def licences() -> dict[str, Licence]:
    """The licences we know, by SPDX id."""
    table = tomllib.loads(files("endoxa.export").joinpath("licences.toml").read_text(encoding="utf-8"))
    return {spdx: Licence(spdx, **fields) for spdx, fields in table.items()}


def licence(spdx: str) -> Licence:
    """The licence with this id, in whatever case it is written.

    Raises:
        UserError: none is known by it; the nearest ids are suggested.
    """
    by_name = {licence.casefold(): licence for licence in licences()}
    wanted = spdx.strip().casefold()
    if wanted not in by_name:
        near = [by_name[name] for name in get_close_matches(wanted, by_name, n=3)] or list(licences())
        raise UserError(
            f"--license: '{spdx}' is unknown. Did you mean: {', '.join(near)}? For another licence, give its text with "
            "--license-file and leave --license out."
        )
    return licences()[by_name[wanted]]


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which terms the data are passed on.

    Attributes:
        licence: the licence, where its id was given.
        text: a file with the licence's text, or None.
        citation: a CITATION.cff, or None to make one from the facts.
    """

    licence: Licence | None = None
    text: Path | None = None
    citation: Path | None = None

    @classmethod
    def of(cls, spdx: str | None, text: Path | None, citation: Path | None) -> Terms:
        """Terms as the command line gives them.

        Raises:
            UserError: an unknown licence, a file that cannot be read, or a citation that is no CFF.
        """
        for path in (text, citation):
            if path is not None:
                require_file(path)
        if citation is not None and b"cff-version:" not in citation.read_bytes():
            raise UserError(
                f"{citation} is not a citation file. Expected the Citation File Format, with a cff-version."
            )
        return cls(None if spdx is None else licence(spdx), text, citation)
