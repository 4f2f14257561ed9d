"""A term with what a sentence needs to know of it, and the sets that terms stand in."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from endoxa.errors import UserError
from endoxa.sources.dialects import undecodable

KINDS = ("name", "noun", "mass", "adjective", "verb", "pronoun", "modifier")
ANY = "*"
"""Agreement of a form that never changes, and of sentences that take any form."""
_FLAGS = ("kind", "without", "vowel")


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase.

    Attributes:
        kind: one of `KINDS`; decides which sentences it stands in.
        forms: its forms by agreement code, as the language's templates name them ("ms": masculine singular), the
            published form first; `ANY` where it never changes.
        without: axes whose modifiers it does not take ("boy" is not crossed with ages).
        vowel: whether it begins with a vowel sound, where the language's rule is wrong.
    """

    kind: str
    forms: Mapping[str, str]
    without: tuple[str, ...] = ()
    vowel: bool | None = None

    @property
    def text(self) -> str:
        """The published form."""
        return next(iter(self.forms.values()))

    def form(self, code: str) -> str | None:
        """The form of that agreement, or None where there is none."""
        return self.forms.get(code, self.forms.get(ANY))


@dataclass(frozen=True, slots=True)
class WordSet:
    """Terms that stand for a group, or for one side of a pair of attributes.

    Attributes:
        list: name of the list it is part of ("indibias-names").
        language: ISO 639 code.
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

    list: str
    language: str
    terms: tuple[Term, ...]
    group: Mapping[str, str]
    attribute: str
    side: str
    name: str
    head: bool
    place: str
    source: str
    bundled: bool = False

    @property
    def modifies(self) -> bool:
        """Whether its terms are modifiers of heads."""
        return self.terms[0].kind == "modifier"


def parse_term(entry: object, kind: str, codes: Sequence[str], where: str) -> Term:
    """A term as a list holds it: a text, an array in the order of `codes`, or a table of forms.

    Raises:
        UserError: an unknown kind, no form, or a form that is no text.
    """
    table: dict[str, Any] = {}
    if isinstance(entry, str):
        table = {ANY: entry}
    elif isinstance(entry, list) and len(entry) == len(codes):
        table = dict(zip(codes, entry, strict=True))
    elif isinstance(entry, dict):
        table = entry
    else:
        raise UserError(
            f"{where}: found {entry!r}, expected a text, a table, or {len(codes)} forms (see 'forms')."
        )
    kind = table.get("kind", kind)
    if kind not in KINDS:
        raise UserError(f"{where}: the kind of a term is {kind!r}; it can be {', '.join(KINDS)}.")
    without, vowel = table.get("without", []), table.get("vowel")
    if not isinstance(without, list) or not isinstance(vowel, bool | None):
        raise UserError(f"{where}: in {entry!r}, 'without' is a list of axes and 'vowel' is true or false.")
    forms = {code: _text(form, where) for code, form in table.items() if code not in _FLAGS}
    if not forms:
        raise UserError(f"{where}: the term {entry!r} has no form; write it as text, or by agreement.")
    if kind == "noun" and ANY in forms:
        raise UserError(
            f"{where}: the noun '{forms[ANY]}' needs its number and gender, for example {{ s = \"{forms[ANY]}\" }}."
        )
    return Term(kind, forms, tuple(map(str, without)), vowel)


def _text(form: object, where: str) -> str:
    if not isinstance(form, str) or not form.strip() or undecodable(form):
        raise UserError(f"{where}: the form {form!r} of a term is not text.")
    return unicodedata.normalize("NFC", " ".join(form.split()))
