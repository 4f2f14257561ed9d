"""The forecast in one plain sentence."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from babel.dates import format_timedelta
from django.utils.translation import get_language, gettext, ngettext, to_locale

from endoxa.collect.models import State
from endoxa.collect.organiser.dashboard.figures import Figures
from endoxa.collect.sampler import Balance

_NOT_RUNNING = (State.DRAFT, State.PAUSED, State.CLOSED)


def sentence(figures: Figures, *, state: str, balance: str, k: int) -> str:
    """What to expect and what to do, for somebody who runs a room.

    Args:
        figures: of now.
        state: of the campaign.
        balance: what the organiser ordered, "" for nothing.
        k: ratings each pair should get.
    """
    if state in _NOT_RUNNING:
        return _standing_still(state)
    if not figures.pairs:
        return gettext("There are no pairs to rate yet: people are asked what is said about their countries.")
    if figures.minutes_left <= 0:
        return _time_is_over(figures, k)
    return _looking_ahead(figures, balance, k)


def switch_at(figures: Figures, *, state: str, balance: str) -> datetime | None:
    """When to ask only for ratings, where `sentence` says in how many minutes."""
    minutes = figures.forecast.switch_in
    running = state not in _NOT_RUNNING and figures.minutes_left > 0 and figures.forecast.short > 0
    if not running or balance == Balance.VALIDATE or minutes is None or minutes < 1:
        return None
    return figures.taken_at + timedelta(minutes=minutes)


def survey_sentence(state: str) -> str:
    """How a campaign without cards stands; nothing is forecast of answers to open questions."""
    if state == State.PAUSED:
        return gettext("The campaign is paused: nobody gets questions until you open it again.")
    if state == State.CLOSED:
        return gettext("The campaign is closed: nobody gets questions any more.")
    if state == State.DRAFT:
        return _standing_still(state)
    return gettext("People are asked the questions of the survey.")


def _standing_still(state: str) -> str:
    if state == State.DRAFT:
        return gettext("The campaign is not open yet. Open it when people have their phones ready.")
    if state == State.PAUSED:
        return gettext("The campaign is paused: nobody gets cards until you open it again.")
    return gettext("The campaign is closed: nobody gets cards any more.")


def _time_is_over(figures: Figures, k: int) -> str:
    left = figures.pairs - figures.done
    if not left:
        return gettext("The planned time is over and every pair has enough ratings.")
    return ngettext(
        "The planned time is over; %(left)d pair has fewer than %(k)d ratings.",
        "The planned time is over; %(left)d pairs have fewer than %(k)d ratings.",
        left,
    ) % {"left": left, "k": k}


def _looking_ahead(figures: Figures, balance: str, k: int) -> str:
    short = _short(figures)
    if not short:
        return gettext("At this pace every pair will have at least %(k)d ratings at the end.") % {"k": k}
    expected = ngettext(
        "At this pace %(short)d pair, counting new ones, will end with fewer than %(k)d ratings",
        "At this pace %(short)d pairs, counting new ones, will end with fewer than %(k)d ratings",
        short,
    ) % {"short": short, "k": k}
    return gettext("%(expected)s; %(advice)s.") % {"expected": expected, "advice": _advice(figures, balance)}


def _short(figures: Figures) -> int:
    """The forecast of pairs that fall short is an estimate from ratings; there cannot be more than there will be."""
    open_ones = figures.pairs - figures.done + figures.waiting
    return min(figures.forecast.short, open_ones + math.ceil(figures.forecast.coming))


def _advice(figures: Figures, balance: str) -> str:
    minutes = figures.forecast.switch_in
    if balance == Balance.VALIDATE or minutes is None:
        return gettext("more people or more time would help")
    if minutes < 1:
        return gettext("ask only for ratings now")
    when = format_timedelta(
        timedelta(minutes=minutes),
        granularity="minute",
        threshold=1.5,
        add_direction=True,
        locale=to_locale(get_language() or "en"),
    )
    return gettext("%(in_time)s, ask only for ratings") % {"in_time": when}
