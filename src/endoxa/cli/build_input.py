"""Associations as the commands of `endoxa build` read them: without drafts that nobody approved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def associations_of(path: Path, *, drafts: bool) -> pl.DataFrame:
    """The table, without drafts that nobody approved unless `drafts`; how many were left out is logged.

    Raises:
        UserError: the table cannot be read, or nothing is left of it.
    """
    from endoxa.author.statuses import with_association_ids
    from endoxa.datasets.frames import read_table
    from endoxa.datasets.identities import one_spelling
    from endoxa.datasets.statuses import reading_drafts

    with reading_drafts(include=drafts):
        table = with_association_ids(read_table(path, ("identity", "attribute")))
    return one_spelling(table, source=str(path))
