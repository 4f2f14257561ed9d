"""Figures of the dashboard: totals, cached for a few seconds, never figures of one person."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from django.core.cache import cache
from django.db.models import Count, Q, Sum
from django.db.models.functions import Least

from endoxa_collect.cards.balance import forecast_of, lately
from endoxa_collect.models import (
    CLOSED,
    Campaign,
    Card,
    CardState,
    Mention,
    MixedCard,
    Moderation,
    Pair,
    Person,
    Statement,
)
from endoxa_collect.organiser.decisions import waiting
from endoxa_collect.sampler import Forecast
from endoxa_collect.sampler.slots import CANDIDATE, FULL
from endoxa_collect.small_cells import LEAST, OTHERS, RATERS, counted, in_steps

PAIRS = 10
"""Pairs behind a share that is shown; each of them has ratings of `RATERS` people."""

_SECONDS = 3.0
_REST = 20
Counted = TypeVar("Counted")


def agreement_of(campaign: Campaign) -> int | None:
    """Percent of the rated pairs whose ratings vary less than the settings' limit of disagreement.

    Rated are live pairs with k ratings or more, and at least `RATERS`; None while there are fewer than `PAIRS`.
    """
    settings = campaign.settings.sampler
    enough = {"moderation": Moderation.LIVE, "ratings__gte": max(RATERS, settings.k)}
    rated = Pair.objects.filter(campaign=campaign, **enough)
    agreed, pairs = rated.filter(variance__lt=settings.disagreement).count(), rated.count()
    return round(100 * agreed / pairs) if pairs >= PAIRS else None


class Coverage(NamedTuple):
    """Pairs about one country, without candidates: ratings that they have and want."""

    country: str
    has: int
    wanted: int


def together(countries: Sequence[Coverage], people: Mapping[str, Set[UUID]]) -> tuple[Coverage, ...]:
    """Countries by need, those with answers of few people merged into a last row (`small_cells.counted`)."""
    alone = dict(counted({row.country: people.get(row.country, set()) for row in countries}))
    if not alone:
        return ()
    shown = sorted(
        (row for row in countries if row.country in alone), key=lambda row: (row.has - row.wanted, row)
    )
    return (*shown, *_merged([row for row in countries if row.country not in alone]))


def neediest(coverage: Sequence[Coverage], most: int) -> tuple[Coverage, ...]:
    """At most so many rows of those that may be shown: the rest joins the last row."""
    if len(coverage) <= most:
        return tuple(coverage)
    return (*coverage[: most - 1], *_merged(coverage[most - 1 :]))


def _merged(rows: Sequence[Coverage]) -> list[Coverage]:
    return [Coverage(OTHERS, sum(row.has for row in rows), sum(row.wanted for row in rows))] if rows else []


def cached(campaign: Campaign, kind: str, count_anew: Callable[[], Counted]) -> Counted:
    """What was counted lately.

    Where counting is slow it is kept for longer than three seconds: it takes at most a twentieth of a worker's time.
    """
    key = f"endoxa.figures.{kind}.{campaign.pk}.{campaign.version}"
    entry: tuple[Counted] | None = cache.get(key)
    if entry is None:
        started = time.perf_counter()
        # In a tuple, since nothing at all may be what was counted.
        entry = (count_anew(),)
        cache.set(key, entry, max(_SECONDS, _REST * (time.perf_counter() - started)))
    return entry[0]


class Reading(NamedTuple):
    """One language: ratings that its live pairs have and want, people who read it, and those with no card left.

    Numbers of people are in steps (`small_cells.in_steps`).
    """

    language: str
    has: int
    wanted: int
    people: int
    dry: int

    @property
    def left(self) -> int:
        """Ratings that are still wanted."""
        return self.wanted - self.has


def reading_of(campaign: Campaign) -> tuple[Reading, ...]:
    """By language of pairs or people; pairs that get no more ratings leave no card."""
    k, spoken = campaign.settings.sampler.k, campaign.settings.data_languages
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE).exclude(need=CANDIDATE)
    counted = live.values_list("language").annotate(has=Sum(Least("ratings", k)), pairs=Count("pk"))
    rated = {code: (has, k * pairs) for code, has, pairs in counted}
    drawable = live.exclude(need=FULL)
    left = Counter(dict(drawable.values_list("language").annotate(Count("pk"))))
    gone: Counter[tuple[UUID, str]] = Counter()
    closed = Card.objects.filter(campaign=campaign, state__in=CLOSED, pair__in=drawable)
    by_reader = closed.values_list("person_id", "pair__language").annotate(Count("pair", distinct=True))
    by_author = drawable.exclude(author=None).values_list("author_id", "language").annotate(Count("pk"))
    for person, code, pairs in (*by_reader, *by_author):
        gone[person, code] += pairs
    people: Counter[str] = Counter()
    dry: Counter[str] = Counter()
    for person, named in Person.objects.filter(campaign=campaign, profile_done=True).values_list(
        "pk", "languages"
    ):
        read = named or spoken
        people.update(read)
        if sum(left[code] - gone[person, code] for code in read) <= 0:
            dry.update(read)
    shown = [code for code in dict.fromkeys((*spoken, *rated)) if code in rated or people[code] >= LEAST]
    return tuple(
        Reading(code, *rated.get(code, (0, 0)), in_steps(people[code]), in_steps(dry[code])) for code in shown
    )


@dataclass(frozen=True)
class Figures:
    """One look at a campaign.

    Attributes:
        counted_at: when the figures were counted.
        pairs: live pairs.
        done: live pairs with k ratings or more.
        waiting: pairs in the moderators' queue: those that wait, and live ones with flags or reports.
        coverage: by country; small groups of people merged.
        lately: None while fewer than `LEAST` people were active, whose own doing would show.
        agreement: None while there are too few pairs.
        forecast: what to expect at the end.
        minutes_left: of the planned time; negative when it is over.
    """

    counted_at: datetime
    pairs: int
    done: int
    waiting: int
    coverage: tuple[Coverage, ...]
    lately: Mapping[str, Any] | None
    agreement: int | None
    forecast: Forecast
    minutes_left: float

    @property
    def share(self) -> float:
        """Share of live pairs with k ratings or more, 0 to 1."""
        return self.done / self.pairs if self.pairs else 0.0


def count(campaign: Campaign, now: datetime) -> Figures:
    """Count the figures, with a dozen queries whatever the size of the campaign."""
    k = campaign.settings.sampler.k
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE).exclude(need=CANDIDATE)
    counts = {
        "pairs": Count("id"),
        "done": Count("id", filter=Q(ratings__gte=k)),
        "has": Sum(Least("ratings", k)),
    }
    rows = list(live.values_list("country").annotate(**counts).order_by("country"))
    # Who answered a card about a country or proposed something for it.
    people: dict[str, set[UUID]] = defaultdict(set)
    cards = Card.objects.filter(campaign=campaign, state__in=CLOSED).values_list("country", "person_id")
    mentions = Mention.objects.filter(pair__campaign=campaign).values_list("pair__country", "person_id")
    for country, person in (*cards.distinct(), *mentions.distinct()):
        people[country].add(person)
    opened = campaign.began_at or now
    return Figures(
        counted_at=now,
        pairs=sum(pairs for _, pairs, _, _ in rows),
        done=sum(done for _, _, done, _ in rows),
        waiting=waiting(campaign, organiser=True).count(),
        coverage=together([Coverage(code, has, k * pairs) for code, pairs, _, has in rows], people),
        lately=_doing(campaign, now),
        agreement=agreement_of(campaign),
        forecast=forecast_of(campaign, now),
        minutes_left=campaign.settings.minutes - (now - opened).total_seconds() / 60,
    )


def _doing(campaign: Campaign, now: datetime) -> dict[str, Any] | None:
    """What at least `LEAST` people together did within the last minutes or day (`cards.balance.lately`).

    `pace` is in answers a minute, of all together; `skips` do not include `reports`. Each of the two is None unless
    `LEAST` people did it.
    """
    recent = lately(campaign, now)
    reported = Q(skip__reason__startswith="report_")
    skipped = Q(state=CardState.SKIPPED) & ~reported
    seen: dict[str, Any] = recent.cards.aggregate(
        people=Count("person", distinct=True),
        answers=Count("id", filter=Q(state=CardState.ANSWERED)),
        skips=Count("id", filter=skipped),
        skippers=Count("person", filter=skipped, distinct=True),
    )
    if seen["people"] < LEAST:
        return None
    listed = MixedCard.objects.filter(campaign=campaign, closed_at__gt=recent.since, closed_at__lte=now)
    reporters = [
        *recent.cards.filter(reported).values_list("person_id", flat=True),
        *listed.filter(reason__startswith="report_").values_list("person_id", flat=True),
    ]
    return seen | {
        "pace": seen["answers"] / recent.minutes,
        "new_pairs": recent.new_pairs,
        "skips": seen["skips"] if seen["skippers"] >= LEAST else None,
        "reports": len(reporters) if len(set(reporters)) >= LEAST else None,
    }


def count_survey(campaign: Campaign, now: datetime) -> dict[str, Any] | None:
    """The figures of the survey, with two queries whatever its size; None while fewer than `LEAST` people answered.

    Answers that say that nothing came to mind do not count.

    Returns:
        `counted_at`; `people` who wrote something; `answers` by name of the question, None for fewer than `LEAST`;
        `countries`, people by country they come from, in steps, where who named none stands with the small groups.
    """
    rows = Statement.objects.filter(campaign=campaign, person__aside=False).exclude(text="")
    statements = list(rows.values_list("person_id", "question"))
    people = {person for person, _ in statements}
    if len(people) < LEAST:
        return None
    answers = Counter(question for _, question in statements)
    # Somebody may come from two countries.
    origins: dict[str, set[UUID]] = defaultdict(set)
    for person, codes in Person.objects.filter(pk__in=rows.values("person")).values_list("pk", "origins"):
        for code in codes or [OTHERS]:
            origins[code].add(person)
    return {
        "counted_at": now,
        "people": len(people),
        "answers": {
            question.name: answers[question.name] if answers[question.name] >= LEAST else None
            for question in campaign.settings.questions
        },
        "countries": [(code, in_steps(number)) for code, number in counted(origins)],
    }
