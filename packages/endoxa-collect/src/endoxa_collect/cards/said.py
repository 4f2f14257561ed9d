"""What people of a campaign said of each country, unprompted, by topic; and topics that open questions can name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Q, Sum

from endoxa_collect.cards.caching import Cache
from endoxa_collect.models import Campaign, Moderation, Pair, Source
from endoxa_collect.sampler import MentionCounts

NOT_NAMED = frozenset(
    {"Positive Traits", "Negative Traits", "Neutral Traits", "Public Figures & Pop Culture", "Other"}
)
"""Topics of seeds that no question names: they would ask for praise, blame or persons, or say nothing."""


@dataclass(frozen=True)
class WhatWasSaid:
    """Mentions of each country, and of each country and topic; `topics` that seeds have and questions can name."""

    countries: Mapping[str, MentionCounts]
    by_topic: Mapping[str, Mapping[str, MentionCounts]]
    topics: tuple[str, ...]


_MENTIONS: Cache[int, WhatWasSaid] = Cache()


def mentions_in(campaign: Campaign) -> WhatWasSaid:
    """What was said in a campaign; some seconds old at most."""
    return _MENTIONS.get(campaign.pk, lambda: _read(campaign))


def _read(campaign: Campaign) -> WhatWasSaid:
    there = Pair.objects.filter(campaign=campaign, mentions__gt=0)
    counted = there.exclude(moderation__in=(Moderation.HIDDEN, Moderation.MERGED))
    sums = counted.values_list("country", "topic").annotate(
        total=Sum("mentions"), once=Count("id", filter=Q(mentions=1))
    )
    by_topic: defaultdict[str, dict[str, MentionCounts]] = defaultdict(dict)
    for country, topic, total, once in sums.order_by():
        by_topic[country][topic] = MentionCounts(total, once)
    countries = {
        country: MentionCounts(
            sum(count.mentions for count in counts.values()), sum(count.once for count in counts.values())
        )
        for country, counts in by_topic.items()
    }
    seeds = Pair.objects.filter(campaign=campaign, source=Source.SEED).exclude(topic="")
    topics = set(seeds.values_list("topic", flat=True).distinct()) - NOT_NAMED
    return WhatWasSaid(countries, by_topic, tuple(sorted(topics)))
