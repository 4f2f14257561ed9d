"""`endoxa collect import`: items of a task, or answers from paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa_collect.commands.export import Folder, Slug, campaign_in
from endoxa_collect.commands.paper import about_countries, page_language
from endoxa_collect.commands.task import parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endoxa_collect.models import Campaign


def import_file(
    folder: Folder,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Items of a task (.csv, .tsv, .jsonl or .parquet), or a filled-in answers.csv of `collect print`.",
        ),
    ],
    *,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="FILE holds items: make a task of this kind (see `endoxa collect task kinds`).",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --task: name of the task.  [default: the kind]")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="With --task: setting of the task (needed=3); repeatable."
        ),
    ] = None,
    panel: Annotated[
        bool,
        typer.Option("--panel", help="With --task: let people of a panel judge, by an address with a code."),
    ] = False,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            help="Without --task: language of the printed pages (default: the campaign's first).",
        ),
    ] = None,
    campaign: Slug = None,
) -> None:
    """Read items of a task (--task), or answers from paper. Where something is wrong nothing is stored.

    A column `item_id` (or `id`) names the items; without it rows are numbered. The names come back in the export.

    Answers from paper: write yes under 'consent' where all boxes with a star are ticked, country and language names as
    on the sheet, and 1 to 5 under each card. What people wrote themselves goes under 'words_1' to 'words_3', each with
    its country and, if it is not that of the pages, its language. The file can be read again after more sheets came in:
    those stored before are skipped, and so are withdrawn ones. Ratings from paper have the tier 'paper' and no
    propensity.

    \b
    Examples:
      endoxa collect import camp tuples.csv --task votes
      endoxa collect import camp tuples.csv --task votes --set needed=5 --set least=3 --panel
      endoxa collect import panel assoc.csv --task harm --set participant=PROLIFIC_PID
      endoxa collect import camp cards-answers.csv
    """  # noqa: D301
    if task is None and (name or settings or panel):
        raise UserError("--name, --set and --panel are for items: add --task KIND.")
    if task is not None and language:
        raise UserError("--language is for answers from paper: leave out --task or --language.")
    if task is None:
        _import_answers(about_countries(folder, campaign), file, language)
    else:
        _import_items(
            folder,
            campaign_in(folder, campaign),
            file,
            kind=task,
            name=name,
            settings=settings or [],
            panel=panel,
        )


def _import_items(
    folder: Path,
    campaign: Campaign,
    file: Path,
    *,
    kind: str,
    name: str | None,
    settings: Sequence[str],
    panel: bool,
) -> None:
    from endoxa_collect.tasks.adding import add_task, options_of
    from endoxa_collect.tasks.rooms import room

    added = add_task(campaign, kind, file, name=name, options=options_of(settings), panel=panel)
    task = added.task
    typer.echo(f"Task '{task.name}' of kind {kind}: {plural(added.items, 'item')} added.")
    if added.before:
        typer.echo(f"Items that it had already stay as they are: {added.before}.")
    if task.code:
        typer.echo(f"Address for the panel: /t/{task.code}/{parameter(task)} (after the address of the site)")
    if room(kind).study:
        typer.echo(f"Next: endoxa collect serve {folder}, and give the address to the panel.")
    else:
        typer.echo(f"Next: endoxa collect serve {folder}, and sign in; reviewers find it under Tasks.")


def _import_answers(campaign: Campaign, file: Path, language: str | None) -> None:
    from endoxa_collect.paper.entering import enter, read_answers

    spoken = page_language(campaign.settings, language)
    stored = enter(campaign, read_answers(file, campaign), spoken)
    words = f" and {plural(stored.words, 'answer')} in their own words" if stored.words else ""
    typer.echo(
        f"Stored: {plural(stored.people, 'person', 'people')} with {plural(stored.ratings, 'rating')}{words}."
    )
    if stored.people and campaign.rehearsing:
        typer.echo(
            "The campaign is still a rehearsal: erasing it deletes these answers too. Press Open on the dashboard, and "
            "import the file again if you erase."
        )
    if stored.before:
        typer.echo(f"Entered before and left as they were: {plural(stored.before, 'sheet')}.")
    if stored.withdrawn:
        typer.echo(f"Withdrawn and left out: {plural(stored.withdrawn, 'sheet')}.")
