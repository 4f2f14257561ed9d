"""`endoxa collect backup`, `restore` and `replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Campaign = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the campaign.")]


def backup(
    folder: Campaign,
    *,
    output: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Backup to write (.zip).")],
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an existing file.")] = False,
) -> None:
    """Back up a campaign into one file; it may be served meanwhile.

    The file holds personal data and the site's secret: encrypt it, and delete it within 30 days (see the manual).

    \b
    Example:
      endoxa collect backup campaign -o campaign-monday.zip
    """  # noqa: D301
    from endoxa_collect.project.backup import back_up
    from endoxa_collect.project.folder import open_folder

    size = back_up(open_folder(folder), output, replace=replace)
    typer.echo(f"Backup written to {output} ({size / 1_000_000:.1f} MB), readable by you only.")
    typer.echo("It holds personal data: encrypt it, and delete it within 30 days.")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File that `endoxa collect backup` wrote.")],
    *,
    folder: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder to restore to.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the content of the campaign in that folder.")
    ] = False,
    withdrawals: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Newest copy of withdrawals.jsonl, if the folder has none."),
    ] = None,
    no_withdrawals: Annotated[
        bool, typer.Option("--no-withdrawals", help="Nobody withdrew after the backup was made.")
    ] = False,
) -> None:
    """Restore a backup, without the people who withdrew after it was made.

    Withdrawals are read from withdrawals.jsonl in the folder and from --withdrawals; one of them or --no-withdrawals is
    required. A list that is empty, another campaign's or older than the backup is refused. The folder is new or, with
    --replace, the one that the backup came from.

    \b
    Examples:
      endoxa collect restore campaign-monday.zip -o campaign --replace
      endoxa collect restore campaign-monday.zip -o moved --withdrawals campaign/withdrawals.jsonl
    """  # noqa: D301
    from endoxa_collect.project.backup import restore as put_back

    restored = put_back(file, folder, replace=replace, withdrawals=withdrawals, no_withdrawals=no_withdrawals)
    typer.echo(f"Restored to {folder}: everything as of {restored.made_at}.")
    typer.echo(f"People who had withdrawn since the backup, deleted again: {restored.people}.")
    _print_expired(restored.expired)
    typer.echo(f"Next: endoxa collect serve {folder}")


def replay(
    folder: Campaign,
    *,
    no_withdrawals: Annotated[
        bool, typer.Option("--no-withdrawals", help="Nobody withdrew after the database was copied.")
    ] = False,
) -> None:
    """Repeat withdrawals after the database was restored by other means (pg_restore).

    They are read from withdrawals.jsonl in the folder. One that is missing, empty, another campaign's or older than the
    database is refused, unless --no-withdrawals is given.

    \b
    Example:
      DATABASE_URL=postgres:///campaign endoxa collect replay campaign
    """  # noqa: D301
    from endoxa_collect.project.folder import enter, open_folder

    opened = open_folder(folder)
    enter(opened)
    from endoxa_collect.project.database import prepare
    from endoxa_collect.project.lists import require_list
    from endoxa_collect.project.replay import replay as withdraw_again
    from endoxa_collect.withdrawals import read

    lines = read(opened.withdrawals, complete=False)
    prepare()
    if not no_withdrawals:
        require_list(opened, lines)
    replayed = withdraw_again(lines)
    typer.echo(f"People deleted again: {replayed.people}.")
    _print_expired(replayed.expired)


def _print_expired(people: int) -> None:
    if people:
        typer.echo(f"People who lost the link to their answers, as the retention date is over: {people}.")
