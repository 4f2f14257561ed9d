"""Seeds, the pairs that an organiser starts a campaign with: read from a table, often a spreadsheet's, and added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from random import SystemRandom
from typing import Any

from django.utils.translation import get_language, gettext

from endoxa.sources.source import Source
from endoxa_collect import geography, groups
from endoxa_collect.campaign import UNLISTED, CampaignSettings
from endoxa_collect.cards.locking import locked
from endoxa_collect.entry.cleaning import MAX_LENGTH, fold, key
from endoxa_collect.entry.words import has_slurs, negative
from endoxa_collect.geography import Match
from endoxa_collect.models import Campaign, Moderation, Pair
from endoxa_collect.models import Source as PairSource
from endoxa_collect.tablefile import TableError, TableRow, read_rows
from endoxa_collect.visible import READ, visible

_MOST = 1 / 3
"""Largest share of the seeds that becomes the calibration set."""

_BLOCK = 100
"""Rows that are added in one transaction."""


@dataclass(frozen=True)
class SeedRow:
    """One pair to start with.

    Attributes:
        country: ISO 3166 code.
        attribute: what is said; at most 120 characters.
        language: ISO 639 code, one of the campaign's.
        topic: a short name, or "".
        negative: whether it hurts to hear; None leaves it to `entry.words`, which mostly does not know.
    """

    country: str
    attribute: str
    language: str
    topic: str = ""
    negative: bool | None = None


@dataclass(frozen=True)
class SeedReport:
    """What became of rows: those that are new pairs, and those that the campaign, or an earlier row, has already."""

    new: tuple[SeedRow, ...]
    duplicates: tuple[SeedRow, ...]

    @property
    def added(self) -> int:
        """How many pairs are new."""
        return len(self.new)


def add_seeds(
    campaign: Campaign, rows: Iterable[SeedRow], *, note: Callable[[SeedReport], None] = lambda _: None
) -> SeedReport:
    """Add the rows that the campaign does not have, live at once, and choose the calibration set.

    Rows keep to the rules that `read_seeds` checks. They are added in blocks, so that people who
    answer meanwhile get their turn; what was added stays if a later block fails.

    Args:
        campaign: to which.
        rows: what to add.
        note: called with what was done so far, in the transaction of each block.
    """
    new: list[SeedRow] = []
    duplicates: list[SeedRow] = []
    ready = iter([(_pair(campaign, row), row) for row in rows])
    while block := list(islice(ready, _BLOCK)):
        with locked(campaign.pk) as current:
            same = {
                "country__in": {pair.country for pair, _ in block},
                "key__in": {pair.key for pair, _ in block},
            }
            present = set(current.pairs.filter(**same).values_list("country", "language", "key"))
            added = []
            for pair, row in block:
                name = (pair.country, pair.language, pair.key)
                if name not in present:
                    added.append(pair)
                (duplicates if name in present else new).append(row)
                present.add(name)
            Pair.objects.bulk_create(added)
            note(SeedReport(tuple(new), tuple(duplicates)))
    with locked(campaign.pk) as current:
        choose_calibration(current)
    return SeedReport(tuple(new), tuple(duplicates))


def unkind(row: SeedRow) -> bool | None:
    """Whether a row is stored as unkind: as the file says, else as the words alone say; None: not known."""
    return negative(visible(row.attribute), row.language) if row.negative is None else row.negative


def choose_calibration(campaign: Campaign) -> None:
    """Mark the random set of live seeds that all people go through in one order: at most a third of them.

    It is drawn anew with each upload until the campaign opens, and never changed afterwards.
    """
    chosen = Pair.objects.filter(campaign=campaign, calibration=True)
    if campaign.began_at is not None and chosen.exists():
        return
    seeds = Pair.objects.filter(campaign=campaign, source=PairSource.SEED, moderation=Moderation.LIVE)
    ids: Sequence[int] = list(seeds.order_by("pk").values_list("pk", flat=True))
    size = min(campaign.settings.sampler.calibration_pairs, int(len(ids) * _MOST))
    chosen.update(calibration=False)
    Pair.objects.filter(pk__in=SystemRandom().sample(ids, size)).update(calibration=True)


def _pair(campaign: Campaign, row: SeedRow) -> Pair:
    words, hurts = visible(row.attribute), unkind(row)
    unlisted = hurts is None and row.language not in has_slurs()
    return Pair(
        campaign=campaign,
        country=row.country,
        attribute=words,
        key=key(words, row.language),
        language=row.language,
        topic=row.topic,
        negative=hurts,
        source=PairSource.SEED,
        flags=[UNLISTED] if unlisted else [],
        moderation=Moderation.LIVE,
    )


MAX_ROWS = 5_000
SeedFileError = TableError
"""A file of seeds that cannot be used."""


def read_seeds(
    content: bytes, name: str, languages: tuple[str, ...], settings: CampaignSettings | None = None
) -> list[SeedRow]:
    """The rows of a table with columns country, attribute, language and perhaps topic and negative.

    Args:
        content: what is in the file.
        name: its name, which says how it is read.
        languages: those of the campaign.
        settings: of the campaign; groups that it declared stand in the place of countries, under `country` or `group`.

    Raises:
        SeedFileError: the first thing that is wrong.
    """
    rows: list[SeedRow] = []
    for row in read_rows(
        Source.in_memory(name, content, name),
        ("country", "attribute", "language"),
        optional=("topic", "negative"),
        also={"group": "country"},
        languages=languages,
    ):
        if len(rows) == MAX_ROWS:
            fault = gettext("%(name)s has more than %(most)d rows: split it into several files.")
            raise SeedFileError(fault % {"name": name, "most": MAX_ROWS})
        rows.append(row_of(row.place, row.cells, languages, settings))
    return rows


def row_of(
    place: str,
    record: Mapping[str, str],
    languages: tuple[str, ...],
    settings: CampaignSettings | None = None,
) -> SeedRow:
    """One row from its cells as they were typed; `place` names it in errors.

    Raises:
        SeedFileError: a cell is wrong.
    """
    declared = settings if settings is not None and settings.groups else None
    readers: Mapping[str, Callable[[str], Any]] = {
        "country": lambda typed: group_cell(typed, declared) if declared else country_cell(typed, languages),
        "attribute": lambda typed: _short(typed, MAX_LENGTH),
        "language": lambda typed: language_cell(typed, languages),
        "topic": lambda typed: _short(typed, _TOPIC_LENGTH),
        "negative": negative_cell,
    }
    row = TableRow(place, record)
    cells = {column: row.read(column, _shown(read)) for column, read in readers.items()}
    if not cells["attribute"]:
        raise row.fault("attribute", gettext("it is empty, expected what is said of people from the country"))
    if not key(cells["attribute"], cells["language"]):
        raise row.fault(
            "attribute", gettext("expected words, found '%(typed)s'") % {"typed": cells["attribute"]}
        )
    return SeedRow(**cells)


def _shown(read: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda typed: read(visible(_short(typed, READ, MAX_LENGTH)))


def _short(typed: str, most: int, expected: int = 0) -> str:
    if len(typed) > most:
        values = {"found": len(typed), "most": expected or most}
        raise ValueError(gettext("it has %(found)d characters, expected at most %(most)d") % values)
    return typed


_TOPIC_LENGTH = 40
_YES = frozenset(map(fold, ("yes", "true", "1", "y", "sí", "si", "oui", "sim", "ndiyo", "نعم", "हाँ", "हां")))
_NO = frozenset(map(fold, ("no", "false", "0", "n", "non", "não", "nao", "hapana", "لا", "नहीं")))


@lru_cache(maxsize=1_024)
def country_cell(typed: str, languages: tuple[str, ...]) -> str:
    """The ISO 3166 code of a country by its code or its name in English or a language of the campaign or pages."""
    if typed.upper() in geography.codes():
        return typed.upper()
    code, perhaps = _match_of(geography.match_country, typed, languages)
    if code:
        return code
    fault = gettext("found '%(typed)s', expected the name of a country or its code of two letters")
    nearest = [geography.name(each, get_language() or "en") for each in perhaps]
    raise ValueError(_with_nearest(fault % {"typed": typed}, nearest if typed else []))


@lru_cache(maxsize=1_024)
def language_cell(typed: str, languages: tuple[str, ...]) -> str:
    """The code of a language of the campaign by its code, also with a country ("es-CL"), or its name."""
    code = typed.lower().replace("_", "-")
    for candidate in (code, code.partition("-")[0], _match_of(geography.match_language, typed, languages)[0]):
        if candidate in languages:
            return candidate
    perhaps = _match_of(geography.match_language, typed, languages)[1]
    fault = gettext("found '%(typed)s', expected a language of the campaign (%(languages)s)")
    here = get_language() or "en"
    nearest = [geography.language_name(each, here) for each in perhaps if each in languages]
    values = {"typed": typed, "languages": ", ".join(languages)}
    raise ValueError(_with_nearest(fault % values, nearest if typed else []))


def negative_cell(typed: str) -> bool | None:
    """Yes or no in any language of the pages; None where nothing was written."""
    if not typed:
        return None
    if fold(typed) in _YES | _NO:
        return fold(typed) in _YES
    raise ValueError(gettext("found '%(typed)s', expected yes or no, or nothing") % {"typed": typed})


def _match_of(
    match: Callable[[str, str], Match], typed: str, languages: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """The code that is meant in the first of the languages in which one is; else those that may be."""
    matches = [match(typed, each) for each in ("en", *languages)]
    code = next((country_match.code for country_match in matches if country_match.code), "")
    return code, tuple(dict.fromkeys(each for country_match in matches for each in country_match.perhaps))


def _with_nearest(fault: str, names: Sequence[str]) -> str:
    if not names:
        return fault
    return gettext("%(fault)s (did you mean %(name)s?)") % {"fault": fault, "name": names[0]}


def group_cell(typed: str, settings: CampaignSettings) -> str:
    """The id of a declared group by its id or its name in any language."""
    match = groups.match(typed, settings)
    if match.code:
        return match.code
    fault = gettext("found '%(typed)s', expected the id or the name of a group of the campaign")
    raise ValueError(_with_nearest(fault % {"typed": typed}, match.perhaps))
