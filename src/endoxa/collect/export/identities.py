"""The people of a country as a subject: "people from Chile", "les gens du Chili". No demonyms: nobody is a kind of."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from endoxa.collect import geography


@dataclass(frozen=True)
class _Form:
    pattern: str
    countries: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    def fits(self, code: str, name: str) -> bool:
        by_name = name.startswith(self.starts) or name.endswith(self.ends)
        return code in self.countries or by_name


@cache
def identity_of(country: str, language: str) -> str:
    """The people of a country (ISO 3166) in a language (ISO 639); in English where the language is not known here."""
    known = _forms()
    spoken = language if language in known else "en"
    name = geography.name(country, spoken)
    forms, usual = known[spoken]
    return next((form.pattern for form in forms if form.fits(country, name)), usual).format(country=name)


@cache
def _forms() -> dict[str, tuple[tuple[_Form, ...], str]]:
    text = (files("endoxa.collect.export") / "identities.toml").read_text(encoding="utf-8")
    return {
        language: (tuple(map(_form, table.get("form", ()))), table["usual"])
        for language, table in tomllib.loads(text).items()
    }


def _form(table: Mapping[str, Any]) -> _Form:
    return _Form(table["pattern"], *(tuple(table.get(key, ())) for key in ("countries", "starts", "ends")))
