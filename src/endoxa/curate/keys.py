"""One name in all languages for the groups of a table: "women" for "mujeres" and "femmes"."""

from __future__ import annotations

import re

import polars as pl

from endoxa.curate.normalise import foreign_identity
from endoxa.words.countries import country_of_people

IDENTITY_KEY = "identity_key"
"""Column of the name that a group has in all languages: its English plural where the tables know it, else its own."""


def key_of(identity: str, language: str = "") -> str:
    """One name in all languages for a group, in lower case; the words themselves where no table has it.

    Args:
        identity: the group as people named it.
        language: ISO 639 code, with or without a region.
    """
    return foreign_identity(identity, language=_main(language))


def with_identity_keys(table: pl.DataFrame, language: str = "en") -> pl.DataFrame:
    """The table with `identity_key` in every row, stated ones as they are; `identity` keeps the name that people gave.

    English names are their own keys: a table in English alone is left as it is, unless it names peoples as campaigns
    do ("people from Kenya").

    Args:
        table: associations, with or without a column `language`.
        language: of rows that name none.
    """
    if "identity" not in table.columns:
        return table
    absent = [pl.lit("").alias(name) for name in ("language", IDENTITY_KEY) if name not in table.columns]
    cells = table.with_columns(absent).select(
        pl.col("identity", "language", IDENTITY_KEY).cast(pl.String).fill_null("").str.strip_chars()
    )
    spoken = {_main(code or language) for code in cells["language"].unique()}
    stated = (cells[IDENTITY_KEY] != "").any()
    if spoken <= {"en"} and not stated and not any(map(country_of_people, cells["identity"].unique())):
        return table
    keys = {cell: cell[2] or key_of(cell[0], cell[1] or language) for cell in cells.unique().iter_rows()}
    filled = pl.Series(IDENTITY_KEY, [keys[cell] for cell in cells.iter_rows()], dtype=pl.String)
    return table.with_columns(filled)


def _main(language: str) -> str:
    return re.split("[-_]", language)[0].lower()
