"""Interviews: one trained person enters for many speakers, one after the other on the same phone."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST

from endoxa_collect.contributor.access import contributor, forget
from endoxa_collect.models import JoinCode, Person


def interviewer_of(code: str) -> str:
    """The short name of the interviewer whose code this is; "" for codes by which people join themselves."""
    return JoinCode.objects.filter(code=code).values_list("interviewer", flat=True).first() or ""


@require_POST
@contributor
def next_speaker(_request: HttpRequest, person: Person) -> HttpResponse:
    """Forget the person on this phone, and lead to the consent of the next one while the code is in force."""
    if not person.interviewer:
        return redirect("contributor:thanks")
    codes = JoinCode.objects.in_force().filter(campaign=person.campaign, interviewer=person.interviewer)
    code = codes.first()
    response = redirect("contributor:join", code.code) if code else redirect("contributor:home")
    forget(response)
    return response


urlpatterns: list[URLPattern] = [path("next-speaker/", next_speaker, name="next_speaker")]
