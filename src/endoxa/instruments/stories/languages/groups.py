"""Marked and unmarked groups of each language, from a YAML file that anybody may edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.prompts.tree import Tree, parse_tree, read_tree
from endoxa.sources.stereotales import read_vocabulary

Value = tuple[str, str]
"""An attribute and one of its values."""
OURS = "groups.yaml"
UNMARKED, MARKED = "unmarked", "marked"
KINDS = (UNMARKED, MARKED)


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of one language.

    Attributes:
        unmarked: who is taken for the usual case.
        marked: who is set apart.
    """

    unmarked: tuple[Value, ...]
    marked: tuple[Value, ...]

    def of(self, kind: str) -> tuple[Value, ...]:
        """The groups of a kind of `KINDS`."""
        return self.unmarked if kind == UNMARKED else self.marked


def read_groups(path: Path | None = None, found: pl.DataFrame | None = None) -> dict[str, Groups]:
    """The groups of a file, or those of the package; by language.

    Args:
        path: language, then `unmarked` and `marked`, then attributes with lists of values, each in full or without
            what stands in brackets.
        found: associations with attributes or values of one's own, which the file may name beside StereoTales'.

    Raises:
        UserError: the file is no such YAML, an attribute or value is unknown, or a value is both marked and unmarked.
    """
    if path is None:
        tree = parse_tree(
            files("endoxa.instruments.stories.languages").joinpath(OURS).read_text("utf-8"), OURS
        )
    else:
        tree = read_tree(path)
    known = _known(found)
    return {language: _groups(tree, language, known) for language in tree.values}


def _groups(tree: Tree, language: str, known: Mapping[str, Mapping[str, str]]) -> Groups:
    kinds = tree.values[language]
    if not isinstance(kinds, Mapping) or set(kinds) != set(KINDS):
        raise UserError(
            f"{tree.place((language,))}: '{language}' needs '{UNMARKED}' and '{MARKED}', only these."
        )
    unmarked, marked = (tuple(_values(tree, (language, kind), kinds[kind], known)) for kind in KINDS)
    both = sorted(set(unmarked) & set(marked))
    if both:
        attribute, value = both[0]
        raise UserError(
            f"{tree.place((language, MARKED, attribute))}: '{value}' is both marked and unmarked: remove one."
        )
    return Groups(unmarked, marked)


def _values(
    tree: Tree, key: tuple[str, ...], attributes: Any, known: Mapping[str, Mapping[str, str]]
) -> Iterator[Value]:
    if not isinstance(attributes, Mapping):
        raise UserError(f"{tree.place(key)}: '{key[-1]}' needs attributes, each with a list of values.")
    for attribute, values in attributes.items():
        here = tree.place((*key, attribute))
        if attribute not in known:
            raise UserError(f"{here}: there is no attribute '{attribute}'.{_hint(attribute, known)}")
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise UserError(
                f"{here}: '{attribute}' needs a list of values, as in [{next(iter(known[attribute]))}]."
            )
        for number, value in enumerate(values, start=1):
            if value not in known[attribute]:
                place = tree.place((*key, attribute, str(number)))
                raise UserError(
                    f"{place}: '{attribute}' has no value '{value}'.{_hint(value, known[attribute])}"
                )
            yield attribute, known[attribute][value]


def _known(found: pl.DataFrame | None) -> dict[str, dict[str, str]]:
    """For every attribute its values, by full name and by the name without brackets."""
    known = {one.name: _by_name(one.values) for one in read_vocabulary()}
    if found is None:
        return known
    for side in ("base", "compared"):
        for attribute, value in found.select(f"{side}_attribute", f"{side}_value").unique().iter_rows():
            known.setdefault(attribute, {}).setdefault(value, value)
    return known


def _by_name(values: tuple[str, ...]) -> dict[str, str]:
    return {value.partition(" (")[0]: value for value in values} | {value: value for value in values}


def _hint(word: str, known: Mapping[str, object]) -> str:
    near = get_close_matches(word, known, n=3) or list(known)
    return f" Did you mean: {', '.join(near)}?"
