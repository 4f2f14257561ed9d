"""The public page of results: rounded figures of a closed campaign, and what its latest public release holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from endoxa_collect import geography
from endoxa_collect.campaign import CampaignSettings, in_language
from endoxa_collect.contributor.access import holder
from endoxa_collect.contributor.figures import OTHER, figures_of, latest_release
from endoxa_collect.contributor.frame import speak_within
from endoxa_collect.models import Campaign, State


def results_day(settings: CampaignSettings) -> date | None:
    """The day from which results are shown; None where it is the day of the end."""
    return date.fromisoformat(settings.results_from) if settings.results_from else None


def planned_end(campaign: Campaign) -> date | None:
    """The day on which the organisers mean to close the campaign; None where that is not known, or was yesterday."""
    if campaign.began_at is None:
        return None
    day = timezone.localdate(campaign.began_at + timedelta(minutes=campaign.settings.minutes))
    return day if day >= timezone.localdate() else None


def _may_show(campaign: Campaign) -> bool:
    """Whether the organisers want a page of results, and by now."""
    day = results_day(campaign.settings)
    return campaign.settings.results_page and (day is None or timezone.localdate() >= day)


def is_over(campaign: Campaign) -> bool:
    """Whether the campaign shows now what it found."""
    return _may_show(campaign) and campaign.state == State.CLOSED


def is_out(campaign: Campaign) -> bool:
    """Whether the page has anything to show now: the campaign is over, or a public release exists."""
    return is_over(campaign) or (_may_show(campaign) and latest_release(campaign) is not None)


@dataclass(frozen=True, slots=True)
class Bar:
    """One country of a chart; `name` "" for people who named none."""

    name: str
    count: int


def _bars(counts: Iterable[tuple[str, int]], language: str) -> list[Bar]:
    return [Bar(_place(code, language), count) for code, count in counts]


def _place(code: str, language: str) -> str:
    if code == OTHER:
        return gettext("Other countries")
    return " + ".join(geography.name(part, language) for part in code.split("; ")) if code else ""


@require_safe
def results(request: HttpRequest, slug: str = "") -> HttpResponse:
    """What a campaign found, or when that will be here. Without a name: the reader's campaign, or the only one."""
    campaign = _campaign(request, slug)
    if campaign is None or campaign.state == State.DRAFT or not campaign.settings.results_page:
        raise Http404
    speak_within(request, campaign)
    language = get_language() or "en"
    over, out, settings = is_over(campaign), is_out(campaign), campaign.settings
    figures = figures_of(campaign) if out else None
    found = figures.found if figures and over else None
    edition = figures.edition if figures else None
    context = {
        "title": in_language(settings.texts.title, language),
        "settings": settings,
        "over": over,
        "out": out,
        "day": results_day(settings),
        "found": found,
        "edition": edition,
        "origins": _bars(edition.origins, language) if edition else (),
        "about": _bars(edition.about, language) if edition else (),
        "countries": _bars(found.countries, language) if found and not edition else (),
        "known": [(geography.from_country(one.country, language), one) for one in found.known]
        if found
        else (),
    }
    return render(request, "contributor/results.html", context)


def _campaign(request: HttpRequest, slug: str) -> Campaign | None:
    if slug:
        return Campaign.objects.filter(slug=slug).first()
    person = holder(request)
    return person.campaign if person is not None else only_campaign()


def only_campaign() -> Campaign | None:
    """The campaign of a site that has no other, drafts aside."""
    campaigns = list(Campaign.objects.exclude(state=State.DRAFT)[:2])
    return campaigns[0] if len(campaigns) == 1 else None


urlpatterns: list[URLPattern] = [
    path("results/", results, name="results"),
    path("results/<slug:slug>/", results, name="results_of"),
]
