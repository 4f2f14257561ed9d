"""A user's file of templates: contexts and questions by language, or all texts of a language, also of one we lack."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from string import Formatter
from typing import Any

from endoxa.curate.persons import Kind, Person
from endoxa.errors import UserError
from endoxa.sources.files import require_file
from endoxa.words.countries import in_small

_SLOTS: Mapping[str, set[str]] = {
    "contexts": {"first", "second"},
    "questions": {"attribute"},
    "disambiguated": {"attribute", "right", "wrong"},
    "unknown": set(),
}
"""What each sentence holds, once."""
_REQUIRED = ("contexts", "questions")
KINDS: tuple[Kind, Kind] = ("friend", "noun")
_PATTERNS = ("mention", "option")


def read_user_templates(path: Path, language: str, *, whole: bool) -> Mapping[str, Any]:
    """The table of a language in a user's file, checked.

    Patterns and people come by gender, under '' where they are no tables.

    Args:
        path: the file.
        language: ISO 639 code.
        whole: the file must hold all texts, since we have none in this language.

    Raises:
        UserError: the file cannot be read, or its table is not of the form that the manual shows.
    """
    require_file(path)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise UserError(f"{path} is not valid TOML in UTF-8: {problem}.") from problem
    table = tables.get(language)
    where = f"{path}, [{language}]"
    if not isinstance(table, Mapping):
        raise UserError(f"{where}: expected a table with the lists 'contexts' and 'questions'.")
    fields = (*_SLOTS, "inner_quotes", *KINDS)
    for name in sorted(table.keys() - set(fields)):
        raise UserError(f"{where}: '{name}' is not known. Expected {', '.join(fields)}.")
    if whole and not ("unknown" in table and any(kind in table for kind in KINDS)):
        raise UserError(
            f"{where}: there are no question templates of ours in '{language}', so the file must hold 'unknown' and "
            f"[{language}.friend] or [{language}.noun] as well (see the manual, build qa)."
        )
    for name, slots in _SLOTS.items():
        sentences = [table[name]] if name == "disambiguated" and name in table else table.get(name, [])
        if (name in table or name in _REQUIRED) and (not isinstance(sentences, list) or not sentences):
            raise UserError(f"{where}: expected a list of sentences '{name}'.")
        for sentence in sentences:
            _require_slots(sentence, slots, f"{where}, {name}")
    quotes = table.get("inner_quotes", ["'", "'"])
    if not isinstance(quotes, list) or [type(mark) for mark in quotes] != [str, str]:
        raise UserError(f"{where}, inner_quotes: expected two quotation marks.")
    return {
        **table,
        **{kind: _kind(table[kind], f"{path}, [{language}.{kind}]") for kind in KINDS if kind in table},
    }


def _kind(table: object, where: str) -> Mapping[str, Any]:
    """Patterns and people of one kind, each by gender."""
    if not isinstance(table, Mapping) or set(table) - {"people"} != set(_PATTERNS):
        raise UserError(f"{where}: expected 'mention', 'option' and, if you like, a table 'people'.")
    patterns = {name: _by_gender(table[name], f"{where}, {name}") for name in _PATTERNS}
    genders = set(patterns["mention"])
    for name, forms in patterns.items():
        if set(forms) != genders:
            raise UserError(f"{where}: 'mention' and 'option' must have the same genders.")
        for pattern in forms.values():
            _require_slots(pattern, {"who"}, f"{where}, {name}")
    people = table.get("people", {})
    if not isinstance(people, Mapping):
        raise UserError(f"{where}, people: expected a table of identities with the word for one person.")
    named = {
        identity: _by_gender(forms, f"{where}, people, '{identity}'") for identity, forms in people.items()
    }
    for identity, forms in named.items():
        if not set(forms) <= genders:
            raise UserError(f"{where}, people, '{identity}': expected genders as in 'mention'.")
    return {**patterns, "people": named}


def _by_gender(value: object, where: str) -> dict[str, str]:
    table = value if isinstance(value, Mapping) else {"": value}
    forms = {str(gender): form for gender, form in table.items() if isinstance(form, str) and form}
    if not forms or len(forms) < len(table) or set(forms) - {"m", "f", ""}:
        raise UserError(f'{where}: expected a text, or texts by gender such as {{ m = "...", f = "..." }}.')
    return forms


def persons(table: Mapping[str, Any]) -> Mapping[str, Person]:
    """How one person of each identity in a checked table is called, by the identity in small letters."""
    return {
        in_small(identity): Person(kind, forms, *_says(forms, table[kind]["mention"]))
        for kind in KINDS
        for identity, forms in table.get(kind, {}).get("people", {}).items()
    }


def _says(forms: Mapping[str, str], patterns: Mapping[str, str]) -> tuple[Any, ...]:
    """The gender of everybody in a group that has one form of two, and that nothing but it tells them apart."""
    return (next(iter(forms)), True) if len(forms) < len(patterns) else ()


def _require_slots(sentence: object, slots: set[str], where: str) -> None:
    try:
        held = sorted(name for _, name, _, _ in Formatter().parse(str(sentence)) if name is not None)
    except ValueError:  # braces that do not match
        held = ["?"]
    if not isinstance(sentence, str) or held != sorted(slots):
        expected = (
            f"hold {', '.join(f'{{{slot}}}' for slot in sorted(slots))}, each once" if slots else "be a text"
        )
        raise UserError(f"{where}: {sentence!r} must {expected}, and no other braces.")
