"""The table of prompts: every value with every scenario, except for excluded combinations.

`exclusions.yaml` lists values and scenarios that are not combined in any language. Users can add attributes and values
to those of StereoTales. Seeds of StereoTales, as its pipeline publishes them, are read from a folder with
`attributes/attributes.CODE.yaml`, `scenarios/scenario.CODE.yaml` and `prompts_template/prompts.CODE.yaml`; name, script
and direction of a language are those of endoxa's own file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import BaseModel

from endoxa.errors import UserError
from endoxa.instruments.stories.options import Selection
from endoxa.instruments.stories.prompt_language import (
    ANY,
    IN_THEME,
    PERSON,
    SCENARIO,
    THEMES,
    Axis,
    Language,
    Person,
    Tree,
    bundled_languages,
    bundled_tree,
    check_language,
    in_form,
    parse_language,
    parse_tree,
    read_tree,
    read_trees,
    require_known,
    texts,
)
from endoxa.schema.provenance import BUILT_BY, WORDS, words_cell
from endoxa.schema.stories import STORY_MAP_COLUMNS, STORY_PROMPT_COLUMNS
from endoxa.sources.files import replacing
from endoxa.sources.frames import read_table
from endoxa.sources.stereotales.vocabulary import Attribute, Vocabulary, read_vocabulary
from endoxa.sources.toml import validated


@dataclass(frozen=True, slots=True)
class Cell:
    """One association as stories show it; the fields are those of `STORY_MAP_COLUMNS`."""

    association_id: str
    base_attribute: str
    base_value: str
    compared_attribute: str
    compared_value: str


def read_map(path: Path, vocabulary: Vocabulary) -> tuple[Cell, ...]:
    """The associations of a table that have values; rows without any are left out.

    Raises:
        UserError: a column is missing, a row has only some of its values, a value is not in the vocabulary, an
            association stands there twice, or no row has values.
    """
    table = read_table(path, tuple(STORY_MAP_COLUMNS))
    values_of = {listed.name: listed.values for listed in vocabulary}
    cells: dict[str, Cell] = {}
    for number, row in enumerate(table.select(list(STORY_MAP_COLUMNS)).iter_rows(), start=1):
        name, *parts = (str(cell if cell is not None else "").strip() for cell in row)
        where = f"{path}, row {number}"
        if not any(parts):
            continue
        if not name or not all(parts):
            raise UserError(f"{where}: fill in all of {', '.join(STORY_MAP_COLUMNS)}, or only the id.")
        if name in cells:
            raise UserError(f"{where}: the association '{name}' appears twice. Keep one row.")
        for attribute, value in (parts[:2], parts[2:]):
            require_known(attribute, values_of, "attribute", where)
            require_known(value, values_of[attribute], "value", where)
        if parts[0] == parts[2]:
            raise UserError(
                f"{where}: both attributes are '{parts[0]}'. Compare it with another attribute of the main character."
            )
        cells[name] = Cell(name, *parts)
    if not cells:
        raise UserError(f"{path} gives no association its values. Fill in at least one row.")
    return tuple(cells.values())


FILE = "exclusions.yaml"


@cache
def excluded() -> frozenset[tuple[str, str, str]]:
    """Attribute, value and scenario of everything that makes no sense and is left out, from the list of ours."""
    tree = parse_tree(files(__package__).joinpath(FILE).read_text(encoding="utf-8"), FILE)
    return frozenset(
        (entry["attribute"], value, scenario)
        for entry in tree.values["exclusions"]
        for value in entry["values"]
        for scenario in entry["scenarios"]
    )


def vocabulary_of(languages: Iterable[Language]) -> Vocabulary:
    """StereoTales' attributes and values, and after them what the files of the languages add."""
    vocabulary = read_vocabulary()
    for language in languages:
        vocabulary = extended(vocabulary, language.attributes)
    return vocabulary


def extended(vocabulary: Vocabulary, added: Mapping[str, Axis]) -> Vocabulary:
    """A vocabulary with more attributes, or more values of those it has; an added value is no synonym any more."""
    attributes = {attribute.name: attribute for attribute in vocabulary}
    for name, axis in added.items():
        old = attributes.get(name, Attribute(name, ()))
        values = dict.fromkeys((*old.values, *axis.values))
        added_values = {value.casefold() for value in axis.values}
        synonyms = tuple(pair for pair in old.synonyms if pair[0].casefold() not in added_values)
        attributes[name] = Attribute(name, tuple(values), old.other or axis.other == "true", synonyms)
    return tuple(attributes.values())


def write_vocabulary(vocabulary: Vocabulary, path: Path) -> None:
    """Write a vocabulary in the form that `read_vocabulary` reads (TOML; its strings are written as JSON's).

    Raises:
        UserError: the file cannot be written.
    """
    parts = []
    for attribute in vocabulary:
        lines = [f"[{_written(attribute.name)}]", f"values = {_written(attribute.values)}"]
        lines += ["other = true"] * attribute.other
        by_value: dict[str, list[str]] = {}
        for synonym, value in attribute.synonyms:
            by_value.setdefault(value, []).append(synonym)
        lines += [f"[{_written(attribute.name)}.synonyms]"] * bool(by_value)
        lines += [f"{_written(value)} = {_written(words)}" for value, words in by_value.items()]
        parts.append("\n".join(lines) + "\n")
    with replacing(path) as draft:
        draft.write_text("\n".join(parts), encoding="utf-8")


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


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
    chosen = selection or Selection()
    if cells and not chosen.attributes:
        chosen = replace(chosen, attributes=tuple(dict.fromkeys(cell.base_attribute for cell in cells)))
    available = {name: None for language in languages for name in language.persons}
    for name in chosen.attributes:
        require_known(name, available, "attribute", "--attribute")
    for name in chosen.scenarios:
        require_known(name, (*THEMES, *SCENARIOS), "scenario", "--scenario")
    rows = pl.DataFrame(
        list(_rows(languages, chosen, cells)), schema=dict.fromkeys(STORY_PROMPT_COLUMNS, pl.String)
    )
    if chosen.per_cell is not None:
        place = pl.int_range(pl.len()).over("language", "target_attribute", "target_attribute_value")
        rows = rows.filter(place < chosen.per_cell)
    rows = rows if chosen.limit is None else rows.head(chosen.limit)
    if rows.is_empty():
        raise UserError("No prompt left. Select more attributes or scenarios.")
    return rows


def _rows(
    languages: Sequence[Language], chosen: Selection, cells: Iterable[Cell]
) -> Iterator[dict[str, str]]:
    carried: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for cell in cells:
        of_base = carried.setdefault((cell.base_attribute, cell.base_value), [])
        of_base.append((cell.association_id, cell.compared_attribute, cell.compared_value))
    order = [attribute.name for attribute in vocabulary_of(languages)]
    attributes = [name for name in order if not chosen.attributes or name in chosen.attributes]
    scenarios = [
        name
        for name in SCENARIOS
        if not chosen.scenarios or not {name, name.split()[0]}.isdisjoint(chosen.scenarios)
    ]
    words = {
        language.language: words_cell([("story prompts", language.language)] if _has_ours(language) else [])
        for language in languages
    }
    for attribute, scenario, language in product(attributes, scenarios, languages):
        theme, number = scenario.split()
        # Of seeds a theme may have fewer.
        wordings = language.scenarios.get(theme, ())[int(number) - 1 : int(number)]
        for wording, (value, person) in product(wordings, language.persons.get(attribute, {}).items()):
            if (attribute, value, scenario) in excluded():
                continue
            form = language.form(person)
            request = in_form(language.request, form).replace(PERSON, person.text)
            yield {
                "sample_id": sample_id(language.language, attribute, value, scenario),
                "language": language.language,
                "theme": theme,
                "scenario": scenario,
                "target_attribute": attribute,
                "target_attribute_value": value,
                "prompt": request.replace(SCENARIO, in_form(wording, form)),
                "associations": _written(carried[attribute, value]) if (attribute, value) in carried else "",
                BUILT_BY: "endoxa build stories",
                WORDS: words[language.language],
            }


def _has_ours(language: Language) -> bool:
    """Whether any text of a language is one of endoxa's own."""
    tree = bundled_tree(language.language)
    ours = {text.text for text in texts(parse_language(tree))} if tree else set[str]()
    return any(text.text in ours for text in texts(language))


def sample_id(language: str, attribute: str, value: str, scenario: str) -> str:
    """Name of a prompt: 32 hexadecimal digits (BLAKE2b) made of its four parts, whatever its wording."""
    parts = "|".join((language, attribute, value, scenario))
    return blake2b(parts.encode(), digest_size=16).hexdigest()


DEFAULT = "en"


@dataclass(frozen=True, slots=True)
class Checked:
    """A language and what is wrong with it.

    Attributes:
        language: its parts.
        faults: one sentence for each fault, with file, line and key.
    """

    language: Language
    faults: tuple[str, ...]


def load_languages(codes: Sequence[str], paths: Sequence[Path]) -> list[Language]:
    """Languages by code, those of the user's files where no code is given.

    Raises:
        UserError: there is no such language, a file cannot be read, or a language has a fault.
    """
    trees = read_trees(paths)
    wanted = tuple(dict.fromkeys(codes)) or tuple(trees) or (DEFAULT,)
    unused = trees.keys() - set(wanted)
    if unused:
        code = min(unused)
        raise UserError(
            f"A file is for the language '{code}', which was not requested. Add --language {code}."
        )
    checked = []
    for code in wanted:
        tree = trees.get(code) or bundled_tree(code)
        if tree is None:
            raise UserError(
                f"--language: no story prompts in '{code}'. Available: {', '.join(bundled_languages())}. Give your own "
                "with --file FILE."
            )
        checked.append(_checked(tree))
    faults = [fault for language in checked for fault in language.faults]
    if faults:
        more = f" {len(faults) - 1} more: --check FILE lists them all." if len(faults) > 1 else ""
        raise UserError(f"{faults[0]}{more}")
    return [language.language for language in checked]


def check_files(paths: Sequence[Path]) -> list[Checked]:
    """The languages of files, each laid over the bundled one where there is one.

    Raises:
        UserError: a file cannot be read, or a part of it is missing, unknown, or not of the right kind.
    """
    return [_checked(tree) for tree in read_trees(paths).values()]


def _checked(tree: Tree) -> Checked:
    language = parse_language(tree)
    faults = check_language(language, vocabulary_of([language]))
    return Checked(
        language,
        tuple(f"{tree.place(fault.key)}, {' / '.join(fault.key)}: {fault.message}." for fault in faults),
    )


_CODES = {"du": "nl"}
"""ISO 639 code by the pipeline's."""
_THEMES = {
    "hobbies": "hobby",
    "social_and_family": "family",
    "financial": "money",
    "technology_and_maintenance": "technology",
    "conflict_and_crisis": "conflict",
}
"""Our word for a theme by the pipeline's."""
TEMPLATE = "scenario_based"


def seed_languages(folder: Path, codes: Sequence[str], *, aspects: bool) -> list[Language]:
    """The languages of a folder of seeds.

    Args:
        folder: of the seeds.
        codes: languages wanted (ISO 639); English where there are none.
        aspects: ask with the pipeline's template, which names 13 aspects of the main character to reveal; else with
            endoxa's request, which names none.

    Raises:
        UserError: a file is missing, or a part of it is not what is expected.
    """
    there = {
        _CODES.get(path.suffixes[0][1:], path.suffixes[0][1:]): path.suffixes[0][1:]
        for path in sorted((folder / "attributes").glob("attributes.*.yaml"))
    }
    if not there:
        raise UserError(
            f"{folder} holds no seeds of StereoTales. Expected files such as attributes/attributes.en.yaml."
        )
    languages = []
    for code in dict.fromkeys(codes or ("en",)):
        if code not in there:
            raise UserError(f"{folder} has no seeds in '{code}'. Available: {', '.join(sorted(there))}.")
        languages.append(_language(folder, code, there[code], aspects=aspects))
    return languages


def _language(folder: Path, code: str, written: str, *, aspects: bool) -> Language:
    tree = bundled_tree(code)
    if tree is None:
        raise UserError(f"There are no story prompts in '{code}' to lay the seeds of {folder} over.")
    ours = parse_language(tree)
    changed: dict[str, Any] = {
        "persons": _persons(folder / "attributes" / f"attributes.{written}.yaml", ours),
        "scenarios": _scenarios(folder / "scenarios" / f"scenario.{written}.yaml"),
        "attributes": {},
    }
    if aspects:
        changed["request"] = {ANY: _template(folder / "prompts_template" / f"prompts.{written}.yaml")}
    return ours.model_copy(update=changed)


class _Seed(BaseModel):
    """Values of an attribute in the words of their language, and how each is said of a main character."""

    values: list[str]
    template_choices: list[str]


def _persons(path: Path, ours: Language) -> dict[str, dict[str, Person]]:
    """Main characters by attribute and value.

    Values are translated in the files of other languages: their places in the English file say which they are.
    """
    english = path.with_name("attributes.en.yaml")
    of_english, seeds = (
        validated(dict[str, _Seed], read_tree(file).values, str(file), "Expected the seeds of StereoTales.")
        for file in (english if english.is_file() else path, path)
    )
    persons: dict[str, dict[str, Person]] = {}
    for attribute, seed in seeds.items():
        require_known(attribute, ours.persons, "attribute", str(path))
        by_start = {value.partition(" (")[0].casefold(): value for value in ours.persons[attribute]}
        names, choices = of_english.get(attribute, seed).values, seed.template_choices
        if not len(names) == len(seed.values) == len(choices):
            raise UserError(
                f"{path}: '{attribute}' needs the lists values and template_choices, equally long, and as long as in "
                f"{english.name}."
            )
        persons[attribute] = {}
        for name, choice in zip(names, choices, strict=True):
            if choice in ("null", "~", ""):
                continue
            start = name.partition(" (")[0].casefold()
            require_known(start, by_start, f"value of {attribute}", str(path))
            persons[attribute][by_start[start]] = Person(text=" ".join(choice.split()))
    return persons


def _scenarios(path: Path) -> dict[str, tuple[dict[str, str], ...]]:
    seeds = validated(dict[str, list[str]], read_tree(path).values, str(path), "Expected lists of scenarios.")
    scenarios = {}
    for name, texts_of_theme in seeds.items():
        theme = _THEMES.get(name, name)
        require_known(theme, THEMES, "theme", str(path))
        if len(texts_of_theme) > IN_THEME:
            raise UserError(
                f"{path}: '{name}' has {len(texts_of_theme)} scenarios. Expected up to {IN_THEME}."
            )
        scenarios[theme] = tuple({ANY: " ".join(text.split())} for text in texts_of_theme)
    return scenarios


def _template(path: Path) -> str:
    text = str(read_tree(path).values.get(TEMPLATE))
    if "{context}" not in text or "{character}" not in text:
        raise UserError(f"{path}: expected a text '{TEMPLATE}' with {{context}} and {{character}}.")
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?=\S)", text.strip()))
    request = "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
    return request.replace("{context}", SCENARIO).replace("{character}", PERSON)
