"""The public page of the data of a published edition: search by group, how known each saying is, downloads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import polars as pl
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from endoxa_collect import groups
from endoxa_collect.campaign import in_language
from endoxa_collect.export import editions
from endoxa_collect.export.columns import POLARITIES
from endoxa_collect.frame import speak_within
from endoxa_collect.models import Campaign, Edition, Moderation, Pair, State
from endoxa_collect.small_cells import LEAST
from endoxa_collect.visible import visible

PAGE = 25
_LONGEST = 60


@dataclass(frozen=True)
class Row:
    """A pair as the page shows it; shares are percent.

    `who`: whom it is about (`groups.spoken`). `agreement` is 100 less the variance of the ratings as a share of the
    largest possible one, 4 on a scale of 1 to 5.
    """

    who: Mapping[str, str]
    attribute: str
    language: str
    covered: bool
    people: int
    heard: int
    agreement: int


def words_in(campaign: Campaign) -> dict[str, bool]:
    """Pairs whose words may be shown now, and whether these may hurt.

    Of what a moderator took away or somebody withdrew since, the figures stay until the next edition.
    """
    live = Q(moderation=Moderation.LIVE) | Q(
        moderation=Moderation.MERGED, merged_into__moderation=Moderation.LIVE
    )
    return {str(pair.public_id): pair.may_hurt for pair in Pair.objects.filter(live, campaign=campaign)}


def rows_of(edition: Edition, country: str, query: str, shown: Collection[str]) -> pl.DataFrame:
    """Pairs of an edition with ratings of `LEAST` people or more: of a country, with these words; best known first.

    Only words that are `shown` are found, or a search would tell what was taken away.
    """
    pairs = editions.pairs_of(edition).filter(pl.col("ratings") >= LEAST)
    if country:
        pairs = pairs.filter(pl.col("country") == country)
    if query:
        pairs = pairs.filter(pl.col("association_id").is_in(list(shown)))
        words = pl.col("attribute").str.to_lowercase() + " " + pl.col("identity").str.to_lowercase()
        pairs = pairs.filter(words.str.contains(query.lower(), literal=True))
    return pairs.sort(["knowers", "ratings", "association_id"], descending=[True, True, False])


def _opened(slug: str) -> tuple[Campaign, Edition]:
    campaign = Campaign.objects.filter(slug=slug).exclude(state=State.DRAFT).first()
    edition = editions.published(campaign) if campaign else None
    if campaign is None or edition is None:
        raise Http404
    return campaign, edition


@require_safe
def data(request: HttpRequest, slug: str) -> HttpResponse:
    """Pairs of the published edition, a page at a time."""
    campaign, edition = _opened(slug)
    speak_within(request, campaign)
    language = get_language() or "en"
    country = request.GET.get("group", "")
    query = visible(request.GET.get("q", ""))[:_LONGEST].strip()
    codes = editions.pairs_of(edition).filter(pl.col("ratings") >= LEAST)["country"].unique().to_list()
    country = country if country in codes else ""
    words = words_in(campaign)
    matching = rows_of(edition, country, query, words).to_dicts()
    page = Paginator(matching, PAGE).get_page(request.GET.get("page"))
    rows = [
        Row(
            groups.spoken(row["country"], language, campaign.settings),
            row["attribute"] if row["association_id"] in words else "",
            row["language"],
            row["polarity"] != POLARITIES[False] or words.get(row["association_id"], True),
            row["ratings"],
            round(100 * row["knowers"]),
            round(100 * (1 - (row["variance"] or 0) / 4)),
        )
        for row in page.object_list
    ]
    kept = request.GET.copy()
    kept.pop("page", None)
    context = {
        "slug": slug,
        "title": in_language(campaign.settings.texts.title, language),
        "settings": campaign.settings,
        "edition": edition,
        "day": timezone.localdate(edition.made_at),
        "groups": sorted((groups.name(code, language, campaign.settings), code) for code in codes),
        "group": country,
        "query": query,
        "rows": rows,
        "page": page,
        "kept": kept.urlencode(),
        "least": LEAST,
    }
    return render(request, "contributor/data.html", context)


@require_safe
def archive(_request: HttpRequest, slug: str) -> HttpResponse:
    """All tables of the published edition, with their data card, as one zip file."""
    _, edition = _opened(slug)
    response = HttpResponse(bytes(edition.archive), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{edition.release}.zip"'
    return response


@require_safe
def card(_request: HttpRequest, slug: str) -> HttpResponse:
    """The data card of the published edition, as text."""
    _, edition = _opened(slug)
    return HttpResponse(editions.card_of(edition), content_type="text/plain; charset=utf-8")


urlpatterns: list[URLPattern] = [
    path("data/<slug:slug>/", data, name="data"),
    path("data/<slug:slug>/download/", archive, name="data_archive"),
    path("data/<slug:slug>/card/", card, name="data_card"),
]
