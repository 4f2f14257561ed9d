"""What the sampler must know about a person, read from the database."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from django.db.models import F

from endoxa.collect import geography, sampler
from endoxa.collect.models import Card, CardState, Mention, Moderation, Pair, Person
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
    """Live pairs this person answered, skipped, proposed or does not want to see, and what those were merged into.

    Others are in no pool and so cannot be taken out of its sizes.
    """
    fields = ("id", "moderation", *_CELL)
    through = [f"pair__{name}" for name in fields] + [f"pair__merged_into__{name}" for name in fields]
    answered = Card.objects.filter(person=person, state__in=_CLOSED, pair__isnull=False)
    proposed = Mention.objects.filter(person=person)
    rows = [*answered.values_list(*through), *proposed.values_list(*through)]
    pairs = [half for row in rows for half in (row[: len(fields)], row[len(fields) :])]
    if person.topic_optouts:
        unwanted = Pair.objects.filter(campaign=person.campaign_id, topic__in=person.topic_optouts)
        pairs += unwanted.values_list(*fields)
    return {pk: Cell(*cell) for pk, moderation, *cell in pairs if moderation == Moderation.LIVE}


def _reserved(person: Person, now: datetime) -> tuple[dict[int, int], dict[int, Cell]]:
    """Live leases of others by pair, and the pairs that they fill up to what is needed."""
    settings = person.campaign.settings.sampler
    leases = Card.objects.filter(
        campaign=person.campaign_id,
        state=CardState.OPEN,
        expires_at__gt=now,
        pair__moderation=Moderation.LIVE,
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
