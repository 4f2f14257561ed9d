"""Pairs that an organiser starts a campaign with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import SystemRandom

from rapidfuzz import fuzz, process

from endoxa.collect.cards.locking import locked
from endoxa.collect.entry.alike import CUT_OFF
from endoxa.collect.entry.cleaning import visible
from endoxa.collect.entry.keys import key
from endoxa.collect.entry.polarity import negative
from endoxa.collect.models import Campaign, Moderation, Pair, Source

_MOST = 1 / 3
"""Largest share of the seeds that becomes the calibration set."""


@dataclass(frozen=True)
class SeedRow:
    """One pair to start with. `country` is an ISO 3166 code; `negative` None: VADER's guess for English, else no."""

    country: str
    attribute: str
    language: str
    topic: str = ""
    negative: bool | None = None

    @property
    def key(self) -> str:
        """What the attribute is called by."""
        return key(self.attribute, self.language)


@dataclass(frozen=True)
class Alike:
    """A new row and the words of a pair that may be the same."""

    row: SeedRow
    other: str


@dataclass(frozen=True)
class SeedReport:
    """What adding rows does. `alike` rows are added; a moderator may merge them later.

    Attributes:
        added: rows that become pairs.
        duplicates: rows whose exact key the campaign, or an earlier row, has already.
        alike: rows among `added` that are near-duplicates of a pair or of an earlier row.
    """

    added: tuple[SeedRow, ...]
    duplicates: tuple[SeedRow, ...]
    alike: tuple[Alike, ...]


def preview_seeds(campaign: Campaign, rows: Iterable[SeedRow]) -> SeedReport:
    """What `add_seeds` would do. Compares each new row with all of its country and language: seconds for 5,000 rows."""
    known: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for country, language, name, words in Pair.objects.filter(campaign=campaign).values_list(
        "country", "language", "key", "attribute"
    ):
        known[country, language][name] = words
    added, duplicates, near = [], [], []
    for row in rows:
        others, name = known[row.country, row.language], row.key
        if name in others:
            duplicates.append(row)
            continue
        best = process.extractOne(name, others.keys(), scorer=fuzz.token_sort_ratio, score_cutoff=CUT_OFF)
        if best is not None:
            near.append(Alike(row, others[best[0]]))
        added.append(row)
        others[name] = row.attribute
    return SeedReport(tuple(added), tuple(duplicates), tuple(near))


def add_seeds(campaign: Campaign, rows: Iterable[SeedRow]) -> SeedReport:
    """Add the rows that the campaign does not have, live at once, and choose the calibration set.

    Rows come from `entry.seed_files.read_seeds` or keep to the same rules: known country, language of the campaign,
    words of 1 to 120 characters.
    """
    with locked(campaign.pk):
        report = preview_seeds(campaign, rows)
        Pair.objects.bulk_create(_pair(campaign, row) for row in report.added)
        choose_calibration(campaign)
    return report


def choose_calibration(campaign: Campaign) -> None:
    """Mark the random set of live seeds that everybody may see: at most a third of them.

    It is drawn anew with each upload until the campaign opens, and never changed afterwards.
    """
    chosen = Pair.objects.filter(campaign=campaign, calibration=True)
    if campaign.opened_at is not None and chosen.exists():
        return
    seeds = Pair.objects.filter(campaign=campaign, source=Source.SEED, moderation=Moderation.LIVE)
    ids: Sequence[int] = list(seeds.order_by("pk").values_list("pk", flat=True))
    size = min(campaign.settings.sampler.calibration_pairs, int(len(ids) * _MOST))
    chosen.update(calibration=False)
    Pair.objects.filter(pk__in=SystemRandom().sample(ids, size)).update(calibration=True)


def _pair(campaign: Campaign, row: SeedRow) -> Pair:
    words = visible(row.attribute)
    guess = bool(negative(words, row.language)) if row.negative is None else row.negative
    return Pair(
        campaign=campaign,
        country=row.country,
        attribute=words,
        key=row.key,
        language=row.language,
        topic=row.topic,
        negative=guess,
        source=Source.SEED,
        moderation=Moderation.LIVE,
    )
