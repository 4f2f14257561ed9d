"""Counting tries in fixed windows of time, shared by all workers through the database.

A room of forty people reaches the site from one address, so no address is ever counted: the keys are what a browser
holds (its cookie), the name of an account, a campaign, or the whole site. Keys are stored as keyed hashes and deleted
when their window is over.

Only wrong guesses need counting; a try that succeeds is free. So a view asks `exhausted` before it looks, and calls
`allow` after a miss:

    if throttle.exhausted("join", throttle.SITE, limit=600, seconds=60): return refuse(request, 60)
    ...
    if code is None: throttle.allow("join", throttle.SITE, limit=600, seconds=60)

The numbers that the site uses, and why they hold, are in `security.limits`.
"""

from __future__ import annotations

import time

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from endoxa.collect.models import Attempts
from endoxa.collect.security.codes import COOKIE

SITE = "site"
"""The key that counts everybody together."""


def allow(kind: str, key: str, *, limit: int, seconds: int) -> bool:
    """Count one try of this kind; whether it is among the first `limit` of the current window of `seconds`.

    Call it outside of a transaction that may be rolled back: the count would be lost with it.
    """
    name, start = _name(kind, key, seconds), _start(seconds)
    counted = Attempts.objects.filter(name=name, start=start)
    if not counted.update(count=F("count") + 1) and not _first(name, start, seconds):
        counted.update(count=F("count") + 1)
    return (counted.values_list("count", flat=True).first() or 0) <= limit


def exhausted(kind: str, key: str, *, limit: int, seconds: int) -> bool:
    """Whether the tries of this kind in the current window are used up; counts nothing."""
    name, start = _name(kind, key, seconds), _start(seconds)
    return Attempts.objects.filter(name=name, start=start, count__gte=limit).exists()


def clear(kind: str, key: str, *, seconds: int) -> None:
    """Forget the tries, for example after somebody with access to the machine set a new password."""
    Attempts.objects.filter(name=_name(kind, key, seconds)).delete()


def browser(request: HttpRequest) -> str:
    """What tells this browser from others in the same room: its cookies; "" before it has any."""
    return request.COOKIES.get(COOKIE) or request.COOKIES.get(settings.CSRF_COOKIE_NAME) or ""


def _first(name: str, start: int, seconds: int) -> bool:
    """Open a window with one try, and tidy up old ones; False if another worker was faster."""
    try:
        with transaction.atomic():
            Attempts.objects.create(name=name, start=start, ends=start + seconds, count=1)
    except IntegrityError:
        return False
    Attempts.objects.filter(ends__lt=int(time.time())).delete()
    return True


def _name(kind: str, key: str, seconds: int) -> str:
    return salted_hmac(f"endoxa.throttle.{kind}.{seconds}", key, algorithm="sha256").hexdigest()


def _start(seconds: int) -> int:
    return int(time.time()) // seconds * seconds
