"""The table of prompts: every value with every scenario, except for excluded combinations.

`exclusions.yaml` lists values and scenarios that are not combined in any language. Users can add attributes and values
to those of StereoTales.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from hashlib import blake2b
from importlib.resources import files
from itertools import islice, product
from pathlib import Path

import polars as pl
from pydantic import BaseModel, ConfigDict, TypeAdapter

from endoxa.errors import UserError
from endoxa.instruments.stories.options import Selection
from endoxa.instruments.stories.prompts.language import (
    IN_THEME,
    PERSON,
    SCENARIO,
    THEMES,
    Axis,
    Language,
    Person,
    in_form,
)
from endoxa.instruments.stories.prompts.mapping import Cell, carried_by
from endoxa.instruments.stories.prompts.tree import parse_tree
from endoxa.schema.stories import STORY_PROMPT_COLUMNS
from endoxa.sources.stereotales import Attribute, Vocabulary, read_vocabulary
from endoxa.sources.write import replacing

FILE = "exclusions.yaml"


class Exclusion(BaseModel):
    """Combinations that make no sense.

    Attributes:
        attribute: the attribute that a prompt names.
        values: its values.
        scenarios: scenarios that do not go with them ("family 4").
        reason: why.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    attribute: str
    values: tuple[str, ...]
    scenarios: tuple[str, ...]
    reason: str


def read_exclusions() -> tuple[Exclusion, ...]:
    """The list that comes with endoxa."""
    tree = parse_tree(files(__package__).joinpath(FILE).read_text(encoding="utf-8"), FILE)
    return TypeAdapter(tuple[Exclusion, ...]).validate_python(tree.values["exclusions"])


def excluded() -> frozenset[tuple[str, str, str]]:
    """Attribute, value and scenario of everything that is left out."""
    return frozenset(
        (exclusion.attribute, value, scenario)
        for exclusion in read_exclusions()
        for value in exclusion.values
        for scenario in exclusion.scenarios
    )


def vocabulary_of(languages: Iterable[Language]) -> Vocabulary:
    """StereoTales' attributes and values, and after them what the files of the languages add."""
    vocabulary = read_vocabulary()
    for language in languages:
        vocabulary = extended(vocabulary, language.attributes)
    return vocabulary


def extended(vocabulary: Vocabulary, added: Mapping[str, Axis]) -> Vocabulary:
    """A vocabulary with more attributes, or more values of those it has; an added value is no synonym any more."""
    known = {attribute.name: attribute for attribute in vocabulary}
    for name, axis in added.items():
        old = known.get(name, Attribute(name, ()))
        values = dict.fromkeys((*old.values, *axis.values))
        own = {value.casefold() for value in axis.values}
        synonyms = tuple(pair for pair in old.synonyms if pair[0].casefold() not in own)
        known[name] = Attribute(name, tuple(values), old.other or axis.other == "true", synonyms)
    return tuple(known.values())


def write_vocabulary(vocabulary: Vocabulary, path: Path) -> None:
    """Write a vocabulary in the form that `read_vocabulary` reads (TOML; its strings are written as JSON's).

    Raises:
        UserError: the file cannot be written.
    """
    parts = []
    for attribute in vocabulary:
        values = "".join(f"    {_quoted(value)},\n" for value in attribute.values)
        other = "other = true\n" if attribute.other else ""
        parts.append(f"[{_quoted(attribute.name)}]\nvalues = [\n{values}]\n{other}{_synonyms(attribute)}")
    with replacing(path) as draft:
        draft.write_text("\n".join(parts), encoding="utf-8")


def _synonyms(attribute: Attribute) -> str:
    """The table of an attribute's synonyms by the value that they mean; nothing where it has none."""
    by_value: dict[str, list[str]] = {}
    for synonym, value in attribute.synonyms:
        by_value.setdefault(value, []).append(synonym)
    lines = [f"{_quoted(value)} = [{', '.join(map(_quoted, words))}]\n" for value, words in by_value.items()]
    return f"\n[{_quoted(attribute.name)}.synonyms]\n{''.join(lines)}" if lines else ""


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


SCENARIOS = tuple(f"{theme} {number}" for number in range(1, IN_THEME + 1) for theme in THEMES)
"""Names of the 36 scenarios: the first one of every theme, then the second ones."""


def build_prompts(
    languages: Sequence[Language], selection: Selection | None = None, cells: Sequence[Cell] = ()
) -> pl.DataFrame:
    """Prompts of languages: `STORY_PROMPT_COLUMNS`, each value with each scenario that makes sense with it.

    Attribute by attribute, because its values are compared with each other: a beginning of the table can be analyzed.
    Within an attribute scenario by scenario, each theme in turn, over all languages and values, so that it is balanced.

    Args:
        languages: languages of the prompts.
        selection: which prompts.
        cells: associations that stories are to show. Only their attributes are asked about, with all values, since an
            association is a difference from the other values; prompts that name an identity carry its associations.

    Raises:
        UserError: an attribute or scenario that there is not, or no prompt is left.
    """
    asked = selection or Selection()
    if cells and not asked.attributes:
        asked = replace(asked, attributes=tuple(dict.fromkeys(cell.base_attribute for cell in cells)))
    known = {name: None for language in languages for name in language.persons}
    for name in asked.attributes:
        _require(name, tuple(known), "attribute", "--attribute")
    for name in asked.scenarios:
        _require(name, (*THEMES, *SCENARIOS), "scenario", "--scenario")
    rows = list(islice(_within(_rows(languages, asked), asked.per_cell), asked.limit))
    if not rows:
        raise UserError("No prompt left. Select more attributes or scenarios.")
    carried = carried_by(cells)
    for row in rows:
        row["associations"] = carried.get((row["target_attribute"], row["target_attribute_value"]), "")
    return pl.DataFrame(rows, schema=dict.fromkeys(STORY_PROMPT_COLUMNS, pl.String))


def _require(name: str, known: Sequence[str], what: str, option: str) -> None:
    if name not in known:
        near = get_close_matches(name, known, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(known)}."
        raise UserError(f"There is no {what} '{name}' ({option}); {hint}")


def _rows(languages: Sequence[Language], asked: Selection) -> Iterator[dict[str, str]]:
    left_out = excluded()
    order = [attribute.name for attribute in vocabulary_of(languages)]
    attributes = [name for name in order if not asked.attributes or name in asked.attributes]
    scenarios = [
        name
        for name in SCENARIOS
        if not asked.scenarios or name in asked.scenarios or name.split()[0] in asked.scenarios
    ]
    for attribute, scenario, language in product(attributes, scenarios, languages):
        for value, person in language.persons.get(attribute, {}).items():
            if (attribute, value, scenario) not in left_out:
                yield _row(language, attribute, value, person, scenario)


def _row(language: Language, attribute: str, value: str, person: Person, scenario: str) -> dict[str, str]:
    theme, number = scenario.split()
    form = language.form(person)
    told = in_form(language.scenarios[theme][int(number) - 1], form)
    request = in_form(language.request, form)
    return {
        "sample_id": sample_id(language.language, attribute, value, scenario),
        "language": language.language,
        "theme": theme,
        "scenario": scenario,
        "target_attribute": attribute,
        "target_attribute_value": value,
        "prompt": request.replace(PERSON, person.text).replace(SCENARIO, told),
        "associations": "",
    }


def sample_id(language: str, attribute: str, value: str, scenario: str) -> str:
    """Name of a prompt: 32 hexadecimal digits (BLAKE2b) made of its four parts, whatever its wording."""
    parts = "|".join((language, attribute, value, scenario))
    return blake2b(parts.encode(), digest_size=16).hexdigest()


def _within(rows: Iterator[dict[str, str]], per_cell: int | None) -> Iterator[dict[str, str]]:
    """The first so many rows of each value in each language."""
    taken: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        cell = (row["language"], row["target_attribute"], row["target_attribute_value"])
        taken[cell] += 1
        if per_cell is None or taken[cell] <= per_cell:
            yield row
