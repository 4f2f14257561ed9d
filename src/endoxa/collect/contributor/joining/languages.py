"""Choosing the language of the pages."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from endoxa.collect.contributor.identity import holder
from endoxa.collect.contributor.language import keep, offered
from endoxa.collect.models import Person


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Keep the language in this browser and with the person, and go back to where the choice was made."""
    response = redirect(_back(request))
    chosen = request.POST.get("language", "")
    if chosen not in offered(request):
        return response
    keep(response, chosen)
    person = holder(request)
    if person is not None:
        Person.objects.filter(pk=person.pk).update(ui_language=chosen)
    return response


def _back(request: HttpRequest) -> str:
    wanted = request.POST.get("next", "")
    # Paths of this site only: whole addresses would let others send people away through us.
    inside = wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    return wanted if inside else reverse("contributor:home")
