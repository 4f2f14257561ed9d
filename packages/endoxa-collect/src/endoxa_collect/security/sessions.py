"""Sessions of accounts, and browsers in which an account signed in before.

PostgreSQL refuses text with the character NUL, so that a cookie with one would be an error of the server: sessions are
looked up only by keys that Django can have made.

A flood of wrong passwords from elsewhere locks nobody out of a browser they signed in with. Its cookie (after OWASP's
"device cookies") is signed, random, sent to /organise/ only, and stored nowhere. It opens nothing: the password is
asked for all the same, and its misses are counted for this browser.
"""

from __future__ import annotations

import re
import secrets

from django.conf import settings
from django.contrib.sessions.backends import db
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import constant_time_compare, salted_hmac

_KEY = re.compile(r"[a-z0-9]{32}")

COOKIE = "endoxa_known_browser"
_SALT = "endoxa.known_browser"
_SECONDS = 180 * 86_400


class SessionStore(db.SessionStore):
    """Sessions in the database."""

    def _validate_session_key(self, key: str | None) -> bool:
        return key is not None and _KEY.fullmatch(key) is not None


def browser_key(request: HttpRequest, name: str) -> str:
    """What tells this browser from others in which the account `name` signed in; "" if it never did in this one."""
    try:
        stored = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=_SECONDS)
    except signing.BadSignature:
        return ""
    return str(stored["browser"]) if constant_time_compare(stored["account"], _hidden(name)) else ""


def remember(response: HttpResponseBase, name: str) -> None:
    """Know this browser again: the account `name` has just signed in."""
    values = {"account": _hidden(name), "browser": secrets.token_hex(16)}
    response.set_cookie(
        COOKIE,
        signing.dumps(values, salt=_SALT),
        max_age=_SECONDS,
        path=settings.SESSION_COOKIE_PATH,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )


def _hidden(name: str) -> str:
    return salted_hmac(_SALT, name, algorithm="sha256").hexdigest()
