"""Pairs of the campaign that may say the same as some words.

Only pairs about one country in one language are compared; whether "hospitable" is "hospitalario" is for the
analysis to say, not for spelling.
"""

from __future__ import annotations

from dataclasses import dataclass

from endoxa.collect.entry.comparing import comparable
from endoxa.collect.entry.keys import key
from endoxa.collect.entry.likeness import CUT_OFF, nearest
from endoxa.collect.models import Campaign, Moderation, Pair

COMPARED = 5_000
"""Most pairs of one country and language that are compared, the newest first."""


@dataclass(frozen=True)
class Scored:
    """A pair and how alike it is, from 0 to 100."""

    pair: Pair
    score: float


def alike(
    campaign: Campaign, country: str, language: str, text: str, *, limit: int = 3, exclude: int | None = None
) -> tuple[Pair, ...]:
    """Live pairs that a contributor may be asked about, the most alike first.

    Pairs that wait for a moderator are never offered to others, merged ones are offered as what they stand for. Reads
    and compares at most 5,000 keys: some 30 ms, and 100 ms more the first time.
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
    """The same with scores; for moderators also among pairs that wait, with a cut-off of their own."""
    rows = Pair.objects.filter(
        campaign=campaign, country=country, language=language, moderation__in=moderation
    )
    newest = rows.order_by("-pk").values_list("pk", "key")[:COMPARED]
    forms = {pk: comparable(name, language) for pk, name in newest if pk != exclude}
    found = nearest(comparable(key(text, language), language), forms, limit=limit, cut_off=cut_off)
    pairs = Pair.objects.in_bulk([pk for pk, _ in found])
    return tuple(Scored(pairs[pk], score) for pk, score in found)
