"""What people of a campaign said of each country, unprompted."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Count, Q, Sum

from endoxa.collect.cards.caching import Cache
from endoxa.collect.models import Campaign, Moderation, Pair
from endoxa.collect.sampler import Said

_SAID: Cache[int, Mapping[str, Said]] = Cache()


def said_of(campaign: Campaign) -> Mapping[str, Said]:
    """Mentions of each country; some seconds old at most."""
    return _SAID.get(campaign.pk, lambda: _read(campaign))


def _read(campaign: Campaign) -> Mapping[str, Said]:
    there = Pair.objects.filter(campaign=campaign, mentions__gt=0)
    counted = there.exclude(moderation__in=(Moderation.HIDDEN, Moderation.MERGED)).values_list("country")
    sums = counted.annotate(total=Sum("mentions"), once=Count("id", filter=Q(mentions=1))).order_by()
    return {country: Said(total, once) for country, total, once in sums}
