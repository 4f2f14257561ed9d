"""How people answer, in classes: figures for the dashboard, and the page on which a moderator sets somebody aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from endoxa_collect.cards.aside import set_aside
from endoxa_collect.cards.conduct import PACES, RUNS, SHARES, UNKNOWN, Conduct, conduct_of, has_rule
from endoxa_collect.models import CLOSED, Campaign, Card, Person
from endoxa_collect.organiser.access import DECIDERS, READ, SEND, allowed
from endoxa_collect.organiser.figures import cached
from endoxa_collect.small_cells import LEAST, in_steps

LABELS: Mapping[str, Promise] = {
    "under_1": gettext_lazy("under 1 second"),
    "1_to_2": gettext_lazy("1 to 2 seconds"),
    "2_to_5": gettext_lazy("2 to 5 seconds"),
    "5_to_30": gettext_lazy("5 to 30 seconds"),
    "over_30": gettext_lazy("30 seconds or more"),
    "none": gettext_lazy("none"),
    "under_quarter": gettext_lazy("less than a quarter"),
    "quarter_to_half": gettext_lazy("a quarter to half"),
    "over_half": gettext_lazy("more than half"),
    "under_5": gettext_lazy("1 to 4"),
    "5_to_9": gettext_lazy("5 to 9"),
    "10_to_19": gettext_lazy("10 to 19"),
    "20_or_more": gettext_lazy("20 or more"),
    UNKNOWN: gettext_lazy("not known"),
}
"""What the classes of `cards.conduct` are called on pages."""

_CONSPICUOUS = frozenset({"quarter_to_half", "over_half", "10_to_19", "20_or_more"})


def quality_of(campaign: Campaign) -> dict[str, Any] | None:
    """Tables of the dashboard, some seconds old; None while fewer than `LEAST` people answered cards.

    Answers by class of time, and people by class, in steps; `left_out` are those of the rule.
    """
    counted = cached(campaign, "quality", lambda: _count(campaign))
    if counted is None:
        return None
    answers, left_out, (speeding, runs, skips) = counted

    def rows(people: Counter[str], names: tuple[str, ...]) -> list[tuple[Promise, int]]:
        return [(LABELS[name], n) for name in (*names, UNKNOWN) if (n := in_steps(people[name]))]

    people = gettext("People")
    timed = [(LABELS[name], answers[name]) for name in (*PACES, UNKNOWN) if answers[name]]
    return {
        "rule": has_rule(campaign.settings),
        "left_out": in_steps(left_out),
        "tables": [
            (gettext("Time per answer"), gettext("Answers"), timed),
            (gettext("Share of fast answers (speeding)"), people, rows(speeding, SHARES)),
            (gettext("Longest run of equal answers (straight-lining)"), people, rows(runs, RUNS)),
            (gettext("Share of skips (item non-response)"), people, rows(skips, SHARES)),
        ],
    }


def _count(campaign: Campaign) -> tuple[Counter[str], int, list[Counter[str]]] | None:
    settings, people = campaign.settings, conduct_of(campaign).values()
    if len(people) < LEAST:
        return None
    cards = Card.objects.filter(campaign=campaign, state__in=CLOSED, pair__isnull=False)
    columns = zip(*(conduct.classes(settings) for conduct in people), strict=True)
    left_out = sum(conduct.breaks(settings) for conduct in people)
    return Counter(cards.values_list("pace", flat=True)), left_out, [Counter(column) for column in columns]


@allowed(*DECIDERS, methods=READ)
def people(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """People whose answers stand out, and those set aside: a mark and three classes. No origin, language or words."""
    settings, conduct = campaign.settings, conduct_of(campaign)
    aside = set(Person.objects.filter(campaign=campaign, aside=True).values_list("pk", flat=True))
    listed = []
    for pk in {*conduct, *aside}:
        measured = conduct.get(pk, Conduct.of([]))
        classes = measured.classes(settings)
        if pk in aside or _CONSPICUOUS & set(classes):
            answers = measured.rated + measured.skipped
            listed.append((pk in aside, -answers, pk.hex[:4], pk, [LABELS[name] for name in classes]))
    listed.sort(key=lambda row: row[:3])
    rows = [(pk, mark, set_aside, -answers, classes) for set_aside, answers, mark, pk, classes in listed]
    return render(request, "organiser/people.html", {"campaign": campaign, "people": rows})


@allowed(*DECIDERS, methods=SEND)
def person(request: HttpRequest, campaign: Campaign, person: UUID) -> HttpResponse:
    """Set the rows of one person aside, or take that back."""
    set_aside(campaign, person, request.user, aside=request.POST.get("aside") == "1")
    return redirect("organiser:people", campaign.slug)


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/moderation/people/", people, name="people"),
    path("<slug:slug>/moderation/people/<uuid:person>/", person, name="person"),
]
