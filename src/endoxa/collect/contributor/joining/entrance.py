"""The first pages: type the code of a campaign, see whose it is, or go on where one was."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from endoxa.collect.campaign.settings import in_language
from endoxa.collect.contributor.access import next_step
from endoxa.collect.contributor.identity import holder
from endoxa.collect.contributor.joining.codes import campaign_of_code, tidy, with_code
from endoxa.collect.models import Campaign, Person
from endoxa.collect.security.limits import JOIN_BROWSER, JOIN_SITE, may_guess, missed, refuse


class CodeForm(forms.Form):
    """A join code, typed as people type."""

    code = forms.CharField(
        max_length=40,
        label=gettext_lazy("Code"),
        help_text=gettext_lazy("Capitals and spaces do not matter."),
        error_messages={"required": gettext_lazy("Please type the code that you were given.")},
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false", "dir": "ltr"}
        ),
    )

    def clean_code(self) -> str:
        """The code as it is stored, if it opens a campaign."""
        code = tidy(self.cleaned_data["code"])
        if campaign_of_code(code) is None:
            raise forms.ValidationError(
                gettext_lazy("This code does not open anything. Please check it, or ask who gave it to you."),
                code="unknown",
            )
        return code


@require_http_methods(["GET", "HEAD", "POST"])
def home(request: HttpRequest) -> HttpResponse:
    """Ask for the code; show people who joined already where they were."""
    person = holder(request)
    form = CodeForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if not may_guess(request, JOIN_BROWSER):
            return refuse(request, JOIN_BROWSER)
        if form.is_valid():
            return redirect("contributor:join", form.cleaned_data["code"])
        wrong = form.has_error("code", "unknown")
        if wrong and (full := missed(request, JOIN_BROWSER, JOIN_SITE)):
            return refuse(request, full)
    onward = next_step(person) if person else ""
    return render(request, "contributor/home.html", {"form": form, "onward": onward})


@require_safe
@with_code
def join(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """Say whose campaign it is and how long it takes; ask people who take part in another one which they want."""
    person = holder(request)
    settings = campaign.settings
    context = {
        "code": code,
        "title": in_language(settings.texts.title, request.LANGUAGE_CODE),
        "about": in_language(settings.texts.about, request.LANGUAGE_CODE).strip().partition("\n")[0],
        "minutes": settings.minutes if settings.setting == "workshop" else None,
        "other": other_campaign(person, campaign),
        "onward": next_step(person) if person else "",
    }
    return render(request, "contributor/join.html", context)


def other_campaign(person: Person | None, campaign: Campaign) -> str:
    """The title of another campaign that this phone takes part in; "" if there is none."""
    if person is None or person.campaign_id == campaign.pk:
        return ""
    return in_language(person.campaign.settings.texts.title, person.ui_language)
