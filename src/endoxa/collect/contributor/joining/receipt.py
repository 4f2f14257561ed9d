"""The receipt code: the only way back to somebody's answers without their phone."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from endoxa.collect.contributor.access import next_step
from endoxa.collect.contributor.identity import holder
from endoxa.collect.security.codes import COOKIE, hash_receipt, receipt_of


@require_safe
def receipt(request: HttpRequest) -> HttpResponse:
    """Show the code to the phone it belongs to, as often as it asks."""
    person = holder(request)
    if person is None:
        return redirect("contributor:home")
    code = receipt_of(request.COOKIES[COOKIE])
    # After a change of the site's secret the old code is void; showing another one would mislead.
    if hash_receipt(code) != person.receipt_hash:
        return redirect(next_step(person))
    return render(request, "contributor/receipt.html", {"code": code, "onward": next_step(person)})
