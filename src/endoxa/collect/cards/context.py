"""What the sampler must know about a person, read from the database."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from django.db.models import F

from endoxa.collect import geography, sampler
from endoxa.collect.models import Card, CardState, Mention, Pair, Person
from endoxa.collect.sampler import Cell
from endoxa.collect.sampler.types import NEEDS

_CELL = ("country", "language", "need", "negative")
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
    through = ("pair_id", *(f"pair__{name}" for name in _CELL))
    merged = ("pair__merged_into_id", *(f"pair__merged_into__{name}" for name in _CELL))
    answered = Card.objects.filter(person=person, state__in=_CLOSED, pair__isnull=False)
    proposed = Mention.objects.filter(person=person)
    rows = [*answered.values_list(*through, *merged), *proposed.values_list(*through, *merged)]
    own = {row[0]: Cell(*row[1:5]) for row in rows}
    own.update({row[5]: Cell(*row[6:]) for row in rows if row[5] is not None})
    if person.topic_optouts:
        unwanted = Pair.objects.filter(campaign=person.campaign_id, topic__in=person.topic_optouts)
        own.update({row[0]: Cell(*row[1:]) for row in unwanted.values_list("pk", *_CELL)})
    return own


def _reserved(person: Person, now: datetime) -> tuple[dict[int, int], dict[int, Cell]]:
    """Live leases of others by pair, and the pairs that they fill up to what is needed."""
    settings = person.campaign.settings.sampler
    leases = Card.objects.filter(
        campaign=person.campaign_id, state=CardState.OPEN, expires_at__gt=now, pair__isnull=False
    ).exclude(person=person)
    fields = (*(f"pair__{name}" for name in _CELL), "pair__ratings")
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
