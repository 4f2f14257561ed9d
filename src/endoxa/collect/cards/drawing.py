"""The next card of a person, and what the sampler must know about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, F, Q
from django.utils import timezone

from endoxa.collect import geography, sampler
from endoxa.collect.cards.answering import UnknownCardError
from endoxa.collect.cards.balance import balance_of, prompts_of
from endoxa.collect.cards.candidates import asked_elsewhere
from endoxa.collect.cards.covers import at_draw
from endoxa.collect.cards.locking import locked
from endoxa.collect.cards.pool import DatabasePool, cell_of, said_of
from endoxa.collect.models import CLOSED, Campaign, Card, CardState, Mention, Moderation, Pair, Person
from endoxa.collect.sampler import Cell
from endoxa.collect.sampler.tiers import NEEDING
from endoxa.collect.sampler.types import NEEDS

_CELL = ("country", "language", "need", "negative")
_PAIR = ("id", "moderation", "topic", "merged_into_id", *_CELL)
_THROUGH = tuple(f"pair__{name}" for name in _PAIR)

SESSION = timedelta(hours=6)
"""Time within which nobody is asked the same open question again."""

PROMPT = "prompt"
"""Tier of a card that shows no pair and asks what people say about a country."""


class _Past(NamedTuple):
    """A card that the person had or has; `pair` holds the fields `_PAIR`, None where it was an open question."""

    id: int
    number: int
    state: str
    tier: str
    country: str
    negative: bool
    drawn_at: datetime
    expires_at: datetime
    closed_at: datetime | None
    pair: tuple[Any, ...] | None

    def is_open(self, now: datetime) -> bool:
        """Whether the person has it before them: its time is not over, and its pair was not taken away."""
        there = self.pair is None or self.pair[1] == Moderation.LIVE
        return self.state == CardState.OPEN and self.expires_at > now and there


def _history(person: Person) -> list[_Past]:
    """All cards of a person, the newest first; everything a draw asks about them, in one query."""
    fields = _Past._fields[:-1]
    rows = Card.objects.filter(person=person).order_by("-number").values_list(*fields, *_THROUGH)
    own = len(fields)
    return [_Past._make((*row[:own], None if row[own] is None else row[own:])) for row in rows]


def sampler_person(person: Person, now: datetime, history: Sequence[_Past] | None = None) -> sampler.Person:
    """The person as the sampler sees them at this moment; `history` where it was read already."""
    settings = person.campaign.settings
    history = _history(person) if history is None else history
    origins = frozenset(person.origins)
    reserved, full = _reserved(person, now)
    count = max(settings.sampler.in_a_row, settings.sampler.negative_in_a_row)
    closed = [card for card in history if card.state in CLOSED]
    return sampler.Person(
        origins=origins,
        near=geography.near(origins, frozenset(person.connections)),
        languages=frozenset(person.languages or settings.data_languages),
        excluded=_own(person, [card.pair for card in closed if card.pair is not None]),
        full=full,
        reserved=reserved,
        no_topics=frozenset(person.topic_optouts),
        last=tuple((card.country, card.negative) for card in closed[:count]),
    )


def _own(person: Person, answered: Iterable[tuple[Any, ...]]) -> dict[int, Cell]:
    """Live pairs this person answered, skipped or proposed, and what those were merged into.

    Others are in no pool and so cannot be taken out of its sizes; nor are those of topics the person does not want.
    """
    rows = [*answered, *Mention.objects.filter(person=person).values_list(*_THROUGH)]
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


def next_card(
    person: Person, *, now: datetime | None = None, rng: np.random.Generator | None = None
) -> Card | None:
    """The card this person has open, with its time renewed, or a newly drawn and reserved one.

    A reload therefore shows the same card. One whose time is over is given back first. Where no pair can be
    shown it is a prompt card (`pair` None), once for each country in `SESSION`, and None after that: all is done for
    now. A card whose pair a moderator took away is given back too.

    Pairs are drawn before the campaign is locked, since that takes most of the time, and drawn again within the lock
    only where somebody else got the pair in between. The propensity is that of the moment of the draw.

    Raises:
        UnknownCardError: if the person has left the campaign.
    """
    now, rng = now or timezone.now(), rng or np.random.default_rng()
    history = _history(person)
    shown = any(card.is_open(now) for card in history)
    draft = None if shown else _draft(person, history, now, rng)
    with locked(person.campaign_id) as campaign:
        if not Person.objects.filter(pk=person.pk).exists():
            raise UnknownCardError
        person.campaign = campaign
        until = now + timedelta(minutes=campaign.settings.lease_minutes)
        card = Card.objects.filter(person=person, state=CardState.OPEN).select_related("pair").first()
        if card is not None and _shown(card, now):
            card.expires_at = until
            card.save(update_fields=["expires_at"])
            return card
        if card is not None:
            card.state = CardState.LAPSED
            card.save(update_fields=["state"])
        pair = _still_free(draft, campaign, now) if draft else None
        if draft is None or (draft.drawn and pair is None):
            draft = _draft(person, _history(person), now, rng)
            pair = Pair.objects.get(pk=draft.drawn.pair) if draft.drawn else None
        return _reserve(draft, pair, person, now, until)


def _shown(card: Card, now: datetime) -> bool:
    return card.expires_at > now and (card.pair is None or card.pair.moderation == Moderation.LIVE)


@dataclass(frozen=True)
class _Draft:
    """A card before it is stored: the pair `drawn`, else the country `asked` about, else nothing is left.

    `prompts` is the share of cards like this one that ask an open question though pairs wait.
    """

    drawn: sampler.Drawn | None
    asked: str | None
    balance: sampler.Balance
    number: int
    prompts: float


def _draft(person: Person, history: Sequence[_Past], now: datetime, rng: np.random.Generator) -> _Draft:
    campaign = person.campaign
    balance = balance_of(campaign, now)
    shares = sampler.under(balance, campaign.settings.sampler)
    number = history[0].number + 1 if history else 0
    more = _to_ask(person, history, now, again=True)
    # The first card shows a pair, so that everybody sees what is meant; and a question follows no other.
    prompts = prompts_of(campaign, now) if more and number and history[0].tier != PROMPT else 0.0
    if prompts and rng.random() < prompts:
        return _Draft(None, _least_said(more, campaign), balance, number, prompts)
    questions = _to_ask(person, history, now, again=False)
    if not questions:
        shares = shares.model_copy(update={"prompt": 0.0})
    drawn = sampler.draw(DatabasePool(campaign, now), sampler_person(person, now, history), shares, rng)
    asked = _least_said(questions, campaign) if drawn is None and questions else None
    return _Draft(drawn, asked, balance, number, prompts)


def _least_said(countries: Sequence[str], campaign: Campaign) -> str:
    return countries[0] if len(countries) == 1 else sampler.least_said(countries, said_of(campaign))[0]


def _still_free(draft: _Draft, campaign: Campaign, now: datetime) -> Pair | None:
    """The drawn pair, if others left room for one more rating since; the calibration set has always room."""
    if draft.drawn is None:
        return None
    # One query, since everybody waits for the lock meanwhile.
    held = Count("cards", filter=Q(cards__state=CardState.OPEN, cards__expires_at__gt=now))
    live = Pair.objects.filter(pk=draft.drawn.pair, moderation=Moderation.LIVE)
    pair = live.annotate(held=held).first()
    if pair is None or draft.drawn.tier == "calibration":
        return pair
    settings = campaign.settings.sampler
    room = settings.k if draft.drawn.tier in NEEDING else settings.k_max
    return pair if pair.ratings + pair.held < room else None


def _reserve(draft: _Draft, pair: Pair | None, person: Person, now: datetime, until: datetime) -> Card | None:
    """Store the card, within the lock; None where there is nothing to show."""
    drawn, campaign = draft.drawn, person.campaign
    if drawn is None and draft.asked is None:
        return None
    fields = _fields(pair, draft, person) if pair else sampler.Fields(words=True, ticks=False)
    return Card.objects.create(
        campaign=campaign,
        person=person,
        pair=pair,
        country=pair.country if pair else draft.asked or "",
        negative=bool(pair and pair.negative),
        number=draft.number,
        tier=drawn.tier if drawn else PROMPT,
        weight=drawn.weight if drawn else None,
        propensity=drawn.propensity * (1 - draft.prompts) if drawn else None,
        pool=drawn.pool if drawn else 0,
        version=campaign.version,
        digest=campaign.settings.digest(),
        adds=fields.words or fields.ticks,
        words=fields.words,
        ticks=fields.ticks,
        revealed=at_draw(pair),
        drawn_at=now,
        expires_at=until,
    )


def _fields(pair: Pair, draft: _Draft, person: Person) -> sampler.Fields:
    """What may be added after the card."""
    adds = sampler.adds_on(draft.balance, draft.number)
    return sampler.fields(
        adds=adds,
        own=pair.country in person.origins or not person.origins,
        asked=asked_elsewhere(pair) if adds else 0,
        settings=person.campaign.settings.sampler,
    )


def _to_ask(person: Person, history: Sequence[_Past], now: datetime, *, again: bool) -> list[str]:
    """Countries for the next prompt card, the person's own first, then those felt close to; "" lets them choose.

    Without those that were asked about within `SESSION`: all of them, or (`again`) those to which the person had
    nothing to say the last time, and the one asked about last.
    """
    countries = [*person.origins, *person.connections] or list(person.campaign.settings.countries) or [""]
    questions = [
        card
        for card in history
        if card.tier == PROMPT and card.closed_at is not None and card.drawn_at > now - SESSION
    ]
    asked = {card.country for card in questions}
    if again and questions:
        latest = {card.country: card.id for card in reversed(questions)}
        answered = set(
            Mention.objects.filter(card__in=latest.values()).values_list("card_id", flat=True).distinct()
        )
        asked = {country for country, card in latest.items() if card not in answered}
        if len(countries) > 1:
            asked.add(questions[0].country)
    return [country for country in dict.fromkeys(countries) if country not in asked]
