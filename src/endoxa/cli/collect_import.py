"""`endoxa collect import`: an export as a campaign of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_ACCOUNT = "organiser"


def import_export(
    export: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder that `endoxa collect export` wrote.")
    ],
    *,
    folder: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to make.")],
) -> None:
    """Make a closed campaign of an export, to look at it with the organisers' pages.

    No backup: cookies, receipt codes, exact times and whatever waits for approval are in no export.

    \b
    Example:
      endoxa collect import release-1.0 -o copy
    """  # noqa: D301
    from endoxa.collect.project.folder import enter, making

    with making(folder) as made:
        enter(made, new=True)
        from endoxa.collect.export.restoring import import_campaign
        from endoxa.collect.models import Role
        from endoxa.collect.project.accounts import set_account
        from endoxa.collect.project.database import explained, prepare

        prepare()
        with explained():
            campaign = import_campaign(export)
            account = set_account(_ACCOUNT, campaign, Role.ORGANISER, new_password=True)
    typer.echo(f"Campaign '{campaign.slug}' made in {folder}: closed, with {campaign.pairs.count()} pairs.")
    typer.echo(f"Account: {account.name}\nPassword (shown once): {account.password}")
    typer.echo(f"Next: endoxa collect serve {folder}")
