"""Paper: the consent sheet, cards to cut out and answer sheets, as HTML that any browser prints.

The answers that are typed in afterwards are read in `entering`.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain, zip_longest
from pathlib import Path
from typing import TypeVar

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext

from endoxa.errors import UserError
from endoxa.sources.spreadsheets import neutralised
from endoxa_collect import groups
from endoxa_collect.campaign import CampaignSettings, in_language
from endoxa_collect.contributor.consent import ConsentForm, headed, language_of
from endoxa_collect.models import RATING_WORDS, Campaign, Moderation, Pair
from endoxa_collect.sampler.slots import CANDIDATE
from endoxa_collect.security.codes import new_receipt

RECEIPT, CONSENT, KEEP_WORDS, ORIGINS, LANGUAGES = "receipt", "consent", "keep_words", "origins", "languages"
FIXED = ("sheet", RECEIPT, CONSENT, KEEP_WORDS, ORIGINS, LANGUAGES)
"""Columns of `answers.csv` before those of the cards."""

WORD_LINES = 3
"""Lines of an answer sheet for what else people say."""


def word_columns(line: int) -> tuple[str, str, str]:
    """The columns of one line of own words: the words, the country they are about, their language."""
    return f"words_{line}", f"words_{line}_country", f"words_{line}_language"


WORDS = tuple(column for line in range(1, WORD_LINES + 1) for column in word_columns(line))
"""Columns of `answers.csv` after those of the cards."""

Item = TypeVar("Item")
_HEADING = re.compile(r"^card (\d+) ([0-9a-f]{12})$")


@dataclass(frozen=True, slots=True)
class PaperCard:
    """A card: its number in this print, its pair, and whether it is printed apart since it may hurt."""

    number: int
    pair: Pair
    hurts: bool

    @property
    def heading(self) -> str:
        """The column of `answers.csv`: the number and the first digits of the pair's random id."""
        return f"card {self.number} {self.pair.public_id.hex[:12]}"


def choose_cards(campaign: Campaign, language: str, most: int) -> tuple[PaperCard, ...]:
    """Live pairs in a language that lack ratings most, country by country; candidates stay out, hurtful ones come last.

    Raises:
        UserError: there is no live pair in the language.
    """
    live = (
        Pair.objects.filter(
            campaign=campaign, moderation=Moderation.LIVE, merged_into=None, language=language
        )
        .exclude(need=CANDIDATE)
        .order_by("ratings", "public_id")
    )
    by_country: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in live:
        by_country[pair.country].append(pair)
    rounds = zip_longest(*(by_country[country] for country in sorted(by_country)))
    chosen = [pair for pair in chain.from_iterable(rounds) if pair is not None][:most]
    if not chosen:
        live_pairs = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE)
        there = sorted(set(live_pairs.values_list("language", flat=True)))
        raise UserError(
            f"The campaign has no live pair in language '{language}'"
            + (f" (it has some in: {', '.join(there)}): choose one with --language." if there else ".")
        )
    harmless = [(pair, False) for pair in chosen if not pair.may_hurt]
    hurtful = [(pair, True) for pair in chosen if pair.may_hurt]
    return tuple(PaperCard(number, *card) for number, card in enumerate(harmless + hurtful, start=1))


def new_receipts(count: int) -> tuple[str, ...]:
    """Receipt codes of new sheets, such as WQ7M-4KDP-2LMZ."""
    return tuple(new_receipt() for _ in range(count))


def needed_boxes(settings: CampaignSettings) -> tuple[str, ...]:
    """Names of the boxes of the consent that taking part needs, in the order of the page."""
    boxes = {
        "age": bool(settings.minimum_age or settings.maximum_age),
        "guardian": settings.guardian,
        "take_part": True,
        "publication": True,
    }
    return tuple(name for name, needed in boxes.items() if needed)


def write_template(path: Path, receipts: Sequence[str], cards: Iterable[PaperCard]) -> None:
    """Write `answers.csv`: one row a sheet with its number and receipt code, one column a card, then own words."""
    headings = [card.heading for card in cards]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*FIXED, *map(neutralised, headings), *WORDS])
        for number, receipt in enumerate(receipts, start=1):
            writer.writerow([number, receipt, *[""] * (len(FIXED) - 2 + len(headings) + len(WORDS))])


def pair_of_heading(heading: str) -> str:
    """The first digits of the pair's id in the heading of a card's column; "" where it is no such heading."""
    match = _HEADING.match(heading.strip())
    return match.group(2) if match else ""


PER_PAGE = 8
_ROWS = 20
"""Cards in one column of an answer sheet."""


def page(
    campaign: Campaign,
    language: str,
    cards: Sequence[PaperCard],
    receipts: Sequence[str],
    address: str = "",
) -> str:
    """All pages as one HTML document, in a language of the site's pages.

    Args:
        campaign: whose.
        language: of the pages.
        cards: what they show.
        receipts: the code of each answer sheet.
        address: of the site, where people type their code to leave; "" where they cannot reach it.
    """
    with translation.override(language):
        settings, texts = campaign.settings, campaign.settings.texts
        needed = needed_boxes(settings)
        shown = [
            {
                "number": card.number,
                **groups.spoken(card.pair.country, language, settings),
                "words": card.pair.attribute,
                "language": card.pair.language,
                "hurts": card.hurts,
            }
            for card in cards
        ]
        # Columns of the same height, as many as an answer sheet needs.
        height = -(-len(cards) // -(-len(cards) // _ROWS))
        context = {
            "address": address,
            "title": in_language(texts.title, language),
            "organisation": settings.organisation,
            "contact": settings.contact,
            "lines": headed(in_language(texts.about, language)),
            "warning": in_language(texts.content_warning, language),
            "consent": in_language(texts.consent, language),
            "consent_language": language_of(texts.consent, language),
            "guardian": in_language(texts.guardian, language) if settings.guardian else "",
            "guardian_language": language_of(texts.guardian, language),
            "retention": settings.retention,
            "boxes": [(box.label, box.name in needed) for box in ConsentForm(settings, language).boxes],
            "help_lines": settings.help_lines,
            "scale": [(value, gettext(words)) for value, words in RATING_WORDS.items()],
            "pages": _split([card for card in shown if not card["hurts"]], PER_PAGE),
            "hurting": _split([card for card in shown if card["hurts"]], PER_PAGE),
            "numbers": _split([card.number for card in cards], height),
            "sheets": list(enumerate(receipts, start=1)),
            "word_lines": range(1, WORD_LINES + 1),
        }
        return render_to_string("paper/cards.html", context)


def _split(items: Sequence[Item], length: int) -> list[Sequence[Item]]:
    return [items[start : start + length] for start in range(0, len(items), length)]


def write(html: str, path: Path) -> None:
    """Write the pages with their print style, for any browser to print or to save as PDF.

    Raises:
        UserError: another ending than .html.
    """
    if path.suffix.lower() != ".html":
        raise UserError(
            f"{path}: pages are written as .html. Write -o {path.stem}.html, open it in a browser and print it there "
            "(or save it as PDF)."
        )
    style = (files("endoxa_collect.paper") / "print.css").read_text(encoding="utf-8")
    # The title is escaped, so the first end of a title is ours.
    path.write_text(html.replace("</title>", f"</title>\n<style>\n{style}</style>", 1), encoding="utf-8")
