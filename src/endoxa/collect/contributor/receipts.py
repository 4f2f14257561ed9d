"""The receipt code of whoever asks, for the pages that show it."""

from __future__ import annotations

from django.http import HttpRequest

from endoxa.collect.models import Person
from endoxa.collect.security.codes import COOKIE, hash_receipt, receipt_of


def receipt_code(request: HttpRequest, person: Person) -> str:
    """The receipt code of the person whose browser asks.

    "" after a change of the site's secret: the old code is void then, and showing another one would mislead.
    """
    code = receipt_of(request.COOKIES.get(COOKIE, ""))
    return code if hash_receipt(code) == person.receipt_hash else ""
