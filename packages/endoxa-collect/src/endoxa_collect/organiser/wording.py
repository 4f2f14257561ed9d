"""The forecast in sentences; labels of states, roles and balances; figures with the names of their rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TypeVar

from babel.numbers import format_decimal
from django.utils.functional import Promise
from django.utils.translation import (
    get_language,
    gettext,
    gettext_lazy,
    ngettext,
    pgettext,
    pgettext_lazy,
    to_locale,
)

from endoxa_collect import groups
from endoxa_collect.campaign import CampaignSettings, in_language
from endoxa_collect.models import Campaign, Role, State
from endoxa_collect.organiser.figures import Coverage, Figures
from endoxa_collect.sampler import Balance
from endoxa_collect.small_cells import OTHERS

Value = TypeVar("Value")


def title_of(campaign: Campaign) -> str:
    """The title as the settings have it now, in the language of the page; the address's name where there is none."""
    return in_language(campaign.settings.texts.title, get_language() or "en") or campaign.slug


STATES: dict[str, Promise] = {
    State.DRAFT: pgettext_lazy("campaign", "not open yet"),
    State.OPEN: pgettext_lazy("campaign", "open"),
    State.PAUSED: pgettext_lazy("campaign", "paused"),
    State.CLOSED: pgettext_lazy("campaign", "closed"),
}


def state_of(campaign: Campaign) -> str:
    """How a campaign stands, in a word or two; it is not called open before somebody opened it."""
    if campaign.state == State.OPEN and campaign.rehearsing:
        return pgettext("campaign", "rehearsal")
    return str(STATES[campaign.state])


ROLES: dict[str, Promise] = {
    Role.ORGANISER: gettext_lazy("organiser"),
    Role.MODERATOR: gettext_lazy("moderator"),
    Role.REVIEWER: gettext_lazy("reviewer"),
    Role.RESEARCHER: gettext_lazy("researcher"),
}

BALANCES: dict[str, Promise] = {
    "": gettext_lazy("Automatic"),
    Balance.EXPLORE: gettext_lazy("Collect new pairs"),
    Balance.BALANCE: gettext_lazy("Half and half"),
    Balance.SPARSE: gettext_lazy("A few new pairs"),
    Balance.VALIDATE: gettext_lazy("Ratings only"),
}
"""What contributors are asked for; "" leaves it to the forecast."""


def digits(number: int) -> str:
    """A number as the language of the page groups its digits: 5,466 or 5 466."""
    return format_decimal(number, locale=to_locale(get_language() or "en"))


def named(
    rows: Iterable[tuple[str, Value]], settings: CampaignSettings, others: str
) -> list[tuple[str, Value]]:
    """Rows with the names of their countries in the language of the page; `others` is the name of the last one."""
    here = get_language() or "en"
    return [(others if code == OTHERS else groups.name(code, here, settings), value) for code, value in rows]


def bars(coverage: Iterable[Coverage], settings: CampaignSettings) -> list[tuple[str, Coverage]]:
    """The rows with the names of their countries in the language of the page."""
    others = gettext("Other groups") if settings.groups else gettext("Other countries")
    return named(((row.country, row) for row in coverage), settings, others)


_STANDING: dict[str, Promise] = {
    State.DRAFT: gettext_lazy("The campaign is not open yet. Open it when people have their phones ready."),
    State.PAUSED: gettext_lazy("The campaign is paused: nobody is asked anything until you open it again."),
    State.CLOSED: gettext_lazy("The campaign is closed: nobody is asked anything any more."),
}
"""How a campaign stands that does not run."""


def sentence(figures: Figures, *, state: str, begun: bool, k: int) -> str:
    """What to expect, for somebody who runs a room.

    Args:
        figures: of now.
        state: of the campaign.
        begun: whether an organiser opened it, so that its time runs.
        k: ratings each pair should get.
    """
    if standing := _STANDING.get(state):
        return str(standing)
    rehearsal = gettext("This is a rehearsal until you press Open: then the planned time begins.")
    if not figures.pairs:
        empty = gettext(
            "There are no pairs to rate yet: people are asked what is said about their countries."
        )
        return empty if begun else f"{rehearsal} {empty}"
    if not begun:
        return rehearsal
    if figures.minutes_left <= 0:
        left = figures.pairs - figures.done
        if not left:
            return gettext("The planned time is over and every pair has enough ratings.")
        return ngettext(
            "The planned time is over; %(left)s pair has fewer than %(k)d ratings.",
            "The planned time is over; %(left)s pairs have fewer than %(k)d ratings.",
            left,
        ) % {"left": digits(left), "k": k}
    return _looking_ahead(figures, k)


def advice(figures: Figures, *, state: str, balance: str) -> str:
    """What is done about pairs that will fall short, or could be; "" where `switch_at` says it.

    Args:
        figures: of now.
        state: of the campaign.
        balance: what the organiser ordered, "" for nothing.
    """
    if not (_running(figures, state) and figures.pairs and _short(figures)):
        return ""
    switch = figures.forecast.switch_in
    if balance == Balance.VALIDATE or switch is None:
        return gettext("More people or more time would help.")
    if switch >= 1:
        return ""
    if balance:
        return gettext("Ask only for ratings now.")
    return gettext("Cards ask only for ratings now. More people or more time would help.")


def switch_at(figures: Figures, *, state: str, balance: str, begun: bool) -> datetime | None:
    """When cards will ask only for ratings or, where an organiser ordered otherwise, should."""
    minutes = figures.forecast.switch_in
    if not (begun and _running(figures, state) and figures.pairs):
        return None
    if balance == Balance.VALIDATE or minutes is None or minutes < 1:
        return None
    return figures.counted_at + timedelta(minutes=minutes)


def survey_sentence(state: str, *, begun: bool) -> str:
    """How a campaign without cards stands; nothing is forecast of answers to open questions."""
    if standing := _STANDING.get(state):
        return str(standing)
    if not begun:
        return gettext("This is a rehearsal until you press Open: then the real collecting begins.")
    return gettext("People are asked the questions of the survey.")


def _looking_ahead(figures: Figures, k: int) -> str:
    short, people = _short(figures), figures.forecast.guessed_people
    values = {"short": digits(short), "people": digits(people or 0), "k": k}
    if figures.forecast.too_few_people:
        expected = gettext(
            "Too few people take part for %(k)d ratings of a new pair: each person rates a pair once, and none that "
            "they proposed."
        )
    elif not short and people is None:
        expected = gettext("At this pace every pair will have at least %(k)d ratings at the end.")
    elif not short:
        expected = gettext(
            "With %(people)s taking part, every pair will have at least %(k)d ratings at the end."
        )
    elif people is None:
        expected = ngettext(
            "At this pace %(short)s pair, counting new ones, will end with fewer than %(k)d ratings.",
            "At this pace %(short)s pairs, counting new ones, will end with fewer than %(k)d ratings.",
            short,
        )
    else:
        expected = ngettext(
            "With %(people)s taking part, %(short)s pair, counting new ones, will end with fewer than %(k)d ratings.",
            "With %(people)s taking part, %(short)s pairs, counting new ones, will end with fewer than %(k)d ratings.",
            short,
        )
    return expected % values


def _running(figures: Figures, state: str) -> bool:
    return state not in _STANDING and figures.minutes_left > 0


def _short(figures: Figures) -> int:
    """The forecast of pairs that fall short is an estimate from ratings; there cannot be more than there will be."""
    unfinished = figures.pairs - figures.done + figures.waiting
    return min(figures.forecast.short, unfinished + math.ceil(figures.forecast.coming))
