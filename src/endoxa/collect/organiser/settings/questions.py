"""The pages of questions: those of the survey, and those about the person, each optional."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.forms import formset_factory
from django.http import QueryDict
from django.utils.translation import get_language, gettext, gettext_lazy

from endoxa.collect import geography
from endoxa.collect.campaign import CampaignSettings
from endoxa.collect.naming import country_names
from endoxa.collect.organiser.settings.fields import ByLanguage, EntriesFormSet, as_lines, code_of, name_field

EVERYWHERE = "*"
MOST_QUESTIONS = 24
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
        max_num=MOST_QUESTIONS,
        validate_max=True,
        absolute_max=MOST_QUESTIONS,
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


FEWEST, CHOICES = 2, 20
MOST_FIELDS = 16
LONGEST_KEY = 30


class ProfileFieldForm(forms.Form):
    """One question about the person in each language of the pages."""

    name = name_field()

    def __init__(self, *args: Any, languages: tuple[str, ...], **named: Any) -> None:
        super().__init__(*args, **named)
        shown = self.initial
        self._first = languages[0]
        self._parts = {stem: ByLanguage(self, stem, languages) for stem in ("label", "purpose", "choices")}
        self._parts["label"].add(gettext_lazy("Question"), shown.get("label", {}), required=True, rows=2)
        self._parts["purpose"].add(
            gettext_lazy("Why it is asked"), shown.get("purpose", {}), required=True, rows=2
        )
        self._parts["choices"].add(
            gettext_lazy("Answers to choose from"),
            as_lines(shown.get("choices", {}), languages, str),
            required=True,
            rows=6,
            help_text=gettext_lazy(
                "One a line: name in the export | words. Use the same names in every language. "
                "“Prefer not to say” is always there."
            ),
        )

    def clean(self) -> dict[str, Any]:
        """Read the choices, and see that the first language has all of them."""
        cleaned = super().clean() or self.cleaned_data
        cleaned["label"], cleaned["purpose"] = self._parts["label"].texts(), self._parts["purpose"].texts()
        choices = cleaned["choices"] = self._parts["choices"].keyed(_key)
        field = f"choices-{self._first}"
        lacking = [key for key, texts in choices.items() if self._first not in texts]
        if lacking:
            told = {"names": ", ".join(lacking)}
            self.add_error(field, gettext("Another language has these names as well: %(names)s.") % told)
        if field not in self.errors and not FEWEST <= len(choices) <= CHOICES:
            self.add_error(field, gettext("Write 2 to 20 answers."))
        return cleaned

    def content(self) -> dict[str, Any]:
        """The question by field of `ProfileField`."""
        return {name: self.cleaned_data[name] for name in ("name", "label", "purpose", "choices")}


class _ProfileFormSet(EntriesFormSet):
    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`."""
        return {"profile": self.entries()}


def profile_form(settings: CampaignSettings, data: QueryDict | None = None) -> _ProfileFormSet:
    """All questions about the person, and room for one more."""
    made = formset_factory(
        ProfileFieldForm,
        formset=_ProfileFormSet,
        can_delete=True,
        can_order=True,
        max_num=MOST_FIELDS,
        validate_max=True,
        absolute_max=MOST_FIELDS,
    )
    shown = [field.model_dump() for field in settings.profile]
    return cast(_ProfileFormSet, made(data, initial=shown, form_kwargs={"languages": settings.ui_languages}))


def _key(typed: str) -> str:
    if len(typed) > LONGEST_KEY:
        raise ValidationError(gettext("the name in the export has more than 30 characters."))
    return typed
