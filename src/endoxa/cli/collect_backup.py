"""`endoxa collect backup`, `restore` and `replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Campaign = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the campaign.")]


def backup(
    folder: Campaign,
    *,
    output: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The backup to write (.zip).")],
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite a file that is there.")] = False,
) -> None:
    """Write everything a campaign holds into one file, while it is being served.

    The file holds personal data and the site's secret: encrypt it, and delete it within 30 days (see the manual).

    \b
    Example:
      endoxa collect backup campaign -o campaign-monday.zip
    """  # noqa: D301
    from endoxa.collect.project.backup import back_up
    from endoxa.collect.project.folder import open_folder

    size = back_up(open_folder(folder), output, replace=replace)
    typer.echo(f"Backup written to {output} ({size / 1_000_000:.1f} MB), readable by you only.")
    typer.echo("It holds personal data: encrypt it, and delete it within 30 days.")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `endoxa collect backup` wrote.")],
    *,
    folder: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to restore to.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace what the campaign in that folder holds now.")
    ] = False,
    withdrawals: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A newer copy of withdrawals.jsonl, where the folder is not there any more."
        ),
    ] = None,
) -> None:
    """Restore a backup, without the people who withdrew after it was made.

    Who withdrew is read from the list in the folder (withdrawals.jsonl) and from --withdrawals. Into a new folder, or
    with --replace into the one that the backup came from.

    \b
    Examples:
      endoxa collect restore campaign-monday.zip -o campaign --replace
      endoxa collect restore campaign-monday.zip -o moved --withdrawals campaign/withdrawals.jsonl
    """  # noqa: D301
    from endoxa.collect.project.backup import restore as put_back

    restored = put_back(file, folder, replace=replace, withdrawals=withdrawals)
    typer.echo(f"Restored to {folder}: everything as of {restored.made_at}.")
    typer.echo(f"People who had withdrawn since and were deleted again: {restored.people}.")
    _print_expired(restored.expired)
    typer.echo(f"Next: endoxa collect serve {folder}")


def replay(folder: Campaign) -> None:
    """Delete again whoever withdrew, after the database was restored by other means (pg_restore).

    \b
    Example:
      DATABASE_URL=postgres:///campaign endoxa collect replay campaign
    """  # noqa: D301
    from endoxa.collect.project.folder import enter, open_folder

    opened = open_folder(folder)
    enter(opened)
    from endoxa.collect.project.database import prepare
    from endoxa.collect.project.replay import replay as withdraw_again
    from endoxa.collect.withdrawals import read

    lines = read(opened.withdrawals, whole=False)
    prepare()
    replayed = withdraw_again(lines)
    typer.echo(f"People deleted again: {replayed.people}.")
    _print_expired(replayed.expired)


def _print_expired(people: int) -> None:
    if people:
        typer.echo(f"People who lost the link to their answers, as the retention date is over: {people}.")
