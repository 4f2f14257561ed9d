"""How a phone that kept something knows that it has come here, and that it is stored once.

The script sends what it kept with a random token (`SEND`). Only an answer of ours brings the token back (`KEPT`): the
page of a hotel's Wi-Fi, with status 200 or as a redirect to anywhere, is no proof that something is stored. Cards have
a token of their own; words and answers of the survey are stored once for each token of the phone.
"""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin

from endoxa_collect.models import Person, Sent

SEND = "Endoxa-Send"
"""The header with the token, of the phone."""
KEPT = "Endoxa-Kept"
"""The header that brings it back."""
NEXT = "Endoxa-Next"
"""The header with the address of the page that comes next: scripts cannot read redirects."""

_NOT_TAKEN = frozenset({"moved", "covered", "unclear"})
"""Notes (`card_forms.NOTES`) that say that an answer was not taken."""


def token_of(request: HttpRequest) -> UUID | None:
    """The token that the script sent; None for forms that the browser sends."""
    try:
        return UUID(request.headers.get(SEND, ""))
    except ValueError:
        return None


def was_kept(request: HttpRequest, person: Person) -> bool:
    """Whether the same was stored before: the phone sends again what nobody told it about."""
    token = token_of(request)
    return token is not None and Sent.objects.filter(person=person, token=token).exists()


def note_kept(request: HttpRequest, person: Person) -> None:
    """Remember that it is stored by now."""
    if (token := token_of(request)) is not None:
        Sent.objects.get_or_create(person=person, token=token)


class Proof(MiddlewareMixin):
    """Middleware that tells the script in a status what a page would tell a reader, and that it was we who did.

    204: it is stored, now or from before. 409: another answer is, which stays. 410: the person has left, on this phone
    or another. 422: it cannot be taken. All others as the site gave them.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """The answer; without a proof where the form's own token was not valid, since nothing was looked at then."""
        token = token_of(request)
        if token is None or not getattr(request, "csrf_processing_done", False):
            return response
        address = response.headers.get("Location", "")
        code = _status(request, response, urlsplit(address).path, parse_qs(urlsplit(address).query))
        if code != response.status_code:
            response = HttpResponse(status=code)
        if address:
            response[NEXT] = address
        response[KEPT] = str(token)
        return response


def _status(request: HttpRequest, response: HttpResponse, path: str, query: dict[str, list[str]]) -> int:
    gone = getattr(request, "person", None) is None or path == reverse("contributor:home")
    if gone and response.status_code < 429:
        return 410
    note = query.get("note", [""])[0]
    if response.status_code == 302:
        return 409 if note == "first" else 422 if note in _NOT_TAKEN else 204
    is_page = response.headers.get("Content-Type", "").startswith("text/html")
    return 422 if response.status_code == 200 and is_page else response.status_code
