"""How a campaign stands: the forecast from the last minutes, the balance that follows from it, what was said, goals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, F, Q, QuerySet, Sum
from django.utils import timezone

from endoxa_collect import geography
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.cards.locking import Cache, remembered
from endoxa_collect.models import CLOSED, HOLDING, Campaign, Card, CardState, Moderation, Pair, Person, Source
from endoxa_collect.sampler.controller import Balance, Expected, Forecast, MentionCounts, Outlook, forecast
from endoxa_collect.sampler.matching import Rater
from endoxa_collect.sampler.slots import CANDIDATE, NEEDS, Slot, wanted

_COMING = (Moderation.LIVE, Moderation.PENDING)


class View(NamedTuple):
    """What the controller said last.

    Attributes:
        outlook: the campaign as it stood.
        balance: what an organiser ordered, else what follows from the outlook and from what was chosen before.
        candidates: share of all pairs that wait for a second mention.
        own_slots: by country, ratings missing that are for people from there.
        raters: everybody who took part lately (`Expected.returning`), all as if busy.
    """

    outlook: Outlook
    balance: Balance
    candidates: float
    own_slots: Mapping[str, int]
    raters: tuple[Rater, ...]


_VIEWS: Cache[int, View] = Cache()


def view_of(campaign: Campaign, now: datetime | None = None) -> View:
    """What the controller says; some seconds old at most, but for an order, which holds at once.

    A process remembers what it said last, so that the balance does not go to and fro (`Outlook.balance_after`).
    """
    before = _VIEWS.latest(campaign.pk)
    if before is not None and before.outlook.ordered != _order(campaign):
        _VIEWS.forget(campaign.pk)
    return _VIEWS.get(campaign.pk, lambda: _read_view(campaign, now or timezone.now(), before))


def _read_view(campaign: Campaign, now: datetime, before: View | None) -> View:
    outlook = outlook_of(campaign, now)
    chosen = before.balance if before and not before.outlook.ordered else None
    live = Pair.objects.filter(campaign=campaign, moderation__in=_COMING)
    counts = live.aggregate(all=Count("id"), waiting=Count("id", filter=Q(need=CANDIDATE)))
    target = wanted(campaign.settings.sampler)[Slot.OWN]
    needing = Pair.objects.filter(
        campaign=campaign, moderation=Moderation.LIVE, need=NEEDS, own_filled__lt=target
    )
    own_slots = needing.values_list("country").annotate(n=Sum(target - F("own_filled"))).order_by()
    since = now - timedelta(minutes=_expected(campaign).returning)
    drawn = Card.objects.filter(campaign=campaign, drawn_at__gt=since).values_list("person")
    cards = dict(drawn.annotate(n=Count("id")).order_by())
    people = Person.objects.filter(pk__in=drawn.order_by()).order_by("pk")
    people = people.only("origins", "connections", "languages", "topic_optouts")
    return View(
        outlook=outlook,
        balance=outlook.ordered or outlook.balance_after(chosen),
        candidates=counts["waiting"] / counts["all"] if counts["all"] else 0.0,
        own_slots=dict(own_slots),
        raters=tuple(
            rater_of(person, campaign.settings, cards=cards.get(person.pk, 0), free=False)
            for person in people
        ),
    )


def _order(campaign: Campaign) -> Balance | None:
    return Balance(campaign.balance) if campaign.balance else None


def rater_of(
    person: Person,
    settings: CampaignSettings,
    *,
    cards: int,
    last: tuple[tuple[str, bool], ...] = (),
    free: bool = True,
) -> Rater:
    """A person as the sampler sees them."""
    origins = frozenset(person.origins)
    return Rater(
        person=person.pk,
        origins=origins,
        near=geography.near(origins, frozenset(person.connections)),
        languages=frozenset(person.languages or settings.data_languages),
        no_topics=frozenset(person.topic_optouts),
        cards=cards,
        last=last,
        free=free,
    )


@dataclass(frozen=True)
class Lately:
    """The last minutes (at least one) of a campaign, from `since`: cards closed and how many pairs contributors added.

    Pairs that moderators hid or merged do not count, nor do candidates, which ask for no ratings.
    """

    since: datetime
    cards: QuerySet[Card]
    new_pairs: int
    minutes: float


def lately(campaign: Campaign, now: datetime) -> Lately:
    """The time within `Expected.window` and not before the campaign began."""
    since = max(now - timedelta(minutes=_expected(campaign).window), campaign.began_at or campaign.created_at)
    closed = Card.objects.filter(campaign=campaign, state__in=CLOSED)
    added = Pair.objects.filter(campaign=campaign, source=Source.CONTRIBUTOR, moderation__in=_COMING)
    added = added.exclude(need=CANDIDATE)
    return Lately(
        since=since,
        cards=closed.filter(closed_at__gt=since, closed_at__lte=now),
        new_pairs=added.filter(created_at__gt=since, created_at__lte=now).count(),
        minutes=max(1.0, (now - since).total_seconds() / 60),
    )


def forecast_of(campaign: Campaign, now: datetime | None = None) -> Forecast:
    """What to expect at the end, from the last minutes of a campaign.

    Pairs that nobody who takes part can read fall short, whatever the pace.
    """
    now = now or timezone.now()
    expected = forecast(outlook_of(campaign, now))
    unread = _needing(campaign).exclude(language__in=_read_by_people(campaign, now)).count()
    return replace(expected, short=expected.short + unread)


def outlook_of(campaign: Campaign, now: datetime) -> Outlook:
    """A campaign as it stands; where the last minutes say nothing yet, as its settings expect it.

    Pairs that wait for a moderator count as if they were live: they will ask for ratings too. Those in languages that
    nobody who takes part reads do not count: nobody can work at them.
    """
    settings = campaign.settings
    age = (now - (campaign.began_at or now)).total_seconds() / 60
    recent = lately(campaign, now)
    # Only ratings of pairs that needed them count.
    needed = recent.cards.filter(state=CardState.ANSWERED).exclude(slot="")
    totals = needed.aggregate(people=Count("person", distinct=True), cards=Count("id"))
    people, cards = totals["people"], totals["cards"]
    expected = _expected(campaign)
    # Ratings missing up to k of pairs that somebody can read, less live leases on pairs that need them.
    k = campaign.settings.sampler.k
    readable = _needing(campaign).filter(language__in=_read_by_people(campaign, now))
    missing = readable.aggregate(total=Sum(k - F("ratings")))["total"] or 0
    reserved = Card.objects.filter(
        campaign=campaign, state__in=HOLDING, expires_at__gt=now, pair__need=NEEDS
    ).count()
    return Outlook(
        backlog=max(0, int(missing) - reserved),
        pace=expected.pace(age, people, cards / people / recent.minutes if people else 0.0),
        minutes=settings.minutes - age,
        expected=expected,
        new_pairs=recent.new_pairs / cards if cards else 0.0,
        k=settings.sampler.k,
        ordered=_order(campaign),
        most_prompts=settings.sampler.prompt_early,
    )


def _expected(campaign: Campaign) -> Expected:
    settings = campaign.settings
    return Expected(settings.setting == "workshop", settings.expected_people, settings.minutes)


def _needing(campaign: Campaign) -> QuerySet[Pair]:
    return Pair.objects.filter(campaign=campaign, moderation__in=_COMING, need=NEEDS)


def _read_by_people(campaign: Campaign, now: datetime) -> frozenset[str]:
    """Languages of the campaign that somebody reads who took part lately; all of them while nobody did."""
    spoken = campaign.settings.data_languages
    since = now - timedelta(minutes=_expected(campaign).returning)
    people = Person.objects.filter(campaign=campaign, cards__drawn_at__gt=since)
    read = [languages or spoken for languages in people.values_list("languages", flat=True).distinct()]
    return frozenset(spoken) & frozenset[str]().union(*read) if read else frozenset(spoken)


NOT_NAMED = frozenset(
    {"Positive Traits", "Negative Traits", "Neutral Traits", "Public Figures & Pop Culture", "Other"}
)
"""Topics of seeds that no question names: they would ask for praise, blame or persons, or say nothing."""


@dataclass(frozen=True)
class WhatWasSaid:
    """Mentions of each country, and of each country and topic; `topics` that seeds have and questions can name."""

    countries: Mapping[str, MentionCounts]
    by_topic: Mapping[str, Mapping[str, MentionCounts]]
    topics: tuple[str, ...]


@remembered
def mentions_in(campaign: Campaign) -> WhatWasSaid:
    """What was said in a campaign."""
    there = Pair.objects.filter(campaign=campaign, mentions__gt=0)
    counted = there.exclude(moderation__in=(Moderation.HIDDEN, Moderation.MERGED))
    sums = counted.values_list("country", "topic").annotate(
        total=Sum("mentions"), once=Count("id", filter=Q(mentions=1))
    )
    by_topic: defaultdict[str, dict[str, MentionCounts]] = defaultdict(dict)
    for country, topic, total, once in sums.order_by():
        by_topic[country][topic] = MentionCounts(total, once)
    countries = {
        country: MentionCounts(
            sum(count.mentions for count in counts.values()), sum(count.once for count in counts.values())
        )
        for country, counts in by_topic.items()
    }
    seeds = Pair.objects.filter(campaign=campaign, source=Source.SEED).exclude(topic="")
    topics = set(seeds.values_list("topic", flat=True).distinct()) - NOT_NAMED
    return WhatWasSaid(countries, by_topic, tuple(sorted(topics)))


SHOWN = 3
"""Maximum number of countries on a page. Neither countries nor people are ranked."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Of `whole` live pairs about a country (ISO 3166; "" for all) `done` have the k ratings they need."""

    country: str
    done: int
    whole: int


def goals_of(person: Person) -> tuple[Goal, ...]:
    """The person's own countries that have pairs, then those they feel close to; all together where there are none."""
    goals = _goals(person.campaign)
    wanted = dict.fromkeys([*person.origins, *person.connections])
    shown = tuple(goals[country] for country in wanted if country in goals)[:SHOWN]
    if shown or not goals:
        return shown
    return (Goal("", sum(goal.done for goal in goals.values()), sum(goal.whole for goal in goals.values())),)


@remembered
def _goals(campaign: Campaign) -> Mapping[str, Goal]:
    """One pass over the index `pair_by_cell`."""
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE)
    done: defaultdict[str, int] = defaultdict(int)
    totals: defaultdict[str, int] = defaultdict(int)
    # Candidates do not ask for ratings.
    live = live.exclude(need=CANDIDATE)
    for country, need, n in live.values_list("country", "need").annotate(n=Count("pk")).order_by():
        totals[country] += n
        done[country] += n if need != NEEDS else 0
    return {country: Goal(country, done[country], n) for country, n in totals.items()}
