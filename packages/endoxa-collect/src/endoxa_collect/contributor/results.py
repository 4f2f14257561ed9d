"""The public page of results: coarse figures of a campaign, and those of its latest public release."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from endoxa_collect import geography
from endoxa_collect.campaign import CampaignSettings, in_language
from endoxa_collect.cards.caching import Cache
from endoxa_collect.contributor.access import holder
from endoxa_collect.contributor.frame import speak_within
from endoxa_collect.models import (
    AuditEntry,
    Campaign,
    Mention,
    Moderation,
    Pair,
    Person,
    Rating,
    Release,
    State,
    Statement,
)
from endoxa_collect.sampler.slots import CANDIDATE

LEAST = 5
"""People behind each figure, as in exports (`export.columns.LEAST`); pairs behind that of a country."""

ROUNDED = 5
"""Counts are given as a multiple of this, rounded down, so that one person more or less is not seen."""

CROWD = 10
"""People who must have taken part before single pairs are shown: a pair is rated by few of them."""

RATERS = 3
"""People who must have rated a pair that is shown, where the campaign asks for fewer (`sampler.k`)."""

OTHER = "other"
"""Stands for countries with fewer than `LEAST` people, as in exports."""
_MOST_PAIRS = 10
_MOST_COUNTRIES = 20
_SECONDS = 600.0
_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Known:
    """A pair that most of those asked had heard: `heard` of `asked` people."""

    country: str
    attribute: str
    language: str
    heard: int
    asked: int


@dataclass(frozen=True, slots=True)
class Found:
    """What the page says of one campaign; counts are multiples of `ROUNDED`.

    `pairs` are those that somebody rated, no candidates. `countries` are codes that at least `LEAST` of them are about,
    with their number, most first. `known`: see `_known`.
    """

    people: int
    pairs: int
    ratings: int
    countries: tuple[tuple[str, int], ...]
    known: tuple[Known, ...]


@dataclass(frozen=True, slots=True)
class Edition:
    """A public release: its number and day, what it holds, and where its people come from.

    `people`, `pairs` and `ratings` are as the release has them; None where that is not known any more. `origins` are
    people by country or countries of origin ("" for none named, `OTHER` for rare ones), most first; `about` are the
    `rated` pairs by country. These leave out what was withdrawn since.
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
    """`found`: None where fewer than `LEAST` people answered. `edition`: None where there is no public release."""

    found: Found | None
    edition: Edition | None


_KEPT: Cache[tuple[int, int, int], Figures] = Cache(_SECONDS)
"""What was counted lately, by campaign, version of its settings and release: a new release is there at once."""


def figures_of(campaign: Campaign) -> Figures:
    """The figures of a campaign, counted once in ten minutes and after each release."""
    release = latest_release(campaign)
    key = (campaign.pk, campaign.version, release.pk if release else 0)
    return _KEPT.get(key, lambda: Figures(_count(campaign), _edition(release) if release else None))


def latest_release(campaign: Campaign) -> Release | None:
    """The newest release that anybody may have."""
    return Release.objects.filter(campaign=campaign).public().order_by("-made_at", "-pk").first()


def _count(campaign: Campaign) -> Found | None:
    rated = Rating.objects.filter(person__campaign=campaign).values_list("person", flat=True)
    said = Mention.objects.filter(person__campaign=campaign).values_list("person", flat=True)
    written = Statement.objects.filter(campaign=campaign).exclude(text="").values_list("person", flat=True)
    many = len({*rated.distinct(), *said.distinct(), *written.distinct()})
    if many < LEAST:
        return None
    asked = _asked(campaign)
    about = Counter(asked.values_list("country", flat=True))
    return Found(
        people=_rounded(many),
        pairs=_rounded(asked.count()),
        ratings=_rounded(Rating.objects.filter(pair__in=asked).count()),
        countries=tuple(
            (code, _rounded(count)) for code, count in about.most_common(_MOST_COUNTRIES) if count >= LEAST
        ),
        known=tuple(_known(campaign, asked)) if many >= CROWD else (),
    )


def _asked(campaign: Campaign) -> QuerySet[Pair]:
    """Live pairs that somebody rated."""
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE, ratings__gt=0)
    return live.exclude(need=CANDIDATE)


def _known(campaign: Campaign, asked: QuerySet[Pair]) -> Iterable[Known]:
    """Pairs that may be shown to everybody and that more than half of those asked had heard, the surest first.

    All their ratings are in: k, and `RATERS` people or more. They are judged not to hurt, and nobody flagged them. They
    are ordered by the lower end of the 95 % interval of the share that had heard them (Wilson 1927), so that five of
    five come before three of three.
    """
    least = max(RATERS, campaign.settings.sampler.k)
    shown = asked.filter(negative=False, flags=[], ratings__gte=least)
    given = Rating.objects.filter(Q(pair__in=shown) | Q(pair__merged_into__in=shown))
    counted = given.annotate(root=Coalesce("pair__merged_into", "pair")).values("root").order_by()
    people = counted.annotate(
        asked=Count("person", distinct=True), heard=Count("person", distinct=True, filter=Q(value__gt=1))
    )
    found = {row["root"]: (row["heard"], row["asked"]) for row in people}
    pairs = {pair.pk: pair for pair in shown.filter(pk__in=found) if not pair.may_hurt}
    best = sorted(
        (pk for pk in pairs if found[pk][1] >= least and 2 * found[pk][0] > found[pk][1]),
        key=lambda pk: (-_lower(*found[pk]), str(pairs[pk].public_id)),
    )
    return (
        Known(pairs[pk].country, pairs[pk].attribute, pairs[pk].language, *found[pk])
        for pk in best[:_MOST_PAIRS]
    )


def _lower(heard: int, asked: int) -> float:
    """The lower end of the 95 % interval of a share (Wilson 1927)."""
    share, square = heard / asked, _Z**2
    middle = share + square / (2 * asked)
    half = _Z * math.sqrt(share * (1 - share) / asked + square / (4 * asked**2))
    return (middle - half) / (1 + square / asked)


def _rounded(count: int) -> int:
    return count // ROUNDED * ROUNDED


def _edition(release: Release) -> Edition:
    campaign = release.campaign
    written = AuditEntry.objects.filter(campaign=campaign, action="release", detail__release=release.number)
    rows = written.order_by("-pk").values_list("detail", flat=True).first() or {}
    people = Person.objects.filter(campaign=campaign, consent_hour__lte=release.made_at)
    origins = Counter("; ".join(sorted(codes)) for codes in people.values_list("origins", flat=True))
    known, rated = rows.get("people"), _rated(release)
    return Edition(
        number=release.number,
        day=timezone.localdate(release.made_at),
        people=None if known is None else known + rows.get("people_without_key", 0),
        pairs=rows.get("pairs"),
        ratings=rows.get("ratings"),
        rated=sum(pairs for pairs, _ in rated.values()),
        origins=tuple(merged(origins)),
        about=tuple(_about(rated)),
    )


def merged(people: Mapping[str, int], least: int = LEAST) -> list[tuple[str, int]]:
    """People by country, those with fewer than `least` put together, as exports do it (`people.merge_small_cells`).

    Where those are too few, the smallest country joins them, so that nobody can tell who is left over.
    """
    kept = {country: number for country, number in people.items() if number >= least}
    rest = sum(people.values()) - sum(kept.values())
    while 0 < rest < least and kept:
        smallest = min(kept, key=lambda country: (kept[country], country))
        rest += kept.pop(smallest)
    found = sorted(kept.items(), key=lambda one: (-one[1], one[0]))
    return [*found, (OTHER, rest)] if rest >= least else found


def _rated(release: Release) -> dict[str, tuple[int, int]]:
    """Pairs that were rated before a release, and people who did, by country that they are about."""
    given = Rating.objects.filter(
        person__campaign=release.campaign,
        created_at__lte=release.made_at,
        pair__moderation=Moderation.LIVE,
    )
    by_country = given.values("pair__country").order_by()
    counts = by_country.annotate(pairs=Count("pair", distinct=True), people=Count("person", distinct=True))
    return {row["pair__country"]: (row["pairs"], row["people"]) for row in counts}


def _about(rows: Mapping[str, tuple[int, int]]) -> Iterable[tuple[str, int]]:
    """Rated pairs by country, most first; countries with few pairs or raters together."""
    kept = {code: pairs for code, (pairs, people) in rows.items() if min(pairs, people) >= LEAST}
    rest = sum(pairs for code, (pairs, _) in rows.items() if code not in kept)
    found = sorted(kept.items(), key=lambda one: (-one[1], one[0]))
    return [*found, (OTHER, rest)] if rest >= LEAST else found


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
