"""The public page of results: figures of the latest public release, else coarse ones of a day. Never live."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from endoxa_collect import groups
from endoxa_collect.anonymous import holder
from endoxa_collect.campaign import CampaignSettings, in_language
from endoxa_collect.export import editions
from endoxa_collect.export.columns import OTHER
from endoxa_collect.frame import speak_within
from endoxa_collect.models import Campaign, Moderation, Pair, Release, State
from endoxa_collect.sampler.slots import CANDIDATE
from endoxa_collect.small_cells import CROWD, LEAST, in_steps

_MOST_COUNTRIES = 20


@dataclass(frozen=True, slots=True)
class HeardPair:
    """A pair that most of those asked had heard: `heard` of `people`."""

    country: str
    attribute: str
    language: str
    heard: int
    people: int


@dataclass(frozen=True, slots=True)
class Totals:
    """What the page says of one campaign; counts are in steps (`small_cells.in_steps`).

    `pairs` are those that somebody rated, no candidates. `countries` are codes that at least `LEAST` of them are about,
    with their number, most first.
    """

    people: int
    pairs: int
    ratings: int
    countries: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Edition:
    """A public release: its number and day, what it holds, and where its people come from.

    `people`, `pairs` and `ratings` are as the release has them; None where that is not known any more. `origins` are
    people by country or countries of origin ("" for none named, `OTHER` for rare ones), most first; `about` are the
    `rated` pairs by country. All are of the tables of the release, as they were made.
    """

    number: str
    day: date
    people: int | None
    pairs: int | None
    ratings: int | None
    rated: int
    origins: tuple[tuple[str, int], ...]
    about: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """`totals` of a `day`: None where fewer than `LEAST` people answered. `edition`: None without a public release."""

    totals: Totals | None
    edition: Edition | None
    heard: tuple[HeardPair, ...]
    day: date | None


def figures_of(campaign: Campaign) -> Figures:
    """The figures of a campaign: of its latest public release, else of the day (`export.editions`)."""
    release = latest_release(campaign)
    edition = editions.of_release(campaign)
    if release is None:
        day = editions.of_day(campaign)
        return Figures(_totals(day.figures), None, _heard(day.figures), timezone.localdate(day.made_at))
    if edition is None or edition.release_id != release.pk:
        # It was made before figures were kept.
        edition = None
    numbers = edition.figures if edition else {}
    return Figures(None, _edition(release, numbers), _heard(numbers), None)


def latest_release(campaign: Campaign) -> Release | None:
    """The newest release that anybody may have."""
    return Release.objects.filter(campaign=campaign).public().order_by("-made_at", "-pk").first()


def _totals(numbers: Mapping[str, Any]) -> Totals | None:
    if numbers["answered"] < LEAST:
        return None
    about = [(code, in_steps(count)) for code, count in numbers["about"] if code != OTHER]
    return Totals(
        people=in_steps(numbers["answered"]),
        pairs=in_steps(numbers["rated"]),
        ratings=in_steps(numbers["counted"]),
        countries=tuple(about[:_MOST_COUNTRIES]),
    )


def _heard(numbers: Mapping[str, Any]) -> tuple[HeardPair, ...]:
    """The listed pairs of an edition, without those that moderators or people stopped since."""
    if numbers.get("answered", 0) < CROWD:
        return ()
    rows = {row["pair"]: row for row in numbers["heard"]}
    pairs = Pair.objects.filter(public_id__in=rows, moderation=Moderation.LIVE, negative=False, flags=[])
    shown = {str(pair.public_id) for pair in pairs if pair.need != CANDIDATE}
    return tuple(
        HeardPair(row["country"], row["attribute"], row["language"], row["heard"], row["people"])
        for pair, row in rows.items()
        if pair in shown
    )


def _edition(release: Release, numbers: Mapping[str, Any]) -> Edition:
    return Edition(
        number=release.number,
        day=timezone.localdate(release.made_at),
        people=numbers.get("people"),
        pairs=numbers.get("pairs"),
        ratings=numbers.get("ratings"),
        rated=numbers.get("rated", 0),
        origins=tuple((code, count) for code, count in numbers.get("origins", ())),
        about=tuple((code, count) for code, count in numbers.get("about", ())),
    )


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


def _bars(
    counts: Iterable[tuple[str, int]], language: str, settings: CampaignSettings
) -> list[tuple[str, int]]:
    """Names of countries with their counts; "" for people who named none."""
    return [(_place(code, language, settings), count) for code, count in counts]


def _most(counts: Iterable[tuple[str, int]]) -> int:
    """The length of the longest bar: those put together at the end may be more than the first."""
    return max((count for _, count in counts), default=0)


def _place(code: str, language: str, settings: CampaignSettings) -> str:
    if code == OTHER:
        return gettext("Other groups") if settings.groups else gettext("Other countries")
    return " + ".join(groups.name(part, language, settings) for part in code.split("; ")) if code else ""


@require_safe
def results(request: HttpRequest, slug: str = "") -> HttpResponse:
    """What a campaign found, or when that will be here. Without a name: the reader's campaign, or the only one."""
    if slug:
        campaign = Campaign.objects.filter(slug=slug).first()
    else:
        person = holder(request)
        campaign = person.campaign if person is not None else only_campaign()
    if campaign is None or campaign.state == State.DRAFT or not campaign.settings.results_page:
        raise Http404
    speak_within(request, campaign)
    language = get_language() or "en"
    over, out, settings = is_over(campaign), is_out(campaign), campaign.settings
    figures = figures_of(campaign) if out else None
    totals = figures.totals if figures and over else None
    edition = figures.edition if figures else None
    origins = edition.origins if edition else ()
    about = edition.about if edition else ()
    context = {
        "slug": campaign.slug,
        "title": in_language(settings.texts.title, language),
        "settings": settings,
        "over": over,
        "out": out,
        "day": results_day(settings),
        "totals": totals,
        "counted_on": figures.day if figures else None,
        "edition": edition,
        "published": editions.published(campaign) is not None,
        "origins": _bars(origins, language, settings),
        "origins_most": _most(origins),
        "about": _bars(about, language, settings),
        "about_most": _most(about),
        "countries": _bars(totals.countries, language, settings) if totals and not edition else (),
        "heard": [(groups.spoken(pair.country, language, settings), pair) for pair in figures.heard]
        if figures and over
        else (),
    }
    response = render(request, "contributor/results.html", context)
    if out:
        # Public: search engines may list them (see `health.robots`), without a copy of their own.
        response.headers["X-Robots-Tag"] = "noarchive"
    return response


def only_campaign() -> Campaign | None:
    """The campaign of a site that has no other, drafts aside."""
    campaigns = list(Campaign.objects.exclude(state=State.DRAFT)[:2])
    return campaigns[0] if len(campaigns) == 1 else None


urlpatterns: list[URLPattern] = [
    path("results/", results, name="results"),
    path("results/<slug:slug>/", results, name="results_of"),
]
