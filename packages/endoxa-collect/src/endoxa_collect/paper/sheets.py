"""What is on paper: the pairs of the cards with their numbers, and the sheets with their receipt codes."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

from endoxa.errors import UserError
from endoxa.sources.spreadsheets import neutralised
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.models import Campaign, Moderation, Pair
from endoxa_collect.sampler.slots import CANDIDATE
from endoxa_collect.security.codes import new_receipt

RECEIPT, CONSENT, KEEP_WORDS, ORIGINS, LANGUAGES = "receipt", "consent", "keep_words", "origins", "languages"
FIXED = ("sheet", RECEIPT, CONSENT, KEEP_WORDS, ORIGINS, LANGUAGES)
"""Columns of `answers.csv` before those of the cards."""

OWN_WORDS = 3
"""Lines of an answer sheet for what else people say."""


def own_words_columns(line: int) -> tuple[str, str, str]:
    """The columns of one line of own words: the words, the country they are about, their language."""
    return f"words_{line}", f"words_{line}_country", f"words_{line}_language"


OWN = tuple(column for line in range(1, OWN_WORDS + 1) for column in own_words_columns(line))
"""Columns of `answers.csv` after those of the cards; files from before have none."""

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
        there = sorted(
            set(
                Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE).values_list(
                    "language", flat=True
                )
            )
        )
        raise UserError(
            f"The campaign has no live pair in language '{language}'"
            + (f" (it has some in: {', '.join(there)}): choose one with --language." if there else ".")
        )
    judged = [(pair, pair.may_hurt) for pair in chosen]
    ordered = sorted(judged, key=lambda one: one[1])  # stable: the order of before within both
    return tuple(PaperCard(number, pair, hurts) for number, (pair, hurts) in enumerate(ordered, start=1))


def new_receipts(count: int) -> tuple[str, ...]:
    """Receipt codes of new sheets, such as WQ7M-4KDP-2LMZ."""
    return tuple(new_receipt() for _ in range(count))


def needed_boxes(settings: CampaignSettings) -> tuple[str, ...]:
    """Names of the boxes of the consent that taking part needs, in the order of the page."""
    named = {
        "age": bool(settings.minimum_age or settings.maximum_age),
        "guardian": settings.guardian,
        "take_part": True,
        "publication": True,
    }
    return tuple(name for name, asked in named.items() if asked)


def write_template(path: Path, receipts: Sequence[str], cards: Iterable[PaperCard]) -> None:
    """Write `answers.csv`: one row a sheet with its number and receipt code, one column a card, then own words."""
    headings = [card.heading for card in cards]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*FIXED, *map(neutralised, headings), *OWN])
        for number, receipt in enumerate(receipts, start=1):
            writer.writerow([number, receipt, *[""] * (len(FIXED) - 2 + len(headings) + len(OWN))])


def pair_of_heading(heading: str) -> str:
    """The first digits of the pair's id in the heading of a card's column; "" where it is no such heading."""
    found = _HEADING.match(heading.strip())
    return found.group(2) if found else ""
