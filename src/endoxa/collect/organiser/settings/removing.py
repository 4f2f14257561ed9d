"""What a change of the settings takes from people, so that organisers say twice that they want it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count
from django.utils.translation import get_language

from endoxa.collect import geography
from endoxa.collect.models import Campaign, Moderation, Pair


@dataclass(frozen=True, slots=True)
class Removed:
    """A language that people may write in no more, and how many pairs that are shown now are in it."""

    language: str
    pairs: int


def removed_languages(campaign: Campaign, content: Mapping[str, Any]) -> tuple[Removed, ...]:
    """The languages with live pairs that `content`, new values by field of the settings, leaves out."""
    now = campaign.settings.data_languages
    out = set(now) - set(content.get("data_languages", now))
    counted = (
        Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE, language__in=out)
        .values_list("language")
        .annotate(pairs=Count("pk"))
        .order_by("language")
    )
    shown = get_language() or "en"
    return tuple(Removed(geography.language_name(code, shown), pairs) for code, pairs in counted)
