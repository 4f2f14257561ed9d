"""`endoxa collect export`, `import`, `expire`, `backup`, `restore`, `replay`: data out and in, the end of retention."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.report.words import plural

if TYPE_CHECKING:
    from endoxa_collect.export.run import ExportReport
    from endoxa_collect.models import Campaign


Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the campaign.")]
Slug = Annotated[
    str | None,
    typer.Option("--campaign", metavar="NAME", help="Campaign, if the database holds several."),
]


def export(
    folder: Folder,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Folder for the tables and the data card (default: DIR-export, beside the campaign).",
        ),
    ] = None,
    release: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Make a release with this number (1.0); releases never change."),
    ] = None,
    patch: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Folder of a published release: write it without later withdrawals."
        ),
    ] = None,
    restricted: Annotated[
        str | None,
        typer.Option(
            "--restricted",
            metavar="RECIPIENT",
            help="Make the release for this person (institution), with nothing merged (and --release, --signed).",
        ),
    ] = None,
    signed: Annotated[
        bool,
        typer.Option("--signed", help="The recipient signed the conditions (--conditions shows them)."),
    ] = False,
    conditions: Annotated[
        bool,
        typer.Option(
            "--conditions", help="With --restricted: write the conditions to sign to --out, and no data."
        ),
    ] = False,
    empty: Annotated[
        bool, typer.Option("--empty", help="With --release: make it even if nobody is in it.")
    ] = False,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format", metavar="NAME", help="Format: csv, jsonl or parquet; repeatable (default: all three)."
        ),
    ] = None,
    campaign: Slug = None,
) -> None:
    """Write pairs, ratings, mentions, skips, people, statements and other tables, with a data card and checksums.

    Exports hold declared columns only. Values that fewer than five people share are merged. People get new keys in each
    export. An earlier working copy in the folder is replaced, a release never. The folder of the campaign holds
    secrets, so tables never go there.

    \b
    Examples:
      endoxa collect export campaign
      endoxa collect export campaign -o export
      endoxa collect export campaign -o release-1.0 --release 1.0
      endoxa collect export campaign -o release-1.0.1 --patch release-1.0
      endoxa collect export campaign -o tables --format csv
      endoxa collect export campaign -o conditions.md --release 1.1 --restricted "A. Bell, River" --conditions
      endoxa collect export campaign -o for-bell --release 1.1 --restricted "A. Bell, River" --signed
    """  # noqa: D301
    from endoxa.errors import UserError

    if restricted is not None:
        _require_signed(release, patch, signed=signed or conditions)
    elif signed or conditions:
        raise UserError("--signed and --conditions go with --restricted RECIPIENT.")
    if empty and release is None:
        raise UserError("--empty goes with --release NUMBER.")
    if patch is not None and (release is not None or formats):
        raise UserError(
            "--patch takes number and formats from the release: leave --release and --format out."
        )
    if output is None and (release or patch or conditions):
        raise UserError("A release, a patch and conditions need --out FOLDER: name where they go.")
    output = output or _beside(folder, campaign)
    chosen = campaign_in(folder, campaign)
    from endoxa_collect.export.folder import FORMATS
    from endoxa_collect.export.patches import patch_release
    from endoxa_collect.export.run import EmptyReleaseError, export_campaign

    if conditions:
        _write_conditions(chosen, output, release or "", restricted or "")
        return
    if patch is not None:
        report = patch_release(chosen, patch, output)
    else:
        try:
            report = export_campaign(
                chosen,
                output,
                release=release,
                formats=tuple(formats or FORMATS),
                recipient=_named(restricted),
                empty=empty,
            )
        except EmptyReleaseError as problem:
            raise UserError(f"{problem} --empty makes it all the same.") from None
    _print(report)


def _beside(folder: Path, campaign: str | None) -> Path:
    """The folder for a working copy where none is named: camp_es-export beside camp_es."""
    named = folder if folder.name not in ("", "..") else folder.resolve()
    return named.with_name("-".join(filter(None, (named.name, campaign, "export"))))


def _require_signed(release: str | None, patch: Path | None, *, signed: bool) -> None:
    from endoxa.errors import UserError

    if patch is not None or release is None:
        raise UserError("--restricted makes a release of its own: give it a number with --release.")
    if not signed:
        raise UserError(
            "--restricted needs --signed: write the conditions with --conditions and have the recipient sign them."
        )


def _named(restricted: str | None) -> str:
    from endoxa_collect.export.card import recipient_named

    return "" if restricted is None else recipient_named(restricted)


def _write_conditions(campaign: Campaign, output: Path, number: str, recipient: str) -> None:
    from endoxa_collect.export.card import agreement
    from endoxa_collect.files import explaining

    text = agreement(campaign, number, _named(recipient))
    with (
        explaining(output, "cannot be written", "name a file that is not there yet."),
        output.open("x", encoding="utf-8") as file,
    ):
        file.write(text)
    typer.echo(f"Conditions for {recipient} written to {output}: have them signed, then use --signed.")


def expire(folder: Folder, *, campaign: Slug = None) -> None:
    """Remove the links between people and answers once the retention date is over. Run it daily.

    \b
    Example:
      endoxa collect expire campaign
    """  # noqa: D301
    from datetime import UTC, datetime

    chosen = campaign_in(folder, campaign)
    from endoxa_collect.export.editions import published
    from endoxa_collect.privacy import expire as expire_links
    from endoxa_collect.privacy import retention_date

    published(chosen)
    expired = expire_links(chosen, datetime.now(UTC).date())
    if expired.people or expired.cards or expired.judges:
        typer.echo(
            f"Removed: the links of {plural(expired.people, 'person', 'people')} and of"
            f" {plural(expired.judges, 'judge')} of a panel, {plural(expired.cards, 'unanswered card')}."
        )
    else:
        typer.echo(f"Nothing to remove: links are kept until {retention_date(chosen)}.")


def campaign_in(folder: Path, slug: str | None) -> Campaign:
    """The campaign in a folder, its database prepared."""
    from endoxa_collect.project.folder import enter, open_folder

    enter(open_folder(folder))
    from endoxa_collect.project.database import prepare
    from endoxa_collect.project.starting import campaign_named

    prepare()
    return campaign_named(slug)


def _print(report: ExportReport) -> None:
    typer.echo(", ".join(f"{n} {name}" for name, n in report.rows.items()))
    out = report.left_out
    if out.pairs or out.people:
        from endoxa_collect.export.columns import FEW_SHARE

        typer.echo(
            f"Left out: {out.pairs} pairs not approved; the keys of {out.people} people, so that nobody stands out "
            f"({FEW_SHARE}). See README.md.",
            err=True,
        )
    for reason in out.reasons:
        typer.echo(f"Left out: {reason}", err=True)
    typer.echo(f"{f'Release {report.release}' if report.release else 'Export'} written to {report.folder}")
    typer.echo("Content notice: these are reported stereotypes, for evaluation only.")


def backup(
    folder: Folder,
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
    folder: Folder,
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
    from endoxa_collect.project.replay import replay as withdraw_again
    from endoxa_collect.project.replay import require_list
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
