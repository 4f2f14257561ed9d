"""Views of the dashboard, of its figures for the refreshing script, and of the projector page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.views.decorators.http import require_POST, require_safe

from endoxa_collect.campaign import in_language
from endoxa_collect.models import Campaign, Role
from endoxa_collect.organiser.access import allowed, roles_of
from endoxa_collect.organiser.dashboard.figures import figures_of, neediest
from endoxa_collect.organiser.dashboard.forecast import advice, sentence, survey_sentence, switch_at
from endoxa_collect.organiser.dashboard.services import (
    BalanceForm,
    StateForm,
    end_rehearsal,
    lacking,
    rehearsal_of,
    set_balance,
    set_state,
)
from endoxa_collect.organiser.dashboard.survey import survey_figures_of
from endoxa_collect.organiser.invitations import join_address, newest_code
from endoxa_collect.organiser.wording import BALANCES, bars, country_rows, question_rows

ROLES = (Role.ORGANISER, Role.MODERATOR, Role.REVIEWER, Role.RESEARCHER)
"""Who sees figures of the whole: every account of the campaign."""

_ON_THE_WALL = 22
"""Countries that the projector page has room for."""


@allowed(*ROLES)
@require_safe
def dashboard(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Figures, forecast and, for organisers, the buttons and what is missing."""
    steers = Role.ORGANISER in roles_of(request, campaign)
    more: dict[str, Any] = {"begun": not campaign.rehearsing}
    if steers:
        more |= {"state_form": StateForm(), "balance_form": BalanceForm(), "lacking": lacking(campaign)}
        more["rehearsal"] = rehearsal_of(campaign).value
    return render(request, "organiser/dashboard.html", {**_shown(campaign), **more})


@allowed(*ROLES)
@require_safe
def live(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The figures of the dashboard alone."""
    return render(request, "organiser/dashboard_figures.html", _shown(campaign))


@allowed(*ROLES)
@require_safe
def projector(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The page for the wall, in the campaign's first language."""
    with translation.override(campaign.settings.ui_languages[0]):
        context = _shown(campaign) | _invited(request, campaign)
        return render(request, "organiser/projector.html", context)


@allowed(*ROLES)
@require_safe
def projector_live(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The figures of the projector page alone."""
    with translation.override(campaign.settings.ui_languages[0]):
        return render(request, "organiser/projector_figures.html", _shown(campaign))


@allowed(*ROLES)
@require_safe
def projector_invitation(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The invitation of the projector page alone; a word instead of it where nobody can join."""
    with translation.override(campaign.settings.ui_languages[0]):
        return render(request, "organiser/projector_invitation.html", _invited(request, campaign))


@allowed(Role.ORGANISER)
@require_POST
def state(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Open, pause or close."""
    form = StateForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest()
    set_state(campaign, form.cleaned_data["state"], request.user)
    return redirect("organiser:dashboard", campaign.slug)


@allowed(Role.ORGANISER)
@require_POST
def rehearsal(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Erase the rehearsal, if the box is ticked: an answer that was erased cannot be had again."""
    if "sure" in request.POST:
        end_rehearsal(campaign, request.user)
    return redirect("organiser:dashboard", campaign.slug)


@allowed(Role.ORGANISER)
@require_POST
def balance(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Order what people are asked for."""
    form = BalanceForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest()
    set_balance(campaign, form.cleaned_data["balance"], request.user)
    return redirect("organiser:dashboard", campaign.slug)


def _invited(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    code = newest_code(campaign)
    return {
        "campaign": campaign,
        "title": in_language(campaign.settings.texts.title, campaign.settings.ui_languages[0]),
        "code": code,
        "address": join_address(request, code) if code else "",
    }


def _shown(campaign: Campaign) -> dict[str, Any]:
    """Figures of cards where people get cards, of the survey where they answer one."""
    shown: dict[str, Any] = {"campaign": campaign, "taken_at": timezone.now()}
    if campaign.settings.survey:
        shown |= _survey_shown(campaign)
    if campaign.settings.cards:
        shown |= _cards_shown(campaign)
    return shown


def _cards_shown(campaign: Campaign) -> dict[str, Any]:
    figures = figures_of(campaign)
    k = campaign.settings.sampler.k
    begun = not campaign.rehearsing
    return {
        "taken_at": figures.taken_at,
        "figures": figures,
        "k": k,
        "percent": round(100 * figures.share),
        "bars": bars(figures.coverage),
        "wall": bars(neediest(figures.coverage, _ON_THE_WALL)),
        "forecast": sentence(figures, state=campaign.state, begun=begun, k=k),
        "advice": advice(figures, state=campaign.state, balance=campaign.balance),
        "switch_at": switch_at(figures, state=campaign.state, balance=campaign.balance, begun=begun),
        "asked_for": BALANCES[campaign.balance or figures.forecast.balance],
    }


def _survey_shown(campaign: Campaign) -> dict[str, Any]:
    figures = survey_figures_of(campaign)
    values = {"forecast": survey_sentence(campaign.state, begun=not campaign.rehearsing)}
    if figures is None:
        return values
    return {
        **values,
        "taken_at": figures.taken_at,
        "survey": figures,
        "questions": question_rows(figures.answers, campaign.settings.questions),
        "countries": country_rows(figures.countries),
    }
