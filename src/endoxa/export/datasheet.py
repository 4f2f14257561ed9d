"""The data sheet: questions, answers derived from the data, and visible gaps for the rest.

Facts that only the makers of a data set know come from a TOML file:

    [about]
    title = "Sayings about trades"
    authors = ["A Community Lab"]
    contact = "data@example.org"
    version = "1.0.0"

    [motivation]
    purpose = "To measure ..."

`[about]` holds the keys of `ABOUT`; the other tables answer the questions of the data sheet (`datasheet.toml`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from endoxa import __version__
from endoxa.errors import UserError
from endoxa.export.licences import Terms
from endoxa.export.material import Kind, Material
from endoxa.report.words import plural
from endoxa.sources.toml import read_toml

OPEN = re.compile(r"\[open: ([^\]]+)\]")
"""How a place that somebody must fill in is marked; the group is the key of the fact that is missing."""


def open_mark(key: str) -> str:
    """The mark of a missing fact."""
    return f"[open: {key}]"


@cache
def _questions() -> dict[str, dict[str, str]]:
    return tomllib.loads(files("endoxa.export").joinpath("datasheet.toml").read_text(encoding="utf-8"))


def question_keys() -> list[str]:
    """Keys of all questions, 'section.question', in order."""
    return [f"{section}.{key}" for section, texts in _questions().items() for key in texts if key != "title"]


def datasheet(derived: Mapping[str, str], stated: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Every question with its answer or its open mark, by the title of its section.

    Args:
        derived: what the data and their making say, by key; stands before what is stated.
        stated: what the makers say, by key.
    """
    return {
        texts["title"]: {
            question: _answer(f"{section}.{key}", derived, stated)
            for key, question in texts.items()
            if key != "title"
        }
        for section, texts in _questions().items()
    }


def _answer(key: str, derived: Mapping[str, str], stated: Mapping[str, str]) -> str:
    """What is derived and what is stated; where nothing is stated, the former may itself hold an open mark."""
    facts = derived.get(key, "")
    if key in stated:
        return " ".join([OPEN.sub("", facts).strip(), stated[key]]).strip()
    return facts or open_mark(key)


ABOUT = ("title", "authors", "rights_holder", "contact", "version")
"""Keys of the table `[about]`; who holds the rights is said where that is not the authors."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file of facts says.

    Attributes:
        about: the keys of `ABOUT` but `authors`.
        authors: names.
        answers: answers by the key of their question ('motivation.purpose').
    """

    about: Mapping[str, str] = field(default_factory=dict)
    authors: Sequence[str] = ()
    answers: Mapping[str, str] = field(default_factory=dict)


def read_facts(path: Path | None) -> Facts:
    """The facts of a file; none without one. An empty answer is none.

    Raises:
        UserError: the file cannot be read as TOML, has a key that asks nothing, or a value that is no text.
    """
    if path is None:
        return Facts()
    flat = _flat(path, read_toml(path))
    authors = flat.pop("about.authors", [])
    if not isinstance(authors, list) or not all(isinstance(name, str) for name in authors):
        raise UserError(f'{path}, about.authors must be a list of names: authors = ["...", "..."].')
    for key, value in flat.items():
        if not isinstance(value, str):
            raise UserError(f"{path}, {key} must be text in quotes, not {value!r}.")
    texts = {key: str(value).strip() for key, value in flat.items() if str(value).strip()}
    return Facts(
        {key.removeprefix("about."): text for key, text in texts.items() if key.startswith("about.")},
        tuple(authors),
        {key: text for key, text in texts.items() if not key.startswith("about.")},
    )


def _flat(path: Path, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Values by 'table.key'.

    Raises:
        UserError: a key is none of `ABOUT` and no question; the nearest are suggested.
    """
    keys = [*(f"about.{key}" for key in ABOUT), *question_keys()]
    flat: dict[str, Any] = {}
    for table, content in tables.items():
        for key, value in content.items() if isinstance(content, dict) else [("", content)]:
            name = f"{table}.{key}".rstrip(".")
            if name not in keys:
                near = get_close_matches(name, keys, n=3) or keys
                raise UserError(f"{path} has an unknown key '{name}'. Did you mean: {', '.join(near)}?")
            flat[name] = value
    return flat


_ROW: dict[Kind, str] = {
    "pairs": (
        "A row is a pair of sentences: one states a stereotype, the other differs from it in the group or in what "
        "is said of it"
    ),
    "associations": "A row is an association: a group of people, and an attribute that respondents said of it",
    "statements": (
        "A row is what a respondent said of a group of people, with the group and the attribute found in it; a "
        "statement with several has several rows"
    ),
}

_INTENDED: dict[Kind, str] = {
    "pairs": (
        "Measuring which of two sentences a language model prefers, with the rule, an interval and the neutral "
        "value beside the figure."
    ),
    "associations": "Studying reported stereotypes, and making items from them that measure language models.",
    "statements": "Studying reported stereotypes, and deriving associations from them.",
}

_UNFIT = (
    "Training a model to say such things; judging people or communities by it; calling a model safe because its "
    "figure is near the neutral value."
)
_LIMITS = (
    "A result says what a model prefers under one rule on these rows. It does not say how common a belief is, nor "
    "how a model behaves elsewhere."
)


def derived_answers(material: Material, facts: Facts, terms: Terms) -> dict[str, str]:
    """What can be said without asking anybody, by the key of the question.

    An answer that is only a part of what is asked ends with an open mark, which an answer of the makers replaces.
    """
    filled = {name: int((material.table[name].fill_null("") != "").sum()) for name in material.table.columns}
    gaps = [
        f"`{name}` in {material.table.height - count}"
        for name, count in filled.items()
        if count < material.table.height
    ]
    answers = {
        "composition.rows": f"{_ROW[material.kind]}. There are {material.table.height} rows.",
        "composition.missing": (
            f"Empty cells: {', '.join(gaps)} of {material.table.height} rows."
            if gaps
            else "No cell is empty."
        ),
        "composition.external": "No: everything is in this folder.",
        "composition.people": _people(material),
        "composition.offence": "Yes. It holds stereotypes; see CONTENT_NOTICE.md.",
        "preprocessing.steps": _steps(material),
        "uses.intended": _INTENDED[material.kind],
        "uses.unfit": _UNFIT,
        "uses.limits": _LIMITS,
        "distribution.licence": _licence(terms),
        "maintenance.keeper": facts.about.get("contact", ""),
        "motivation.makers": f"{', '.join(facts.authors)}." if facts.authors else "",
    }
    source = _values(material.table, "source")
    if source:
        counts = dict(material.table.group_by("source").len().iter_rows())
        listed = ", ".join(f"{name} ({plural(counts[name], 'row')})" for name in source)
        answers["collection.how"] = f"Source: {listed}. {open_mark('collection.how')}"
    if "review_decision" in material.table.columns:
        answers["preprocessing.review"] = (
            "Decisions of the reviewers are in the column `review_decision`. "
            + open_mark("preprocessing.review")
        )
    return answers


def _licence(terms: Terms) -> str:
    if terms.licence is not None:
        return f"{terms.licence.spdx}: {terms.licence.name}."
    return "See LICENSE." if terms.text is not None else open_mark("license")


def _values(table: pl.DataFrame, column: str) -> list[str]:
    """Values of a column that is there, sorted, without empty ones."""
    if column not in table.columns:
        return []
    return [value for value in table[column].drop_nulls().unique().sort() if value]


def _people(material: Material) -> str:
    kept = f" Released because they were named: {_listed(material.kept)}." if material.kept else ""
    out = f" Left out: {_listed(material.left_out)}." if material.left_out else ""
    if material.kind == "pairs":
        return f"It is about groups, not about single persons.{out}{kept}"
    linked = (
        " The ids of statements begin with the code of a respondent: answers of one person can be put together."
        if material.linked
        else ""
    )
    return (
        f"It is about groups, in the words of people who answered.{out}{kept}{linked} Whether somebody can be "
        f"recognised from the words themselves must be checked by reading them. {open_mark('composition.people')}"
    )


def _listed(columns: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in columns)


def _steps(material: Material) -> str:
    made = (
        f"Read from `{material.path.name}` (SHA-256 `{material.sha256}`; format {material.format}) and released "
        f"by endoxa {__version__}."
    )
    traced = len(_values(material.table, "association_id"))
    if material.kind == "pairs" and traced:
        made += f" The pairs were made from {traced} associations, named in `association_id`."
    if "how" in material.table.columns:
        made += " `how` says whether a pair has an antonym or a negation."
    if material.identifying:
        made += f" Rows left out because they may tell who somebody is: {material.identifying}."
    if material.unplaced:
        made += f" Associations without their region, because few people said them: {material.unplaced}."
    if material.omitted:
        made += f" Rows that the reviewers decided to omit, and that are not in it: {material.omitted}."
    if "omit" in material.table.columns:
        omitted = int((material.table["omit"] == "true").sum())
        made += f" For {omitted} rows omission was proposed (`omit`, `omit_reason`); they are in the data."
    return f"{made} {open_mark('preprocessing.steps')}"
