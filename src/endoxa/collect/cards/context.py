"""What the sampler must know about a person, read from the database."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from django.db.models import F

from endoxa.collect import geography, sampler
from endoxa.collect.cards.pool import cell_of
from endoxa.collect.models import CLOSED, Card, CardState, Mention, Moderation, Pair, Person
from endoxa.collect.sampler import Cell
from endoxa.collect.sampler.types import NEEDS

_CELL = ("country", "language", "need", "negative")
_PAIR = ("id", "moderation", "topic", "merged_into_id", *_CELL)


def sampler_person(person: Person, now: datetime) -> sampler.Person:
    """The person as the sampler sees them at this moment."""
    settings = person.campaign.settings
    origins = frozenset(person.origins)
    reserved, full = _reserved(person, now)
    return sampler.Person(
        origins=origins,
        near=geography.near(origins, frozenset(person.connections)),
        languages=frozenset(person.languages or settings.data_languages),
        excluded=_own(person),
        full=full,
        reserved=reserved,
        no_topics=frozenset(person.topic_optouts),
        last=_latest(person, max(settings.sampler.in_a_row, settings.sampler.negative_in_a_row)),
    )


def _own(person: Person) -> dict[int, Cell]:
    """Live pairs this person answered, skipped or proposed, and what those were merged into.

    Others are in no pool and so cannot be taken out of its sizes; nor are those of topics the person does not want.
    """
    answered = Card.objects.filter(person=person, state__in=CLOSED, pair__isnull=False)
    proposed = Mention.objects.filter(person=person)
    through = [f"pair__{name}" for name in _PAIR]
    rows = [*answered.values_list(*through), *proposed.values_list(*through)]
    own: dict[int, Cell] = {}
    while rows:
        own.update(
            {pk: cell_of(*cell) for pk, state, topic, _, *cell in rows if _wanted(person, state, topic)}
        )
        further = {into for _, _, _, into, *_ in rows if into is not None}
        rows = list(Pair.objects.filter(pk__in=further).values_list(*_PAIR)) if further else []
    return own


def _wanted(person: Person, moderation: str, topic: str) -> bool:
    return moderation == Moderation.LIVE and (not topic or topic not in person.topic_optouts)


def _reserved(person: Person, now: datetime) -> tuple[dict[int, int], dict[int, Cell]]:
    """Live leases of others by pair, and the pairs that they fill up to what is needed."""
    settings = person.campaign.settings.sampler
    leases = Card.objects.filter(
        campaign=person.campaign_id,
        state=CardState.OPEN,
        expires_at__gt=now,
        pair__moderation=Moderation.LIVE,
    ).exclude(person=person)
    fields = (*(f"pair__{name}" for name in _CELL), "pair__ratings", "pair__topic")
    reserved: Counter[int] = Counter()
    cells: dict[int, tuple[Cell, int]] = {}
    for pair, *cell, ratings, topic in leases.values_list(F("pair_id"), *fields):
        if not _wanted(person, Moderation.LIVE, topic):
            continue
        reserved[pair] += 1
        cells[pair] = cell_of(*cell), ratings
    full = {
        pair: cell
        for pair, (cell, ratings) in cells.items()
        if ratings + reserved[pair] >= (settings.k if cell.need == NEEDS else settings.k_max)
    }
    return dict(reserved), full


def _latest(person: Person, count: int) -> tuple[tuple[str, bool], ...]:
    cards = Card.objects.filter(person=person, state__in=CLOSED).order_by("-number")
    return tuple(cards.values_list("country", "negative")[:count])
