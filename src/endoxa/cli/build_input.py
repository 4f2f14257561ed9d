"""Associations as the commands of `endoxa build` read them: without drafts that nobody approved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.schema.options import DATA, Option

if TYPE_CHECKING:
    import polars as pl

IncludeDrafts = Annotated[
    bool, Option("Also use drafts of `endoxa author` that nobody has approved yet.", DATA, only_on=True)
]


def associations_of(path: Path, *, drafts: bool) -> pl.DataFrame:
    """The table, without drafts that nobody approved unless `drafts`; says on stderr how many were left out.

    Raises:
        UserError: the table cannot be read, or nothing is left of it.
    """
    from endoxa.author.statuses import settled
    from endoxa.datasets.frames import read_table
    from endoxa.datasets.identities import one_spelling
    from endoxa.errors import UserError
    from endoxa.page.words import plural

    table, left_out = settled(read_table(path, ("identity", "attribute")), drafts=drafts)
    if left_out:
        typer.echo(
            f"{plural(left_out, 'draft')} left out: not approved by people (--include-drafts).", err=True
        )
    if left_out and table.is_empty():
        raise UserError(
            f"{path} has no row that people approved. Have drafts judged (`endoxa author approve`), or give "
            "--include-drafts."
        )
    return one_spelling(table, source=str(path))
