"""The page of the survey's questions."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.forms import formset_factory
from django.http import QueryDict
from django.utils.translation import get_language, gettext_lazy

from endoxa.collect import geography
from endoxa.collect.campaign.settings import CampaignSettings
from endoxa.collect.naming.names import country_names
from endoxa.collect.organiser.settings.entries import ByLanguage, EntriesFormSet, as_lines, name_field
from endoxa.collect.organiser.settings.fields import code_of

EVERYWHERE = "*"
MOST = 24
"""Questions of a page; with seven languages they stay below the number of fields that the site accepts."""


class QuestionForm(forms.Form):
    """One open question, with its text and examples in each language of the pages."""

    name = name_field()
    axis = forms.CharField(
        max_length=40,
        label=gettext_lazy("What it is about"),
        help_text=gettext_lazy("For example: gender, age, profession. It goes into the export."),
    )
    identity = forms.CharField(
        required=False,
        max_length=60,
        label=gettext_lazy("The group, if all answers are about one"),
        help_text=gettext_lazy("For example: women."),
    )

    def __init__(self, *args: Any, languages: tuple[str, ...], **named: Any) -> None:
        super().__init__(*args, **named)
        shown = self.initial
        self._text = ByLanguage(self, "text", languages)
        self._text.add(gettext_lazy("Question"), shown.get("text", {}), required=True, rows=3)
        self._examples = ByLanguage(self, "examples", languages)
        self._examples.add(
            gettext_lazy("Examples"),
            as_lines(shown.get("examples", {}), languages, _country),
            required=False,
            rows=3,
            help_text=gettext_lazy("One a line: country | example. Write * for everybody else."),
        )

    def clean(self) -> dict[str, Any]:
        """Read the examples by country."""
        cleaned = super().clean() or self.cleaned_data
        cleaned["text"], cleaned["examples"] = self._text.texts(), self._examples.keyed(_code)
        return cleaned

    def content(self) -> dict[str, Any]:
        """The question by field of `SurveyQuestion`."""
        return {name: self.cleaned_data[name] for name in ("name", "axis", "identity", "text", "examples")}


class _QuestionsFormSet(EntriesFormSet):
    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`."""
        return {"questions": self.entries()}


def questions_form(settings: CampaignSettings, data: QueryDict | None = None) -> _QuestionsFormSet:
    """All questions, and room for one more."""
    made = formset_factory(
        QuestionForm,
        formset=_QuestionsFormSet,
        can_delete=True,
        can_order=True,
        max_num=MOST,
        validate_max=True,
        absolute_max=MOST,
    )
    shown = [question.model_dump() for question in settings.questions]
    formset = cast(
        _QuestionsFormSet, made(data, initial=shown, form_kwargs={"languages": settings.ui_languages})
    )
    formset.needed = settings.survey
    return formset


def _code(typed: str) -> str:
    return "" if typed == EVERYWHERE else code_of(typed, country_names)


def _country(code: str) -> str:
    return geography.name(code, get_language() or "en") if code else EVERYWHERE
