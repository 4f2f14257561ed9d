"""The pages of the settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from endoxa.collect.campaign.settings import CampaignSettings
from endoxa.collect.organiser.settings.cards import CardsForm
from endoxa.collect.organiser.settings.care import CareForm
from endoxa.collect.organiser.settings.general import GeneralForm
from endoxa.collect.organiser.settings.profile import profile_form
from endoxa.collect.organiser.settings.questions import questions_form
from endoxa.collect.organiser.settings.texts import TextsForm


class SectionForm(Protocol):
    """A form or formset for a part of the settings."""

    def is_valid(self) -> bool:
        """Whether what was typed can be saved."""

    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`."""


@dataclass(frozen=True)
class Section:
    """A page: its title, what it is about, its form and the template part that shows the form."""

    title: Promise
    about: Promise
    form: Callable[[CampaignSettings, QueryDict | None], SectionForm]
    template: str


SECTIONS: dict[str, Section] = {
    "general": Section(
        gettext_lazy("Basics"),
        gettext_lazy("Who runs it, languages, countries, where and how long."),
        GeneralForm,
        "organiser/settings_fields.html",
    ),
    "texts": Section(
        gettext_lazy("Texts"),
        gettext_lazy(
            "What people read, in each language. New words of consent get a new version of consent."
        ),
        TextsForm,
        "organiser/settings_texts.html",
    ),
    "cards": Section(
        gettext_lazy("Cards"),
        gettext_lazy("How many ratings each pair should get, and which cards people get."),
        CardsForm,
        "organiser/settings_cards.html",
    ),
    "profile": Section(
        gettext_lazy("About the person"),
        gettext_lazy("What else you ask people about themselves. Ask as little as you can."),
        profile_form,
        "organiser/settings_entries.html",
    ),
    "questions": Section(
        gettext_lazy("Survey"),
        gettext_lazy("Open questions, with examples by country."),
        questions_form,
        "organiser/settings_entries.html",
    ),
    "care": Section(
        gettext_lazy("Care"),
        gettext_lazy("Help lines, and words that a moderator should see first."),
        CareForm,
        "organiser/settings_fields.html",
    ),
}
