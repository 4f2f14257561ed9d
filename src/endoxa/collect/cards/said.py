"""What people of a campaign said of each country, unprompted."""

from __future__ import annotations

import time
from collections.abc import Mapping

from django.conf import settings as django_settings
from django.db.models import Count, Q, Sum

from endoxa.collect.models import Campaign, Moderation, Pair
from endoxa.collect.sampler import Said

_SAID: dict[int, tuple[float, Mapping[str, Said]]] = {}
"""By campaign; each worker process keeps its own for a few seconds."""


def said_of(campaign: Campaign) -> Mapping[str, Said]:
    """Mentions of each country; up to `STATISTICS_SECONDS` old."""
    kept = _SAID.get(campaign.pk)
    if kept is None or time.monotonic() - kept[0] > django_settings.STATISTICS_SECONDS:
        there = Pair.objects.filter(campaign=campaign, mentions__gt=0)
        counted = there.exclude(moderation__in=(Moderation.HIDDEN, Moderation.MERGED)).values_list("country")
        sums = counted.annotate(total=Sum("mentions"), once=Count("id", filter=Q(mentions=1))).order_by()
        kept = time.monotonic(), {country: Said(total, once) for country, total, once in sums}
        _SAID[campaign.pk] = kept
    return kept[1]
