"""Who a contributor is: the holder of a random cookie or of a receipt code. Only hashes are stored."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from hashlib import sha256

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from endoxa.collect.models import Person

COOKIE = "endoxa_contributor"
_DAYS = 60
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Characters of receipt and join codes: no 0 and O, no 1, I and L, no U."""
_RECEIPT_LENGTH = 12


class ContributorRequest(HttpRequest):
    """A request after `ContributorMiddleware`."""

    person: Person | None


class ContributorMiddleware:
    """Sets `request.person` from the cookie: a `Person`, or None for strangers and on the pages of accounts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Find the person, then answer."""
        secret = request.COOKIES.get(COOKIE, "")
        wanted = secret and not request.path.startswith("/organise/")
        request.person = person_of(secret) if wanted else None  # type: ignore[attr-defined]
        return self._get_response(request)


def person_of(secret: str) -> Person | None:
    """The person whose cookie this is."""
    return Person.objects.select_related("campaign").filter(secret_hash=hash_secret(secret)).first()


def hash_secret(secret: str) -> str:
    """What is stored of a cookie; 128 random bits need no slow hash."""
    return sha256(secret.encode()).hexdigest()


def receipt_of(secret: str) -> str:
    """The receipt code of the holder of a cookie, such as WQ7M-4KDP-2LMZ: 58 bits, no ambiguous characters.

    It follows from the cookie and the site's secret, so it can be shown again on the same phone and is stored nowhere.
    """
    left = int.from_bytes(salted_hmac("endoxa.receipt.letters", secret, algorithm="sha256").digest())
    letters = ""
    for _ in range(_RECEIPT_LENGTH):
        left, index = divmod(left, len(_ALPHABET))
        letters += _ALPHABET[index]
    return "-".join(letters[start : start + 4] for start in range(0, _RECEIPT_LENGTH, 4))


def new_code(length: int) -> str:
    """Random characters that are hard to mix up."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def hash_receipt(receipt: str) -> str:
    """What is stored of a receipt code, keyed with the site's secret; case, spaces and dashes do not matter."""
    letters = "".join(letter for letter in receipt.upper() if letter.isalnum())
    return salted_hmac("endoxa.receipt", letters, algorithm="sha256").hexdigest()


def remember(response: HttpResponse, secret: str) -> None:
    """Give the browser its cookie."""
    response.set_cookie(
        COOKIE, secret, max_age=_DAYS * 86_400, httponly=True, secure=settings.HTTPS, samesite="Lax"
    )


def forget(response: HttpResponse) -> None:
    """Take the cookie back."""
    response.delete_cookie(COOKIE, samesite="Lax")
