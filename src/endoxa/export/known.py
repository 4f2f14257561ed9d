"""Answers to questions of the data sheet that follow from the data and from how they were made."""

from __future__ import annotations

import polars as pl

from endoxa import __version__
from endoxa.export.datasheet import open_mark
from endoxa.export.facts import Facts
from endoxa.export.material import Kind, Material
from endoxa.export.terms import Terms

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


def known_answers(material: Material, facts: Facts, terms: Terms) -> dict[str, str]:
    """What can be said without asking anybody, by the key of the question.

    An answer that is only a part of what is asked ends with an open mark, which an answer of the makers replaces.
    """
    answers = {
        "composition.rows": f"{_ROW[material.kind]}. There are {material.table.height} rows.",
        "composition.missing": _missing(material),
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
        answers["collection.how"] = f"Source: {', '.join(source)}. {open_mark('collection.how')}"
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


def _missing(material: Material) -> str:
    filled = {name: int((material.table[name].fill_null("") != "").sum()) for name in material.table.columns}
    gaps = [
        f"`{name}` in {material.table.height - count}"
        for name, count in filled.items()
        if count < material.table.height
    ]
    return f"Empty cells: {', '.join(gaps)} of {material.table.height} rows." if gaps else "No cell is empty."


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
