"""The profile page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from endoxa.collect.contributor.access import contributor, next_step
from endoxa.collect.contributor.joining.profile_form import ProfileForm
from endoxa.collect.models import Person


@require_http_methods(["GET", "HEAD", "POST"])
@contributor
def profile(request: HttpRequest, person: Person) -> HttpResponse:
    """Ask, each thing with its why. POST with `add` turns typed names into boxes and asks on."""
    language: str = request.LANGUAGE_CODE
    form = ProfileForm(person, language, request.POST if request.method == "POST" else None)
    adding = request.POST.get("add", "")
    if form.is_valid() and not adding:
        form.save(person)
        return redirect(next_step(person))
    if adding in form.fields:
        form.fields[adding].widget.attrs["autofocus"] = True
    context = {"form": form, "cards": person.campaign.settings.cards}
    return render(request, "contributor/profile.html", context)
