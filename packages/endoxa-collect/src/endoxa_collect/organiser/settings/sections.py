"""The sections of the settings pages, and the labels of all settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from django import forms
from django.conf import settings as django_settings
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy

from endoxa_collect import geography
from endoxa_collect.campaign import CampaignSettings, ProfileField
from endoxa_collect.organiser.settings.cards import CardsForm
from endoxa_collect.organiser.settings.general import LABELS, CareForm, GeneralForm, TextsForm
from endoxa_collect.organiser.settings.limits import name_field
from endoxa_collect.organiser.settings.questions import QuestionForm, profile_form, questions_form

Names = Mapping[str, str | Promise]

_LISTS = frozenset({"questions", "profile", "help_lines"})
"""Fields that are lists of entries."""


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


def _labels(form: type[forms.Form]) -> Names:
    return {name: field.label or name for name, field in form.base_fields.items()}


_FIELDS: Names = {
    **{name: SECTIONS[name].title for name in ("texts", "profile", "questions")},
    **_labels(GeneralForm),
    **_labels(CareForm),
    "sampler": SECTIONS["cards"].title,
    "consent_version": gettext_lazy("Version of the consent"),
    "tasks": gettext_lazy("Tasks"),
}
"""Fields of `CampaignSettings`."""
_PARTS: Mapping[str, Names] = {
    "texts": LABELS,
    "sampler": _labels(CardsForm),
    "questions": {
        **_labels(QuestionForm),
        "text": gettext_lazy("Question"),
        "examples": gettext_lazy("Examples"),
    },
    "profile": {
        "name": name_field(ProfileField).label or "",
        "label": gettext_lazy("Question"),
        "purpose": gettext_lazy("Why it is asked"),
        "choices": gettext_lazy("Answers to choose from"),
    },
    "help_lines": {
        "country": gettext_lazy("Country"),
        "name": gettext_lazy("Name"),
        "contact": gettext_lazy("How to reach it"),
    },
}
"""Parts of these fields. The first part in a list is the name of the entry, which is the organiser's own."""


def label_of(path: Iterable[str]) -> str:
    """The way to a value, in the words of the page: "Texts › Title › Spanish"."""
    field, *parts = path
    words = [str(_FIELDS.get(field, field))]
    for place, part in enumerate(parts):
        listed = field in _LISTS and place == 0
        words.append(part if listed else _part(field, part))
    return " › ".join(words)


def _part(field: str, part: str) -> str:
    here = get_language() or "en"
    if part in _PARTS.get(field, {}):
        return str(_PARTS[field][part])
    if part in dict(django_settings.LANGUAGES):
        return geography.language_name(part, here)
    return geography.name(part, here) if part in geography.codes() else part
