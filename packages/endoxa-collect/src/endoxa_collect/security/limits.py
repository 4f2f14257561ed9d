"""Rate limits, with the reasons for their numbers.

Codes are protected by their length. Join codes have 8 of 30 characters, 6.6e11 codes: at 1,000 guesses a second, more
than a site of one machine answers, an even chance at one live code takes 14 years, and codes expire within weeks.
Receipt codes have 12 characters, 5.3e17 codes: with 10,000 contributors, 1,100 years. A right code passes however many
wrong ones others have sent, so nobody can keep a room out. The ceiling of a browser (20 and 10 in ten minutes) stops
who guesses by hand; those of the site bound what a flood of wrong codes makes the database write.

Passwords are chosen by people: five misses in ten minutes for one account are 260,000 a year, against passwords of at
least ten characters that are on no list of common ones. The ceiling for the whole site also bounds the time spent on
scrypt, about 60 ms each. Whoever knows an account's name, or sends many made-up ones, can fill both; so a browser in
which somebody signed in before has five misses in ten minutes of its own for that account, and no flood concerns it
(`security.codes`). For other browsers `endoxa collect account` empties both. The old password, which is asked
for before a new one is set, counts as signing in does.

Who takes part has no account, so a script that holds the code could enrol without end. A room of 60 that scans the
poster at once, each of them twice, makes 120 enrolments in a minute: more than that wait a minute. An interviewer, who
enters for one person after the other, has 30 an hour. Proposals are
limited for each person, far above what people type, and for a campaign to what 60 people make who add ten each minute.

What takes long and strangers can ask for (checking a password, drawing a receipt) also has a bound on how much of it a
worker does at the same time (`Slots`), so that the other threads go on answering: more is refused at once, with the
time to wait.

Tries are counted in fixed windows of time, shared by all workers through the database. A room of forty people reaches
the site from one address, so no address is ever counted: the keys are what a browser holds (its cookie), the name of an
account, a campaign, or the whole site. Keys are stored as keyed hashes and deleted when their window is over.

Only wrong guesses need counting; a try that succeeds is free. So a page asks `Guesses.check` before it looks, and calls
`Guesses.missed` after a miss.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore

from django.conf import settings
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from endoxa_collect.faults import TooOftenError
from endoxa_collect.models import Attempts
from endoxa_collect.security.codes import COOKIE
from endoxa_collect.security.http import too_often

SITE = "site"
"""The key that counts everybody together."""


@dataclass(frozen=True)
class Limit:
    """At most `tries` of a kind within `seconds`, for each key."""

    kind: str
    tries: int
    seconds: int

    def count(self, key: str) -> bool:
        """Count one try; whether it is within the limit.

        Call it outside of a transaction that may be rolled back: the count would be lost with it.
        """
        now = int(time.time())
        start = now // self.seconds * self.seconds
        counted = self._of(key).filter(start=start)
        if not counted.update(count=F("count") + 1):
            Attempts.objects.filter(ends__lt=now).delete()
            facts = {"ends": start + self.seconds, "count": 0}
            Attempts.objects.get_or_create(name=self._name(key), start=start, defaults=facts)
            counted.update(count=F("count") + 1)
        return (counted.values_list("count", flat=True).first() or 0) <= self.tries

    def spend(self, key: str) -> None:
        """Count one try.

        Raises:
            TooOftenError: it is not within the limit.
        """
        if not self.count(key):
            raise TooOftenError(self.seconds)

    def exhausted(self, key: str) -> bool:
        """Whether no try is left in this window; counts nothing."""
        start = int(time.time()) // self.seconds * self.seconds
        return self._of(key).filter(start=start, count__gte=self.tries).exists()

    def clear(self, key: str) -> None:
        """Give all tries back, for example after somebody with access to the machine set a new password."""
        self._of(key).delete()

    def _of(self, key: str) -> QuerySet[Attempts]:
        return Attempts.objects.filter(name=self._name(key))

    def _name(self, key: str) -> str:
        return salted_hmac(f"endoxa.throttle.{self.kind}.{self.seconds}", key, algorithm="sha256").hexdigest()


@dataclass(frozen=True)
class Guesses:
    """How many wrong codes of a kind one browser may send, and all of the site together."""

    browser: Limit
    site: Limit

    def check(self, request: HttpRequest) -> None:
        """Call it before a code is looked up; a browser without any cookie is bounded by `missed` only.

        Raises:
            TooOftenError: this browser guesses no more.
        """
        mine = _browser_key(request)
        if mine and self.browser.exhausted(mine):
            raise TooOftenError(self.browser.seconds)

    def missed(self, request: HttpRequest) -> None:
        """Count a wrong code for this browser and for the site.

        Raises:
            TooOftenError: the ceiling of the site is reached already.
        """
        if self.site.exhausted(SITE):
            raise TooOftenError(self.site.seconds)
        self.site.count(SITE)
        if mine := _browser_key(request):
            self.browser.count(mine)


def _browser_key(request: HttpRequest) -> str:
    """What tells this browser from others in the same room: its cookies; "" before it has any."""
    return request.COOKIES.get(COOKIE) or request.COOKIES.get(settings.CSRF_COOKIE_NAME) or ""


class Slots:
    """A bound on how many threads of this process do something expensive at the same time."""

    def __init__(self, number: int) -> None:
        self._free = BoundedSemaphore(number)

    @contextmanager
    def occupied(self) -> Iterator[bool]:
        """Take a slot for the block; False, at once, where all are occupied."""
        got = self._free.acquire(blocking=False)
        try:
            yield got
        finally:
            if got:
                self._free.release()


PASSWORDS = Slots(1)
"""Passwords that a worker checks at the same time: scrypt takes a core, and one of its `ANSWERING_THREADS`."""
PASSWORDS_SAME_BROWSER = Slots(1)
"""The same for browsers in which the account signed in before, so that no flood keeps them out."""
BUSY = Limit("busy", 0, 5)
"""How long to wait where all slots are occupied; nothing is counted."""

JOIN = Guesses(Limit("join-browser", 20, 600), Limit("join-site", 600, 60))
RECEIPT = Guesses(Limit("receipt-browser", 10, 600), Limit("receipt-site", 300, 60))
LOGIN_ACCOUNT = Limit("login-account", 5, 600)
LOGIN_SITE = Limit("login-site", 300, 600)
LOGIN_SAME_BROWSER = Limit("login-known-browser", 5, 600)
ENROLMENTS = Limit("enrolments", 120, 60)
REFUSALS = Limit("refusals", 120, 60)
INTERVIEWS = Limit("interviews", 30, 3_600)
PROPOSALS = Limit("proposals", 60, 600)
PROPOSALS_OF_ALL = Limit("proposals-of-all", 600, 60)


def refuse(request: HttpRequest, limit: Limit) -> HttpResponse:
    """The page that asks for patience."""
    return too_often(request, limit.seconds)
