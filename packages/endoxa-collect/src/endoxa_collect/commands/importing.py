"""`endoxa collect print` and `import`: cards on paper, and tables that come in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa_collect.commands.export import Folder, Slug, argument, campaign_in, flag, option

if TYPE_CHECKING:
    from endoxa_collect.models import Campaign


def print_cards(
    folder: Folder,
    *,
    output: Annotated[Path, option("FILE", "File to write (.html).", "--out", "-o")],
    language: Annotated[str | None, option("CODE", "Language (default: the campaign's first).")] = None,
    cards: Annotated[int, typer.Option(min=1, max=80, help="Maximum number of cards.")] = 24,
    sheets: Annotated[int, typer.Option(min=1, max=500, help="Number of answer sheets, one a person.")] = 30,
    address: Annotated[str | None, option("URL", "Address of the site (default: its public name).")] = None,
    campaign: Slug = None,
) -> None:
    """Print a campaign: consent sheet, cards to cut out, answer sheets; and answers.csv to type the answers in.

    Cards that may hurt come last, behind a notice. Each answer sheet has a receipt code, which answers.csv holds too:
    keep that file as safe as the sheets. It is written beside FILE, under its name with -answers.csv.

    \b
    Examples:
      endoxa collect print campaign -o cards.html
      endoxa collect print campaign -o cards.html --language es --cards 16 --sheets 40
      endoxa collect print campaign -o cards.html --address https://camp.example.org
    """  # noqa: D301
    chosen = about_countries(folder, campaign)
    from endoxa_collect.addresses import public_address
    from endoxa_collect.paper import choose_cards, new_receipts, page, write, write_template

    spoken = page_language(chosen, language)
    template = output.with_name(f"{output.stem}-answers.csv")
    if template.exists():
        raise UserError(
            f"{template} exists, perhaps with answers in it. Move it, or choose another name with -o."
        )
    picked = choose_cards(chosen, spoken, cards)
    receipts = new_receipts(sheets)
    output.parent.mkdir(parents=True, exist_ok=True)
    where = address or public_address()
    write(page(chosen, spoken, picked, receipts, f"{where.rstrip('/')}/leave/" if where else ""), output)
    write_template(template, receipts, picked)
    template.chmod(0o600)
    apart = sum(card.hurts for card in picked)
    kept = f", {apart} of them behind a notice" if apart else ""
    typer.echo(f"{output}: {plural(len(picked), 'card')}{kept}, {plural(sheets, 'answer sheet')}.")
    if not (where or chosen.settings.contact):
        typer.echo(
            "The strips say neither where to type a receipt code nor whom to ask: give --address, or a contact "
            "(Settings, Basics). There is a line to write it by hand."
        )
    typer.echo(f"Type the answers into {template}, then: endoxa collect import {folder} {template}")


def import_file(
    folder: Folder,
    file: Annotated[
        Path,
        argument(
            "FILE",
            "Items of a task (.csv, .tsv, .xlsx, .jsonl, .json, .parquet; also .gz), or answers.csv of `print`.",
        ),
    ],
    *,
    task: Annotated[str | None, option("KIND", "FILE holds items of this kind (see `task kinds`).")] = None,
    name: Annotated[str | None, option("NAME", "With --task: its name (default: the kind).")] = None,
    settings: Annotated[
        list[str] | None, option("NAME=VALUE", "With --task: a setting (needed=3); repeatable.", "--set")
    ] = None,
    panel: Annotated[bool, flag("--panel", "With --task: a panel may judge, by a code.")] = False,
    groups: Annotated[
        bool,
        flag("--groups", "FILE holds groups in place of countries: id, name_en, kind, own, parent, near."),
    ] = False,
    language: Annotated[
        str | None, option("CODE", "Language of the printed pages (default: the first).")
    ] = None,
    campaign: Slug = None,
) -> None:
    """Read items of a task (--task), answers from paper, or groups (--groups). What is wrong is stored nowhere.

    A file of items may have any size. A column `item_id` (or `id`) names the items; without it rows are numbered. The
    names come back in the export. Where a task of this name and kind is there, items that it does not have are added.

    Answers from paper: write yes under 'consent' where all boxes with a star are ticked, country and language names as
    on the sheet, and 1 to 5 under each card. What people wrote themselves goes under 'words_1' to 'words_3', each with
    its country and, if it is not that of the pages, its language. The file can be read again after more sheets came in:
    those stored before are skipped, and so are withdrawn ones. Ratings from paper have the tier 'paper' and no
    propensity.

    --groups replaces the groups that cards are about, and places everybody anew by what they said about themselves.
    Pairs about a group that is not in the new table stay live, under its id: the command names them. Groups need rules
    on questions that the campaign asks.

    \b
    Examples:
      endoxa collect import camp tuples.csv --task votes
      endoxa collect import camp groups.csv --groups
      endoxa collect import camp tuples.csv --task votes --set needed=5 --set least=3 --panel
      endoxa collect import panel assoc.csv --task harm --set participant=PROLIFIC_PID
      endoxa collect import camp cards-answers.csv
    """  # noqa: D301
    if groups:
        if task or name or settings or panel or language:
            raise UserError("--groups stands alone: leave out --task and --language.")
        _import_groups(campaign_in(folder, campaign), file)
        return
    if task is None and (name or settings or panel):
        raise UserError("--name, --set and --panel are for items: add --task KIND.")
    if task is not None and language:
        raise UserError("--language is for answers from paper: leave out --task or --language.")
    if task is None:
        _import_answers(about_countries(folder, campaign), file, language)
        return
    chosen = campaign_in(folder, campaign)
    from endoxa_collect.tasks.adding import add_task, options_of

    added = add_task(chosen, task, file, name=name, options=options_of(settings or []), panel=panel)
    typer.echo(f"Task '{added.task.name}' of kind {task}: {plural(added.items, 'item')} added.")
    if added.before:
        typer.echo(f"Items that it had already stay as they are: {added.before}.")
    if added.task.code:
        # The panel fills in its id of a person.
        participant = added.task.settings.get("participant", "")
        address = f"/t/{added.task.code}/{f'?{participant}=ID' if participant else ''}"
        typer.echo(f"Address for the panel: {address} (after the address of the site)")
    who = "give the address to the panel" if added.task.code else "sign in; reviewers find it under Tasks"
    typer.echo(f"Next: endoxa collect serve {folder}, and {who}.")


def _import_answers(campaign: Campaign, file: Path, language: str | None) -> None:
    from endoxa_collect.paper import enter, read_answers

    spoken = page_language(campaign, language)
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


def _import_groups(chosen: Campaign, table: Path) -> None:
    """Replace the groups that cards are about, and place everybody anew by what they said about themselves."""
    from endoxa_collect.groups import content_of
    from endoxa_collect.organiser.settings import save_from_file

    content = content_of(table)
    removed = save_from_file(chosen, content, str(table))
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
    typer.echo(f"Cards of campaign '{chosen.slug}' are about {plural(len(content['groups']), 'group')}.")


def about_countries(folder: Path, campaign: str | None) -> Campaign:
    """The campaign, if its cards are about countries: sheets ask for nothing else about a person.

    Raises:
        UserError: it declared other groups.
    """
    chosen = campaign_in(folder, campaign)
    if chosen.settings.groups:
        raise UserError(
            f"Campaign '{chosen.slug}' has cards about other groups than countries; paper sheets do not ask what says "
            "who belongs to these. Enter the answers on the site, on a phone for each person."
        )
    return chosen


def page_language(campaign: Campaign, language: str | None) -> str:
    """The language asked for, else the first of the campaign.

    Raises:
        UserError: the campaign has no pages in it.
    """
    offered = campaign.settings.ui_languages
    if language is not None and language not in offered:
        raise UserError(
            f"--language {language}: the campaign has no pages in it. Choose one of: {', '.join(offered)}."
        )
    return language or offered[0]
