"""Dashboard and projector page: totals only, what is missing, and the state and balance of the campaign."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils import timezone, translation
from django.utils.translation import gettext

from endoxa_collect.campaign import in_language
from endoxa_collect.cards.balance import window_of
from endoxa_collect.cards.locking import locked
from endoxa_collect.contributor.joining import join_address
from endoxa_collect.models import (
    Campaign,
    Person,
    Role,
    State,
    Statement,
    record,
)
from endoxa_collect.organiser.access import EVERYBODY, READ, SEND, allowed, ask_first, roles_of
from endoxa_collect.organiser.codes import newest_code
from endoxa_collect.organiser.conduct import named, quality_of
from endoxa_collect.organiser.figures import cached, figures_of, neediest, reading_of
from endoxa_collect.organiser.opening import lacking, rehearsal_of, set_state
from endoxa_collect.organiser.wording import (
    BALANCES,
    advice,
    bars,
    country_rows,
    language_rows,
    question_rows,
    sentence,
    survey_sentence,
    switch_at,
)
from endoxa_collect.sampler import Balance
from endoxa_collect.small_cells import LEAST, OTHERS, counted, in_steps

ORDERS = ("", Balance.EXPLORE, Balance.BALANCE, Balance.VALIDATE)
"""What can be ordered by page; fewer new pairs than half is left to the controller."""


def set_balance(campaign: Campaign, balance: str, user: User | AnonymousUser) -> None:
    """Order what people are asked for; "" leaves it to the forecast."""
    with locked(campaign.pk) as current:
        if current.balance == balance:
            return
        record(current, user, "balance", before=current.balance or "auto", after=balance or "auto")
        current.balance = balance
        current.save(update_fields=["balance"])


@dataclass(frozen=True)
class SurveyLately:
    """What at least `LEAST` people together wrote within the last minutes or day; `pace` is in answers a minute."""

    people: int
    answers: int
    pace: float


@dataclass(frozen=True)
class SurveyFigures:
    """One look at the answers of `LEAST` people or more. Answers that say that nothing came to mind do not count.

    Attributes:
        counted_at: when the figures were counted.
        people: who wrote something.
        answers: by name of the question, in the order of the campaign; None stands for fewer than `LEAST`.
        countries: people by country they come from, in steps; who named none stands with the small groups.
        lately: None while fewer than `LEAST` people were active.
    """

    counted_at: datetime
    people: int
    answers: Mapping[str, int | None]
    countries: tuple[tuple[str, int], ...]
    lately: SurveyLately | None


def survey_figures_of(campaign: Campaign) -> SurveyFigures | None:
    """The figures, up to three seconds old; None while fewer than `LEAST` people answered."""
    return cached(campaign, "survey", lambda: count_survey(campaign, timezone.now()))


def count_survey(campaign: Campaign, now: datetime) -> SurveyFigures | None:
    """Count them anew, with two queries whatever the size of the campaign."""
    rows = Statement.objects.filter(campaign=campaign, person__aside=False).exclude(text="")
    statements = list(rows.values_list("person_id", "question", "created_at"))
    people = {person for person, _, _ in statements}
    if len(people) < LEAST:
        return None
    by_question = Counter(question for _, question, _ in statements)
    names = [question.name for question in campaign.settings.questions]
    # Somebody may come from two countries.
    origins: dict[str, set[UUID]] = defaultdict(set)
    for person, codes in Person.objects.filter(campaign=campaign).values_list("pk", "origins"):
        for code in codes or [OTHERS]:
            if person in people:
                origins[code].add(person)
    recent = [(person, at) for person, _, at in statements if now - window_of(campaign) < at <= now]
    active = {person for person, _ in recent}
    lately = None
    if len(active) >= LEAST:
        minutes = max(1.0, (now - min(at for _, at in recent)).total_seconds() / 60)
        lately = SurveyLately(len(active), len(recent), len(recent) / minutes)
    return SurveyFigures(
        counted_at=now,
        people=len(people),
        answers={name: by_question[name] if by_question[name] >= LEAST else None for name in names},
        countries=tuple((code, in_steps(number)) for code, number in counted(origins)),
        lately=lately,
    )


_WALL_ROWS = 22
"""Countries that the projector page has room for."""


@allowed(*EVERYBODY, methods=READ)
def dashboard(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Figures, forecast and, for organisers, the buttons and what is missing."""
    steers = Role.ORGANISER in roles_of(request, campaign)
    more: dict[str, Any] = {"begun": not campaign.rehearsing}
    if steers:
        more |= {"orders": [(order, BALANCES[order]) for order in ORDERS], "lacking": lacking(campaign)}
        more["rehearsal"] = rehearsal_of(campaign).value
    return render(request, "organiser/dashboard.html", {**_figures(campaign), **more})


@allowed(*EVERYBODY, methods=READ)
def live(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The figures of the dashboard alone."""
    return render(request, "organiser/dashboard_figures.html", _figures(campaign))


@allowed(*EVERYBODY, methods=READ)
def projector(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The page for the wall, in the campaign's first language."""
    return _on_the_wall(request, campaign, "projector", invites=True, figures=True)


@allowed(*EVERYBODY, methods=READ)
def projector_live(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The figures of the projector page alone."""
    return _on_the_wall(request, campaign, "projector_figures", figures=True)


@allowed(*EVERYBODY, methods=READ)
def projector_invitation(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The invitation of the projector page alone; a word instead of it where nobody can join."""
    return _on_the_wall(request, campaign, "projector_invitation", invites=True)


@allowed(Role.ORGANISER, methods=SEND)
def state(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Pause or close; opening has a page of its own (`opening`)."""
    wanted = request.POST.get("state", "")
    if wanted not in (State.PAUSED, State.CLOSED):
        return HttpResponseBadRequest()
    if wanted == State.CLOSED:
        consequence = gettext(
            "Nobody can join or answer any more. What was answered stays. You can open the campaign again later."
        )
        question = ask_first(
            request, campaign, action=gettext("Close"), consequence=consequence, back="organiser:dashboard"
        )
        if question is not None:
            return question
    set_state(campaign, wanted, request.user)
    return redirect("organiser:dashboard", campaign.slug)


@allowed(Role.ORGANISER, methods=SEND)
def balance(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Order what people are asked for."""
    wanted = request.POST.get("balance", "")
    if wanted not in ORDERS:
        return HttpResponseBadRequest()
    set_balance(campaign, wanted, request.user)
    return redirect("organiser:dashboard", campaign.slug)


def _on_the_wall(
    request: HttpRequest, campaign: Campaign, page: str, *, invites: bool = False, figures: bool = False
) -> HttpResponse:
    """A page of the projector, in the campaign's first language."""
    first = campaign.settings.ui_languages[0]
    with translation.override(first):
        context = _figures(campaign) if figures else {"campaign": campaign}
        if invites:
            code = newest_code(campaign)
            context |= {
                "title": in_language(campaign.settings.texts.title, first),
                "code": code,
                "address": join_address(request, code) if code else "",
            }
        return render(request, f"organiser/{page}.html", context)


def _figures(campaign: Campaign) -> dict[str, Any]:
    """Figures of cards where people get cards, of the survey where they answer one."""
    begun, settings = not campaign.rehearsing, campaign.settings
    context: dict[str, Any] = {"campaign": campaign, "counted_at": timezone.now(), "least": LEAST}
    if settings.survey:
        context["forecast"] = survey_sentence(campaign.state, begun=begun)
        if survey := survey_figures_of(campaign):
            context |= {
                "counted_at": survey.counted_at,
                "survey": survey,
                "questions": question_rows(survey.answers, settings.questions),
                "countries": country_rows(survey.countries, campaign.settings),
            }
    if settings.cards:
        figures, k = figures_of(campaign), settings.sampler.k
        context |= {
            "counted_at": figures.counted_at,
            "figures": figures,
            "k": k,
            "percent": round(100 * figures.share),
            "bars": bars(figures.coverage, campaign.settings),
            "quality": _quality(campaign),
            "reading": language_rows(reading_of(campaign)),
            "wall": bars(neediest(figures.coverage, _WALL_ROWS), campaign.settings),
            "forecast": sentence(figures, state=campaign.state, begun=begun, k=k),
            "advice": advice(figures, state=campaign.state, balance=campaign.balance),
            "switch_at": switch_at(figures, state=campaign.state, balance=campaign.balance, begun=begun),
            "aim": BALANCES[campaign.balance or figures.forecast.balance],
        }
    return context


def _quality(campaign: Campaign) -> dict[str, Any] | None:
    """How people answer, with the words of the page."""
    quality = quality_of(campaign)
    if quality is None:
        return None
    people = gettext("People")
    return {
        "rule": quality.rule,
        "left_out": quality.left_out,
        "tables": [
            (gettext("Time per answer"), gettext("Answers"), named(quality.answers)),
            (gettext("Share of fast answers (speeding)"), people, named(quality.speeding)),
            (
                gettext("Longest run of equal answers (straight-lining)"),
                people,
                named(quality.straight_lining),
            ),
            (gettext("Share of skips (item non-response)"), people, named(quality.nonresponse)),
        ],
    }


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/", dashboard, name="dashboard"),
    path("<slug:slug>/live/", live, name="dashboard_live"),
    path("<slug:slug>/projector/", projector, name="projector"),
    path("<slug:slug>/projector/live/", projector_live, name="projector_live"),
    path("<slug:slug>/projector/invitation/", projector_invitation, name="projector_invitation"),
    path("<slug:slug>/state/", state, name="state"),
    path("<slug:slug>/balance/", balance, name="balance"),
]
