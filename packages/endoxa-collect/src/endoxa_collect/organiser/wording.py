"""Labels of states, roles and balances, and figures with the names of their rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from babel.numbers import format_decimal
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, gettext_lazy, pgettext, pgettext_lazy, to_locale

from endoxa_collect import geography
from endoxa_collect.campaign import SurveyQuestion, in_language
from endoxa_collect.models import Campaign, Role, State
from endoxa_collect.organiser.figures import OTHERS, Coverage
from endoxa_collect.sampler import Balance


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


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of the list by country."""

    name: str
    coverage: Coverage


def digits(number: int) -> str:
    """A number as the language of the page groups its digits: 5,466 or 5 466."""
    return format_decimal(number, locale=to_locale(get_language() or "en"))


def bars(coverage: Iterable[Coverage]) -> list[Bar]:
    """The rows with the names of their countries in the language of the page."""
    language = get_language() or "en"
    others = gettext("Other countries")
    return [
        Bar(others if row.country == OTHERS else geography.name(row.country, language), row)
        for row in coverage
    ]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list of the survey; `number` None: fewer than three."""

    name: str
    number: int | None


def question_rows(answers: Mapping[str, int | None], questions: Iterable[SurveyQuestion]) -> list[Row]:
    """Answers with the words of their questions in the language of the page."""
    language = get_language() or "en"
    return [Row(in_language(question.text, language), answers.get(question.name)) for question in questions]


def country_rows(countries: Iterable[tuple[str, int]]) -> list[Row]:
    """People with the names of their countries in the language of the page."""
    language = get_language() or "en"
    none = gettext("Other countries, or none named")
    return [
        Row(none if code == OTHERS else geography.name(code, language), number) for code, number in countries
    ]
