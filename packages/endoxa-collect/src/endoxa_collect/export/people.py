"""People in an export: one key and a few coarse columns that identify nobody; and which pairs are in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import polars as pl

from endoxa_collect.campaign import CampaignSettings, ProfileField
from endoxa_collect.cards.conduct import Conduct, conduct_of
from endoxa_collect.cards.counts import roots_of
from endoxa_collect.export.columns import OTHER, OWN, PROFILE, schema_of
from endoxa_collect.models import CLOSED, Campaign, Card, Mention, Moderation, Pair, Person, Rating, Source
from endoxa_collect.small_cells import LEAST, Row, merge_small_cells
from endoxa_collect.withdrawals import Keys

CONDUCT = ("speeding", "straight_lining", "nonresponse")
"""Columns of how a person answered."""

INTERVIEW = ("mode", "interviewer")
"""Columns of whether a person answered or an interviewer entered, where the campaign has interviewers."""


@dataclass(frozen=True)
class Published:
    """What is said of a person.

    `rater` is empty for people from countries that fewer than `LEAST` share: which pairs they were shown, and
    whether these were about their own country, would say where they are from. Their answers cannot be
    linked to each other. `country` holds every origin that they had when they answered: cards about their own
    country would tell of one that they took back. `conduct`: classes of speeding, straight-lining and non-response.
    """

    rater: str
    respondent: str
    country: str
    consent: str
    profile: Mapping[str, str]
    conduct: tuple[str, ...] = ("", "", "")

    @property
    def linked(self) -> bool:
        """Whether their answers share a key."""
        return bool(self.rater)


def published_people(
    campaign: Campaign, keys: Keys, *, unmerged: bool = False, without: Set[UUID] = frozenset()
) -> dict[UUID, Published]:
    """What is said of each person of a campaign but those `without`, of whom nothing is.

    `unmerged`: as they are, for restricted releases and for sums.
    """
    settings = campaign.settings
    everybody = Person.objects.filter(campaign=campaign).order_by("pk")
    people = [person for person in everybody if person.pk not in without]
    conduct = conduct_of(campaign)
    least = 1 if unmerged else LEAST
    answered = _origins_when_answering(campaign)
    merged = merge_small_cells(
        [_cells(person, {*person.origins, *answered[person.pk]}, settings) for person in people], least
    )
    interviews = _interviews(people, merged, least) if settings.interviewers else [()] * len(people)
    return {
        person.pk: _published(person, (*cells, *interview), conduct.get(person.pk), settings, keys)
        for person, cells, interview in zip(people, merged, interviews, strict=True)
    }


def people_frame(people: Mapping[UUID, Published], settings: CampaignSettings) -> pl.DataFrame:
    """The table of people who have a key."""
    rows = [
        {
            "rater": person.rater,
            "country": person.country,
            "consent": person.consent,
            **dict(zip(CONDUCT, person.conduct, strict=True)),
            **person.profile,
        }
        for person in people.values()
        if person.linked
    ]
    return pl.DataFrame(rows, schema=schema_of("people", settings)).sort("rater")


def _origins_when_answering(campaign: Campaign) -> Mapping[UUID, set[str]]:
    """Countries that were each person's own when they rated a pair about it, or got it as one about their own."""
    rated = Rating.objects.filter(person__campaign=campaign, in_group=True)
    drawn = Card.objects.filter(campaign=campaign, tier=OWN, state__in=CLOSED)
    origins: defaultdict[UUID, set[str]] = defaultdict(set)
    for person, country in (
        *rated.values_list("person", "pair__country").distinct(),
        *drawn.values_list("person", "country").distinct(),
    ):
        origins[person].add(country)
    return origins


def _cells(person: Person, origins: Collection[str], settings: CampaignSettings) -> tuple[str, ...]:
    declared = (_answer(person.extras, field) for field in settings.profile)
    return ("; ".join(sorted(origins)), *declared, str(person.consent_version))


def _interviews(people: Sequence[Person], merged: Sequence[Row], least: int) -> list[Row]:
    """Mode and interviewer of each person, given up for all whose other cells are the same where fewer share one.

    They are no cells of `merge_small_cells`, so that nobody loses the country for a rare interviewer.
    """
    alike: defaultdict[Row, Counter[str]] = defaultdict(Counter)
    for person, cells in zip(people, merged, strict=True):
        alike[cells][person.interviewer] += 1

    def said(person: Person, cells: Row) -> Row:
        alone = alike[cells][""]
        named = {name: count for name, count in alike[cells].items() if name}
        if any(0 < n < least for n in (alone, sum(named.values()))):
            return (OTHER, OTHER)
        if not person.interviewer:
            return ("self", "")
        return ("interview", person.interviewer if min(named.values()) >= least else OTHER)

    return [said(person, cells) for person, cells in zip(people, merged, strict=True)]


def _answer(extras: Mapping[str, Any], field: ProfileField) -> str:
    """What was chosen among the choices that the campaign declares now; anything else stays here."""
    answer = extras.get(field.name, "")
    chosen = answer if isinstance(answer, list) else [answer]
    return "; ".join(sorted(str(value) for value in chosen if value in field.choices or value == OTHER))


def _published(
    person: Person, cells: Row, conduct: Conduct | None, settings: CampaignSettings, keys: Keys
) -> Published:
    pk = person.pk
    classes = conduct.classes() if conduct else ("", "", "")
    country, *answers, consent = cells[: len(settings.profile) + 2]
    interview = dict(zip(INTERVIEW, cells[len(settings.profile) + 2 :], strict=False))
    linked = country != OTHER
    return Published(
        rater=keys.rater(pk) if linked else "",
        respondent=keys.rater(pk) if linked else keys.respondent(pk),
        country=country,
        consent=consent,
        profile={
            **{PROFILE + field.name: answer for field, answer in zip(settings.profile, answers, strict=True)},
            **interview,
        },
        conduct=classes,
    )


@dataclass(frozen=True)
class Pool:
    """The pairs of a campaign as an export knows them.

    `names` has the public id of every pair by primary key, `roots` that of the pair it counts for; pairs that
    are not shown to contributors (pending, hidden) have no root.
    """

    names: Mapping[int, UUID]
    roots: Mapping[int, UUID]

    @property
    def excluded(self) -> int:
        """Pairs that wait for a moderator, were hidden, or are `without`."""
        return len(self.names) - len(self.roots)


def read_pool(campaign: Campaign, without: Set[int] = frozenset()) -> Pool:
    """Names and roots of all pairs; those `without` have no root, as if they were hidden."""
    rows = Pair.objects.filter(campaign=campaign).values_list("pk", "public_id", "moderation")
    pairs = {pk: (name, moderation) for pk, name, moderation in rows}
    above = roots_of(campaign.pk)
    roots: dict[int, UUID] = {}
    for pk in pairs:
        root = above.get(pk, pk)
        if pairs[root][1] == Moderation.LIVE and root not in without:
            roots[pk] = pairs[root][0]
    return Pool({pk: name for pk, (name, _) in pairs.items()}, roots)


def words_without_others(campaign: Campaign, people: Set[UUID]) -> frozenset[int]:
    """Roots of pairs that these people said, and nobody else said or rated."""
    if not people:
        return frozenset()
    pairs = Pair.objects.filter(campaign=campaign)
    roots = roots_of(campaign.pk)
    behind: defaultdict[int, set[UUID]] = defaultdict(set)
    for model in (Mention, Rating):
        for pk, person in model.objects.filter(pair__in=pairs).values_list("pair", "person"):
            behind[roots.get(pk, pk)].add(person)
    said = pairs.filter(mention_rows__person__in=people, source=Source.CONTRIBUTOR).distinct()
    theirs = {roots.get(pk, pk) for pk in said.values_list("pk", flat=True)}
    kept = set(pairs.filter(pk__in=theirs).exclude(source=Source.CONTRIBUTOR).values_list("pk", flat=True))
    return frozenset(pk for pk in theirs - kept if behind[pk] <= people)
