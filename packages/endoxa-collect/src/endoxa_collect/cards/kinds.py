"""Lists and comparisons between the ratings: drawn, answered, skipped and taken back.

They show only pairs that have all their ratings and are not covered, so that nobody sees a pair here that they are to
rate later. Nothing here is a rating, and the sampler does not know of it.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

import numpy as np
from django.db.models import Q, QuerySet, UUIDField
from django.utils import timezone

from endoxa_collect.cards.answering import (
    UnknownCardError,
    bury_rows,
    drop_reports,
    flag_report,
    latest_answer,
)
from endoxa_collect.cards.drawing import history_of, mentioned
from endoxa_collect.cards.locking import Cache, locked
from endoxa_collect.compiled import compiled, only
from endoxa_collect.models import (
    CLOSED,
    REPORTED,
    Campaign,
    Card,
    CardState,
    MixedAnswer,
    MixedCard,
    MixedKind,
    Moderation,
    Pair,
    Person,
    Source,
)
from endoxa_collect.sampler.slots import FULL, OPEN, TOPUP
from endoxa_collect.withdrawals import What, noted

SHOWN: Mapping[str, int] = {MixedKind.HEARD: 5, MixedKind.COMPARE: 2}
"""Pairs on a card of each kind."""

CHOICES = {
    "first": ("more", "less"),
    "second": ("less", "more"),
    "same": ("same", "same"),
    "neither": ("neither", "neither"),
}
"""What a choice between two says of each of them."""


def due(campaign: Campaign, done: int) -> MixedKind | None:
    """The kind of the next card after `done` cards; None for a rating. They are spread evenly over a set."""
    settings = campaign.settings
    every = settings.sampler.break_after
    kinds = [MixedKind.HEARD] * settings.heard_lists + [MixedKind.COMPARE] * settings.comparisons
    kinds = kinds[: every - 1]
    slots = {(place + 1) * every // (len(kinds) + 1): kind for place, kind in enumerate(kinds)}
    return slots.get(done % every)


def next_mixed(
    person: Person,
    done: int,
    *,
    now: datetime | None = None,
    rng: np.random.Generator | None = None,
    alone: bool = False,
) -> MixedCard | None:
    """The list or comparison that is open or due; None where a rating comes next.

    None too while the person has a rating open, and where no country has enough pairs that they did not meet. Pairs are
    drawn before the campaign is locked, and drawn again within the lock only where one of them cannot be shown now.

    Args:
        person: whose card it is.
        done: cards that the person has closed.
        now: the time.
        rng: the source of chance.
        alone: no pair and no question is left for the person, so lists and comparisons are due in turns.

    Raises:
        UnknownCardError: if the person has left the campaign, unless nothing is open or due.
    """
    now, rng = now or timezone.now(), rng or np.random.default_rng()
    if (card := _open(person)) is not None and not _rates(person, now) and _is_shown(card):
        # Loaded again: nothing changes.
        return card
    draft = _draft(person, done, rng, alone=alone)
    if card is None and draft is None:
        return None
    with locked(person.campaign_id):
        if not Person.objects.filter(pk=person.pk).exists():
            raise UnknownCardError
        if _rates(person, now):
            return None
        card = _open(person)
        if card is not None:
            if _is_shown(card):
                return card
            card.state = CardState.LAPSED
            card.save(update_fields=["state"])
        if draft is not None and _listed(person.campaign).filter(pk__in=draft[1]).count() < len(draft[1]):
            _LISTED.forget(person.campaign_id)
            draft = _draft(person, done, rng, alone=alone)
        if draft is None:
            return None
        card, pairs = draft
        card.drawn_at = now
        card.save()
        MixedAnswer.objects.bulk_create(
            MixedAnswer(card=card, person=person, pair_id=pair, position=place)
            for place, pair in enumerate(pairs)
        )
        return card


def _open(person: Person) -> MixedCard | None:
    card = only(_opened(person.pk))
    if card is not None:
        card.campaign = person.campaign
    return card


@compiled(UUIDField())
def _opened(person: UUID) -> QuerySet[MixedCard]:
    return MixedCard.objects.filter(person=person, state=CardState.OPEN).order_by("pk")[:1]


def _rates(person: Person, now: datetime) -> bool:
    """Whether the person has a pair or a question before them."""
    return Card.objects.filter(person=person, state=CardState.OPEN, expires_at__gt=now).exists()


def _is_shown(card: MixedCard) -> bool:
    """Whether all pairs of a card can still be shown."""
    fit = card.answers.filter(_fit("pair__")).count()
    return fit == card.answers.count() == SHOWN[card.kind]


def _fit(prefix: str = "") -> Q:
    """Live pairs that are shown uncovered: not unkind, not flagged, and judged or an organiser's own."""
    kind = Q(**{f"{prefix}negative": False}) | Q(
        **{f"{prefix}negative__isnull": True, f"{prefix}source": Source.SEED}
    )
    return Q(**{f"{prefix}moderation": Moderation.LIVE, f"{prefix}flagged": False}) & kind


def _listed(campaign: Campaign) -> QuerySet[Pair]:
    """Pairs that can be shown: they fit and have all their ratings."""
    return Pair.objects.filter(_fit(), campaign=campaign, need__in=(TOPUP, OPEN, FULL))


_Draft: TypeAlias = tuple[MixedCard, list[int]]
"""A card before it is stored, and the ids of its pairs."""


def _draft(person: Person, done: int, rng: np.random.Generator, *, alone: bool) -> _Draft | None:
    """Draw a card of the kind that is due; if `alone` and none is, of the first kind that can be drawn."""
    wanted = [kind] if (kind := due(person.campaign, done)) else []
    if alone and not wanted:
        # The kinds that the campaign has, the one that the person got last at the end.
        settings = person.campaign.settings
        numbers = {MixedKind.HEARD: settings.heard_lists, MixedKind.COMPARE: settings.comparisons}
        latest = MixedCard.objects.filter(person=person).order_by("-drawn_at", "-pk").first()
        wanted = sorted(
            (kind for kind, number in numbers.items() if number),
            key=lambda kind: latest is not None and kind == latest.kind,
        )
    drafts = (_draft_of(person, due_kind, rng) for due_kind in wanted)
    return next((draft for draft in drafts if draft is not None), None)


def _draft_of(person: Person, kind: MixedKind, rng: np.random.Generator) -> _Draft | None:
    """Draw a country with equal chances among those with enough pairs, then its pairs with equal chances.

    Of the person's own countries and near ones, where they named any.
    """
    campaign, size = person.campaign, SHOWN[kind]
    languages = person.languages or campaign.settings.data_languages
    named = {*person.origins, *person.connections}
    there: defaultdict[str, list[int]] = defaultdict(list)
    fields = ("pk", "country", "language", "topic")
    listed = _LISTED.get(campaign.pk, lambda: tuple(_listed(campaign).order_by("pk").values_list(*fields)))
    for pair, country, language, topic in listed:
        if language in languages and (not named or country in named) and topic not in person.topic_optouts:
            there[country].append(pair)
    met = _met(person) if any(len(pairs) >= size for pairs in there.values()) else set()
    new = {country: [pair for pair in pairs if pair not in met] for country, pairs in there.items()}
    countries = sorted(country for country, pairs in new.items() if len(pairs) >= size)
    if not countries:
        return None
    country = str(rng.choice(countries))
    candidates = new[country]
    card = MixedCard(
        campaign=campaign,
        person=person,
        kind=kind,
        country=country,
        pool=len(candidates),
        propensity=size / len(candidates) / len(countries),
        version=campaign.version,
    )
    return card, [int(pair) for pair in rng.choice(candidates, size, replace=False)]


_LISTED: Cache[int, tuple[tuple[Any, ...], ...]] = Cache()
"""Pairs that can be shown, by campaign: id, country, language and topic."""


def _met(person: Person) -> set[int]:
    """Pairs that the person saw or said, and what those were merged into; not those of a list that is open."""
    cards = ((card.pair, card.merged_into) for card in history_of(person))
    rows = (*cards, *_listed_for(person.pk), *(row[:2] for row in mentioned(person.pk)))
    return {key for row in rows for key in row if key is not None}


@compiled(UUIDField())
def _listed_for(person: UUID) -> QuerySet[MixedAnswer, tuple[Any, ...]]:
    answers = MixedAnswer.objects.filter(person=person)
    shown = answers.exclude(card__state__in=(CardState.LAPSED, CardState.OPEN))
    return shown.values_list("pair_id", "pair__merged_into_id")


def mixed_of(person: Person, token: UUID) -> MixedCard:
    """The card with this token, if it was given to this person.

    Raises:
        UnknownCardError: if it was not.
    """
    card = MixedCard.objects.filter(token=token, person=person).first()
    if card is None:
        raise UnknownCardError
    card.campaign = person.campaign
    return card


def answer_heard(person: Person, token: UUID, heard: Collection[UUID]) -> None:
    """Keep which of the pairs the person had heard; the others they had not. A second answer changes nothing.

    Raises:
        UnknownCardError: the card was not given to this person, or asks something else.
    """
    _answer(person, token, MixedKind.HEARD, lambda row: "heard" if row.public_id in heard else "not_heard")


def answer_comparison(person: Person, token: UUID, choice: str) -> None:
    """Keep which of two pairs is said more: one of `CHOICES`. A second answer changes nothing.

    Raises:
        UnknownCardError: the card was not given to this person, or asks something else.
    """
    _answer(person, token, MixedKind.COMPARE, lambda row: CHOICES[choice][row.position])


def _answer(person: Person, token: UUID, kind: MixedKind, said: Callable[[MixedAnswer], str]) -> None:
    with _closing(person, token, kind) as card:
        for row in card.answers.all() if card else ():
            row.answer = said(row)
            row.save(update_fields=["answer"])


def skip_mixed(person: Person, token: UUID, reason: str) -> None:
    """Close a card without an answer.

    Raises:
        UnknownCardError: the card was not given to this person.
    """
    with _closing(person, token) as card:
        if card:
            card.state, card.reason = CardState.SKIPPED, reason


def report_row(person: Person, token: UUID, row: UUID, reason: str) -> None:
    """Put one of the pairs on a card before moderators, for one of the reasons for reports, and close the card.

    Raises:
        UnknownCardError: the card was not given to this person, or has no such row.
    """
    with _closing(person, token) as card:
        answer = MixedAnswer.objects.filter(card__token=token, public_id=row).select_related("pair").first()
        if answer is None:
            raise UnknownCardError
        if card:
            card.state, card.reason = CardState.SKIPPED, reason
            answer.answer = REPORTED
            answer.save(update_fields=["answer"])
            flag_report(answer.pair, reason)


@contextmanager
def _closing(person: Person, token: UUID, kind: MixedKind | None = None) -> Iterator[MixedCard | None]:
    """The open card with this token, closed afterwards; None where it was closed before.

    Raises:
        UnknownCardError: it was not given to this person, or is of another kind.
    """
    with locked(person.campaign_id):
        card = mixed_of(person, token)
        if kind is not None and card.kind != kind:
            raise UnknownCardError
        if card.state in CLOSED:
            yield None
            return
        card.state, card.closed_at = CardState.ANSWERED, timezone.now()
        yield card
        card.save(update_fields=["state", "reason", "closed_at"])


def undo_mixed(person: Person, token: UUID) -> None:
    """Take back the person's latest answer, if it was to this card, and show the card again.

    Raises:
        UnknownCardError: the card was not given to this person.
    """
    with locked(person.campaign_id) as campaign:
        card = mixed_of(person, token)
        if card.state not in CLOSED or newest(latest_answer(person, campaign), person) != card:
            return
        Card.objects.filter(person=person, state=CardState.OPEN).update(state=CardState.LAPSED)
        MixedCard.objects.filter(person=person, state=CardState.OPEN).update(state=CardState.LAPSED)
        with noted(campaign, What.ANSWER):
            bury_rows(campaign, "mixed", card.answers.exclude(answer=""))
        reported = [answer.pair for answer in card.answers.filter(answer=REPORTED).select_related("pair")]
        for answer in card.answers.all():
            # What is answered now is another row than the one that was taken back.
            answer.answer, answer.public_id = "", uuid.uuid4()
            answer.save(update_fields=["answer", "public_id"])
        card.state, card.reason, card.closed_at = CardState.OPEN, "", None
        card.save(update_fields=["state", "reason", "closed_at"])
        drop_reports(reported)


@compiled(UUIDField())
def _latest_mixed(person: UUID) -> QuerySet[MixedCard]:
    return MixedCard.objects.filter(person=person, state__in=CLOSED).order_by("-closed_at")[:1]


def newest(card: Card | None, person: Person) -> Card | MixedCard | None:
    """What the person answered last: this card, or a later one of another kind."""
    mixed = only(_latest_mixed(person.pk))
    if mixed is not None:
        mixed.campaign = person.campaign
    if card is None or mixed is None:
        return card or mixed
    assert card.closed_at is not None
    assert mixed.closed_at is not None
    return mixed if mixed.closed_at > card.closed_at else card
