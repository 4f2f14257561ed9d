"""How people answer: speeding, straight-lining and item non-response, in coarse classes.

Stored of the time of an answer is its class alone (`Card.pace`), never milliseconds, which tell people apart. It is
measured here, from the draw of the card until its answer arrived: one that waited in a phone only looks slower.

Measures of a person are those of the literature on careless responding: the share of answers that came too fast
(Greszki, Meyer and Schoen 2015), the longest run of equal answers (Meade and Craig 2012) and the share of cards that
were skipped (item non-response). The limits are ours. The rule of who is left out of releases stands in
the settings and leaves nobody out by default.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from uuid import UUID

from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.models import CLOSED, Campaign, Card, Person

UNKNOWN = ""
"""The class of an answer whose time nobody measured: on paper, sent later, or from before times had classes."""

PACES = ("under_1", "1_to_2", "2_to_5", "5_to_30", "over_30")
"""Classes of the time of an answer in seconds, without `UNKNOWN`."""
_LIMITS = (1, 2, 5, 30)

FASTER: Mapping[str, frozenset[str]] = {
    "1": frozenset(PACES[:1]),
    "2": frozenset(PACES[:2]),
    "5": frozenset(PACES[:3]),
}
"""Classes below each limit that a rule can have (`CampaignSettings.fast_seconds`)."""

FEW = 10
"""Answers that a person must have given before shares say anything."""

SHARES = ("none", "under_quarter", "quarter_to_half", "over_half")
"""Classes of a share."""
RUNS = ("under_5", "5_to_9", "10_to_19", "20_or_more")
"""Classes of the longest run of equal answers."""


def pace_of(elapsed: timedelta) -> str:
    """The class of the time of an answer, from the draw of the card."""
    return PACES[sum(elapsed >= timedelta(seconds=limit) for limit in _LIMITS)]


@dataclass(frozen=True)
class Conduct:
    """How one person answered.

    Attributes:
        answers: ratings and skips.
        fast: share of the timed answers below the limit of the settings; None where they are fewer than `FEW`.
        longest: the longest run of equal ratings, in the order of the answers; a skip ends it. 0 without a rating.
        nonresponse: share of the cards that were skipped; None where they are fewer than `FEW`.
    """

    answers: int
    fast: float | None
    longest: int
    nonresponse: float | None

    @classmethod
    def of(cls, answers: Sequence[tuple[str, int | None]], fast_seconds: str) -> Conduct:
        """From the class of time and the rating of each card, in order; None is a skip."""
        values = [value for _, value in answers]
        timed = [pace in FASTER[fast_seconds] for pace, _ in answers if pace != UNKNOWN]
        runs = (len(list(run)) for value, run in groupby(values) if value is not None)
        skipped = [value is None for value in values]
        return cls(len(values), _share(timed), max(runs, default=0), _share(skipped))

    def breaks(self, settings: CampaignSettings) -> bool:
        """Whether the rule of the settings leaves this person out."""
        shares = ((self.fast, settings.exclude_fast), (self.nonresponse, settings.exclude_skips))
        too_long = bool(settings.exclude_run) and self.longest > settings.exclude_run
        return too_long or any(limit and share is not None and 100 * share > limit for share, limit in shares)

    def classes(self) -> tuple[str, str, str]:
        """Speeding, straight-lining and non-response as exports and pages say them; "" where answers are few."""
        run = RUNS[sum(self.longest >= limit for limit in (5, 10, 20))] if self.longest else ""
        return share_class(self.fast), run, share_class(self.nonresponse)


def _share(cases: Sequence[bool]) -> float | None:
    return sum(cases) / len(cases) if len(cases) >= FEW else None


def share_class(share: float | None) -> str:
    """The class of a share, "" for none."""
    if share is None:
        return ""
    return SHARES[(share > 0) + (share >= 0.25) + (share > 0.5)]


def conduct_of(campaign: Campaign) -> dict[UUID, Conduct]:
    """How everybody answered who answered or skipped a card about a pair, with one query."""
    cards = Card.objects.filter(campaign=campaign, state__in=CLOSED, pair__isnull=False)
    answers: defaultdict[UUID, list[tuple[str, int | None]]] = defaultdict(list)
    for person, pace, value in cards.order_by("closed_at", "number").values_list(
        "person_id", "pace", "rating__value"
    ):
        answers[person].append((pace, value))
    seconds = campaign.settings.fast_seconds
    return {person: Conduct.of(given, seconds) for person, given in answers.items()}


def left_out(campaign: Campaign) -> tuple[frozenset[UUID], frozenset[UUID]]:
    """People who are left out of exports: those set aside by a moderator, and those of the rule of the settings."""
    aside = frozenset(Person.objects.filter(campaign=campaign, aside=True).values_list("pk", flat=True))
    settings = campaign.settings
    if not (settings.exclude_fast or settings.exclude_run or settings.exclude_skips):
        return aside, frozenset()
    ruled = {person for person, conduct in conduct_of(campaign).items() if conduct.breaks(settings)}
    return aside, frozenset(ruled) - aside
