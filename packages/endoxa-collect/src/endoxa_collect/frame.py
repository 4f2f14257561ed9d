"""What stands round every page of contributors and of a panel: the language, the campaign's title, whom to write to."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from endoxa_collect import geography
from endoxa_collect.campaign import CampaignSettings, HelpLine, in_language
from endoxa_collect.models import Campaign, State

_FALLBACK = "en"


def frame(request: HttpRequest) -> dict[str, Any]:
    """Context processor: gives templates `frame`, for the campaign of `request`.

    `language` is the own name of the page's, `languages` are those to choose from, as pairs (code, own name). `title`
    is "" where no campaign is known. `paused` tells a break from the end, on the page of a campaign that is not open.
    """
    campaign = campaign_of(request)
    spoken = translation.get_language() or _FALLBACK
    shown: dict[str, Any] = {"languages": settings.LANGUAGES}
    shown["language"] = dict(settings.LANGUAGES).get(spoken, spoken)
    if campaign is not None:
        written = campaign.settings
        shown |= {
            "languages": [(code, name) for code, name in settings.LANGUAGES if code in written.ui_languages],
            "title": in_language(written.texts.title, spoken),
            "organisation": written.organisation,
            "contact": written.contact,
            "paused": campaign.state == State.PAUSED,
        }
    return {"frame": shown}


def campaign_of(request: HttpRequest) -> Campaign | None:
    """The campaign a page belongs to: the one its view set, else the one the person joined."""
    person = getattr(request, "person", None)
    shown: Campaign | None = getattr(request, "campaign", None)
    return shown or (person.campaign if person else None)


def speak_within(request: HttpRequest, campaign: Campaign) -> None:
    """Show a page as one of this campaign, in English (else its first language) where it lacks the one asked for."""
    request.campaign = campaign  # type: ignore[attr-defined]
    offered = campaign.settings.ui_languages
    language = translation.get_language()
    if language not in offered:
        language = _FALLBACK if _FALLBACK in offered else offered[0]
        translation.activate(language)
    request.LANGUAGE_CODE = language


def nearest_first(written: CampaignSettings, origins: Collection[str]) -> tuple[HelpLine, ...]:
    """Help lines of the person's countries, then those for everybody, then the others."""
    return tuple(
        sorted(written.help_lines, key=lambda line: (line.country not in origins, line.country != ""))
    )


def _browser_languages(request: HttpRequest) -> list[str]:
    """Languages that the browser asks for, as it names them (es-CO), in its order."""
    tags = (part.partition(";")[0].strip() for part in request.headers.get("accept-language", "").split(","))
    return [tag for tag in tags if tag]


def country_of_browser(request: HttpRequest, campaign: Collection[str] = ()) -> str:
    """The country in a language that the browser asks for (es-CO: CO); "" where it names none.

    The first that is one of the `campaign`: a phone in English mostly asks for en-US before it asks for es-CO. It only
    decides which boxes come first and is not stored.
    """
    regions = [tag.rpartition("-")[2].upper() for tag in _browser_languages(request) if "-" in tag]
    countries = [region for region in regions if region in geography.codes()]
    return next((code for code in countries if code in campaign), countries[0] if countries else "")


def speaks(request: HttpRequest, languages: Collection[str]) -> bool:
    """Whether somebody chose a language on this phone, or the browser asks for one of these."""
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return chosen in languages or any(
        tag.partition("-")[0] in languages for tag in _browser_languages(request)
    )
