"""How often what may be tried, and why these numbers hold.

Join codes have 8 of 30 characters, 6.6e11 codes. At the site's ceiling of 600 misses a minute, 3.2e8 a year, somebody
who never stops needs about 1,000 years for an even chance at one live code and 100 years at ten. Codes expire within
weeks. Receipt codes have 12 characters, 5.3e17 codes: at 300 misses a minute and with 10,000 contributors, an even
chance takes 170,000 years. The ceilings are far above what a hall of people mistypes, and only misses count, so nobody
who types a right code is slowed down by neighbours; a flood of wrong codes delays others by at most a minute.

Passwords are chosen by people: five misses in ten minutes for one account are 260,000 a year, against passwords of at
least ten characters that are on no list of common ones. Whoever knows an account's name can lock it for ten minutes;
`endoxa collect account` opens it again. The ceiling for the whole site also bounds the time spent on
scrypt, about 60 ms each.

Proposals are limited for each person, not for the room.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from endoxa.collect.security import throttle


@dataclass(frozen=True)
class Limit:
    """At most `tries` of a kind within `seconds`, for each key."""

    kind: str
    tries: int
    seconds: int

    def count(self, key: str) -> bool:
        """Count one try; whether it is within the limit."""
        return throttle.allow(self.kind, key, limit=self.tries, seconds=self.seconds)

    def exhausted(self, key: str) -> bool:
        """Whether no try is left in this window."""
        return throttle.exhausted(self.kind, key, limit=self.tries, seconds=self.seconds)

    def clear(self, key: str) -> None:
        """Give all tries back."""
        throttle.clear(self.kind, key, seconds=self.seconds)


JOIN_BROWSER = Limit("join-browser", 20, 600)
JOIN_SITE = Limit("join-site", 600, 60)
RECEIPT_BROWSER = Limit("receipt-browser", 10, 600)
RECEIPT_SITE = Limit("receipt-site", 300, 60)
LOGIN_ACCOUNT = Limit("login-account", 5, 600)
LOGIN_SITE = Limit("login-site", 300, 900)
PROPOSALS = Limit("proposals", 60, 600)


def guesses_left(request: HttpRequest, browser: Limit, site: Limit) -> bool:
    """Whether this browser, and the site, may still guess a code."""
    mine = throttle.browser(request)
    return not (site.exhausted(throttle.SITE) or (mine and browser.exhausted(mine)))


def missed(request: HttpRequest, browser: Limit, site: Limit) -> None:
    """Count a wrong guess for this browser and for the site."""
    site.count(throttle.SITE)
    if mine := throttle.browser(request):
        browser.count(mine)


def refuse(request: HttpRequest, limit: Limit) -> HttpResponse:
    """The page that asks for patience, with status 429 and the time to wait."""
    response = render(request, "429.html", {"minutes": -(-limit.seconds // 60)}, status=429)
    response.headers["Retry-After"] = str(limit.seconds)
    return response
