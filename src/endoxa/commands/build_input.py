"""Associations as the commands of `endoxa build` read them: without drafts that nobody approved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def associations_of(path: Path, *, drafts: bool, language: str | None) -> pl.DataFrame:
    """The table, without drafts that nobody approved unless `drafts`; how many were left out is logged.

    Args:
        path: the table.
        drafts: whether to read drafts that nobody has judged.
        language: of rows that name none; None identifies it, and says what was taken.

    Raises:
        UserError: the table cannot be read, nothing is left of it, or its language cannot be told.
    """
    from endoxa.author.tables import with_association_ids
    from endoxa.curate.language import with_language
    from endoxa.sources.frames import read_table
    from endoxa.sources.identities import one_spelling
    from endoxa.sources.statuses import reading_drafts

    with reading_drafts(include=drafts):
        table = with_association_ids(read_table(path, ("identity", "attribute")))
    table = with_language(table, lambda row: f"{row['identity']} {row['attribute']}", language, path.name)
    return one_spelling(table, source=str(path))
