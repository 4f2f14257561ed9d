"""How people answer, in classes: figures for the dashboard, and the page on which a moderator sets somebody aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from endoxa_collect.cards.aside import set_aside
from endoxa_collect.cards.conduct import PACES, RUNS, SHARES, UNKNOWN, conduct_of, has_rule
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


@dataclass(frozen=True)
class Quality:
    """Answers by class of time, and people by class, in steps; `left_out` are those of the rule."""

    answers: Sequence[tuple[str, int]]
    speeding: Sequence[tuple[str, int]]
    straight_lining: Sequence[tuple[str, int]]
    nonresponse: Sequence[tuple[str, int]]
    rule: bool
    left_out: int


def quality_of(campaign: Campaign) -> Quality | None:
    """The figures, some seconds old; None while fewer than `LEAST` people answered cards."""
    return cached(campaign, "quality", lambda: _count(campaign))


def _count(campaign: Campaign) -> Quality | None:
    settings, people = campaign.settings, conduct_of(campaign)
    if len(people) < LEAST:
        return None
    cards = Card.objects.filter(campaign=campaign, state__in=CLOSED, pair__isnull=False)
    answers = Counter(cards.values_list("pace", flat=True))
    classes = [conduct.classes(settings) for conduct in people.values()]
    speeding, runs, skips = (Counter(column) for column in zip(*classes, strict=True))

    def rows(counted: Counter[str], names: Sequence[str]) -> list[tuple[str, int]]:
        return [(name, in_steps(counted[name])) for name in (*names, UNKNOWN) if counted[name] >= LEAST]

    return Quality(
        answers=[(name, answers[name]) for name in (*PACES, UNKNOWN) if answers[name]],
        speeding=rows(speeding, SHARES),
        straight_lining=rows(runs, RUNS),
        nonresponse=rows(skips, SHARES),
        rule=has_rule(settings),
        left_out=in_steps(sum(conduct.breaks(settings) for conduct in people.values())),
    )


def named(rows: Sequence[tuple[str, int]]) -> list[tuple[Promise, int]]:
    """The same with the words of pages."""
    return [(LABELS[name], count) for name, count in rows]


@dataclass(frozen=True)
class Somebody:
    """A person as moderators see one: a mark, how many answers, three classes. No origin, language or words."""

    pk: UUID
    mark: str
    answers: int
    speeding: Promise
    straight_lining: Promise
    nonresponse: Promise
    aside: bool


@allowed(*DECIDERS, methods=READ)
def people(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """People whose answers stand out, and those who are set aside."""
    settings, conduct = campaign.settings, conduct_of(campaign)
    aside = set(Person.objects.filter(campaign=campaign, aside=True).values_list("pk", flat=True))
    listed = []
    for pk in {*conduct, *aside}:
        measured = conduct.get(pk)
        classes = measured.classes(settings) if measured else (UNKNOWN, UNKNOWN, UNKNOWN)
        if pk in aside or _CONSPICUOUS & set(classes):
            answers = measured.rated + measured.skipped if measured else 0
            speeding, straight_lining, nonresponse = (LABELS[name] for name in classes)
            listed.append(
                Somebody(pk, pk.hex[:4], answers, speeding, straight_lining, nonresponse, pk in aside)
            )
    listed.sort(key=lambda somebody: (somebody.aside, -somebody.answers, somebody.mark))
    return render(request, "organiser/people.html", {"campaign": campaign, "people": listed})


@allowed(*DECIDERS, methods=SEND)
def person(request: HttpRequest, campaign: Campaign, person: UUID) -> HttpResponse:
    """Set the rows of one person aside, or take that back."""
    set_aside(campaign, person, request.user, aside=request.POST.get("aside") == "1")
    return redirect("organiser:people", campaign.slug)


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/moderation/people/", people, name="people"),
    path("<slug:slug>/moderation/people/<uuid:person>/", person, name="person"),
]
