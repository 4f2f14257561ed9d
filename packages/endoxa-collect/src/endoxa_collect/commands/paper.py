"""`endoxa collect print`: a set of cards on paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa_collect.commands.export import Folder, Slug, campaign_in

if TYPE_CHECKING:
    from endoxa_collect.campaign import CampaignSettings
    from endoxa_collect.models import Campaign


def print_cards(
    folder: Folder,
    *,
    output: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="File to write (.html), to print with a browser."),
    ],
    language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Language of pages and cards (default: the campaign's first)."),
    ] = None,
    cards: Annotated[int, typer.Option(min=1, max=80, help="Maximum number of cards.")] = 24,
    sheets: Annotated[int, typer.Option(min=1, max=500, help="Number of answer sheets, one a person.")] = 30,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Address of the site for the strips with receipt codes (default: its public name, if it has one).",
        ),
    ] = None,
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

    spoken = page_language(chosen.settings, language)
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


def page_language(settings: CampaignSettings, language: str | None) -> str:
    """The language asked for, else the first of the campaign.

    Raises:
        UserError: the campaign has no pages in it.
    """
    spoken = language or settings.ui_languages[0]
    if spoken not in settings.ui_languages:
        offered = ", ".join(settings.ui_languages)
        raise UserError(f"--language {spoken}: the campaign has no pages in it. Choose one of: {offered}.")
    return spoken
