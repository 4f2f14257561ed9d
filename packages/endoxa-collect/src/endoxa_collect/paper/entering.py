"""Answers from paper, typed into `answers.csv`: checked as a whole, then stored as people with their ratings."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from django.conf import settings as django_settings
from django.utils import timezone

from endoxa.errors import UserError
from endoxa.sources.dialects import csv_records, undecodable
from endoxa.sources.files import require_file
from endoxa.sources.source import reading_files
from endoxa.sources.spreadsheets import restored
from endoxa_collect import naming, withdrawals
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.cards.counts import reach, recount
from endoxa_collect.cards.locking import locked
from endoxa_collect.contributor.consent import language_of
from endoxa_collect.entry import cleaning
from endoxa_collect.entry.cells import country_cell, negative_cell
from endoxa_collect.entry.cleaning import AlreadyShownError, EntryError
from endoxa_collect.entry.proposing import propose
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

PAPER = "paper"
"""The tier of ratings from paper: no sampler drew them, so they have no propensity."""
_NOTHING = frozenset({"", "-"})
_Cell = TypeVar("_Cell")


@dataclass(frozen=True)
class WrittenWords:
    """What somebody wrote that people say of a country; `language` "" stands for that of the printed pages."""

    country: str
    text: str
    language: str


@dataclass(frozen=True)
class Sheet:
    """One filled-in sheet: `row` is that of the file, `ratings` are by id of the pair."""

    row: int
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
        UserError: the first thing that is wrong, with its row and column.
    """
    require_file(path)
    rows: list[list[str]] = []
    with reading_files(languages=campaign.settings.data_languages):
        for line, cells in csv_records(path):
            if isinstance(cells, csv.Error) or undecodable("".join(cells)):
                raise UserError(
                    f"{path.name}, line {line} is no CSV that can be read: save it as 'CSV UTF-8'."
                )
            rows.append(cells)
    if not rows:
        raise UserError(f"{path.name} is empty: expected the file that `endoxa collect print` wrote.")
    heading = [restored(name).strip() for name in rows[0]]
    missing = [name for name in (*FIXED, *WORDS) if name not in heading]
    if missing:
        raise UserError(
            f"{path.name}, row 1: column '{missing[0]}' is missing. Use the answers.csv that `endoxa collect print` "
            "wrote, with its headings unchanged (items of a task: --task KIND)."
        )
    twice = next((name for name in heading if name and heading.count(name) > 1), "")
    if twice:
        raise UserError(f"{path.name}, row 1: column '{twice}' is there twice. Remove one of them.")
    pairs = _pairs(path.name, heading, campaign)
    sheets: list[Sheet] = []
    seen: dict[str, int] = {}
    for number, cells in enumerate(rows[1:], start=2):
        if len(cells) > len(heading):
            raise UserError(
                f"{path.name}, row {number}: {len(cells)} cells, expected {len(heading)}. Is there a comma too many?"
            )
        row = dict(zip(heading, [cell.strip() for cell in cells], strict=False))
        if not any(text for name, text in row.items() if name not in ("sheet", RECEIPT)):
            continue
        sheet = _Row(path.name, number, row).sheet(campaign.settings, pairs)
        if (first := seen.setdefault(sheet.receipt, number)) != number:
            raise UserError(
                f"{path.name}, row {number}, column '{RECEIPT}': the same code as in row {first}. "
                "Each sheet has a code of its own."
            )
        sheets.append(sheet)
    return sheets


def _pairs(name: str, heading: list[str], campaign: Campaign) -> dict[str, Pair]:
    """The pair of each column of a card."""
    columns = {
        column: pair_of_heading(column) for column in heading if column and column not in (*FIXED, *WORDS)
    }
    unknown = next((column for column, digits in columns.items() if not digits), "")
    if unknown:
        raise UserError(
            f"{name}, row 1: unknown column '{unknown}'. Expected headings as `endoxa collect print` wrote them."
        )
    by_digits = {pair.public_id.hex[:12]: pair for pair in Pair.objects.filter(campaign=campaign)}
    lost = next((column for column, digits in columns.items() if digits not in by_digits), "")
    if lost:
        raise UserError(
            f"{name}, row 1, column '{lost}': this campaign has no such pair. Is it the file of another campaign, or "
            "was the pair removed since? Take the column out."
        )
    return {column: by_digits[digits] for column, digits in columns.items()}


@dataclass(frozen=True)
class _Row:
    name: str
    number: int
    cells: Mapping[str, str]

    def sheet(self, settings: CampaignSettings, pairs: Mapping[str, Pair]) -> Sheet:
        if self._read(CONSENT, negative_cell) is not True:
            raise self._fault(
                CONSENT,
                f"found '{self.cells.get(CONSENT, '')}', expected yes. Answers are only stored where all needed "
                "boxes of the sheet are ticked; else remove the row",
            )
        return Sheet(
            row=self.number,
            receipt=self._read(RECEIPT, _receipt),
            keep_words=self._read(KEEP_WORDS, negative_cell) is True,
            origins=self._read(ORIGINS, lambda text: _each(text, country_cell, settings.ui_languages)),
            languages=self._read(LANGUAGES, lambda text: _each(text, _language, settings.ui_languages)),
            ratings={
                pair.pk: self._read(column, _rating)
                for column, pair in pairs.items()
                if self.cells.get(column, "") not in _NOTHING and pair.moderation != Moderation.HIDDEN
            },
            words=tuple(
                self._words(settings, *word_columns(line))
                for line in range(1, WORD_LINES + 1)
                if self.cells.get(f"words_{line}", "") not in _NOTHING
            ),
        )

    def _words(self, settings: CampaignSettings, words: str, country: str, language: str) -> WrittenWords:
        text = self._read(words, cleaning.clean)
        if not self.cells.get(country, ""):
            raise self._fault(country, "found nothing, expected the country that the words are about")
        about = self._read(country, lambda cell: country_cell(cell, settings.ui_languages))
        spoken = self._read(language, lambda cell: _campaign_language(cell, settings) if cell else "")
        return WrittenWords(about, text, spoken)

    def _read(self, column: str, reader: Callable[[str], _Cell]) -> _Cell:
        try:
            return reader(self.cells.get(column, ""))
        except (ValueError, EntryError) as problem:
            raise self._fault(column, str(problem)) from None

    def _fault(self, column: str, problem: str) -> UserError:
        return UserError(f"{self.name}, row {self.number}, column '{column}': {problem}.")


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
            raise UserError(f"row {sheet.row}, '{written.text}': {problem} Nothing was stored.") from None
        new += 1
    return new
