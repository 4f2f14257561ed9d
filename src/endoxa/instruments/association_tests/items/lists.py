"""The bundled word lists and those of a user: tables that can be edited.

A file has a `source` and sets; a set has `list`, `language`, `kind`, `terms`, and either `group` (values by axis) or
`attribute`, `side` and `name`. The bundled files under `lists/`, and `lists.toml` of each language in
`endoxa/words`, are the examples.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items.terms import WordSet, parse_term
from endoxa.sources.files import require_file
from endoxa.words.packs import languages_with, words_of

PUBLISHED = ("weat", "indibias")
_KEYS = frozenset(
    [
        "list",
        "language",
        "group",
        "attribute",
        "side",
        "name",
        "kind",
        "forms",
        "head",
        "place",
        "source",
        "terms",
    ]
)


@dataclass(frozen=True, slots=True)
class AttributePair:
    """Two attribute sets that are held against each other.

    Attributes:
        name: word used on the command line.
        direction: what a positive effect means for groups that differ on an axis, with its source, by axis.
        lead: axes that decide first which of two groups is X.
    """

    name: str
    direction: Mapping[str, str] = field(default_factory=dict)
    lead: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WordLists:
    """Everything that tests are made from.

    Attributes:
        axes: values by axis, in the order that makes X and Y.
        labels: how a value is called in names of sets, by (axis, value).
        pairs: attribute pairs by name.
        sets: in the order of the files.
    """

    axes: Mapping[str, tuple[str, ...]]
    labels: Mapping[tuple[str, str], str]
    pairs: Mapping[str, AttributePair]
    sets: tuple[WordSet, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages of the sets, in order."""
        return tuple(dict.fromkeys(entry.language for entry in self.sets))

    def label(self, axis: str, value: str) -> str:
        """What a value is called."""
        return self.labels.get((axis, value), value)


def load_lists(user_files: Sequence[Path] = ()) -> WordLists:
    """The bundled lists, after those of the user: theirs are looked at first.

    Raises:
        UserError: a file of the user cannot be read, or is not as described above.
    """
    folder = files(__package__).joinpath("lists")
    tables: list[tuple[str, Mapping[str, Any]]] = [(str(path), _user_table(path)) for path in user_files]
    tables += [
        (name, tomllib.loads(folder.joinpath(f"{name}.toml").read_text(encoding="utf-8")))
        for name in ("axes", *PUBLISHED)
    ]
    # English and Hindi, the languages of the published lists, come first.
    languages = dict.fromkeys(("en", "hi", *languages_with("lists.toml")))
    tables += [(f"endoxa-{code}", words_of(code, "lists.toml")) for code in languages]
    axes: dict[str, tuple[str, ...]] = {}
    labels: dict[tuple[str, str], str] = {}
    pairs: dict[str, AttributePair] = {}
    sets: list[WordSet] = []
    for name, table in reversed(tables):
        for axis, values in _table(table, "axes", name).items():
            axes[axis] = tuple(map(str, values))
        for axis, words in _table(table, "labels", name).items():
            labels |= {(axis, value): str(label) for value, label in words.items()}
        for pair, facts in _table(table, "attributes", name).items():
            lead, direction = facts.get("lead", []), facts.get("direction", {})
            if not isinstance(lead, list) or not isinstance(direction, dict):
                raise UserError(
                    f"{name}, [attributes.{pair}]: 'lead' is a list of axes, 'direction' a table by axis."
                )
            named = {str(axis): str(meaning) for axis, meaning in direction.items()}
            pairs[pair] = AttributePair(pair, named, tuple(map(str, lead)))
    for name, table in tables:
        bundled = name in {f"endoxa-{code}" for code in languages}
        sets += (replace(entry, bundled=bundled) for entry in _sets(table, name))
    for entry in sets:
        for axis, value in entry.group.items():
            axes[axis] = tuple(dict.fromkeys((*axes.get(axis, ()), value)))
        if entry.attribute:
            pairs.setdefault(entry.attribute, AttributePair(entry.attribute))
    return WordLists(axes, labels, pairs, tuple(sets))


def _user_table(path: Path) -> dict[str, Any]:
    require_file(path)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path} is not TOML ({error}): docs/build/tests.md shows a list.") from error
    unknown = [key for key in table if key not in ("source", "axes", "labels", "attributes", "set")]
    if unknown or not isinstance(table.get("set"), list):
        fault = f"'{unknown[0]}' is not known" if unknown else "it has no [[set]]"
        raise UserError(
            f"{path}: {fault}; a file of lists has source, [[set]] and, where needed, [axes], [attributes]."
        )
    return table


def _table(content: Mapping[str, Any], key: str, name: str) -> Mapping[str, Any]:
    table = content.get(key, {})
    kind: type = list if key == "axes" else dict
    if not isinstance(table, dict) or not all(isinstance(inner, kind) for inner in table.values()):
        raise UserError(
            f"{name}, [{key}]: expected one {'list of values' if kind is list else 'table'} for each name."
        )
    return table


def _sets(table: Mapping[str, Any], name: str) -> Iterator[WordSet]:
    source = str(table.get("source", Path(name).name))
    for number, entry in enumerate(table.get("set", ()), 1):
        yield _word_set(entry, f"{name}, set {number}", source)


def _word_set(entry: Any, where: str, source: str) -> WordSet:
    if not isinstance(entry, dict):
        raise UserError(f"{where}: expected a table with list, language, kind and terms.")
    unknown = sorted(entry.keys() - _KEYS)
    missing = [key for key in ("list", "language", "kind", "terms") if key not in entry]
    if unknown or missing:
        fault = f"'{unknown[0]}' is not known" if unknown else f"'{missing[0]}' is missing"
        raise UserError(f"{where}: {fault}; a set can have {', '.join(sorted(_KEYS))}.")
    side = str(entry.get("side", ""))
    if ("group" in entry) == ("attribute" in entry) or ("attribute" in entry and side not in ("a", "b")):
        raise UserError(
            f"{where}: give either 'group' (values by axis), or 'attribute' with 'side' ('a' or 'b')."
        )
    group, terms, codes = entry.get("group", {}), entry["terms"], entry.get("forms", [])
    if not isinstance(group, dict) or not isinstance(terms, list) or not terms or not isinstance(codes, list):
        raise UserError(
            f"{where}: 'group' is a table, 'forms' a list, and 'terms' a list with at least one term."
        )
    parsed = tuple(parse_term(term, entry["kind"], codes, where) for term in terms)
    if len({term.kind == "modifier" for term in parsed}) > 1:
        raise UserError(f"{where}: modifiers and other terms stand in one set; make two sets.")
    return WordSet(
        list=str(entry["list"]),
        language=str(entry["language"]),
        terms=parsed,
        group={str(axis): str(value) for axis, value in group.items()},
        attribute=str(entry.get("attribute", "")),
        side=side,
        name=str(entry.get("name", entry.get("attribute", ""))),
        head=bool(entry.get("head", False)),
        place=_place(entry.get("place", "before"), where),
        source=str(entry.get("source", source)),
    )


def _place(value: object, where: str) -> str:
    if value not in ("before", "after"):
        raise UserError(f"{where}: 'place' is {value!r}; a modifier stands 'before' or 'after' its head.")
    return str(value)
