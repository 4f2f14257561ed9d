"""The columns of an export, each with its description (`columns.toml`). Other data never leave the database."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files

import polars as pl
from polars.datatypes import DataTypeClass

from endoxa_collect import small_cells
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.models import RATING_WORDS
from endoxa_collect.small_cells import LEAST

FEW_SHARE = f"countries that fewer than {LEAST} people share, or that were put with them"
"""Whose people have no key in an export."""

OTHER = small_cells.OTHER
"""Stands for what fewer than `LEAST` people share."""

OWN = "own"
"""The tier of ratings for people from the country."""

SHARED_TIERS = frozenset({"near", "anyone", OTHER})
"""Tiers that are exported as `OTHER`: which one it was would say what countries somebody feels close to."""

POLARITIES: Mapping[bool | None, str] = {True: "negative", False: "not negative", None: ""}
"""What the table of pairs says of `Pair.negative`."""

PROFILE = "profile_"
"""Before the names of the campaign's own profile questions."""


_ABOUT_GROUP = "the group it is about, by its id in the campaign's table of groups"
_IN_GROUPS = (
    "groups of the campaign's table that the person belongs to, now or when they answered, by id; "
    f"'other' where fewer than {LEAST} people share them or they were put with such, empty where they belong to none"
)
_GROUP_WORDS = {
    "comes from the country": "belongs to the group",
    "from the country": "in the group",
    "from elsewhere": "outside it",
    "share the country": "share the groups",
    "with such countries": "with such groups",
    "far from its country": "far from its group",
}
"""Words of the sentences about columns, and those where the campaign declared groups."""
_WITH_PROFILE = ("people", "statements")
_KINDS: Mapping[str, DataTypeClass] = {
    "text": pl.String,
    "integer": pl.Int64,
    "number": pl.Float64,
    "boolean": pl.Boolean,
}


@dataclass(frozen=True)
class Column:
    """One column: its name, what kind of value it holds, and what that means."""

    name: str
    kind: DataTypeClass
    sentence: str


def _declared() -> dict[str, tuple[Column, ...]]:
    declared = tomllib.loads(
        files("endoxa_collect.export").joinpath("columns.toml").read_text(encoding="utf-8")
    )
    shared = declared.pop("shared")
    scale = ", ".join(f"{value} '{words}'" for value, words in RATING_WORDS.items())

    def column(name: str, facts: dict[str, str]) -> Column:
        return Column(name, _KINDS[facts["kind"]], facts["meaning"].format(least=LEAST, scale=scale))

    return {
        table: tuple(
            column(name, shared[name] if facts == "shared" else facts) for name, facts in columns.items()
        )
        for table, columns in declared.items()
    }


_DECLARED = _declared()
_INTERVIEWS = _DECLARED.pop("interviews")
"""Columns of people and statements where the campaign has interviewers."""
TABLES: Mapping[str, tuple[Column, ...]] = _DECLARED
"""Columns of each table; `columns_of` adds the campaign's own profile questions."""


def columns_of(table: str, settings: CampaignSettings) -> tuple[Column, ...]:
    """The columns of a table in this campaign, in their order."""
    declared = settings.profile if table in _WITH_PROFILE else ()
    profile_columns = tuple(
        Column(
            PROFILE + field.name,
            pl.String,
            f"answer to the campaign's question '{field.name}': {', '.join(field.choices)}; "
            f"'other' where fewer than {LEAST} people share it together with the country, empty where not answered",
        )
        for field in declared
    )
    columns = TABLES[table]
    if settings.groups:
        about = _ABOUT_GROUP if table == "pairs" else _IN_GROUPS
        for country, group in _GROUP_WORDS.items():
            columns = tuple(
                replace(column, sentence=column.sentence.replace(country, group)) for column in columns
            )
        columns = tuple(
            replace(column, sentence=about) if column.name == "country" else column for column in columns
        )
    interviews = _INTERVIEWS if settings.interviewers and table in _WITH_PROFILE else ()
    return (*columns, *profile_columns, *interviews)


def schema_of(table: str, settings: CampaignSettings) -> dict[str, DataTypeClass]:
    """Names and kinds of the columns of a table, for Polars."""
    return {column.name: column.kind for column in columns_of(table, settings)}
