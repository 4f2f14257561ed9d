"""Dashboard, projector page and how many people came: totals only; what is missing; the state and balance.

Language and day are traits of people (`small_cells`); what was done by how many is none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import UTC, date
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet, Sum
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext

from endoxa_collect import geography
from endoxa_collect.campaign import in_language
from endoxa_collect.cards.locking import locked
from endoxa_collect.contributor.joining import join_address
from endoxa_collect.models import (
    CLOSED,
    AuditEntry,
    Campaign,
    Card,
    Mention,
    MixedCard,
    Role,
    State,
    Statement,
    record,
)
from endoxa_collect.organiser import wording
from endoxa_collect.organiser.access import EVERYBODY, READ, SEND, allowed, ask_first, roles_of
from endoxa_collect.organiser.codes import newest_code
from endoxa_collect.organiser.figures import cached, count, count_survey, neediest, reading_of
from endoxa_collect.organiser.opening import lacking, rehearsal_of, set_state
from endoxa_collect.sampler import Balance
from endoxa_collect.small_cells import LEAST, counted, in_steps

ORDERS = ("", Balance.EXPLORE, Balance.BALANCE, Balance.VALIDATE)
"""What can be ordered by page; fewer new pairs than half is left to the controller."""


_WALL_ROWS = 22
"""Countries that the projector page has room for."""


@allowed(*EVERYBODY, methods=READ)
def dashboard(request: HttpRequest, campaign: Campaign, part: str = "dashboard") -> HttpResponse:
    """Figures, forecast and, for organisers, the buttons and what is missing; or the figures alone."""
    context = _figures(campaign)
    if part == "dashboard" and Role.ORGANISER in roles_of(request, campaign):
        context |= {
            "orders": [(order, wording.BALANCES[order]) for order in ORDERS],
            "lacking": lacking(campaign),
        }
        context["rehearsal"] = rehearsal_of(campaign)
    return render(request, f"organiser/{part}.html", context)


@allowed(*EVERYBODY, methods=READ)
def projector(request: HttpRequest, campaign: Campaign, part: str = "projector") -> HttpResponse:
    """The page for the wall, in the campaign's first language; or its figures, or its invitation alone."""
    first = campaign.settings.ui_languages[0]
    with translation.override(first):
        code = newest_code(campaign)
        context = _figures(campaign) | {
            "title": in_language(campaign.settings.texts.title, first),
            "code": code,
            "address": join_address(request, code) if code else "",
        }
        return render(request, f"organiser/{part}.html", context)


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
    """Order what people are asked for; "" leaves it to the forecast."""
    wanted = request.POST.get("balance", "")
    if wanted not in ORDERS:
        return HttpResponseBadRequest()
    with locked(campaign.pk) as current:
        if current.balance != wanted:
            record(current, request.user, "balance", before=current.balance or "auto", after=wanted or "auto")
            current.balance = wanted
            current.save(update_fields=["balance"])
    return redirect("organiser:dashboard", campaign.slug)


def by_language(campaign: Campaign) -> list[tuple[str, int]]:
    """The languages of the pages in which people read them, most first."""
    here = get_language() or "en"
    return [
        (geography.language_name(code, here) if code else gettext("Other languages"), number)
        for code, number in _shown(campaign.people.values_list("ui_language", "pk"))
    ]


def by_day(campaign: Campaign) -> list[tuple[str, int]]:
    """The days on which people agreed, in UTC, the newest first."""
    people = campaign.people.values_list("consent_hour", "pk")
    shown = _shown((hour.astimezone(UTC).date().isoformat(), person) for hour, person in people)
    return [
        (date_format(date.fromisoformat(day), "DATE_FORMAT") if day else gettext("Other days"), number)
        for day, number in sorted(shown, reverse=True)
    ]


def _shown(people: Iterable[tuple[str, UUID]]) -> list[tuple[str, int]]:
    """People by a trait as they may be shown, small groups together."""
    cells = defaultdict[str, set[UUID]](set)
    for trait, person in people:
        cells[trait].add(person)
    return [(trait, in_steps(number)) for trait, number in counted(cells)]


def steps(campaign: Campaign) -> list[tuple[str, int]]:
    """How many of those who take part came as far as each page."""
    people, settings = campaign.people.all(), campaign.settings
    named = [
        (gettext("Agreed"), people.count()),
        (gettext("Told about themselves"), people.filter(profile_done=True).count()),
    ]
    if settings.survey:
        written = Statement.objects.filter(campaign=campaign).exclude(text="")
        named.append((gettext("Answered a question of the survey"), _people_of(written)))
    if settings.cards:
        cards, mixed = (model.objects.filter(campaign=campaign) for model in (Card, MixedCard))
        done = Counter[UUID]()
        for rows in (cards, mixed):
            closed = rows.filter(state__in=CLOSED).order_by().values_list("person")
            done.update(dict(closed.annotate(Count("pk"))))
        least = settings.sampler.break_after
        named += [
            (gettext("Saw a card"), _people_of(cards)),
            (gettext("Answered or skipped a card"), len(done)),
            (gettext("Finished a set of cards"), sum(number >= least for number in done.values())),
            (gettext("Added words"), _people_of(Mention.objects.filter(pair__campaign=campaign))),
        ]
    return named


def _people_of(rows: QuerySet[Any]) -> int:
    """How many people they are of."""
    number: int = rows.aggregate(number=Count("person", distinct=True))["number"]
    return number


@allowed(Role.ORGANISER, methods=READ)
def turnout(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All of it on one page."""
    context = {
        "campaign": campaign,
        "total": campaign.people.count(),
        "left": AuditEntry.objects.filter(campaign=campaign, action="withdrawal").count(),
        "declined": campaign.codes.aggregate(number=Sum("arrivals__declined", default=0))["number"],
        "steps": steps(campaign),
        "traits": [
            (gettext("By language of the pages"), by_language(campaign)),
            (gettext("By day on which they agreed"), by_day(campaign)),
        ],
        "least": LEAST,
    }
    return render(request, "organiser/turnout.html", context)


def _figures(campaign: Campaign) -> dict[str, Any]:
    """Figures of cards where people get cards, of the survey where they answer one."""
    begun, settings, here = not campaign.rehearsing, campaign.settings, get_language() or "en"
    context: dict[str, Any] = {
        "campaign": campaign,
        "counted_at": timezone.now(),
        "least": LEAST,
        "begun": begun,
    }
    if settings.survey:
        context["forecast"] = wording.survey_sentence(campaign.state, begun=begun)
        if survey := cached(campaign, "survey", lambda: count_survey(campaign, timezone.now())):
            context |= {
                "counted_at": survey["counted_at"],
                "survey": survey,
                "questions": [
                    (in_language(question.text, here), survey["answers"].get(question.name))
                    for question in settings.questions
                ],
                "countries": wording.named(
                    survey["countries"], settings, gettext("Other countries, or none named")
                ),
            }
    if settings.cards:
        k = settings.sampler.k
        figures = cached(campaign, "cards", lambda: count(campaign, timezone.now()))
        context |= {
            "counted_at": figures.counted_at,
            "figures": figures,
            "k": k,
            "percent": round(100 * figures.share),
            "bars": wording.bars(figures.coverage, campaign.settings),
            "reading": [
                (geography.language_name(row.language, here), row)
                for row in cached(campaign, "languages", lambda: reading_of(campaign))
            ],
            "wall": wording.bars(neediest(figures.coverage, _WALL_ROWS), campaign.settings),
            "forecast": wording.sentence(figures, state=campaign.state, begun=begun, k=k),
            "advice": wording.advice(figures, state=campaign.state, balance=campaign.balance),
            "switch_at": wording.switch_at(
                figures, state=campaign.state, balance=campaign.balance, begun=begun
            ),
            "aim": wording.BALANCES[campaign.balance or figures.forecast.balance],
        }
    return context


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/", dashboard, name="dashboard"),
    path("<slug:slug>/live/", dashboard, {"part": "dashboard_figures"}, name="dashboard_live"),
    path("<slug:slug>/projector/", projector, name="projector"),
    path("<slug:slug>/projector/live/", projector, {"part": "projector_figures"}, name="projector_live"),
    path(
        "<slug:slug>/projector/invitation/",
        projector,
        {"part": "projector_invitation"},
        name="projector_invitation",
    ),
    path("<slug:slug>/turnout/", turnout, name="turnout"),
    path("<slug:slug>/state/", state, name="state"),
    path("<slug:slug>/balance/", balance, name="balance"),
]
