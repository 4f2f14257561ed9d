"""The public page of results of a closed campaign: rounded figures, nothing of single people, nothing that may hurt."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db.models import Avg, Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from endoxa.collect import geography
from endoxa.collect.campaign import CampaignSettings, in_language
from endoxa.collect.contributor.access import holder
from endoxa.collect.contributor.frame import speak_within
from endoxa.collect.models import Campaign, Mention, Moderation, Pair, Rating, Release, State, Statement

LEAST = 5
"""People behind each figure, as in exports (`export.columns.LEAST`); pairs behind that of a country."""

ROUNDED = 5
"""Counts are given as a multiple of this, rounded down, so that one person more or less is not seen."""
_MOST_PAIRS = 10
_MOST_COUNTRIES = 20
_KNOWN = 3.0
"""Mean from which a pair is listed: "some people here say it"."""
_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Known:
    """A pair that many of those asked know."""

    country: str
    attribute: str
    language: str


@dataclass(frozen=True, slots=True)
class Found:
    """What the page says of one campaign; counts are multiples of `ROUNDED`.

    `countries` are codes that at least `LEAST` pairs are about, with their number of pairs, most first. `known` are the
    most widely known pairs among those that at least `LEAST` people rated and that hurt nobody. `release` is the number
    of the latest release, "" where there is none.
    """

    people: int
    pairs: int
    ratings: int
    countries: tuple[tuple[str, int], ...]
    known: tuple[Known, ...]
    release: str


_KEPT: dict[tuple[int, int], tuple[float, Found | None]] = {}
"""What was counted lately, by campaign and version of its settings."""


def found_in(campaign: Campaign) -> Found | None:
    """The figures of a campaign, counted once in ten minutes; None where fewer than `LEAST` people answered."""
    key, now = (campaign.pk, campaign.version), time.monotonic()
    kept = _KEPT.get(key)
    if kept is None or now - kept[0] > _SECONDS:
        kept = _KEPT[key] = (now, _count(campaign))
    return kept[1]


def _count(campaign: Campaign) -> Found | None:
    rated = Rating.objects.filter(person__campaign=campaign).values_list("person", flat=True)
    said = Mention.objects.filter(person__campaign=campaign).values_list("person", flat=True)
    written = Statement.objects.filter(campaign=campaign).exclude(text="").values_list("person", flat=True)
    many = len({*rated.distinct(), *said.distinct(), *written.distinct()})
    if many < LEAST:
        return None
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE)
    about = Counter(live.values_list("country", flat=True))
    release = Release.objects.filter(campaign=campaign).public().order_by("-made_at", "-pk").first()
    return Found(
        people=_rounded(many),
        pairs=_rounded(live.count()),
        ratings=_rounded(Rating.objects.filter(pair__in=live).count()),
        countries=tuple(
            (code, _rounded(count)) for code, count in about.most_common(_MOST_COUNTRIES) if count >= LEAST
        ),
        known=tuple(_known(live)),
        release=release.number if release else "",
    )


def _known(live: QuerySet[Pair]) -> Iterable[Known]:
    """Pairs that may be shown to everybody, those with the highest mean first."""
    judged = live.filter(negative=False, flags=[])
    rated = judged.annotate(
        people=Count("rating_rows__person", distinct=True), mean=Avg("rating_rows__value")
    )
    best = rated.filter(people__gte=LEAST, mean__gte=_KNOWN).order_by("-mean", "-people", "public_id")
    return (Known(one.country, one.attribute, one.language) for one in best[:_MOST_PAIRS] if not one.may_hurt)


def _rounded(count: int) -> int:
    return count // ROUNDED * ROUNDED


def results_day(settings: CampaignSettings) -> date | None:
    """The day from which results are shown; None where it is the day of the end."""
    return date.fromisoformat(settings.results_from) if settings.results_from else None


def is_out(campaign: Campaign) -> bool:
    """Whether the campaign shows its results now."""
    settings = campaign.settings
    day = results_day(settings)
    over = campaign.state == State.CLOSED
    return settings.results_page and over and (day is None or timezone.now().date() >= day)


@require_safe
def results(request: HttpRequest, slug: str = "") -> HttpResponse:
    """What a campaign found, or when that will be here. Without a name: the reader's campaign, or the only one."""
    campaign = _campaign(request, slug)
    if campaign is None or campaign.state == State.DRAFT or not campaign.settings.results_page:
        raise Http404
    speak_within(request, campaign)
    language = get_language() or "en"
    found = found_in(campaign) if is_out(campaign) else None
    context = {
        "title": in_language(campaign.settings.texts.title, language),
        "out": is_out(campaign),
        "day": results_day(campaign.settings),
        "found": found,
        "countries": [(geography.name(code, language), count) for code, count in found.countries]
        if found
        else (),
        "known": [(geography.from_country(one.country, language), one) for one in found.known]
        if found
        else (),
    }
    return render(request, "contributor/results.html", context)


def _campaign(request: HttpRequest, slug: str) -> Campaign | None:
    if slug:
        return Campaign.objects.filter(slug=slug).first()
    person = holder(request)
    if person is not None:
        return person.campaign
    campaigns = list(Campaign.objects.exclude(state=State.DRAFT)[:2])
    return campaigns[0] if len(campaigns) == 1 else None


urlpatterns: list[URLPattern] = [
    path("results/", results, name="results"),
    path("results/<slug:slug>/", results, name="results_of"),
]
