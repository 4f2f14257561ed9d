"""People: how many came in which language, on which day, and how far they got. Numbers only.

Language and day are traits of people (`small_cells`); what was done by how many is none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import UTC, date
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext

from endoxa_collect import geography
from endoxa_collect.models import (
    CLOSED,
    AuditEntry,
    Campaign,
    Card,
    Mention,
    MixedCard,
    Person,
    Role,
    Statement,
)
from endoxa_collect.organiser.access import READ, allowed
from endoxa_collect.small_cells import LEAST, counted, in_steps


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
        "total": Person.objects.filter(campaign=campaign).count(),
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


urlpatterns = [path("<slug:slug>/turnout/", turnout, name="turnout")]
