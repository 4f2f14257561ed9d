"""Cookies, receipt codes, join codes and sessions: how they are made. Only hashes of secrets are stored.

PostgreSQL refuses text with the character NUL, so that a cookie with one would be an error of the server: sessions are
looked up only by keys that Django can have made.

A flood of wrong passwords from elsewhere locks nobody out of a browser they signed in with. Its cookie (after OWASP's
"device cookies") is signed, random, sent to /organise/ only, and stored nowhere. It opens nothing: the password is
asked for all the same, and its misses are counted for this browser.
"""

from __future__ import annotations

import re
import secrets
from hashlib import sha256
from uuid import UUID

from django.conf import settings
from django.contrib.sessions.backends import db
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import constant_time_compare, salted_hmac

from endoxa_collect.models import Person

COOKIE = "endoxa_contributor"
"""Name of the cookie of contributors."""
COVERS_COOKIE = "endoxa_uncovered"

_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Characters of receipt and join codes: no 0 and O, no 1, I and L, no U."""
RECEIPT_LENGTH = 12
"""Characters of a receipt code."""
_ON_PAPER = "paper-"


def hash_secret(secret: str) -> str:
    """What is stored of a cookie; 128 random bits need no slow hash."""
    return sha256(secret.encode()).hexdigest()


def no_cookie() -> str:
    """Value of `secret_hash` for people on paper, who have no cookie. It cannot be the hash of a cookie."""
    return f"{_ON_PAPER}{secrets.token_hex(16)}"


def sheet_of(secret_hash: str, receipt_hash: str) -> UUID | None:
    """The id of the sheet from which somebody was entered (`sheet_id`); None for people with a cookie."""
    return sheet_id(receipt_hash) if secret_hash.startswith(_ON_PAPER) else None


def sheet_id(receipt_hash: str) -> UUID:
    """The id under which the list of withdrawals knows a sheet of paper, from what is stored of its receipt code."""
    digest = salted_hmac("endoxa.sheet", receipt_hash, algorithm="sha256").digest()
    return UUID(bytes=digest[:16], version=4)


def receipt_of(secret: str) -> str:
    """The receipt code of the holder of a cookie, such as WQ7M-4KDP-2LMZ: 58 bits, no ambiguous characters.

    It follows from the cookie and the site's secret, so it can be shown again on the same phone and is stored nowhere.
    """
    left = int.from_bytes(salted_hmac("endoxa.receipt.letters", secret, algorithm="sha256").digest())
    letters = ""
    for _ in range(RECEIPT_LENGTH):
        left, index = divmod(left, len(_ALPHABET))
        letters += _ALPHABET[index]
    return _grouped(letters)


def receipt_code(request: HttpRequest, person: Person) -> str:
    """The receipt code of the person whose browser asks.

    "" after a change of the site's secret: the old code is void then, and another one would mislead.
    """
    code = receipt_of(request.COOKIES.get(COOKIE, ""))
    return code if hash_receipt(code) == person.receipt_hash else ""


def new_receipt() -> str:
    """A random receipt code, for a sheet of paper."""
    return _grouped(new_code(RECEIPT_LENGTH))


def _grouped(letters: str) -> str:
    return "-".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def letters_of(typed: str) -> str:
    """The characters of a code as somebody typed it: case, spaces and dashes do not matter."""
    return "".join(letter for letter in typed.upper() if letter.isalnum())


def new_code(length: int) -> str:
    """Random characters that are hard to mix up."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def hash_receipt(receipt: str) -> str:
    """What is stored of a receipt code, keyed with the site's secret; case, spaces and dashes do not matter."""
    return salted_hmac("endoxa.receipt", letters_of(receipt), algorithm="sha256").hexdigest()


def hash_participant(task: int, participant: str) -> str:
    """What is stored of the id that a panel gave a person: keyed with the site's secret, another one in each task."""
    return salted_hmac("endoxa.participant", f"{task} {participant}", algorithm="sha256").hexdigest()


_KEY = re.compile(r"[a-z0-9]{32}")

BROWSER_COOKIE = "endoxa_known_browser"
_SALT = "endoxa.known_browser"
_SECONDS = 180 * 86_400


class SessionStore(db.SessionStore):
    """Sessions in the database."""

    def _validate_session_key(self, key: str | None) -> bool:
        return key is not None and _KEY.fullmatch(key) is not None


def browser_key(request: HttpRequest, name: str) -> str:
    """What tells this browser from others in which the account `name` signed in; "" if it never did in this one."""
    try:
        stored = signing.loads(request.COOKIES.get(BROWSER_COOKIE, ""), salt=_SALT, max_age=_SECONDS)
    except signing.BadSignature:
        return ""
    return str(stored["browser"]) if constant_time_compare(stored["account"], _hidden(name)) else ""


def remember(response: HttpResponseBase, name: str) -> None:
    """Know this browser again: the account `name` has just signed in."""
    values = {"account": _hidden(name), "browser": secrets.token_hex(16)}
    response.set_cookie(
        BROWSER_COOKIE,
        signing.dumps(values, salt=_SALT),
        max_age=_SECONDS,
        path=settings.SESSION_COOKIE_PATH,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )


def _hidden(name: str) -> str:
    return salted_hmac(_SALT, name, algorithm="sha256").hexdigest()
