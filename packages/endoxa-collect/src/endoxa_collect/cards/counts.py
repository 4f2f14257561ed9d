"""Counts of a pair, always from the rows behind it; whether it waits for a second mention, and whether it may hurt.

Candidates are pairs that one person ticked for a country far away, and that nobody needs to rate yet. Ticks are many
and cost little; ratings are what a campaign lacks. A ticked pair asks for its k ratings once a second person says it,
once somebody from the country or near it takes part, or once so few pairs wait for ratings that there is room for it.
Until then it counts as said.

What nobody judged is covered. People who opened such a pair and rated it are asked "Could this hurt someone?"; their
answers uncover the pair or keep it covered. Moderators, word lists and the organiser always win, and a pair that was
flagged or reported is never uncovered by answers.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from statistics import pvariance
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import (
    BigIntegerField,
    Case,
    CharField,
    DateTimeField,
    Q,
    QuerySet,
    UUIDField,
    Value,
    When,
)

from endoxa_collect import geography
from endoxa_collect.cards.locking import Cache, locked
from endoxa_collect.compiled import compiled
from endoxa_collect.models import (
    HOLDING,
    Campaign,
    Card,
    CardState,
    HurtAnswer,
    Hurts,
    Judged,
    Mention,
    Moderation,
    Pair,
    Person,
    Rating,
    Source,
    Via,
)
from endoxa_collect.sampler import slots
from endoxa_collect.sampler.slots import CANDIDATE, FULL, NEEDS, OPEN, TOPUP, SamplerSettings, Slot, need

_REACHED: Cache[int, frozenset[str]] = Cache()
"""By campaign: the countries that somebody who took part is from or near."""


def is_candidate(root: Pair, together: Iterable[int], settings: SamplerSettings) -> bool:
    """Whether a candidate, counted anew, goes on waiting for a second mention; `together` is its `counts.family`.

    Nothing that asked for ratings becomes a candidate again.
    """
    if root.ratings or root.mentions > 1:
        return False

    def countries_reached() -> frozenset[str]:
        people = Person.objects.filter(campaign=root.campaign_id).values_list("origins", "connections")
        return frozenset[str]().union(*(_countries_near(*countries) for countries in people.distinct()))

    typed = Mention.objects.filter(pair__in=together).exclude(via=Via.OTHER_COUNTRY).exists()
    return slots.is_candidate(
        ratings=root.ratings,
        mentions=root.mentions,
        typed=typed,
        reached=not typed and root.country in _REACHED.get(root.campaign_id, countries_reached),
        settings=settings,
    )


def _countries_near(origins: Iterable[str], felt: Iterable[str]) -> frozenset[str]:
    homes = frozenset(origins)
    return homes | geography.near(homes, frozenset(felt))


def reach(person: Person) -> None:
    """Candidates about the countries of somebody whose profile is new ask for ratings from now on."""
    countries = _countries_near(person.origins, person.connections)
    with locked(person.campaign_id):
        _REACHED.forget(person.campaign_id)
        _promote(Pair.objects.filter(campaign=person.campaign_id, need=CANDIDATE, country__in=countries))


def admit(campaign: Campaign, number: int) -> None:
    """Let up to `number` candidates ask for ratings, the oldest first; under the lock of the campaign."""
    waiting = Pair.objects.filter(campaign=campaign, need=CANDIDATE, moderation=Moderation.LIVE)
    oldest = list(waiting.order_by("created_at", "pk").values_list("pk", flat=True)[:number])
    if oldest:
        _promote(Pair.objects.filter(pk__in=oldest, need=CANDIDATE))


def _promote(pairs: QuerySet[Pair]) -> None:
    pairs.update(need=NEEDS, waiting_since=int(time.time()))


def tick_count(pair: Pair, now: datetime) -> int:
    """How many people were asked, or are being asked, of which other countries these words are said."""
    return len(set(_asked(pair.campaign_id, pair.language, pair.key, now)))


@compiled(BigIntegerField(), CharField(), CharField(), DateTimeField())
def _asked(campaign: int, language: str, key: str, now: datetime) -> QuerySet[Card, UUID]:
    counting = Q(state=CardState.ANSWERED) | Q(state__in=HOLDING, expires_at__gt=now)
    same = {"pair__campaign": campaign, "pair__language": language, "pair__key": key}
    return Card.objects.filter(counting, **same, ticks=True).values_list("person", flat=True)


UNCLEAR = "hurt_unclear"
"""The flag of a pair whose answers do not agree: a moderator decides."""


class Verdict(StrEnum):
    """What the answers to a pair say together."""

    OPEN = "open"
    KIND = "kind"
    HURTS = "hurts"
    UNCLEAR = "unclear"


def verdict(answers: Mapping[str, int], needed: int) -> Verdict:
    """The rule: with fewer than `needed` people it stays open; then one doubt is enough to keep it covered.

    It does not hurt if everybody said no. It may hurt if more than half said yes. Everything else is unclear.

    Args:
        answers: number of people by answer (`models.Hurts`).
        needed: people who must have answered.
    """
    people = sum(answers.values())
    if people < needed:
        return Verdict.OPEN
    if answers.get(Hurts.NO, 0) == people:
        return Verdict.KIND
    return Verdict.HURTS if 2 * answers.get(Hurts.YES, 0) > people else Verdict.UNCLEAR


def judge(root: Pair, together: Sequence[int], needed: int) -> None:
    """Apply the answers to a pair and all that was merged into it (`together`, their ids); each person counts once.

    Within the lock of the campaign. Nothing happens where somebody else decided.
    """
    by_others = root.negative is not None and root.judged != Judged.PEOPLE
    if root.source == Source.SEED or by_others or root.judged in {Judged.MODERATOR, Judged.APPROVED}:
        return
    answers = HurtAnswer.objects.filter(pair__in=together, person__aside=False).order_by("created_at", "pk")
    people = dict(answers.values_list("person_id", "answer"))
    outcome = verdict(Counter(people.values()), needed)
    flags = [flag for flag in root.flags if flag != UNCLEAR]
    negative = {Verdict.KIND: False, Verdict.HURTS: True}.get(outcome)
    if negative is False and flags:
        # Moderators decide about reports and flags.
        negative = None
    if outcome == Verdict.UNCLEAR:
        flags.append(UNCLEAR)
    judged = "" if negative is None else Judged.PEOPLE
    if (root.negative, root.judged, root.flags) != (negative, judged, flags):
        root.negative, root.judged, root.flags = negative, judged, flags
        root.save(update_fields=["negative", "judged", "flags"])


_FROM_RATINGS = ["ratings", "own_filled", "near_filled", "variance", "need"]


def root_of(pair: Pair) -> Pair:
    """The pair that a merged one stands for; itself where it is not merged."""
    while pair.merged_into is not None:
        pair = pair.merged_into
    return pair


def roots_of(campaign: int) -> dict[int, int]:
    """By id of each merged pair of a campaign: that of the pair it stands for."""
    merged = Pair.objects.filter(campaign=campaign, merged_into__isnull=False)
    into = dict(merged.values_list("pk", "merged_into"))

    def root(pair: int) -> int:
        while (above := into.get(pair)) is not None:
            pair = above
        return pair

    return {pair: root(pair) for pair in into}


def recount(campaign: Campaign, pairs: Iterable[Pair]) -> None:
    """Count ratings, mentions, variance and need of these pairs and of what they were merged into anew.

    A person counts once: where they rated several pairs that were merged, their latest rating counts. Whether they may
    hurt is decided anew, too.
    """
    settings = campaign.settings
    for root in {root_of(pair) for pair in pairs}:
        together = family(root)
        said = Mention.objects.filter(pair__in=together, person__aside=False)
        root.mentions = said.values("person_id").distinct().count()
        before = root.need
        _set_ratings(root, ratings_of(together), settings.sampler)
        fields = [*_FROM_RATINGS, "mentions"]
        if before == CANDIDATE and is_candidate(root, together, settings.sampler):
            root.need = CANDIDATE
        elif before == CANDIDATE:
            # It waits for ratings from now on.
            root.waiting_since = int(time.time())
            fields.append("waiting_since")
        root.save(update_fields=fields)
        judge(root, together, settings.hurt_answers)


def family(root: Pair) -> list[int]:
    """Ids of a pair and of all that was merged into it."""
    latest = _merged_into(root.pk)
    members = [root.pk, *latest]
    while latest:
        latest = list(Pair.objects.filter(merged_into__in=latest).values_list("pk", flat=True))
        members += latest
    return members


@compiled(BigIntegerField())
def _merged_into(pair: int) -> QuerySet[Pair, int]:
    return Pair.objects.filter(merged_into=pair).values_list("pk", flat=True)


class CountedRating(NamedTuple):
    """A rating: ids of its person and pair, its value, the slot it fills, and whether the country is their own."""

    person: UUID
    value: int
    pair: int
    slot: str
    in_group: bool

    @property
    def counts_for(self) -> Slot:
        """Whom the rating was for. Of those that no slot asked for, the ones from the country count as such."""
        if self.slot:
            return Slot(self.slot)
        return Slot.OWN if self.in_group else Slot.ANYONE


def ratings_of(together: list[int], *, also: UUID | None = None) -> list[CountedRating]:
    """Ratings of a pair and of what was merged into it (`family`), the oldest first.

    Without those of people who are set aside, unless it is `also`.
    """
    person = also or UUID(int=0)
    rows = _rated(together[0], person) if len(together) == 1 else _ratings(person, pair__in=together)
    return [CountedRating._make(row) for row in rows]


def _ratings(also: UUID, **which: Any) -> QuerySet[Rating, tuple[Any, ...]]:
    rows = Rating.objects.filter(Q(person__aside=False) | Q(person=also), **which).order_by(
        "created_at", "pk"
    )
    return rows.values_list("person_id", "value", "pair_id", "card__slot", "in_group")


@compiled(BigIntegerField(), UUIDField())
def _rated(pair: int, also: UUID) -> QuerySet[Rating, tuple[Any, ...]]:
    return _ratings(also, pair=pair)


def recount_ratings(root: Pair, ratings: Iterable[CountedRating], settings: SamplerSettings) -> None:
    """Set what follows from ratings of one pair, from all `ratings`, the oldest first."""
    _set_ratings(root, ratings, settings)
    root.save(update_fields=_FROM_RATINGS)


def _set_ratings(root: Pair, ratings: Iterable[CountedRating], settings: SamplerSettings) -> None:
    latest = list({rating.person: rating for rating in ratings}.values())
    values = [rating.value for rating in latest]
    root.ratings = len(values)
    root.own_filled = sum(rating.counts_for is Slot.OWN for rating in latest)
    root.near_filled = sum(rating.counts_for is Slot.NEAR for rating in latest)
    root.variance = pvariance(values) if len(values) > 1 else None
    root.need = need(root.ratings, root.variance, settings)


def recount_needs(campaign: Campaign, settings: SamplerSettings) -> None:
    """Apply new limits to all pairs of a campaign, in one statement; says the same as `need`.

    Candidates stay such, unless a second mention is no longer asked for. The limits are handed over, since the version
    that holds them may not be read, and kept, before it is committed.
    """
    Pair.objects.filter(campaign=campaign).update(
        need=Case(
            *([When(need=CANDIDATE, then=Value(CANDIDATE))] if settings.second_mention else []),
            When(ratings__lt=settings.k, then=Value(NEEDS)),
            When(ratings__gte=settings.k_max, then=Value(FULL)),
            When(variance__gte=settings.disagreement, then=Value(TOPUP)),
            default=Value(OPEN),
        )
    )
