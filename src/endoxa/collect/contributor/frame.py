"""What every page shows round its own content: the campaign's name, languages to choose from, whom to write to."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language

from endoxa.collect.campaign.settings import in_language
from endoxa.collect.models import Campaign, State


@dataclass(frozen=True, slots=True)
class Frame:
    """The frame of one page.

    `language` is the own name of the one it is in, `languages` are those to choose from, as pairs (code, own name).
    `title` is "" where no campaign is known. `paused` tells a break from the end, on the page of a campaign that is
    not open.
    """

    title: str
    organisation: str
    contact: str
    language: str
    languages: tuple[tuple[str, str], ...]
    paused: bool = False


def frame(request: HttpRequest) -> dict[str, Frame]:
    """Context processor: gives templates `frame`, for the campaign of `request`."""
    campaign = campaign_of(request)
    spoken = get_language() or "en"
    own_name = dict(settings.LANGUAGES).get(spoken, spoken)
    if campaign is None:
        return {"frame": Frame("", "", "", own_name, tuple(settings.LANGUAGES))}
    told = campaign.settings
    offered = tuple((code, name) for code, name in settings.LANGUAGES if code in told.ui_languages)
    title = in_language(told.texts.title, spoken)
    paused = campaign.state == State.PAUSED
    return {"frame": Frame(title, told.organisation, told.contact, own_name, offered, paused)}


def campaign_of(request: HttpRequest) -> Campaign | None:
    """The campaign a page belongs to: the one its view set, else the one the person joined."""
    person = getattr(request, "person", None)
    shown: Campaign | None = getattr(request, "campaign", None)
    return shown or (person.campaign if person else None)
