"""Answers to a card: rate it, skip it, uncover its words, take back what was answered. All are safe to send twice.

A moderator sets the rows of one anonymous person aside, and takes that back. While they are aside, ratings, mentions,
skips and reports of the person count nowhere, and pairs that nobody else said or rated are hidden. Nothing is deleted:
the person goes on, is told nothing, and can withdraw as everybody can.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import BigIntegerField, Q, QuerySet, UUIDField
from django.utils import timezone

from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.cards.conduct import UNKNOWN, pace_of
from endoxa_collect.cards.counts import CountedRating, family, ratings_of, recount, recount_ratings, root_of
from endoxa_collect.cards.locking import locked, shared
from endoxa_collect.compiled import compiled, only
from endoxa_collect.models import (
    CLOSED,
    HOLDING,
    REPORTED,
    Campaign,
    Card,
    CardState,
    HurtAnswer,
    Mention,
    MixedAnswer,
    Moderation,
    Pair,
    Person,
    Rating,
    Revealed,
    Skip,
    Source,
    answers_of,
    record,
)
from endoxa_collect.withdrawals import What, bury, noted


class CoveredError(Exception):
    """A card cannot be rated while its words are covered."""


def at_draw(pair: Pair | None) -> str:
    """How a new card stands; "" where it shows no words."""
    if pair is None:
        return ""
    return Revealed.COVERED if pair.may_hurt else Revealed.SHOWN


def visible(card: Card, *, lifted: bool) -> bool:
    """Whether the page of a card shows the words of its pair. `lifted`: this browser shows all words at once."""
    assert card.pair is not None
    return lifted or card.revealed == Revealed.REVEALED or not card.pair.may_hurt


def when_answered(card: Card, *, lifted: bool) -> str:
    """Whether the words are visible when a card is answered now (`models.Revealed`); "" where it shows none.

    What was on the page without a cover counts as shown, also where the pair was reported since.
    """
    if card.pair is None or card.revealed in {Revealed.SHOWN, Revealed.REVEALED}:
        return card.revealed
    if not card.pair.may_hurt:
        return Revealed.SHOWN
    return Revealed.REVEALED if lifted else Revealed.COVERED


def reveal(person: Person, token: UUID) -> None:
    """Show the words of a card without an answer from now on; nothing happens where they are not covered."""
    with locked(person.campaign_id):
        card = only(_with_token(token, person.pk))
        if card and card.state not in CLOSED and card.pair is not None and card.pair.may_hurt:
            card.revealed = Revealed.REVEALED
            card.save(update_fields=["revealed"])


def asks_hurts(card: Card) -> bool:
    """Whether the person is asked if the words of a card could hurt: they opened and rated what nobody judged."""
    if card.pair is None or card.state != CardState.ANSWERED or card.revealed != Revealed.REVEALED:
        return False
    root = root_of(card.pair)
    if not (card.pair.unjudged and root.unjudged):
        return False
    return not HurtAnswer.objects.filter(person=card.person_id, pair__in=family(root)).exists()


def answer_hurts(person: Person, card: Card, hurts: str, *, now: datetime | None = None) -> bool:
    """Keep what a person says of a card they were asked about (`models.Hurts`); False where they were not asked."""
    with locked(person.campaign_id) as campaign:
        current = Card.objects.filter(pk=card.pk, person=person).select_related("pair").first()
        if current is None or current.pair is None or not asks_hurts(current):
            return False
        HurtAnswer.objects.create(
            card=current, person=person, pair=current.pair, answer=hurts, created_at=now or timezone.now()
        )
        recount(campaign, [current.pair])
        return True


def forget(campaign: Campaign, answers: Mapping[str, QuerySet[Any]]) -> None:
    """Delete rows of `answers_of`, and pairs that nobody else said or rated; count others anew, within a transaction.

    Where the campaign has a release, or one is being made, it may hold the rows: they are named as withdrawn.
    """
    about = [rows.select_related("pair") for name, rows in answers.items() if name != "statements"]
    pairs = list({row.pair.pk: row.pair for rows in about for row in rows if row.pair is not None}.values())
    mentioned = [(row.pair, row.person_id) for row in answers["mentions"].select_related("pair")]
    with noted(campaign, What.ANSWER):
        for table, rows in answers.items():
            bury_rows(campaign, table, rows)
            rows.delete()
        recount(campaign, pairs)
        # Rows, not counts: a merged pair's are counted where it was merged into.
        alone = {
            pair.pk: pair
            for pair, person in mentioned
            if pair.author_id == person
            and not (pair.mention_rows.exists() or pair.rating_rows.exists() or pair.merged.exists())
        }
        for pair in alone.values():
            for table, rows in answers_of(pair=pair).items():
                bury_rows(campaign, table, rows)
            bury_rows(campaign, "pairs", Pair.objects.filter(pk=pair.pk))
            pair.delete()
    drop_reports(Pair.objects.filter(pk__in=[pair.pk for pair in pairs]))


def drop_reports(pairs: Iterable[Pair]) -> None:
    """Take from pairs, and from what they were merged into, each report that nobody stands behind any more."""
    by_key = {row.pk: row for pair in pairs for row in (pair, root_of(pair))}
    for pair in by_key.values():
        together = family(pair)
        counting = {"pair__in": together, "person__aside": False}
        reported = set(Skip.objects.filter(**counting).values_list("reason", flat=True))
        listed = MixedAnswer.objects.filter(**counting, answer=REPORTED)
        reported |= set(listed.values_list("card__reason", flat=True))
        kept = [flag for flag in pair.flags if not flag.startswith("report_") or flag in reported]
        if kept != pair.flags:
            pair.flags = kept
            pair.save(update_fields=["flags"])
            # What people said of it may count now.
            recount(pair.campaign, [pair])


def bury_rows(campaign: Campaign, table: str, rows: QuerySet[Any]) -> None:
    """Leave a tombstone for each row that a release may hold."""
    if campaign.releases.perhaps_out().exists():
        bury(campaign, table, rows.values_list("public_id", flat=True), timezone.now())


class UnknownCardError(Exception):
    """The token is not of a card that was given to this person."""


@dataclass(frozen=True)
class Answered:
    """What became of a card. `again` is True where it had been answered before: nothing was changed then."""

    card: Card
    again: bool


def lock_person(person: Person) -> CampaignSettings:
    """The settings in force, while no other window of the person rates or draws; within `shared` or `locked`.

    Raises:
        UnknownCardError: if the person has left.
    """
    current = only(_locked(person.pk))
    if current is None:
        raise UnknownCardError
    return current.campaign.settings


@compiled(UUIDField())
def _locked(person: UUID) -> QuerySet[Person]:
    rows = Person.objects.select_for_update(of=("self",), no_key=True).select_related("campaign")
    return rows.filter(pk=person).only("campaign", "campaign__version")


def card_of(person: Person, token: UUID) -> Card:
    """The card with this token, if it was given to this person.

    Raises:
        UnknownCardError: if it was not.
    """
    card = only(_with_token(token, person.pk))
    if card is None:
        raise UnknownCardError
    card.campaign = person.campaign
    return card


@compiled(UUIDField(), UUIDField())
def _with_token(token: UUID, person: UUID) -> QuerySet[Card]:
    return Card.objects.filter(token=token, person=person).select_related("pair")


def rate(
    person: Person, token: UUID, value: int, *, lifted: bool = False, now: datetime | None = None
) -> Answered:
    """Store how known the pair of a card is (1 to 5). After its time a rating is kept and marked late.

    Args:
        person: who answers.
        token: of the card.
        value: the rating.
        lifted: whether their browser shows all words without covers.
        now: time of the answer.

    Raises:
        UnknownCardError: if the card was not given to this person, or shows no pair.
        CoveredError: if its words are covered and the person did not open them.
    """
    now = now or timezone.now()
    with shared(person.campaign_id):
        settings = lock_person(person).sampler
        card = card_of(person, token)
        if card.pair is None:
            raise UnknownCardError
        # Whoever rates the same pair comes before or after all that follows.
        (root,) = _locked_pair(root_of(card.pair).pk)
        together = family(root)
        ratings = ratings_of(together, also=person.pk)
        if card.state in CLOSED or any(
            earlier.person == person.pk and earlier.pair == card.pair.pk for earlier in ratings
        ):
            _give_back(person, together)
            return Answered(card, again=True)
        revealed = when_answered(card, lifted=lifted)
        if revealed == Revealed.COVERED:
            raise CoveredError
        lapsed = card.state == CardState.LAPSED
        _close(card, CardState.ANSWERED, now, revealed)
        rating = Rating.objects.create(
            card=card,
            person=person,
            pair=card.pair,
            value=value,
            in_group=card.pair.country in person.origins,
            surplus=bool(card.slot) and root.ratings >= settings.k,
            created_at=now,
        )
        if lapsed:
            # Else it was their only open card.
            _give_back(person, together)
        ratings.append(CountedRating(person.pk, value, card.pair.pk, card.slot, rating.in_group))
        if person.aside:
            ratings = [row for row in ratings if row.person != person.pk]
        recount_ratings(root, ratings, settings)
        return Answered(card, again=False)


@compiled(BigIntegerField())
def _locked_pair(pair: int) -> QuerySet[Pair]:
    return Pair.objects.select_for_update(no_key=True).filter(pk=pair)


def skip(
    person: Person, token: UUID, reason: str, *, lifted: bool = False, now: datetime | None = None
) -> Answered:
    """Close a card without a rating, covered or not; reports are put before moderators. Arguments are as in `rate`.

    Raises:
        UnknownCardError: if the card was not given to this person.
    """
    now = now or timezone.now()
    with locked(person.campaign_id):
        card = card_of(person, token)
        if card.state in CLOSED:
            return Answered(card, again=True)
        _close(card, CardState.SKIPPED, now, when_answered(card, lifted=lifted))
        Skip.objects.create(card=card, person=person, pair=card.pair, reason=reason, created_at=now)
        if card.pair is not None and reason.startswith("report_") and not person.aside:
            flag_report(card.pair, reason)
        return Answered(card, again=False)


def finish_prompt(person: Person, token: UUID, *, now: datetime | None = None) -> Answered:
    """Close a prompt card after the person wrote what they wanted; where they wrote nothing it is no answer.

    Raises:
        UnknownCardError: if the card was not given to this person, or shows a pair.
    """
    now = now or timezone.now()
    with locked(person.campaign_id):
        card = card_of(person, token)
        if card.pair is not None:
            raise UnknownCardError
        if card.state in CLOSED:
            return Answered(card, again=True)
        _close(card, CardState.ANSWERED if card.mention_rows.exists() else CardState.LAPSED, now)
        return Answered(card, again=False)


def undo(person: Person, token: UUID, *, now: datetime | None = None) -> Card:
    """Take back the answer to a card: its rating, skip and mentions go, and the card is open again.

    The card that was drawn since is given back. A pair that moderators hid since is not shown again. Only the
    person's latest closed card can be taken back; for others nothing happens.

    Raises:
        UnknownCardError: if the card was not given to this person.
    """
    now = now or timezone.now()
    with locked(person.campaign_id) as campaign:
        card = card_of(person, token)
        if card.state not in CLOSED or not is_latest(card):
            return card
        Card.objects.filter(person=person, state=CardState.OPEN).update(state=CardState.LAPSED)
        forget(campaign, answers_of(card__token=card.token))
        card.state = CardState.LAPSED
        # What a moderator took away in between is not shown again.
        if card.pair is None or root_of(card.pair).moderation == Moderation.LIVE:
            card.state, card.closed_at, card.late, card.pace = CardState.OPEN, None, False, ""
            card.expires_at = now + timedelta(minutes=campaign.settings.lease_minutes)
        card.save(update_fields=["state", "closed_at", "late", "expires_at", "pace"])
        return card


def latest_answer(person: Person, campaign: Campaign) -> Card | None:
    """The card that the person answered or skipped last, for the offer to take it back."""
    latest = only(_latest(person.pk))
    if latest is not None:
        latest.campaign = campaign
    return latest


def is_latest(card: Card) -> bool:
    """Whether it is the card that its person answered or skipped last."""
    latest = only(_latest(card.person_id))
    return latest is not None and latest.pk == card.pk


@compiled(UUIDField())
def _latest(person: UUID) -> QuerySet[Card]:
    closed = Card.objects.filter(person=person, state__in=CLOSED)
    return closed.order_by("-closed_at", "-number").select_related("pair")[:1]


def _give_back(person: Person, pairs: list[int]) -> None:
    """Close what the person has open on pairs that they rated by now, on another card."""
    Card.objects.filter(person=person, state__in=HOLDING, pair__in=pairs).update(state=CardState.LAPSED)


def _close(card: Card, state: CardState, now: datetime, revealed: str = "") -> None:
    card.late = card.state == CardState.LAPSED or now > card.expires_at
    card.offline = card.state == CardState.AHEAD
    card.pace = UNKNOWN if card.offline else pace_of(now - card.drawn_at)
    card.state, card.closed_at, card.revealed = state, now, revealed
    card.save(update_fields=["late", "offline", "state", "closed_at", "revealed", "pace"])


def flag_report(pair: Pair, reason: str) -> None:
    """Mark a pair, and the one it was merged into since it was drawn: that one is what moderators see."""
    for row in {pair, root_of(pair)}:
        if reason not in row.flags:
            row.flags = [*row.flags, reason]
            row.save(update_fields=["flags"])


def set_aside(campaign: Campaign, person: UUID, user: User | AnonymousUser | None, *, aside: bool) -> bool:
    """Set all rows of a person aside (or back); whether anything changed. The log has how many, not whose."""
    with locked(campaign.pk) as current:
        contributor = Person.objects.filter(campaign=current, pk=person).exclude(aside=aside).first()
        if contributor is None:
            return False
        contributor.aside = aside
        contributor.save(update_fields=["aside"])
        touched = Pair.objects.filter(
            Q(mention_rows__person=contributor)
            | Q(rating_rows__person=contributor)
            | Q(hurt_answers__person=contributor)
            | Q(skip_rows__person=contributor)
            | Q(author=contributor)
        )
        pairs = list(touched.filter(campaign=current).distinct())
        if aside:
            hide(contributor, pairs)
            drop_reports(pairs)
        else:
            # How they stood; what a moderator decided about them meanwhile stays.
            for pk, moderation in contributor.aside_pairs.items():
                Pair.objects.filter(pk=pk, moderation=Moderation.HIDDEN).update(moderation=moderation)
            contributor.aside_pairs = {}
            contributor.save(update_fields=["aside_pairs"])
            for skip in contributor.skips.filter(reason__startswith="report_").exclude(pair=None):
                assert skip.pair is not None
                flag_report(skip.pair, skip.reason)
        recount(current, Pair.objects.filter(pk__in=[pair.pk for pair in pairs]))
        kinds = (contributor.ratings, contributor.mentions, contributor.skips, contributor.statements)
        rows = sum(kind.count() for kind in kinds)
        record(current, user, "person set aside" if aside else "person taken back", rows=rows)
    return True


def hide(person: Person, pairs: Iterable[Pair]) -> None:
    """Hide pairs of contributors that nobody else stands behind; how they stood is kept with who is set aside.

    Within the lock of the campaign.
    """
    others = {"person__aside": False}
    for pair in pairs:
        if pair.source != Source.CONTRIBUTOR or pair.moderation not in (Moderation.LIVE, Moderation.PENDING):
            continue
        together = family(pair)
        said = Mention.objects.filter(pair__in=together, **others).exists()
        if said or Rating.objects.filter(pair__in=together, **others).exists():
            continue
        person.aside_pairs[str(pair.pk)] = pair.moderation
        pair.moderation = Moderation.HIDDEN
        pair.save(update_fields=["moderation"])
    person.save(update_fields=["aside_pairs"])
