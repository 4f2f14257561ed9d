"""The next card of a person: what could come next, the best first, is found before anything is locked.

What was planned is taken where it still holds, and stored.

Cards ahead are those that a phone has at hand for the time without a network: drawn as any card, each holding its
place. They wait behind the open card and are opened one after the other, in the order in which they were drawn.
Their time is that of an open card, and asking for them renews it; one that is answered later counts as late, as any
card does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.db.models import BigIntegerField, QuerySet, UUIDField
from django.utils import timezone

from endoxa_collect import groups
from endoxa_collect.cards import matching
from endoxa_collect.cards.answering import at_draw, lock_person
from endoxa_collect.cards.balance import View, mentions_in, rater_of, view_of
from endoxa_collect.cards.counts import admit, tick_count
from endoxa_collect.cards.locking import locked, shared
from endoxa_collect.compiled import compiled, only
from endoxa_collect.models import (
    HOLDING,
    Card,
    CardState,
    Match,
    Mention,
    MixedAnswer,
    Moderation,
    Pair,
    Person,
)
from endoxa_collect.sampler import controller
from endoxa_collect.sampler.controller import Balance
from endoxa_collect.sampler.slots import NEEDS, OPEN, TOPUP, Slot, place

SESSION = timedelta(hours=6)
"""Time within which nobody is asked the same open question again."""

_TRIES = 4
"""Pairs that are tried where others were faster, before all is read anew."""

PROMPT = "prompt"
"""Tier of a card that shows no pair and asks what people say about a country."""


class Past(NamedTuple):
    """A card that the person had or has; `pair` and `merged_into` are ids, None where it was an open question."""

    id: int
    number: int
    state: str
    tier: str
    country: str
    negative: bool
    drawn_at: datetime
    expires_at: datetime
    closed_at: datetime | None
    pair: int | None
    merged_into: int | None


def history_of(person: Person) -> list[Past]:
    """All cards of a person, the newest first; everything a draw asks about them, in one query."""
    return [Past._make(row) for row in _past(person.pk)]


@compiled(UUIDField())
def _past(person: UUID) -> QuerySet[Card, tuple[Any, ...]]:
    fields = (*Past._fields[:-2], "pair_id", "pair__merged_into_id")
    return Card.objects.filter(person=person).order_by("-number", "-id").values_list(*fields)


def _asking(person: Person, history: Sequence[Past]) -> matching.Asking:
    """The person as the sampler sees them, with the pairs that they answered, skipped, proposed or have before them.

    What was merged since counts for what it was merged into.
    """
    settings = person.campaign.settings.sampler
    given = [card for card in history if card.state != CardState.LAPSED]
    count = max(settings.in_a_row, settings.negative_in_a_row)
    latest = tuple((card.country, card.negative) for card in given[:count])
    said = mentioned(person.pk)
    # Ids of pairs, given with what each was merged into, and of all that these were merged into.
    pairs = [
        *((card.pair, card.merged_into) for card in given),
        *((pair, into) for pair, into, _ in said),
    ]
    seen: set[int] = set()
    while pairs:
        seen.update(pair for pair, _ in pairs if pair is not None)
        further = {into for _, into in pairs if into is not None} - seen
        pairs = (
            list(Pair.objects.filter(pk__in=further).values_list("pk", "merged_into_id")) if further else []
        )
    had = frozenset(seen)
    rater = rater_of(person, person.campaign.settings, cards=len(given), last=latest)
    return matching.Asking(person, had, rater, frozenset(card for *_, card in said if card is not None))


@compiled(UUIDField())
def mentioned(person: UUID) -> QuerySet[Mention, tuple[Any, ...]]:
    """Pairs that somebody said, each with what it was merged into and the card."""
    return Mention.objects.filter(person=person).values_list("pair_id", "pair__merged_into_id", "card_id")


@dataclass(frozen=True)
class Plan:
    """A card before it is stored.

    A pair for a reason (`tier`), perhaps one that picked the person (`match`: stored where it waited for them, not
    where it was found now), else the `country` of an open question and the `topic` that it names, if any. `stands_in`
    is as in `matching.find`. `limit`: ratings of the pair and cards that others have open must be fewer. `keeps`: a
    pair that waits for the person goes on waiting.
    """

    tier: str
    country: str
    topic: str = ""
    pair: Pair | None = None
    match: Match | None = None
    stands_in: bool = False
    limit: int | None = None
    words: bool = True
    ticks: bool = False
    keeps: bool = False

    def take(self, now: datetime) -> bool:
        """Take what was found, where it is still so: nobody took the pair away or got its slot since."""
        if self.pair is None:
            return True
        if self.match is not None and self.match.pk:
            return matching.take_waiting(self.match, now)
        if self.match is not None:
            return matching.take_found(self.match, now, stands_in=self.stands_in)
        live = Pair.objects.filter(pk=self.pair.pk, moderation=Moderation.LIVE)
        if self.limit is None:
            return live.exists()
        ratings = live.select_for_update(no_key=True).values_list("ratings", flat=True).first()
        open_cards = len(matching.Reservations(self.pair.campaign, now, self.pair.pk).cards)
        return ratings is not None and ratings + open_cards < self.limit


class Planning:
    """What comes next for one person."""

    def __init__(
        self, person: Person, history: Sequence[Past], view: View, now: datetime, rng: np.random.Generator
    ) -> None:
        self._person, self._history, self._view = person, history, view
        self._now, self._rng = now, rng
        self._campaign, self._settings = person.campaign, person.campaign.settings.sampler
        self.number = history[0].number + 1 if history else 0
        self._laces = self._settings.rule == "laces"
        self._validate = view.balance is Balance.VALIDATE and not self._laces
        self._asking = _asking(person, history)
        self._reservations = matching.Reservations(self._campaign, now)

    def plans(self) -> Iterator[Plan]:
        """What could come next, the best first; the others are looked for only where those before cannot be had.

        An open question, a pair of the common set, the pair that waits, those that pick the person now; a pair that
        others have open, an open question, or a pair with its k ratings where no ratings are missing.
        """
        if not self._laces and (early := self._before_what_waits()) is not None:
            yield replace(early, keeps=True)
        yield from self.waiting_or_picked()

    def first_taken(self, plans: Iterable[Plan], state: CardState = CardState.OPEN) -> Card | None:
        """The card of the first plan that holds; None where none does, or another window was here in between."""
        for plan in plans:
            with shared(self._person.campaign_id):
                lock_person(self._person)
                if history_of(self._person) != self._history:
                    return None
                if plan.take(self._now):
                    return stored(self, plan, self._person, self._now, state)
        return None

    def _before_what_waits(self) -> Plan | None:
        """An open question or a pair of the common set, as often as settings say; else None."""
        settings, prompts = self._campaign.settings, self._view.outlook.prompts
        # The first card shows a pair, so that everybody sees what is meant; and a question follows no other.
        follows = bool(self._history) and self._history[0].tier != PROMPT
        if follows and prompts and (more := self._to_ask(again=True)):
            # Though pairs wait, as often as the controller and the gaps ask for.
            share = controller.question_share(
                prompts,
                self._person.origins,
                groups.listed(settings),
                mentions_in(self._campaign).countries,
                self._settings.prompt_early,
            )
            if self._rng.random() < share:
                return self._question(more)
        if self._rng.random() < self._settings.calibration:
            # The first in the order that all share that the person has not had.
            common = matching.readable(self._asking, calibration=True).order_by("position", "id").first()
            if common is not None:
                return self._pair(common, "calibration")
        if not self._validate and self._rng.random() < self._settings.topup and (topup := self._any(TOPUP)):
            return self._pair(topup, "topup", limit=self._settings.k_max)
        return None

    def waiting_or_picked(self) -> Iterator[Plan]:
        """The same without what comes before the pair that waits."""
        if (match := matching.waiting_for(self._asking, self._now)) is not None:
            yield self._pair(match.pair, match=match)
        picked = False
        if matching.is_left(self._asking, self._reservations):
            for match, stands_in in islice(self._finds(), _TRIES):
                # Its author may have taken it back in this moment.
                if pair := only(_pair(match.pair_id)):
                    picked = True
                    yield self._pair(pair, match=match, stands_in=stands_in)
        if picked:
            return
        settings = self._settings
        if self._validate and (backup := matching.backup(self._asking, self._reservations)) is not None:
            yield self._pair(backup, "backup", limit=settings.k + 1)
            return
        questions = self._to_ask(again=False)
        asks = questions and not (self._validate or self._laces) and self._rng.random() < settings.prompt
        if not asks and (rated := self._any(TOPUP, OPEN)) is not None:
            yield self._pair(rated, "open", limit=settings.k_max)
        elif questions:
            yield self._question(questions)

    def _pair(self, pair: Pair, tier: str = "", **plan: Any) -> Plan:
        """A card of a pair; without a tier it is how near the person is to its country."""
        rater = self._asking.rater
        adds = controller.adds_on(self._view.balance, self.number)
        words, ticks = controller.fields(
            adds=adds,
            home=pair.country in rater.origins or not rater.origins,
            tick_count=tick_count(pair, self._now) if adds else 0,
            candidates=self._view.candidates,
            settings=self._settings,
        )
        tier = tier or place(pair.country, rater.origins, rater.near)
        return Plan(tier, pair.country, pair=pair, words=words, ticks=ticks, **plan)

    def _question(self, countries: Sequence[str]) -> Plan:
        """An open question about the country of which least was said, and its topic, where seeds have topics."""
        mentions = mentions_in(self._campaign)
        country = controller.least_mentioned(countries, mentions.countries)[0]
        topics = [topic for topic in mentions.topics if topic not in self._asking.rater.no_topics]
        # An order by chance decides between topics of which as much was said.
        order = [topics[place] for place in self._rng.permutation(len(topics))]
        named = controller.least_mentioned(order, mentions.by_topic.get(country, {}))
        return Plan(PROMPT, country, topic=named[0] if country and len(named) > 1 else "")

    def _any(self, *needs: int) -> Pair | None:
        """Any pair that has room for one more rating; those about own and near countries first."""
        rater, pairs = self._asking.rater, matching.readable(self._asking, need__in=needs)
        # What stood on a list was judged there.
        listed = MixedAnswer.objects.filter(person=self._person).exclude(card__state=CardState.LAPSED)
        pairs = pairs.exclude(pk__in=listed.values("pair"))
        most = self._settings.k if NEEDS in needs else self._settings.k_max
        pairs = pairs.exclude(pk__in=self._reservations.full(most))
        parts = (pairs.filter(country__in=rater.origins | rater.near), pairs)
        # Nothing is locked here: the last pair may be hidden in between.
        if (
            self._laces
        ):  # each with the same chance, as in the paper; this takes longer the more pairs there are
            drawn = [part.order_by("pk")[int(self._rng.integers(max(part.count(), 1))) :] for part in parts]
        else:
            start, placed = self._rng.random(), [part.order_by("position") for part in parts]
            drawn = [half for part in placed for half in (part.filter(position__gte=start), part)]
        return next(filter(None, map(QuerySet.first, drawn)), None)

    def _finds(self) -> Iterator[tuple[Match, bool]]:
        """As `matching.find`: pairs that pick the person; by the rule of LACES any pairs that miss ratings."""
        if not self._laces:
            return matching.find(self._asking, self._view, self._reservations, self._rng)
        row = {"campaign": self._campaign, "person": self._person, "slot": Slot.ANYONE, "pool": 0}
        return ((Match(**row, pair=pair), False) for pair in iter(lambda: self._any(NEEDS), None))

    def _to_ask(self, *, again: bool) -> list[str]:
        """Countries for the next prompt card, the person's own first, then those felt close to; "" lets them choose.

        Without those that were asked about within `SESSION`: all of them, or (`again`) those to which the person had
        nothing to say the last time, and the one asked about last.
        """
        person = self._person
        settings = self._campaign.settings
        countries = [*person.origins, *person.connections]
        if settings.groups or not countries:
            # Of groups in one place everybody has heard something, whoever they are.
            countries += groups.listed(settings) or [""]
        questions = [
            card
            for card in self._history
            if card.tier == PROMPT
            and (card.closed_at is not None or card.state in HOLDING)
            and card.drawn_at > self._now - SESSION
        ]
        excluded = {card.country for card in questions}
        if again and questions:
            latest = {card.country: card.id for card in reversed(questions)}
            excluded = {country for country, card in latest.items() if card not in self._asking.said_on}
            if len(countries) > 1:
                excluded.add(questions[0].country)
        return [country for country in dict.fromkeys(countries) if country not in excluded]


@compiled(BigIntegerField())
def _pair(pair: int) -> QuerySet[Pair]:
    return Pair.objects.filter(pk=pair)


_FRESH = 1 / 3
"""A card whose words are opened, or that is loaded again, is shown without a change within this part of its time."""


def next_card(
    person: Person, *, now: datetime | None = None, rng: np.random.Generator | None = None
) -> Card | None:
    """The card this person has open, with its time renewed, or a newly drawn and reserved one.

    A reload therefore shows the same card. One whose time is over is given back first. Where no pair can be
    shown it is a prompt card (`pair` None), once for each country in `SESSION`, and None after that: all is done for
    now. A card whose pair a moderator took away is given back too. Cards ahead come before new ones.

    Every few seconds somebody's request lets pairs pick raters for all (`matching`), so that a pair mostly waits for
    the person when they come. What comes next is read before anything is locked, and then taken where it still holds.

    Raises:
        UnknownCardError: if the person has left the campaign, unless nothing was left for them.
    """
    now, rng = now or timezone.now(), rng or np.random.default_rng()
    history = history_of(person)
    lasts = (1 - _FRESH) * timedelta(minutes=person.campaign.settings.lease_minutes)
    for past in history:
        if past.state == CardState.OPEN and past.expires_at > now + lasts:
            # Little of its time is over: nothing is written.
            card = only(_opened(past.id))
            if card is not None and is_shown(card, now):
                card.campaign = person.campaign
                return card
            break
    if any(card.state == CardState.AHEAD for card in history) and (card := _from_ahead(person, now)):
        return card
    view = view_of(person.campaign, now)
    if matching.is_due(person.campaign, now):
        with locked(person.campaign.pk) as current:
            if matching.is_due(current, now):
                admit(current, view.outlook.room)
                matching.match_all(current, view, now, rng)
    if not any(card.state == CardState.OPEN for card in history):
        planning = Planning(person, history, view, now, rng)
        plans = planning.plans()
        first = next(plans, None)
        if first is None and history_of(person) == history:
            return None
        if first is not None and (card := planning.first_taken(chain((first,), plans))) is not None:
            return card
    return _alone(person, view, now, rng)


@compiled(BigIntegerField())
def _opened(card: int) -> QuerySet[Card]:
    return Card.objects.filter(pk=card, state=CardState.OPEN).select_related("pair")


def _from_ahead(person: Person, now: datetime) -> Card | None:
    """The first of the cards ahead that can still be shown, opened; None where one is open, or none can."""
    with shared(person.campaign_id):
        settings = lock_person(person)
        cards = (
            Card.objects.filter(person=person, state__in=HOLDING).select_related("pair").order_by("number")
        )
        if any(card.state == CardState.OPEN for card in cards):
            return None
        for card in cards:
            holds = is_shown(card, now)
            card.state = CardState.OPEN if holds else CardState.LAPSED
            if holds:
                # The time that an answer takes begins when the card is shown.
                card.drawn_at = now
                card.expires_at = now + timedelta(minutes=settings.lease_minutes)
            card.save(update_fields=["state", "drawn_at", "expires_at"])
            if holds:
                return card
    return None


def _alone(person: Person, view: View, now: datetime, rng: np.random.Generator) -> Card | None:
    """The card that is open, with its time renewed, or a new one, drawn while nobody else draws or answers."""
    with locked(person.campaign_id) as campaign:
        lock_person(person)
        person.campaign = campaign
        opened = Card.objects.filter(person=person, state=CardState.OPEN).select_related("pair").first()
        if opened is not None and is_shown(opened, now):
            opened.expires_at = now + timedelta(minutes=campaign.settings.lease_minutes)
            opened.save(update_fields=["expires_at"])
            return opened
        if opened is not None:
            opened.state = CardState.LAPSED
            opened.save(update_fields=["state"])
        planning = Planning(person, history_of(person), view, now, rng)
        plan = next(planning.waiting_or_picked(), None)
        return stored(planning, plan, person, now) if plan and plan.take(now) else None


@compiled(UUIDField())
def _waiting_for(person: UUID) -> QuerySet[Match, int]:
    rows = Match.objects.filter(person=person).select_for_update(skip_locked=True)
    return rows.values_list("pk", flat=True)


def is_shown(card: Card, now: datetime) -> bool:
    """Whether the time of a card is not over, and moderators left its pair."""
    return card.expires_at > now and (card.pair is None or card.pair.moderation == Moderation.LIVE)


def stored(
    planning: Planning, plan: Plan, person: Person, now: datetime, state: CardState = CardState.OPEN
) -> Card:
    """The card of a plan that was taken."""
    pair, match, campaign = plan.pair, plan.match, person.campaign
    # What waited for them and does not come is for others.
    others = not plan.keeps and not (match and match.pk)
    # Not that which somebody who stands in is taking away in this moment.
    if others and (earlier := _waiting_for(person.pk)):
        Match.objects.filter(pk__in=earlier).delete()
    return Card.objects.create(
        campaign=campaign,
        person=person,
        pair=pair,
        country=plan.country,
        topic=plan.topic,
        negative=bool(pair and pair.negative),
        number=planning.number,
        tier=plan.tier,
        slot=match.slot if match else "",
        propensity=match.propensity if match else None,
        pool=match.pool if match else 0,
        version=campaign.version,
        digest=campaign.settings.digest(),
        state=state,
        adds=plan.words or plan.ticks,
        words=plan.words,
        ticks=plan.ticks,
        revealed=at_draw(pair),
        drawn_at=now,
        expires_at=now + timedelta(minutes=campaign.settings.lease_minutes),
    )


AHEAD = 10
"""Cards that wait behind the open one, at most."""
AT_ONCE = 4
"""Cards that are drawn for one request: a room of phones shall not make all draws of its first minute at once."""


def cards_ahead(
    person: Person, *, now: datetime | None = None, rng: np.random.Generator | None = None
) -> tuple[list[Card], bool]:
    """The cards before a person, the open one first, with up to `AT_ONCE` new ones; and whether more may be had.

    Raises:
        UnknownCardError: if the person has left the campaign.
    """
    now, rng = now or timezone.now(), rng or np.random.default_rng()
    waiting_cards = _renewed(person, now)
    view = view_of(person.campaign, now)
    room = min(AHEAD - len(waiting_cards), _share(view))
    drawn = 0
    for _ in range(min(room, AT_ONCE)):
        planning = Planning(person, history_of(person), view, now, rng)
        # Only places that nobody else waits for.
        plans = (plan for plan in planning.plans() if plan.tier != "backup" and not plan.stands_in)
        if planning.first_taken(plans, CardState.AHEAD) is None:
            break
        drawn += 1
    cards = Card.objects.filter(person=person, state__in=HOLDING)
    return list(cards.select_related("pair").order_by("-state", "number")), drawn == AT_ONCE < room


def _share(view: View) -> int:
    """How many further places one phone may hold: half of the missing ratings, shared by all who take part.

    The rest is for those who come next; and where it is about the last ratings nothing is held.
    """
    if view.balance is Balance.VALIDATE:
        return 0
    return int(view.outlook.backlog / (2 * max(1, len(view.raters))))


def _renewed(person: Person, now: datetime) -> list[Card]:
    """The cards that wait, with their time renewed; those that cannot be shown any more are given back."""
    with shared(person.campaign_id):
        settings = lock_person(person)
        waiting = Card.objects.filter(person=person, state=CardState.AHEAD)
        cards = list(waiting.select_related("pair"))
        waiting_cards = [card for card in cards if is_shown(card, now)]
        waiting.exclude(pk__in=[card.pk for card in waiting_cards]).update(state=CardState.LAPSED)
        waiting.update(expires_at=now + timedelta(minutes=settings.lease_minutes))
    return waiting_cards
