"""`endoxa collect export` and `backup`: data out and back, withdrawals again, the end of retention."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endoxa.errors import UserError
from endoxa.report.words import plural

if TYPE_CHECKING:
    from endoxa_collect.export.run import ExportReport
    from endoxa_collect.models import Campaign
    from endoxa_collect.project.folder import Folder as CampaignFolder


def argument(metavar: str, text: str) -> Any:
    """A word without a name."""
    return typer.Argument(metavar=metavar, help=text)


def option(metavar: str, text: str, *names: str) -> Any:
    """An option with a value; it has the name of its parameter, unless others are given."""
    return typer.Option(*names, metavar=metavar, help=text)


def flag(name: str, text: str) -> Any:
    """An option that is there or not."""
    return typer.Option(name, help=text)


Folder = Annotated[Path, argument("DIR", "Folder of the campaign.")]
Slug = Annotated[str | None, option("NAME", "Campaign, if the database holds several.", "--campaign")]
NoWithdrawals = Annotated[
    bool, flag("--no-withdrawals", "Nobody withdrew after the backup or dump was made.")
]


def export(
    folder: Folder,
    *,
    output: Annotated[
        Path | None,
        option("FOLDER", "Folder to write (default: DIR-export, beside the campaign).", "--out", "-o"),
    ] = None,
    release: Annotated[str | None, option("NUMBER", "Make a release, which never changes (1.0).")] = None,
    patch: Annotated[
        Path | None, option("FOLDER", "Published release: write it without later withdrawals.")
    ] = None,
    restricted: Annotated[
        str | None,
        option("RECIPIENT", "Make the release for this person, with nothing merged.", "--restricted"),
    ] = None,
    signed: Annotated[bool, flag("--signed", "The recipient signed the conditions.")] = False,
    conditions: Annotated[
        bool, flag("--conditions", "With --restricted: only write the conditions.")
    ] = False,
    empty: Annotated[bool, flag("--empty", "With --release: also if nobody is in it.")] = False,
    formats: Annotated[
        list[str] | None, option("NAME", "csv, jsonl or parquet; repeatable (default: all).", "--format")
    ] = None,
    task: Annotated[
        str | None,
        option("NAME", "Task: write its judgements to the table --out, what items came to beside."),
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
      endoxa collect export campaign --task votes -o votes.csv
    """  # noqa: D301
    conditional, agreed, fixed = restricted is not None, signed or conditions, release or patch or conditions
    refusals = {
        "--signed and --conditions go with --restricted RECIPIENT.": agreed and not conditional,
        "--restricted makes a release of its own: give it --release NUMBER.": conditional
        and (patch or not release),
        "--restricted needs --signed: write the conditions (--conditions) and have them signed.": conditional
        and not agreed,
        "--empty goes with --release NUMBER.": empty and not release,
        "--patch takes number and formats from the release: leave --release and --format out.": patch
        and (release or formats),
        "A release, a patch and conditions need --out FOLDER: name where they go.": fixed and not output,
    }
    if task is not None:
        refusals["--task needs --out FILE (.csv, .tsv, .jsonl or .parquet), and nothing else."] = (
            not output or fixed or formats
        )
    if sentence := next((sentence for sentence, refused in refusals.items() if refused), ""):
        raise UserError(sentence)
    if task is not None and output is not None:
        _export_task(folder, campaign, task, output)
        return
    # A working copy goes beside the campaign: camp_es-export beside camp_es.
    beside = folder if folder.name not in ("", "..") else folder.resolve()
    output = output or beside.with_name("-".join(filter(None, (beside.name, campaign, "export"))))
    chosen = campaign_in(folder, campaign)
    from endoxa_collect.export.card import agreement, recipient_named
    from endoxa_collect.export.folder import FORMATS
    from endoxa_collect.export.run import EmptyReleaseError, export_campaign, patch_release

    recipient = "" if restricted is None else recipient_named(restricted)
    if conditions:
        with output.open("x", encoding="utf-8") as file:
            file.write(agreement(chosen, release or "", recipient))
        typer.echo(f"Conditions for {recipient} written to {output}: have them signed, then use --signed.")
        return
    try:
        report = (
            patch_release(chosen, patch, output)
            if patch is not None
            else export_campaign(
                chosen,
                output,
                release=release,
                formats=tuple(formats or FORMATS),
                recipient=recipient,
                empty=empty,
            )
        )
    except EmptyReleaseError as problem:
        raise UserError(f"{problem} --empty makes it all the same.") from None
    _print(report)


_FOLLOWING = {
    "harm": "endoxa analyze run {table} -o harm_results",
    "extraction": "endoxa curate group {items} -o groups.csv",
    "pairs": "endoxa datasets check {pairs}",
    "translation": "endoxa datasets check {pairs}",
    "words": "endoxa languages check --json",
    "votes": "endoxa analyze agreement {table} -o agreement.csv --help",
}
"""What to do with the tables of each kind of task."""


def _export_task(folder: Path, campaign: str | None, name: str, output: Path) -> None:
    from endoxa.sources.frames import require_table_name

    require_table_name(output)
    tasks = {task.name: task for task in campaign_in(folder, campaign).tasks.select_related("campaign")}
    if name not in tasks:
        there = ", ".join(sorted(tasks)) or "none"
        raise UserError(f"The campaign has no task '{name}' (there are: {there}).")
    from endoxa_collect.tasks.results import write_results

    for path in write_results(tasks[name], output):
        typer.echo(f"Written: {path}")
    beside = {
        table: output.with_name(f"{output.stem}_{table}{output.suffix}") for table in ("items", "pairs")
    }
    typer.echo(f"Next: {_FOLLOWING[tasks[name].kind].format(table=output, **beside)}")


def entered(folder: CampaignFolder, *, new: bool = False, listening: str = "") -> CampaignFolder:
    """The folder of a campaign, with Django started on it and its database prepared."""
    from endoxa_collect.project.folder import enter, prepare

    enter(folder, new=new, listening=listening)
    prepare()
    return folder


def opened(folder: Path) -> CampaignFolder:
    """The folder of a campaign at a path."""
    from endoxa_collect.project.folder import open_folder

    return open_folder(folder)


def campaign_in(folder: Path, slug: str | None) -> Campaign:
    """The campaign in a folder, its database prepared."""
    entered(opened(folder))
    from endoxa_collect.project.starting import campaign_named

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
    output: Annotated[Path | None, option("FILE", "Backup to write (.zip).", "--out", "-o")] = None,
    restore: Annotated[Path | None, option("FILE", "Restore this backup into DIR.", "--restore")] = None,
    replace: Annotated[
        bool, flag("--replace", "Overwrite an existing file (-o), or the campaign in DIR (--restore).")
    ] = False,
    withdrawals: Annotated[
        Path | None, option("FILE", "With --restore: newest withdrawals.jsonl, if DIR has none.")
    ] = None,
    replay: Annotated[bool, flag("--replay", "Repeat withdrawals after a dump was restored.")] = False,
    no_withdrawals: NoWithdrawals = False,
    expire: Annotated[bool, flag("--expire", "Cut links after the retention date.")] = False,
    campaign: Slug = None,
) -> None:
    """Back up a campaign into one file (-o), which may be served meanwhile; restore one; repeat withdrawals; cut links.

    The file holds personal data and the site's secret: encrypt it, and delete it within 30 days (see the manual).

    --restore brings a backup back without the people who withdrew after it was made. Withdrawals are read from
    withdrawals.jsonl in DIR and from --withdrawals; one of them or --no-withdrawals is required. A list that is empty,
    another campaign's or older than the backup is refused. DIR is new or, with --replace, the one that the backup came
    from.

    --replay reads withdrawals.jsonl in DIR, for a database that came back by pg_restore or as a copied file. A list
    that is missing, empty, another campaign's or older than the database is refused, unless --no-withdrawals is given.
    Run --expire daily (cron): it does nothing before the retention date is over.

    \b
    Examples:
      endoxa collect backup campaign -o campaign-monday.zip
      endoxa collect backup campaign --restore campaign-monday.zip --replace
      endoxa collect backup moved --restore campaign-monday.zip --withdrawals campaign/withdrawals.jsonl
      DATABASE_URL=postgres:///campaign endoxa collect backup campaign --replay
      endoxa collect backup campaign --expire
    """  # noqa: D301
    if [output is not None, restore is not None, replay, expire].count(True) != 1:
        raise UserError("Give one of -o FILE (a backup), --restore FILE, --replay and --expire.")
    if restore is not None:
        _restore(folder, restore, replace=replace, withdrawals=withdrawals, no_withdrawals=no_withdrawals)
    elif output is not None:
        from endoxa_collect.project.backup import back_up

        size = back_up(opened(folder), output, replace=replace)
        typer.echo(f"Backup written to {output} ({size / 1_000_000:.1f} MB), readable by you only.")
        typer.echo("It holds personal data: encrypt it, and delete it within 30 days.")
    elif replay:
        campaigns = entered(opened(folder))
        from endoxa_collect.project.replay import replay_folder

        replayed = replay_folder(campaigns, no_withdrawals=no_withdrawals)
        typer.echo(f"People deleted again: {replayed.people}.")
        _print_expired(replayed.expired)
    else:
        _expire(campaign_in(folder, campaign))


def _expire(campaign: Campaign) -> None:
    from datetime import UTC, datetime

    from endoxa_collect.export.editions import published
    from endoxa_collect.privacy import expire, retention_date

    published(campaign)
    expired = expire(campaign, datetime.now(UTC).date())
    if expired.people or expired.cards or expired.judges:
        typer.echo(
            f"Removed: the links of {plural(expired.people, 'person', 'people')} and of"
            f" {plural(expired.judges, 'judge')} of a panel, {plural(expired.cards, 'unanswered card')}."
        )
    else:
        typer.echo(f"Nothing to remove: links are kept until {retention_date(campaign)}.")


def _restore(
    folder: Path, file: Path, *, replace: bool, withdrawals: Path | None, no_withdrawals: bool
) -> None:
    from endoxa_collect.project.backup import restore as put_back

    made_at, replayed = put_back(
        file, folder, replace=replace, withdrawals=withdrawals, no_withdrawals=no_withdrawals
    )
    typer.echo(f"Restored to {folder}: everything as of {made_at}.")
    typer.echo(f"People who had withdrawn since the backup, deleted again: {replayed.people}.")
    _print_expired(replayed.expired)
    typer.echo(f"Next: endoxa collect serve {folder}")


def _print_expired(people: int) -> None:
    if people:
        typer.echo(f"People who lost the link to their answers, as the retention date is over: {people}.")
