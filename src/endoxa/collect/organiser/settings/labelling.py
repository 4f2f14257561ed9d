"""What the parts of the settings are called on their pages: for the log and the list of versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django import forms
from django.conf import settings as django_settings
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy

from endoxa.collect import geography
from endoxa.collect.organiser.settings.cards import CardsForm
from endoxa.collect.organiser.settings.care import CareForm
from endoxa.collect.organiser.settings.entries import name_field
from endoxa.collect.organiser.settings.general import GeneralForm
from endoxa.collect.organiser.settings.questions import QuestionForm
from endoxa.collect.organiser.settings.sections import SECTIONS
from endoxa.collect.organiser.settings.texts import LABELS

Names = Mapping[str, str | Promise]


def _labels(form: type[forms.Form]) -> Names:
    return {name: field.label or name for name, field in form.base_fields.items()}


_FIELDS: Names = {
    **{name: SECTIONS[name].title for name in ("texts", "profile", "questions")},
    **_labels(GeneralForm),
    **_labels(CareForm),
    "sampler": SECTIONS["cards"].title,
    "consent_version": gettext_lazy("Version of the consent"),
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
        "name": name_field().label or "",
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
_LISTS = frozenset({"questions", "profile", "help_lines"})


def label_of(path: Iterable[str]) -> str:
    """The way to a value, in the words of the page: "Texts › Title › Spanish"."""
    field, *parts = path
    words = [str(_FIELDS.get(field, field))]
    for place, part in enumerate(parts):
        own = field in _LISTS and place == 0
        words.append(part if own else _part(field, part))
    return " › ".join(words)


def _part(field: str, part: str) -> str:
    here = get_language() or "en"
    if part in _PARTS.get(field, {}):
        return str(_PARTS[field][part])
    if part in dict(django_settings.LANGUAGES):
        return geography.language_name(part, here)
    return geography.name(part, here) if part in geography.codes() else part
