"""What the sampler must know about a person, read from the database."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from django.db.models import F, Q

from endoxa.collect import geography, sampler
from endoxa.collect.models import Card, CardState, Mention, Pair, Person
from endoxa.collect.sampler import Cell
from endoxa.collect.sampler.types import NEEDS

_CLOSED = (CardState.ANSWERED, CardState.SKIPPED)


def sampler_person(person: Person, now: datetime) -> sampler.Person:
    """The person as the sampler sees them at this moment."""
    settings = person.campaign.settings
    origins = frozenset(person.origins)
    reserved, full = _reserved(person, now)
    return sampler.Person(
        origins=origins,
        near=geography.near(origins, frozenset(person.connections)),
        languages=frozenset(person.languages or settings.data_languages),
        excluded={**_own(person), **full},
        reserved=reserved,
        last=_latest(person, max(settings.sampler.in_a_row, settings.sampler.negative_in_a_row)),
    )


def _own(person: Person) -> dict[int, Cell]:
    """Pairs this person answered, skipped, proposed or does not want to see, and what those were merged into."""
    answered = Card.objects.filter(person=person, state__in=_CLOSED, pair__isnull=False)
    seen = set(answered.values_list("pair_id", flat=True))
    seen |= set(Mention.objects.filter(person=person).values_list("pair_id", flat=True))
    latest = seen
    while latest:
        merged = Pair.objects.filter(pk__in=latest, merged_into__isnull=False)
        latest = set(merged.values_list("merged_into_id", flat=True)) - seen
        seen |= latest
    wanted = Q(pk__in=seen)
    if person.topic_optouts:
        wanted |= Q(campaign=person.campaign_id, topic__in=person.topic_optouts)
    rows = Pair.objects.filter(wanted).values_list("pk", "country", "language", "need", "negative")
    return {row[0]: Cell(*row[1:]) for row in rows}


def _reserved(person: Person, now: datetime) -> tuple[dict[int, int], dict[int, Cell]]:
    """Live leases of others by pair, and the pairs that they fill up to what is needed."""
    settings = person.campaign.settings.sampler
    leases = Card.objects.filter(
        campaign=person.campaign_id, state=CardState.OPEN, expires_at__gt=now, pair__isnull=False
    ).exclude(person=person)
    fields = ("pair__country", "pair__language", "pair__need", "pair__negative", "pair__ratings")
    reserved: Counter[int] = Counter()
    cells: dict[int, tuple[Cell, int]] = {}
    for pair, *cell, ratings in leases.values_list(F("pair_id"), *fields):
        reserved[pair] += 1
        cells[pair] = Cell(*cell), ratings
    full = {
        pair: cell
        for pair, (cell, ratings) in cells.items()
        if ratings + reserved[pair] >= (settings.k if cell.need == NEEDS else settings.k_max)
    }
    return dict(reserved), full


def _latest(person: Person, count: int) -> tuple[tuple[str, bool], ...]:
    cards = Card.objects.filter(person=person, state__in=_CLOSED).order_by("-number")
    return tuple(cards.values_list("country", "negative")[:count])
