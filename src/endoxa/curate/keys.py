"""One name in all languages for the groups of a table: "kenyans" for "watu wa Kenya" and "les gens du Kenya"."""

from __future__ import annotations

import polars as pl

from endoxa.curate.normalise import foreign_identity
from endoxa.words.countries import country_of_people


def with_identity_keys(table: pl.DataFrame) -> pl.DataFrame:
    """The table with the column `identity_key`, where all its identities are peoples as campaigns name them.

    Args:
        table: associations; one that has the column is left as it is.
    """
    if "identity_key" in table.columns:
        return table
    identities = table["identity"].drop_nulls().unique()
    if len(identities) == 0 or not all(country_of_people(identity) for identity in identities):
        return table
    keys = {identity: foreign_identity(identity) for identity in identities}
    return table.with_columns(pl.col("identity").replace(keys).alias("identity_key"))
