"""The public page of results: figures of the latest public release, else those of a day, and the data to take.

Nothing of it is live. What an organiser published can be downloaded, whether or not the campaign has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from endoxa_collect import groups
from endoxa_collect.anonymous import holder
from endoxa_collect.campaign import CampaignSettings, in_language
from endoxa_collect.export import editions
from endoxa_collect.export.columns import OTHER
from endoxa_collect.frame import speak_within
from endoxa_collect.models import Campaign, Edition, Moderation, Pair, State
from endoxa_collect.sampler.slots import CANDIDATE
from endoxa_collect.small_cells import CROWD, LEAST


def heard(numbers: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The listed pairs of an edition, without those that moderators or people stopped since."""
    if numbers.get("answered", 0) < CROWD:
        return []
    rows = {row["pair"]: row for row in numbers["heard"]}
    pairs = Pair.objects.filter(public_id__in=rows, moderation=Moderation.LIVE, negative=False, flags=[])
    shown = {str(pair.public_id) for pair in pairs if pair.need != CANDIDATE}
    return [row for pair, row in rows.items() if pair in shown]


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
    return is_over(campaign) or (_may_show(campaign) and editions.of_release(campaign) is not None)


def _bars(counts: Iterable[tuple[str, int]], settings: CampaignSettings) -> list[tuple[str, int]]:
    """Names of countries with their counts; "" for people who named none."""
    spoken = get_language() or "en"
    others = gettext("Other groups") if settings.groups else gettext("Other countries")

    def name(code: str) -> str:
        return " + ".join(groups.name(part, spoken, settings) for part in code.split("; ") if part)

    return [(others if code == OTHER else name(code), count) for code, count in counts]


@require_safe
def results(request: HttpRequest, slug: str = "") -> HttpResponse:
    """What a campaign found, or when that will be here. Without a name: the reader's campaign, or the only one."""
    if slug:
        campaign = Campaign.objects.filter(slug=slug).exclude(state=State.DRAFT).first()
    else:
        person = holder(request)
        campaign = person.campaign if person is not None else only_campaign()
    published = editions.published(campaign) if campaign else None
    if campaign is None or not (campaign.settings.results_page or published):
        raise Http404
    speak_within(request, campaign)
    spoken, settings = get_language() or "en", campaign.settings
    over, out = is_over(campaign), is_out(campaign)
    edition = (editions.of_release(campaign) or editions.of_day(campaign)) if out else published
    out = edition is not None
    numbers, release = (edition.figures, edition.release) if edition else ({}, None)
    context: dict[str, Any] = {
        "slug": campaign.slug,
        "title": in_language(settings.texts.title, spoken),
        "settings": settings,
        "over": over,
        "out": out,
        "day": results_day(settings),
        "release": release,
        "few": numbers.get("answered", LEAST) < LEAST and not release,
        "edition": edition,
        "published": published,
        "heard": [
            (groups.spoken(row["country"], spoken, settings), row) for row in (heard(numbers) if over else ())
        ],
    }
    for name in ("origins", "about"):
        # The next release may differ from the figures of a day by one person: their country is not told by that.
        counts = numbers.get(name, ()) if release or name == "about" else ()
        # Those put together at the end may be more than the first.
        context |= {name: _bars(counts, settings), f"{name}_most": max((n for _, n in counts), default=0)}
    response = render(request, "contributor/results.html", context)
    if out:
        # Public: search engines may list them (see `health.robots`), without a copy of their own.
        response.headers["X-Robots-Tag"] = "noarchive"
    return response


def _opened(slug: str) -> Edition:
    campaign = Campaign.objects.filter(slug=slug).exclude(state=State.DRAFT).first()
    edition = editions.published(campaign) if campaign else None
    if edition is None:
        raise Http404
    return edition


@require_safe
def archive(_request: HttpRequest, slug: str) -> HttpResponse:
    """All tables of the published edition, with their data card, as one zip file."""
    edition = _opened(slug)
    number = edition.release.number if edition.release else ""
    response = HttpResponse(bytes(edition.archive), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{number}.zip"'
    return response


@require_safe
def card(_request: HttpRequest, slug: str) -> HttpResponse:
    """The data card of the published edition, as text."""
    return HttpResponse(editions.card_of(_opened(slug)), content_type="text/plain; charset=utf-8")


def only_campaign() -> Campaign | None:
    """The campaign of a site that has no other, drafts aside."""
    campaigns = list(Campaign.objects.exclude(state=State.DRAFT)[:2])
    return campaigns[0] if len(campaigns) == 1 else None


urlpatterns: list[URLPattern] = [
    path("results/", results, name="results"),
    path("results/<slug:slug>/", results, name="results_of"),
    path("data/<slug:slug>/", RedirectView.as_view(pattern_name="contributor:results_of"), name="data"),
    path("data/<slug:slug>/download/", archive, name="data_archive"),
    path("data/<slug:slug>/card/", card, name="data_card"),
]
