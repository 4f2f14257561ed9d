"""Paper: the consent sheet, cards to cut out and answer sheets as HTML, and the answers that are typed in afterwards.

Answers are checked as a whole, then stored as people with their ratings and words.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import TypeVar

from django.conf import settings as django_settings
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext

from endoxa.errors import UserError
from endoxa.sources.spreadsheets import neutralised
from endoxa_collect import geography, groups, withdrawals
from endoxa_collect.campaign import CampaignSettings, in_language
from endoxa_collect.cards.counts import reach, recount
from endoxa_collect.cards.locking import locked
from endoxa_collect.contributor.consent import ConsentForm, headed, language_of
from endoxa_collect.entry.cleaning import AlreadyShownError, EntryError, clean
from endoxa_collect.entry.proposing import propose
from endoxa_collect.entry.seeding import country_cell, negative_cell
from endoxa_collect.models import (
    RATING_WORDS,
    Campaign,
    Card,
    CardState,
    Moderation,
    Pair,
    Person,
    Rating,
    Via,
    record,
)
from endoxa_collect.privacy import is_over
from endoxa_collect.sampler.slots import CANDIDATE
from endoxa_collect.security.codes import (
    RECEIPT_LENGTH,
    hash_receipt,
    letters_of,
    new_receipt,
    no_cookie,
    sheet_id,
)
from endoxa_collect.tablefile import TableRow, read_rows

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
    chosen.sort(key=lambda pair: pair.may_hurt)
    return tuple(PaperCard(number, pair, pair.may_hurt) for number, pair in enumerate(chosen, start=1))


def new_receipts(count: int) -> tuple[str, ...]:
    """Receipt codes of new sheets, such as WQ7M-4KDP-2LMZ."""
    return tuple(new_receipt() for _ in range(count))


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
    campaign: Campaign, language: str, cards: Sequence[PaperCard], receipts: Sequence[str], address: str = ""
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
            "settings": settings,
            "lines": headed(in_language(texts.about, language)),
            "warning": in_language(texts.content_warning, language),
            "consent": in_language(texts.consent, language),
            "consent_language": language_of(texts.consent, language),
            "guardian": in_language(texts.guardian, language),
            "guardian_language": language_of(texts.guardian, language),
            "boxes": [(box.label, box.field.required) for box in ConsentForm(settings, language).boxes],
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
    """Write the pages, which have their print style in them, for any browser to print or to save as PDF.

    Raises:
        UserError: another ending than .html.
    """
    if path.suffix.lower() != ".html":
        raise UserError(
            f"{path}: pages are written as .html. Write -o {path.stem}.html, open it in a browser and print it there "
            "(or save it as PDF)."
        )
    path.write_text(html, encoding="utf-8")


PAPER = "paper"
"""The tier of ratings from paper: no sampler drew them, so they have no propensity."""
_NOTHING = frozenset({"", "-"})
_EXPECTED = (
    "the file that `endoxa collect print` wrote, with its headings unchanged (items of a task: --task KIND)"
)


@dataclass(frozen=True)
class Sheet:
    """One filled-in sheet.

    Attributes:
        place: its line of the file.
        receipt: the letters of its code.
        keep_words: words may stay when the person leaves.
        origins: countries that they come from.
        languages: that they speak.
        ratings: by id of the pair.
        words: what they wrote: `text`, the `country` that it is about, `language` where it is not that of the pages.
    """

    place: str
    receipt: str
    keep_words: bool
    origins: tuple[str, ...]
    languages: tuple[str, ...]
    ratings: Mapping[int, int]
    words: tuple[dict[str, str], ...] = ()


@dataclass(frozen=True)
class Entered:
    """What was stored; `before` were in the database already, `withdrawn` were taken back and stay out."""

    people: int
    ratings: int
    before: int
    withdrawn: int
    words: int = 0


def read_answers(path: Path, campaign: Campaign) -> list[Sheet]:
    """The sheets that were filled in; rows with nothing but the sheet's number and receipt are left out.

    Raises:
        UserError: the first thing that is wrong, with its line and column.
    """
    settings = campaign.settings
    rows = list(read_rows(path, (*FIXED, *WORDS), expected=_EXPECTED, languages=settings.data_languages))
    pairs = _pairs(path, rows[0].cells, campaign)
    sheets: dict[str, Sheet] = {}
    for row in rows:
        if any(text.strip() for name, text in row.cells.items() if name not in ("sheet", RECEIPT)):
            sheet = _sheet(row, settings, pairs)
            if first := sheets.get(sheet.receipt):
                raise row.fault(RECEIPT, f"the same code as in {first.place}. Each sheet has its own")
            sheets[sheet.receipt] = sheet
    return list(sheets.values())


def _pairs(path: Path, heading: Iterable[str], campaign: Campaign) -> dict[str, Pair]:
    """The pair of each column of a card."""
    by_digits = {pair.public_id.hex[:12]: pair for pair in Pair.objects.filter(campaign=campaign)}
    pairs = {}
    for column in heading:
        digits = pair_of_heading(column)
        if column and not digits and column not in (*FIXED, *WORDS):
            raise UserError(f"{path}: unknown column '{column}'. Expected {_EXPECTED}.")
        if digits and digits not in by_digits:
            raise UserError(
                f"{path}, column '{column}': this campaign has no such pair. Is it the file of another campaign, or "
                "was the pair removed since? Take the column out."
            )
        if digits:
            pairs[column] = by_digits[digits]
    return pairs


def _sheet(row: TableRow, settings: CampaignSettings, pairs: Mapping[str, Pair]) -> Sheet:
    if row.read(CONSENT, negative_cell) is not True:
        raise row.fault(
            CONSENT,
            f"found '{row.read(CONSENT, str)}', expected yes. Answers are only stored where all needed boxes of the "
            "sheet are ticked; else remove the row",
        )
    return Sheet(
        place=row.place,
        receipt=row.read(RECEIPT, _receipt),
        keep_words=row.read(KEEP_WORDS, negative_cell) is True,
        origins=row.read(ORIGINS, lambda text: _each(text, country_cell, settings.ui_languages)),
        languages=row.read(LANGUAGES, lambda text: _each(text, _language, settings.ui_languages)),
        ratings={
            pair.pk: row.read(column, _rating)
            for column, pair in pairs.items()
            if row.read(column, str) not in _NOTHING and pair.moderation != Moderation.HIDDEN
        },
        words=tuple(
            _words(row, settings, *word_columns(line))
            for line in range(1, WORD_LINES + 1)
            if row.read(f"words_{line}", str) not in _NOTHING
        ),
    )


def _words(
    row: TableRow, settings: CampaignSettings, words: str, country: str, language: str
) -> dict[str, str]:
    written = {"text": row.read(words, clean)}
    if not row.read(country, str):
        raise row.fault(country, "found nothing, expected the country that the words are about")
    written["country"] = row.read(country, lambda cell: country_cell(cell, settings.ui_languages))
    if row.read(language, str):
        written["language"] = row.read(language, lambda cell: _campaign_language(cell, settings))
    return written


def _receipt(text: str) -> str:
    letters = letters_of(text)
    if len(letters) != RECEIPT_LENGTH:
        raise ValueError(
            f"found '{text}', expected the code of twelve letters and digits that is on the sheet"
        )
    return letters


def _rating(text: str) -> int:
    if text not in {str(value) for value in RATING_WORDS}:
        raise ValueError(f"found '{text}', expected 1, 2, 3, 4 or 5, or nothing where no box is ticked")
    return int(text)


def _language(text: str, languages: tuple[str, ...]) -> str:
    codes = (geography.match_language(text, named_in).code for named_in in ("en", *languages))
    code = next(filter(None, codes), "")
    if not code:
        raise ValueError(f"found '{text}', expected the name of a language or its code")
    return code


def _campaign_language(text: str, settings: CampaignSettings) -> str:
    code = _language(text, settings.ui_languages)
    if code not in settings.data_languages:
        raise ValueError(
            f"found '{text}', expected one of the campaign's: {', '.join(settings.data_languages)}"
        )
    return code


def _each(
    text: str, reader: Callable[[str, tuple[str, ...]], str], languages: tuple[str, ...]
) -> tuple[str, ...]:
    """What several names in one cell stand for, each once."""
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    return tuple(dict.fromkeys(reader(part, languages) for part in parts))


def enter(campaign: Campaign, sheets: list[Sheet], language: str) -> Entered:
    """Store the sheets, all or none. Sheets that are stored already stay as they are; those withdrawn stay out.

    Args:
        campaign: whose answers they are.
        sheets: what `read_answers` gave.
        language: that of the printed pages, in which people read the consent.

    Raises:
        UserError: the retention date is over.
    """
    if is_over(campaign, timezone.now().date()):
        raise UserError(
            f"The retention date of campaign '{campaign.slug}' ({campaign.settings.retention}) is over, so answers "
            "from paper cannot be entered."
        )
    people = ratings = before = out = words = 0
    with locked(campaign.pk) as current:
        gone: set[str] = set()
        if django_settings.FOLDER is not None:
            lines = withdrawals.read(django_settings.FOLDER / withdrawals.NAME, complete=False)
            gone = {line.person for line in lines if line.person and line.campaign == current.slug}
        pairs = {pair.pk: pair for pair in Pair.objects.filter(campaign=current)}
        touched: dict[int, Pair] = {}
        for sheet in sheets:
            receipt = hash_receipt(sheet.receipt)
            if withdrawals.hashed(sheet_id(receipt)) in gone:
                out += 1
            elif Person.objects.filter(receipt_hash=receipt).exists():
                before += 1
            else:
                person = _person(current, receipt, sheet, language)
                reach(person)
                _rate(current, person, {pairs[pk]: value for pk, value in sheet.ratings.items()})
                touched |= {pk: pairs[pk] for pk in sheet.ratings}
                people, ratings = people + 1, ratings + len(sheet.ratings)
                words += _say(current, person, sheet, language)
        recount(current, touched.values())
        if people:
            record(current, None, "paper entered", people=people, ratings=ratings, words=words)
    return Entered(people, ratings, before, out, words)


def _person(campaign: Campaign, receipt_hash: str, sheet: Sheet, language: str) -> Person:
    settings = campaign.settings
    return Person.objects.create(
        campaign=campaign,
        # On a phone they are somebody new.
        secret_hash=no_cookie(),
        receipt_hash=receipt_hash,
        ui_language=language,
        consent_version=settings.consent_version,
        consent_language=language_of(settings.texts.consent, language),
        consent_hour=timezone.now().replace(minute=0, second=0, microsecond=0),
        keep_words=sheet.keep_words,
        profile_done=True,
        origins=list(sheet.origins),
        languages=list(sheet.languages),
    )


def _rate(campaign: Campaign, person: Person, ratings: Mapping[Pair, int]) -> None:
    for number, (pair, value) in enumerate(ratings.items()):
        card = _card(campaign, person, number, pair.country, pair)
        Rating.objects.create(
            card=card,
            person=person,
            pair=pair,
            value=value,
            in_group=pair.country in person.origins,
            created_at=card.drawn_at,
        )


def _card(campaign: Campaign, person: Person, number: int, country: str, pair: Pair | None = None) -> Card:
    """An answered card: of a pair, else an open question about a country."""
    now = timezone.now()
    return Card.objects.create(
        campaign=campaign,
        person=person,
        pair=pair,
        country=country,
        negative=bool(pair and pair.negative),
        number=number,
        tier=PAPER,
        version=campaign.version,
        digest=campaign.settings.digest(),
        adds=pair is None,
        words=pair is None,
        ticks=False,
        state=CardState.ANSWERED,
        drawn_at=now,
        expires_at=now,
        # No time of closing: typing in a pile is not the pace of a room.
        closed_at=None,
    )


def _say(campaign: Campaign, person: Person, sheet: Sheet, language: str) -> int:
    """Store what somebody wrote on their sheet, each thing as the answer to an open question; how many were new."""
    new = 0
    for number, written in enumerate(sheet.words, start=len(sheet.ratings)):
        card = _card(campaign, person, number, written["country"])
        try:
            propose(person, card, via=Via.PROMPT, **{"language": language, **written})
        except AlreadyShownError:
            # It is on a card that the person rated: people said it before.
            card.delete()
            continue
        except EntryError as problem:
            raise UserError(f"{sheet.place}, '{written['text']}': {problem} Nothing was stored.") from None
        new += 1
    return new
