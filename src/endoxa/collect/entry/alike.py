"""Pairs that may say the same in other words: near-duplicates by the characters of their keys.

Only pairs of one country and one language are compared; whether "hospitable" is "hospitalario" is for the
analysis to say, not for spelling. What is found here is a question to a person, never a decision.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet
from rapidfuzz import fuzz, process

from endoxa.collect.entry.keys import key
from endoxa.collect.models import Campaign, Moderation, Pair

CUT_OFF = 80.0
"""From here people are asked. Chosen on the labelled pairs of the tests: see there what it finds and misses."""
COMPARED = 5_000
"""Most pairs of one country and language that are compared, the newest first."""


@dataclass(frozen=True)
class Scored:
    """A pair and how alike it is, from 0 to 100."""

    pair: Pair
    score: float


def likeness(one: str, other: str) -> float:
    """How alike two keys are (0 to 100), whatever the order of their words."""
    return float(fuzz.token_sort_ratio(one, other))


def are_alike(one: str, other: str) -> bool:
    """Whether people are asked if two keys are the same."""
    return likeness(one, other) >= CUT_OFF


def alike(
    campaign: Campaign, country: str, language: str, text: str, *, limit: int = 3, exclude: int | None = None
) -> tuple[Pair, ...]:
    """Live pairs that a contributor may be asked about, the most alike first.

    Pairs that wait for a moderator are never offered to others. Reads and compares at most 5,000 keys: some 15 ms.
    """
    live = (Moderation.LIVE,)
    found = scored(campaign, country, language, text, limit=limit, exclude=exclude, moderation=live)
    return tuple(one.pair for one in found)


def scored(
    campaign: Campaign,
    country: str,
    language: str,
    text: str,
    *,
    limit: int,
    exclude: int | None = None,
    moderation: tuple[Moderation, ...] = (Moderation.LIVE, Moderation.PENDING),
    cut_off: float = CUT_OFF,
) -> tuple[Scored, ...]:
    """The same with scores, and for moderators with pairs that wait and a cut-off of their own."""
    keys = dict(_keys(campaign, country, language, moderation).values_list("pk", "key")[:COMPARED])
    keys.pop(exclude, None)
    best = process.extract(
        key(text, language), keys, scorer=fuzz.token_sort_ratio, score_cutoff=cut_off, limit=limit
    )
    pairs = Pair.objects.in_bulk([pk for _, _, pk in best])
    return tuple(Scored(pairs[pk], score) for _, score, pk in best)


def _keys(
    campaign: Campaign, country: str, language: str, moderation: tuple[Moderation, ...]
) -> QuerySet[Pair]:
    return Pair.objects.filter(
        campaign=campaign, country=country, language=language, moderation__in=moderation
    ).order_by("-pk")
