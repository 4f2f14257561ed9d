"""The next card of a person: an open question, a pair of the common set, the pair that picked them, or what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from django.db.models import Max, Q
from django.utils import timezone

from endoxa.collect import sampler
from endoxa.collect.cards import matching
from endoxa.collect.cards.answering import UnknownCardError
from endoxa.collect.cards.balance import View, rater_of, view_of
from endoxa.collect.cards.candidates import admit, asked_elsewhere
from endoxa.collect.cards.covers import at_draw
from endoxa.collect.cards.locking import locked
from endoxa.collect.cards.said import said_in
from endoxa.collect.models import (
    CLOSED,
    Campaign,
    Card,
    CardState,
    Match,
    Mention,
    MixedAnswer,
    Moderation,
    Pair,
    Person,
)
from endoxa.collect.sampler import Balance
from endoxa.collect.sampler.slots import NEEDS, OPEN, TOPUP

SESSION = timedelta(hours=6)
"""Time within which nobody is asked the same open question again."""

_FRESH = 1 / 3
"""A card whose words are opened, or that is loaded again, is shown without a change within this part of its time."""

_TRIES = 4
"""Pairs that are tried where others were faster, before all is read anew."""

PROMPT = "prompt"
"""Tier of a card that shows no pair and asks what people say about a country."""


class _Past(NamedTuple):
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


def _history(person: Person) -> list[_Past]:
    """All cards of a person, the newest first; everything a draw asks about them, in one query."""
    fields = (*_Past._fields[:-2], "pair_id", "pair__merged_into_id")
    rows = Card.objects.filter(person=person).order_by("-number", "-id").values_list(*fields)
    return [_Past._make(row) for row in rows]


def _asking(person: Person, history: Sequence[_Past]) -> matching.Asking:
    """The person as the sampler sees them, with the pairs that they answered, skipped or proposed.

    What was merged since counts for what it was merged into.
    """
    settings = person.campaign.settings.sampler
    closed = [card for card in history if card.state in CLOSED]
    count = max(settings.in_a_row, settings.negative_in_a_row)
    latest = tuple((card.country, card.negative) for card in closed[:count])
    said = Mention.objects.filter(person=person).values_list("pair_id", "pair__merged_into_id")
    had = _with_roots([*((card.pair, card.merged_into) for card in closed), *said])
    rater = rater_of(person, person.campaign.settings, cards=len(closed), last=latest)
    return matching.Asking(person, had, rater)


def _with_roots(pairs: Iterable[tuple[int | None, int | None]]) -> frozenset[int]:
    """Ids of pairs, given with what each was merged into, and of all that these were merged into."""
    found: set[int] = set()
    rows = list(pairs)
    while rows:
        found.update(pair for pair, _ in rows if pair is not None)
        further = {into for _, into in rows if into is not None} - found
        rows = (
            list(Pair.objects.filter(pk__in=further).values_list("pk", "merged_into_id")) if further else []
        )
    return frozenset(found)


def next_card(
    person: Person, *, now: datetime | None = None, rng: np.random.Generator | None = None
) -> Card | None:
    """The card this person has open, with its time renewed, or a newly drawn and reserved one.

    A reload therefore shows the same card. One whose time is over is given back first. Where no pair can be
    shown it is a prompt card (`pair` None), once for each country in `SESSION`, and None after that: all is done for
    now. A card whose pair a moderator took away is given back too.

    Every few seconds somebody's request lets pairs pick raters for all (`matching`), so that a pair mostly waits for
    the person when they come. What comes next is read before the campaign is locked, and only checked within the lock.

    Raises:
        UnknownCardError: if the person has left the campaign, unless nothing was left for them.
    """
    now, rng = now or timezone.now(), rng or np.random.default_rng()
    history = _history(person)
    if (card := _just_renewed(person, history, now)) is not None:
        return card
    view = view_of(person.campaign, now)
    draw = _Draw(person, history, view, now, rng)
    shown = any(card.state == CardState.OPEN for card in history)
    due = matching.is_due(person.campaign, now)
    plans = iter(()) if shown else draw.plans(due=due)
    best = next(plans, None)
    if best is None and not shown and not due:
        # Nothing is left, so there is nothing to check either.
        return None
    with locked(person.campaign_id) as campaign:
        there = _newest_and_open(person)
        if there is None:
            raise UnknownCardError
        newest, opened = there
        person.campaign = campaign
        if opened is not None and (card := _renewed(opened, now, campaign)) is not None:
            return card
        if matching.is_due(campaign, now):
            admit(campaign, view.outlook.room)
            matching.match_all(campaign, view, now, rng)
        if shown or newest != max((past.id for past in history), default=None):
            # Another window of the same person was here in between, or what they had open is over.
            best, history = None, _history(person)
        found = best and next((plan for plan in chain([best], plans) if plan.holds(now)), None)
        if found is None:
            draw = _Draw(person, history, view, now, rng)
            found = next(draw.waiting_or_found(), None)
        return draw.store(found) if found else None


def _just_renewed(person: Person, history: Sequence[_Past], now: datetime) -> Card | None:
    """The open card, where it can be shown and little of its time is over (`_FRESH`): nothing is written then."""
    lasts = (1 - _FRESH) * timedelta(minutes=person.campaign.settings.lease_minutes)
    fresh = [past.id for past in history if past.state == CardState.OPEN and past.expires_at > now + lasts]
    if not fresh:
        return None
    card = Card.objects.filter(pk=fresh[0], state=CardState.OPEN).select_related("pair").first()
    return card if card is not None and _shown(card, now) else None


def _newest_and_open(person: Person) -> tuple[int | None, int | None] | None:
    """Ids of a person's newest and open card; None where they have left."""
    opened = Max("cards__id", filter=Q(cards__state=CardState.OPEN))
    found = Person.objects.filter(pk=person.pk).values("pk").annotate(newest=Max("cards__id"), opened=opened)
    return found.values_list("newest", "opened").first()


def _renewed(pk: int, now: datetime, campaign: Campaign) -> Card | None:
    """The open card with this id, with its time renewed; None where it cannot be shown and is given back."""
    card = Card.objects.select_related("pair").get(pk=pk)
    if not _shown(card, now):
        card.state = CardState.LAPSED
        card.save(update_fields=["state"])
        return None
    card.expires_at = now + timedelta(minutes=campaign.settings.lease_minutes)
    card.save(update_fields=["expires_at"])
    return card


def _shown(card: Card, now: datetime) -> bool:
    return card.expires_at > now and (card.pair is None or card.pair.moderation == Moderation.LIVE)


@dataclass(frozen=True)
class _Plan:
    """A card before it is stored.

    A pair for a reason (`tier`), perhaps one that picked the person (`match`, which waited for them, or `found`), else
    the `country` of an open question and the `topic` that it names, if any. `limit`: ratings of the pair and cards that
    others have open must be fewer. `keeps`: a pair that waits for the person goes on waiting.
    """

    tier: str
    country: str
    topic: str = ""
    pair: Pair | None = None
    match: Match | None = None
    found: matching.Found | None = None
    limit: int | None = None
    words: bool = True
    ticks: bool = False
    keeps: bool = False

    def holds(self, now: datetime) -> bool:
        """Whether it is still so: nobody took the pair away or got its slot since."""
        if self.pair is None:
            return True
        if self.found is not None:
            return matching.is_open(self.found, now)
        if self.match is None:
            live = Pair.objects.filter(pk=self.pair.pk, moderation=Moderation.LIVE)
            if self.limit is not None:
                open_cards = len(matching.Held(self.pair.campaign, now, self.pair.pk).cards)
                live = live.filter(ratings__lt=self.limit - open_cards)
            return live.exists()
        needing = {"pair__moderation": Moderation.LIVE, "pair__need": NEEDS}
        return Match.objects.filter(pk=self.match.pk, until__gt=now, **needing).exists()


class _Draw:
    """What comes next for one person."""

    def __init__(
        self, person: Person, history: Sequence[_Past], view: View, now: datetime, rng: np.random.Generator
    ) -> None:
        self._person, self._history, self._view = person, history, view
        self._now, self._rng = now, rng
        self._campaign, self._settings = person.campaign, person.campaign.settings.sampler
        self._number = history[0].number + 1 if history else 0
        self._validate = view.balance is Balance.VALIDATE
        self._asking = _asking(person, history)
        self._held = matching.Held(self._campaign, now)

    def plans(self, *, due: bool) -> Iterator[_Plan]:
        """What could come next, the best first; the others are looked for only where those before cannot be had.

        An open question, a pair of the common set, the pair that waits, those that pick the person now; a pair that
        others have open, an open question, or a pair with its k ratings where no ratings are missing. It ends before
        those that pick the person where a round for all is due, which may well bring them one.
        """
        if (early := self._before_what_waits()) is not None:
            yield replace(early, keeps=True)
        yield from self.waiting_or_found(due=due)

    def _before_what_waits(self) -> _Plan | None:
        """An open question or a pair of the common set, as often as settings say; else None."""
        settings = self._settings
        # The first card shows a pair, so that everybody sees what is meant; and a question follows no other.
        if (
            self._history
            and self._history[0].tier != PROMPT
            and (asked := self._early_question()) is not None
        ):
            return self._question(asked)
        if self._rng.random() < settings.calibration and (common := self._next_common()) is not None:
            return self._pair(common, "calibration")
        if not self._validate and self._rng.random() < settings.topup and (topup := self._any(TOPUP)):
            return self._pair(topup, "topup", limit=settings.k_max)
        return None

    def waiting_or_found(self, *, due: bool = False) -> Iterator[_Plan]:
        """The same without what comes before the pair that waits."""
        if (match := matching.waiting_for(self._asking, self._now)) is not None:
            yield self._pair(match.pair, self._place(match.pair), match=match)
        picked = False
        if matching.is_left(self._asking, self._held):
            if due:
                return
            finds = matching.find(self._asking, self._view, self._held, self._rng)
            for found in islice(finds, _TRIES):
                picked, pair = True, found.match.pair
                yield self._pair(pair, self._place(pair), found=found)
        if not picked and (rest := self._rest()) is not None:
            yield rest

    def _place(self, pair: Pair) -> str:
        return sampler.place(pair.country, self._asking.rater.origins, self._asking.rater.near)

    def _rest(self) -> _Plan | None:
        """A pair that others have open, an open question, or one that has its k ratings; None where nothing is left."""
        settings = self._settings
        if self._validate and (pair := matching.backup(self._asking, self._held)) is not None:
            return self._pair(pair, "backup", limit=settings.k + 1)
        questions = self._to_ask(again=False)
        asks = bool(questions) and not self._validate and self._rng.random() < settings.prompt
        if not asks and (pair := self._any(TOPUP, OPEN)) is not None:
            return self._pair(pair, "open", limit=settings.k_max)
        return self._question(self._least_said(questions)) if questions else None

    def store(self, plan: _Plan) -> Card:
        """The card, within the lock."""
        pair, match = plan.pair, plan.match
        if plan.found is not None:
            matching.give_way(plan.found, self._now)
        if not plan.keeps:
            Match.objects.filter(person=self._person).delete()
        return Card.objects.create(
            campaign=self._campaign,
            person=self._person,
            pair=pair,
            country=plan.country,
            topic=plan.topic,
            negative=bool(pair and pair.negative),
            number=self._number,
            tier=plan.tier,
            slot=match.slot if match else "",
            propensity=match.propensity if match else None,
            pool=match.pool if match else 0,
            version=self._campaign.version,
            digest=self._campaign.settings.digest(),
            adds=plan.words or plan.ticks,
            words=plan.words,
            ticks=plan.ticks,
            revealed=at_draw(pair),
            drawn_at=self._now,
            expires_at=self._now + timedelta(minutes=self._campaign.settings.lease_minutes),
        )

    def _pair(
        self,
        pair: Pair,
        tier: str,
        *,
        match: Match | None = None,
        found: matching.Found | None = None,
        limit: int | None = None,
    ) -> _Plan:
        fields = self._fields(pair)
        return _Plan(
            tier,
            pair.country,
            pair=pair,
            match=found.match if found else match,
            found=found,
            limit=limit,
            words=fields.words,
            ticks=fields.ticks,
        )

    def _question(self, country: str) -> _Plan:
        """An open question about a country; it names the topic of which least was said, where seeds have topics."""
        said = said_in(self._campaign)
        topics = [topic for topic in said.topics if topic not in self._asking.rater.no_topics]
        # An order by chance decides between topics of which as much was said.
        order = [topics[place] for place in self._rng.permutation(len(topics))]
        named = sampler.least_said(order, said.by_topic.get(country, {}))
        return _Plan(PROMPT, country, topic=named[0] if country and len(named) > 1 else "")

    def _early_question(self) -> str | None:
        """The country to ask about though pairs wait, as often as the controller and the gaps ask for; else None."""
        if not self._view.outlook.prompts or not (more := self._to_ask(again=True)):
            return None
        settings = self._campaign.settings
        share = sampler.question_share(
            self._view.outlook.prompts,
            self._person.origins,
            settings.countries,
            said_in(self._campaign).countries,
            settings.sampler.prompt_early,
        )
        return self._least_said(more) if self._rng.random() < share else None

    def _least_said(self, countries: Sequence[str]) -> str:
        return (
            countries[0]
            if len(countries) == 1
            else sampler.least_said(countries, said_in(self._campaign).countries)[0]
        )

    def _next_common(self) -> Pair | None:
        """The first pair of the common set, in the order that all share, that the person has not had."""
        found = Pair.objects.filter(campaign=self._campaign, moderation=Moderation.LIVE, calibration=True)
        found = found.filter(language__in=self._asking.rater.languages).exclude(pk__in=self._asking.had)
        return found.exclude(topic__in=self._asking.rater.no_topics).order_by("position", "id").first()

    def _any(self, *needs: int) -> Pair | None:
        """Any pair with k ratings that has room for one more; those about own and near countries first."""
        rater = self._asking.rater
        pairs = Pair.objects.filter(
            campaign=self._campaign, moderation=Moderation.LIVE, need__in=needs, language__in=rater.languages
        )
        pairs = pairs.exclude(pk__in=self._asking.had).exclude(topic__in=rater.no_topics)
        # What stood on a list was judged there.
        listed = MixedAnswer.objects.filter(person=self._person).exclude(card__state=CardState.LAPSED)
        pairs = pairs.exclude(pk__in=listed.values("pair"))
        pairs = pairs.exclude(pk__in=self._held.full(self._settings.k_max))
        start = float(self._rng.random())
        for part in (pairs.filter(country__in=rater.origins | rater.near), pairs):
            # Places are spread by chance, so that the next one after a random place is any of them.
            for some in (part.filter(position__gte=start), part.filter(position__lt=start)):
                if (pair := some.order_by("position").first()) is not None:
                    return pair
        return None

    def _fields(self, pair: Pair) -> sampler.Fields:
        """What may be added after the card."""
        adds = sampler.adds_on(self._view.balance, self._number)
        return sampler.fields(
            adds=adds,
            own=pair.country in self._person.origins or not self._person.origins,
            asked=asked_elsewhere(pair, self._now) if adds else 0,
            candidates=self._view.candidates,
            settings=self._settings,
        )

    def _to_ask(self, *, again: bool) -> list[str]:
        """Countries for the next prompt card, the person's own first, then those felt close to; "" lets them choose.

        Without those that were asked about within `SESSION`: all of them, or (`again`) those to which the person had
        nothing to say the last time, and the one asked about last.
        """
        person = self._person
        countries = [*person.origins, *person.connections] or list(self._campaign.settings.countries) or [""]
        questions = [
            card
            for card in self._history
            if card.tier == PROMPT and card.closed_at is not None and card.drawn_at > self._now - SESSION
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
