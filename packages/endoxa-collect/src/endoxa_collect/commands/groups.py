"""`endoxa collect groups`: groups beyond countries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.report.words import plural
from endoxa_collect.commands.export import Folder, Slug, campaign_in

if TYPE_CHECKING:
    from endoxa_collect.organiser.settings import Removed


def groups(
    folder: Folder,
    table: Annotated[
        Path, typer.Argument(metavar="FILE", help="Table of groups: id, name_en, kind, own, parent, near.")
    ],
    *,
    campaign: Slug = None,
) -> None:
    """Replace the groups that cards are about, and place everybody anew by what they said about themselves.

    Pairs about a group that is not in the new table stay live, under its id: the command names them. Groups need rules
    on questions that the campaign asks.

    \b
    Example:
      endoxa collect groups campaign groups.csv
    """  # noqa: D301
    chosen = campaign_in(folder, campaign)
    from endoxa_collect.groups import read_groups, require_rules
    from endoxa_collect.organiser.settings import save_from_file

    declared = read_groups(table)
    require_rules(declared, chosen.settings, str(table))
    removed = save_from_file(
        chosen, {"groups": [group.model_dump(mode="json") for group in declared], "cards": True}, str(table)
    )
    _warn(removed)
    typer.echo(f"Cards of campaign '{chosen.slug}' are about {plural(len(declared), 'group')}.")


def _warn(removed: Sequence[Removed]) -> None:
    """Say what of the old settings is still there."""
    for out in removed:
        if out.pairs:
            typer.echo(
                f"{plural(out.pairs, 'pair')} about {out.name} stay and people go on getting them: hide them on the "
                "organisers' pages (All pairs).",
                err=True,
            )
        else:
            typer.echo(
                f"People gave the answer {out.name} about themselves: no export holds it now.", err=True
            )
