"""Answers from paper, typed into `answers.csv`: checked as a whole, then stored as people with their ratings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings as django_settings
from django.utils import timezone

from endoxa.errors import UserError
from endoxa_collect import naming, withdrawals
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.cards.counts import reach, recount
from endoxa_collect.cards.locking import locked
from endoxa_collect.contributor.consent import language_of
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
from endoxa_collect.paper import (
    CONSENT,
    FIXED,
    KEEP_WORDS,
    LANGUAGES,
    ORIGINS,
    RECEIPT,
    WORD_LINES,
    WORDS,
    pair_of_heading,
    word_columns,
)
from endoxa_collect.privacy import is_over
from endoxa_collect.security.codes import RECEIPT_LENGTH, hash_receipt, letters_of, no_cookie, sheet_id
from endoxa_collect.tablefile import TableRow, read_rows

PAPER = "paper"
"""The tier of ratings from paper: no sampler drew them, so they have no propensity."""
_NOTHING = frozenset({"", "-"})
_EXPECTED = (
    "the file that `endoxa collect print` wrote, with its headings unchanged (items of a task: --task KIND)"
)


@dataclass(frozen=True)
class WrittenWords:
    """What somebody wrote that people say of a country; `language` "" stands for that of the printed pages."""

    country: str
    text: str
    language: str


@dataclass(frozen=True)
class Sheet:
    """One filled-in sheet: `place` is its line of the file, `ratings` are by id of the pair."""

    place: str
    receipt: str
    keep_words: bool
    origins: tuple[str, ...]
    languages: tuple[str, ...]
    ratings: Mapping[int, int]
    words: tuple[WrittenWords, ...] = ()


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
) -> WrittenWords:
    text = row.read(words, clean)
    if not row.read(country, str):
        raise row.fault(country, "found nothing, expected the country that the words are about")
    about = row.read(country, lambda cell: country_cell(cell, settings.ui_languages))
    spoken = row.read(language, lambda cell: _campaign_language(cell, settings) if cell else "")
    return WrittenWords(about, text, spoken)


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
    codes = (naming.match_language(text, named_in).code for named_in in ("en", *languages))
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


def _card(
    campaign: Campaign,
    person: Person,
    number: int,
    country: str,
    pair: Pair | None = None,
) -> Card:
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
        card = _card(campaign, person, number, written.country)
        try:
            propose(
                person,
                card,
                country=written.country,
                text=written.text,
                language=written.language or language,
                via=Via.PROMPT,
            )
        except AlreadyShownError:
            # It is on a card that the person rated: people said it before.
            card.delete()
            continue
        except EntryError as problem:
            raise UserError(f"{sheet.place}, '{written.text}': {problem} Nothing was stored.") from None
        new += 1
    return new
