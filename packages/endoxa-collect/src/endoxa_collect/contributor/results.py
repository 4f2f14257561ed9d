"""The public page of results: coarse figures of a campaign, and those of its latest public release."""

from __future__ import annotations

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

from endoxa_collect import groups
from endoxa_collect.campaign import CampaignSettings, in_language
from endoxa_collect.cards.locking import Cache
from endoxa_collect.contributor.access import holder, speak_within
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
    """What the page says of one campaign; counts are multiples of `ROUNDED`.

    `pairs` are those that somebody rated, no candidates. `countries` are codes that at least `LEAST` of them are about,
    with their number, most first. `heard`: see `_most_heard`.
    """

    people: int
    pairs: int
    ratings: int
    countries: tuple[tuple[str, int], ...]
    heard: tuple[HeardPair, ...]


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
    """`totals`: None where fewer than `LEAST` people answered. `edition`: None where there is no public release."""

    totals: Totals | None
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


def _count(campaign: Campaign) -> Totals | None:
    rated = Rating.objects.filter(person__campaign=campaign).values_list("person", flat=True)
    added = Mention.objects.filter(person__campaign=campaign).values_list("person", flat=True)
    written = Statement.objects.filter(campaign=campaign).exclude(text="").values_list("person", flat=True)
    many = len({*rated.distinct(), *added.distinct(), *written.distinct()})
    if many < LEAST:
        return None
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE, ratings__gt=0)
    pairs = live.exclude(need=CANDIDATE)
    about = Counter(pairs.values_list("country", flat=True))
    return Totals(
        people=_rounded(many),
        pairs=_rounded(pairs.count()),
        ratings=_rounded(Rating.objects.filter(pair__in=pairs).count()),
        countries=tuple(
            (code, _rounded(count)) for code, count in about.most_common(_MOST_COUNTRIES) if count >= LEAST
        ),
        heard=tuple(_most_heard(campaign, pairs)) if many >= CROWD else (),
    )


def _most_heard(campaign: Campaign, rated: QuerySet[Pair]) -> Iterable[HeardPair]:
    """Pairs that may be shown to everybody and that more than half of those asked had heard, the surest first.

    All their ratings are in: k, and `RATERS` people or more. They are judged not to hurt, and nobody flagged them. They
    are ordered by the lower end of the 95 % interval of the share that had heard them (Wilson 1927), so that five of
    five come before three of three.
    """
    from endoxa.stats.intervals import wilson

    least = max(RATERS, campaign.settings.sampler.k)
    shown = rated.filter(negative=False, flags=[], ratings__gte=least)
    ratings = Rating.objects.filter(Q(pair__in=shown) | Q(pair__merged_into__in=shown))
    by_root = ratings.annotate(root=Coalesce("pair__merged_into", "pair")).values("root").order_by()
    counts = {
        row["root"]: (row["heard"], row["people"])
        for row in by_root.annotate(
            people=Count("person", distinct=True), heard=Count("person", distinct=True, filter=Q(value__gt=1))
        )
    }
    pairs = {pair.pk: pair for pair in shown.filter(pk__in=counts) if not pair.may_hurt}
    best = sorted(
        (pk for pk in pairs if counts[pk][1] >= least and 2 * counts[pk][0] > counts[pk][1]),
        key=lambda pk: (-wilson(*counts[pk], 0.95).low, str(pairs[pk].public_id)),
    )
    return (
        HeardPair(pairs[pk].country, pairs[pk].attribute, pairs[pk].language, *counts[pk])
        for pk in best[:_MOST_PAIRS]
    )


def _rounded(count: int) -> int:
    return count // ROUNDED * ROUNDED


def _edition(release: Release) -> Edition:
    campaign = release.campaign
    written = AuditEntry.objects.filter(campaign=campaign, action="release", detail__release=release.number)
    rows = written.order_by("-pk").values_list("detail", flat=True).first() or {}
    people = Person.objects.filter(campaign=campaign, consent_hour__lte=release.made_at)
    origins = Counter("; ".join(sorted(codes)) for codes in people.values_list("origins", flat=True))
    ratings = Rating.objects.filter(
        person__campaign=campaign, created_at__lte=release.made_at, pair__moderation=Moderation.LIVE
    )
    counts = ratings.values("pair__country").order_by()
    counts = counts.annotate(pairs=Count("pair", distinct=True), raters=Count("person", distinct=True))
    about: Counter[str] = Counter()
    for row in counts:
        # Countries with few pairs or raters are shown together.
        about[row["pair__country"] if min(row["pairs"], row["raters"]) >= LEAST else OTHER] += row["pairs"]
    rated, others = about.total(), about.pop(OTHER, 0)
    exported = rows.get("people")
    return Edition(
        number=release.number,
        day=timezone.localdate(release.made_at),
        people=None if exported is None else exported + rows.get("people_without_key", 0),
        pairs=rows.get("pairs"),
        ratings=rows.get("ratings"),
        rated=rated,
        origins=tuple(merged(origins)),
        about=(*_ranked(about), *([(OTHER, others)] if others >= LEAST else ())),
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
    return [*_ranked(kept), *([(OTHER, rest)] if rest >= least else [])]


def _ranked(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Countries with their counts, the largest first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


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
        "title": in_language(settings.texts.title, language),
        "settings": settings,
        "over": over,
        "out": out,
        "day": results_day(settings),
        "totals": totals,
        "edition": edition,
        "origins": _bars(origins, language, settings),
        "origins_most": _most(origins),
        "about": _bars(about, language, settings),
        "about_most": _most(about),
        "countries": _bars(totals.countries, language, settings) if totals and not edition else (),
        "heard": [(groups.spoken(pair.country, language, settings), pair) for pair in totals.heard]
        if totals
        else (),
    }
    return render(request, "contributor/results.html", context)


def only_campaign() -> Campaign | None:
    """The campaign of a site that has no other, drafts aside."""
    campaigns = list(Campaign.objects.exclude(state=State.DRAFT)[:2])
    return campaigns[0] if len(campaigns) == 1 else None


urlpatterns: list[URLPattern] = [
    path("results/", results, name="results"),
    path("results/<slug:slug>/", results, name="results_of"),
]
