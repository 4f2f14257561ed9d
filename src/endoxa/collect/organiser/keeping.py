"""Figures of whole campaigns that are kept for some seconds, so that any number of open pages costs the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

from endoxa.collect.models import Campaign

_SECONDS = 3.0
_REST = 20
Counted = TypeVar("Counted")


def kept(campaign: Campaign, kind: str, count_anew: Callable[[], Counted]) -> Counted:
    """What was counted lately.

    Where counting is slow it is kept for longer than three seconds: it takes at most a twentieth of a worker's time.
    """
    key = f"endoxa.figures.{kind}.{campaign.pk}.{campaign.version}"
    found: tuple[Counted] | None = cache.get(key)
    if found is None:
        started = time.perf_counter()
        # In a tuple, since nothing at all may be what was counted.
        found = (count_anew(),)
        cache.set(key, found, max(_SECONDS, _REST * (time.perf_counter() - started)))
    return found[0]
