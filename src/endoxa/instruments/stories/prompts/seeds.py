"""Seeds of StereoTales as its pipeline publishes them: attributes, scenarios and templates, a file per language.

A folder has `attributes/attributes.CODE.yaml`, `scenarios/scenario.CODE.yaml` and
`prompts_template/prompts.CODE.yaml`. Name, script and direction of a language are those of endoxa's own file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from endoxa.errors import UserError
from endoxa.instruments.stories.prompts.language import (
    ANY,
    IN_THEME,
    PERSON,
    SCENARIO,
    THEMES,
    Language,
    Person,
    bundled_tree,
    parse_language,
    read_tree,
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
    changed = {
        "persons": _persons(folder / "attributes" / f"attributes.{written}.yaml", ours),
        "scenarios": _scenarios(folder / "scenarios" / f"scenario.{written}.yaml"),
        "attributes": {},
    }
    if aspects:
        changed["request"] = {ANY: _template(folder / "prompts_template" / f"prompts.{written}.yaml")}
    return ours.model_copy(update=changed)


def _persons(path: Path, ours: Language) -> dict[str, dict[str, Person]]:
    """Main characters by attribute and value.

    Values are translated in the files of other languages: their places in the English file say which they are.
    """
    english = path.with_name("attributes.en.yaml")
    named = read_tree(english).values if english.is_file() else {}
    persons: dict[str, dict[str, Person]] = {}
    for attribute, entry in read_tree(path).values.items():
        if attribute not in ours.persons:
            known = ", ".join(ours.persons)
            raise UserError(f"{path}: '{attribute}' is not an attribute of StereoTales. Expected: {known}.")
        values, choices = (entry.get(name) for name in ("values", "template_choices"))
        if not isinstance(values, list) or not isinstance(choices, list) or len(values) != len(choices):
            raise UserError(
                f"{path}: '{attribute}' needs the lists values and template_choices, equally long."
            )
        names = named[attribute].get("values", values) if attribute in named else values
        if len(names) != len(values):
            raise UserError(
                f"{path}: '{attribute}' has {len(values)} values, {english.name} has {len(names)}."
            )
        by_start = {value.partition(" (")[0].casefold(): value for value in ours.persons[attribute]}
        persons[attribute] = {}
        for value, choice in zip(names, choices, strict=True):
            if choice in ("null", "~", ""):
                continue
            meant = by_start.get(value.partition(" (")[0].casefold())
            if meant is None:
                raise UserError(
                    f"{path}: '{value}' is not a value of {attribute}. Expected: {', '.join(by_start)}."
                )
            persons[attribute][meant] = Person(text=" ".join(choice.split()))
    return persons


def _scenarios(path: Path) -> dict[str, tuple[dict[str, str], ...]]:
    scenarios = {}
    for name, texts in read_tree(path).values.items():
        theme = _THEMES.get(name, name)
        if theme not in THEMES or len(texts) > IN_THEME:
            raise UserError(
                f"{path}: '{name}' is not a theme of StereoTales with up to {IN_THEME} scenarios. Expected: "
                f"{', '.join(THEMES)}."
            )
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise UserError(f"{path}: '{name}' is not a list of scenarios.")
        scenarios[theme] = tuple({ANY: " ".join(text.split())} for text in texts)
    return scenarios


def _template(path: Path) -> str:
    text = read_tree(path).values.get(TEMPLATE)
    if not isinstance(text, str) or "{context}" not in text or "{character}" not in text:
        raise UserError(f"{path}: expected a text '{TEMPLATE}' with {{context}} and {{character}}.")
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?=\S)", text.strip()))
    request = "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
    return request.replace("{context}", SCENARIO).replace("{character}", PERSON)
