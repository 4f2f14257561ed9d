"""Columns of users' tables that are known by their usual names, in the languages of `words/*/columns.toml`."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Literal

import polars as pl

from endoxa.sources.headers import plain_name
from endoxa.words.packs import words_by_language

Role = Literal["statement", "respondent", "question", "axis", "country", "region", "language", "identity"]


def usual_column(table: pl.DataFrame, role: Role) -> str | None:
    """The column of a role by its name; None where no name says it.

    Of several, the first whose cells repeat, because what tells rows apart tells no people apart.
    """
    columns = [name for name in table.columns if is_usual(name, role)]
    repeated = (name for name in columns if table[name].drop_nulls().is_duplicated().any())
    return next(repeated, columns[0] if columns else None)


def is_usual(name: str, role: Role) -> bool:
    """Whether a column's name says in some language that it has the role."""
    return _plain(name) in _names()[role]


def with_respondents(table: pl.DataFrame, column: str | None = None) -> pl.DataFrame:
    """The table with the column `respondent`, where another one says who is behind a row.

    Args:
        table: any table; one that has the column is left as it is, unless another one is named.
        column: the name of the other one; None for a usual name.
    """
    name = column or ("respondent" if "respondent" in table.columns else usual_column(table, "respondent"))
    if name in (None, "respondent"):
        return table
    return table.drop("respondent", strict=False).rename({name: "respondent"})


@cache
def _names() -> Mapping[str, frozenset[str]]:
    names: dict[str, frozenset[str]] = {}
    for words in words_by_language("columns.toml").values():
        for role, usual in words.items():
            names[role] = names.get(role, frozenset()) | set(map(_plain, usual))
    return names


def _plain(name: str) -> str:
    """A name without accents, groups of questions in front (KoboToolbox: `group/name`) and marks behind."""
    letters = unicodedata.normalize("NFKD", name.rpartition("/")[2].strip(" *:?"))
    return plain_name("".join(letter for letter in letters if not unicodedata.combining(letter)))
