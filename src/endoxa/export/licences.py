"""Licences by their SPDX id. A licence is stated by the owner of the data, never guessed."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from endoxa.errors import UserError


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
    known = {one.casefold(): one for one in licences()}
    wanted = spdx.strip().casefold()
    if wanted not in known:
        near = [known[one] for one in get_close_matches(wanted, known, n=3)] or list(licences())
        raise UserError(
            f"No licence is known by the id '{spdx}'. Did you mean: {', '.join(near)}? For another one, give its "
            "text with --license-file and leave --license out."
        )
    return licences()[known[wanted]]
