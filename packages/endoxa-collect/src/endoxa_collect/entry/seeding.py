"""Seeds: the pairs that an organiser starts a campaign with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import SystemRandom

from endoxa_collect.cards.locking import locked
from endoxa_collect.entry.harm import negative
from endoxa_collect.entry.keys import comparable, key
from endoxa_collect.entry.likeness import nearest_before
from endoxa_collect.models import Campaign, Moderation, Pair, Source
from endoxa_collect.visible import visible

_MOST = 1 / 3
"""Largest share of the seeds that becomes the calibration set."""

_BLOCK = 100
"""Rows that are added in one transaction."""

Name = tuple[str, str, str]
"""Country, language and key: what no two pairs of a campaign share."""


@dataclass(frozen=True)
class SeedRow:
    """One pair to start with.

    Attributes:
        country: ISO 3166 code.
        attribute: what is said; at most 120 characters.
        language: ISO 639 code, one of the campaign's.
        topic: a short name, or "".
        negative: whether it hurts to hear; None leaves it to `entry.harm`, which mostly does not know.
    """

    country: str
    attribute: str
    language: str
    topic: str = ""
    negative: bool | None = None


@dataclass(frozen=True)
class Alike:
    """A new row and the words of a pair that may be the same."""

    row: SeedRow
    other: str


@dataclass(frozen=True)
class SeedReport:
    """What became, or would become, of rows.

    Attributes:
        new: rows that are new pairs.
        duplicates: rows whose exact key the campaign, or an earlier row, has already.
        alike: rows among `new` that are nearly like a pair or an earlier row; only `preview_seeds` looks for them.
    """

    new: tuple[SeedRow, ...]
    duplicates: tuple[SeedRow, ...]
    alike: tuple[Alike, ...] = ()

    @property
    def added(self) -> int:
        """How many pairs are new."""
        return len(self.new)


def preview_seeds(campaign: Campaign, rows: Iterable[SeedRow]) -> SeedReport:
    """What `add_seeds` would do, with near-duplicates."""
    present = _words(campaign)
    new, duplicates = _sort_out(set(present), ((_name(row), row) for row in rows))
    return SeedReport(tuple(new), tuple(duplicates), _alike(present, new))


def add_seeds(
    campaign: Campaign, rows: Iterable[SeedRow], *, note: Callable[[SeedReport], None] = lambda _: None
) -> SeedReport:
    """Add the rows that the campaign does not have, live at once, and choose the calibration set.

    Rows keep to the rules that `entry.seed_files.read_seeds` checks. They are added in blocks, so that people who
    answer meanwhile get their turn; what was added stays if a later block fails.

    Args:
        campaign: to which.
        rows: what to add.
        note: called with what was done so far, in the transaction of each block.
    """
    new: list[SeedRow] = []
    duplicates: list[SeedRow] = []
    ready = [(_pair(campaign, row), row) for row in rows]
    for start in range(0, len(ready), _BLOCK):
        with locked(campaign.pk) as current:
            added, there = _add(current, ready[start : start + _BLOCK])
            new += added
            duplicates += there
            note(SeedReport(tuple(new), tuple(duplicates)))
    with locked(campaign.pk) as current:
        choose_calibration(current)
    return SeedReport(tuple(new), tuple(duplicates))


def _add(campaign: Campaign, block: Sequence[tuple[Pair, SeedRow]]) -> tuple[list[SeedRow], list[SeedRow]]:
    """Add one block of rows; which were new, and which were there."""
    pairs = {(pair.country, pair.language, pair.key): pair for pair, _ in reversed(block)}
    there = Pair.objects.filter(
        campaign=campaign,
        country__in={pair.country for pair in pairs.values()},
        key__in={pair.key for pair in pairs.values()},
    )
    present = set(there.values_list("country", "language", "key"))
    Pair.objects.bulk_create(pair for name, pair in reversed(pairs.items()) if name not in present)
    return _sort_out(present, (((pair.country, pair.language, pair.key), row) for pair, row in block))


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
    seeds = Pair.objects.filter(campaign=campaign, source=Source.SEED, moderation=Moderation.LIVE)
    ids: Sequence[int] = list(seeds.order_by("pk").values_list("pk", flat=True))
    size = min(campaign.settings.sampler.calibration_pairs, int(len(ids) * _MOST))
    chosen.update(calibration=False)
    Pair.objects.filter(pk__in=SystemRandom().sample(ids, size)).update(calibration=True)


def _words(campaign: Campaign) -> dict[Name, str]:
    rows = Pair.objects.filter(campaign=campaign).values_list("country", "language", "key", "attribute")
    return {(country, language, name): words for country, language, name, words in rows}


def _name(row: SeedRow) -> Name:
    return row.country, row.language, key(visible(row.attribute), row.language)


def _sort_out(
    present: set[Name], rows: Iterable[tuple[Name, SeedRow]]
) -> tuple[list[SeedRow], list[SeedRow]]:
    """Rows that are new, and those whose name is known or an earlier row's."""
    new: list[SeedRow] = []
    duplicates: list[SeedRow] = []
    for name, row in rows:
        (duplicates if name in present else new).append(row)
        present.add(name)
    return new, duplicates


def _alike(present: Mapping[Name, str], rows: Iterable[SeedRow]) -> tuple[Alike, ...]:
    cells: defaultdict[tuple[str, str], list[SeedRow]] = defaultdict(list)
    others: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in rows:
        cells[row.country, row.language].append(row)
    for (country, language, name), words in present.items():
        others[country, language][name] = words
    return tuple(similar for cell, new in cells.items() for similar in _alike_in(others[cell], cell[1], new))


def _alike_in(others: Mapping[str, str], language: str, new: Sequence[SeedRow]) -> Iterator[Alike]:
    """Rows of one country and language that are like a pair or an earlier row."""
    names = [*others, *(key(row.attribute, language) for row in new)]
    words = [*others.values(), *(row.attribute for row in new)]
    near = nearest_before([comparable(name, language) for name in names], len(others))
    for place, other in near.items():
        yield Alike(new[place - len(others)], words[other])


def _pair(campaign: Campaign, row: SeedRow) -> Pair:
    words = visible(row.attribute)
    return Pair(
        campaign=campaign,
        country=row.country,
        attribute=words,
        key=key(words, row.language),
        language=row.language,
        topic=row.topic,
        negative=unkind(row),
        source=Source.SEED,
        moderation=Moderation.LIVE,
    )
