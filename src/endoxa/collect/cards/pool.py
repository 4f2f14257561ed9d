"""The sampler's view of the pairs in the database. Reads by index; a large pool is never read whole."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from django.conf import settings as django_settings
from django.db.models import Count, Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce

from endoxa.collect.models import Campaign, Card, Moderation, Pair, Source
from endoxa.collect.sampler import Cell, Region, Rows, Said
from endoxa.collect.sampler.types import RECENT_CARDS, FloatArray

_FIELDS = ("id", "country", "need", "negative", "topic", "ratings", "waiting_since", "position")

_KEPT: dict[int, _Statistics] = {}
"""By campaign; each worker process keeps its own for a few seconds."""


_SAID: dict[int, tuple[float, Mapping[str, Said]]] = {}


class _Statistics(NamedTuple):
    read_at: float
    sizes: Mapping[Cell, int]
    coverage: Mapping[str, int]
    drawn: Mapping[str, int]
    heavy: frozenset[str]


def cell_of(country: str, language: str, need: int, negative: bool | None) -> Cell:
    """The cell of a pair as it is stored. To the guards, what nobody judged is mild.

    Otherwise they would keep people from nearly everything that is said of their own country in languages without
    a judge.
    """
    return Cell(country, language, need, bool(negative))


def said_of(campaign: Campaign) -> Mapping[str, Said]:
    """What people said of each country unprompted; up to `STATISTICS_SECONDS` old."""
    kept = _SAID.get(campaign.pk)
    if kept is None or time.monotonic() - kept[0] > django_settings.STATISTICS_SECONDS:
        there = Pair.objects.filter(campaign=campaign, mentions__gt=0)
        counted = there.exclude(moderation__in=(Moderation.HIDDEN, Moderation.MERGED)).values_list("country")
        sums = counted.annotate(total=Sum("mentions"), once=Count("id", filter=Q(mentions=1))).order_by()
        kept = time.monotonic(), {country: Said(total, once) for country, total, once in sums}
        _SAID[campaign.pk] = kept
    return kept[1]


class DatabasePool:
    """Live pairs of one campaign as `sampler.Pool`."""

    def __init__(self, campaign: Campaign, now: datetime) -> None:
        self._campaign = campaign
        self._now = now
        self._settings = campaign.settings.sampler
        self._topic_sizes: dict[frozenset[str], Mapping[Cell, int]] = {frozenset(): {}}
        self._common: dict[frozenset[str], Rows] = {}

    @property
    def _live(self) -> QuerySet[Pair]:
        return Pair.objects.filter(campaign=self._campaign, moderation=Moderation.LIVE)

    @cached_property
    def _statistics(self) -> _Statistics:
        kept = _KEPT.get(self._campaign.pk)
        if kept is None or time.monotonic() - kept.read_at > django_settings.STATISTICS_SECONDS:
            kept = self._read(*self._lately())
        elif sum(kept.sizes.values()) <= self._settings.whole:
            # A small pool is counted each time: its tiers run empty within seconds.
            kept = self._read(kept.drawn, kept.heavy, kept.read_at)
        _KEPT[self._campaign.pk] = kept
        return kept

    def _read(
        self, drawn: Mapping[str, int], heavy: frozenset[str], read_at: float | None = None
    ) -> _Statistics:
        counted = (
            self._live.values_list("country", "language", "need", "negative")
            .annotate(n=Count("id"), rated=Sum("ratings"))
            .order_by("country", "language", "need", "negative")
        )
        sizes: Counter[Cell] = Counter()
        coverage: Counter[str] = Counter()
        for country, language, need, negative, n, rated in counted:
            sizes[cell_of(country, language, need, negative)] += n
            coverage[country] += rated
        return _Statistics(read_at or time.monotonic(), sizes, coverage, drawn, heavy)

    def _lately(self) -> tuple[Mapping[str, int], frozenset[str]]:
        """Countries of the recent cards, and topics of seeds over their share of them."""
        recent = (
            Card.objects.filter(campaign=self._campaign)
            .order_by("-id")
            .values_list("country", "pair__topic", "pair__source")[:RECENT_CARDS]
        )
        drawn: Counter[str] = Counter()
        topics: Counter[str] = Counter()
        for country, topic, source in recent:
            drawn[country] += 1
            if topic and source == Source.SEED:
                topics[topic] += 1
        cap = self._settings.topic_cap * drawn.total()
        return drawn, frozenset(topic for topic, count in topics.items() if count > cap)

    def sizes(self) -> Mapping[Cell, int]:
        """How many live pairs each cell holds; up to `STATISTICS_SECONDS` old for a large pool."""
        return self._statistics.sizes

    def _sizes_of(self, topics: frozenset[str]) -> Mapping[Cell, int]:
        """How many live pairs of some topics each cell holds; read once for each draw, and only where somebody asks."""
        if topics not in self._topic_sizes:
            counted = self._live.filter(topic__in=topics).values_list(
                "country", "language", "need", "negative"
            )
            sizes: Counter[Cell] = Counter()
            for *facts, n in counted.annotate(n=Count("id")).order_by():
                sizes[cell_of(*facts)] += n
            self._topic_sizes[topics] = sizes
        return self._topic_sizes[topics]

    def count(self, region: Region) -> int:
        """How many live pairs a region holds, from `sizes`."""
        there = sum(size for cell, size in self.sizes().items() if region.takes(cell))
        without = sum(size for cell, size in self._sizes_of(region.no_topics).items() if region.takes(cell))
        return there - without

    def coverage(self) -> Mapping[str, int]:
        """Ratings that pairs of each country have."""
        return self._statistics.coverage

    def drawn(self) -> Mapping[str, int]:
        """Cards about each country among the latest `RECENT_CARDS`."""
        return self._statistics.drawn

    def heavy_topics(self) -> frozenset[str]:
        """Topics of seeds over their share of the latest `RECENT_CARDS` cards."""
        return self._statistics.heavy

    def whole(self, region: Region) -> Rows:
        """All pairs of a region, by id."""
        found = self._in(region, indexed=True).order_by("id").values_list(*_FIELDS)
        return self._rows(found, np.ones)

    def window(self, region: Region, start: float, size: int) -> Rows:
        """`size` pairs that follow `start` on the circle of positions, with the probability of being among them.

        A pair is in the window if `start` falls between it and the pair `size` places before it; so the pairs before
        the window are read as well. A region with no more than `size` pairs is given whole.
        """
        found = self._in(region, indexed=False)
        forwards = found.order_by("position").values_list(*_FIELDS)
        after = list(forwards.filter(position__gte=start)[:size])
        after += list(forwards.filter(position__lt=start)[: size - len(after)])
        if len(after) < size:
            return self._rows(after, np.ones)
        backwards = found.order_by("-position").values_list("position", flat=True)
        before = list(backwards.filter(position__lt=start)[:size])
        before += list(backwards.filter(position__gte=start)[: size - len(before)])
        circle = np.array([*reversed(before), *(row[-1] for row in after)])
        inclusion = np.mod(circle[size:] - circle[:-size], 1.0)
        return self._rows(after, lambda _: inclusion)

    def calibration(self, languages: frozenset[str]) -> Rows:
        """The pairs of the calibration set in these languages, in the random order in which everybody meets them."""
        if languages not in self._common:
            found = self._live.filter(calibration=True, language__in=languages).order_by("id")
            # Ordered here: the database would read the whole pool by position rather than these few.
            drawn = sorted(found.values_list(*_FIELDS), key=lambda row: (row[-1], row[0]))
            self._common[languages] = self._rows(drawn, np.ones)
        return self._common[languages]

    def _in(self, region: Region, *, indexed: bool) -> QuerySet[Pair]:
        found = self._live.filter(need__in=region.needs, language__in=region.languages)
        # Hiding the column behind a function makes the database walk the positions instead of sorting a large region.
        country = "country" if indexed else "place"
        if not indexed:
            found = found.annotate(place=Coalesce("country", Value("")))
        if region.countries is not None:
            found = found.filter(**{f"{country}__in": region.countries})
        if region.without:
            found = found.exclude(**{f"{country}__in": region.without})
        if region.no_topics:
            found = found.exclude(topic__in=region.no_topics)
        if region.mild_in:
            found = found.exclude(**{"negative": True, f"{country}__in": region.mild_in})
        return found

    def _rows(self, found: Iterable[tuple[Any, ...]], inclusion: Callable[[int], FloatArray]) -> Rows:
        columns = list(zip(*found, strict=True)) or [()] * len(_FIELDS)
        ids, countries, needs, negative, topics, ratings, since, _ = columns
        return Rows(
            ids=np.array(ids, dtype=np.int64),
            countries=np.array(countries, dtype=np.str_),
            needs=np.array(needs, dtype=np.int64),
            negative=np.array(negative, dtype=np.bool_),
            topics=np.array(topics, dtype=np.str_),
            ratings=np.array(ratings, dtype=np.int64),
            waiting=np.clip(self._now.timestamp() - np.array(since, dtype=np.float64), 0, None) / 60,
            inclusion=inclusion(len(ids)),
        )
