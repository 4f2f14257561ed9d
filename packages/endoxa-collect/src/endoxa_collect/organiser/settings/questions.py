"""Forms of the survey questions and of the optional questions about the person."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.forms import formset_factory
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from endoxa_collect.campaign import CampaignSettings, ProfileField, SurveyQuestion
from endoxa_collect.organiser.settings.fields import (
    ByLanguage,
    EntriesFormSet,
    as_lines,
    country_code,
    country_shown,
)
from endoxa_collect.organiser.settings.limits import declared, field_of, name_field


class QuestionForm(forms.Form):
    """One open question, with its text and examples in each language of the pages."""

    name = name_field(SurveyQuestion)
    axis = field_of(
        SurveyQuestion,
        "axis",
        label=gettext_lazy("What it is about"),
        help_text=gettext_lazy("For example: gender, age, profession. It goes into the export."),
    )
    identity = field_of(
        SurveyQuestion,
        "identity",
        required=False,
        label=gettext_lazy("The group, if all answers are about one"),
        help_text=gettext_lazy("For example: women."),
    )

    def __init__(self, *args: Any, languages: tuple[str, ...], **named: Any) -> None:
        super().__init__(*args, **named)
        shown = self.initial
        self._text = ByLanguage(self, SurveyQuestion, "text", languages)
        self._text.add(gettext_lazy("Question"), shown.get("text", {}), required=True, rows=3)
        self._examples = ByLanguage(self, SurveyQuestion, "examples", languages)
        self._examples.add(
            gettext_lazy("Examples"),
            as_lines(shown.get("examples", {}), languages, country_shown),
            required=False,
            rows=3,
            help_text=gettext_lazy("One a line: country | example. Write * for everybody else."),
        )

    def clean(self) -> dict[str, Any]:
        """Read the examples by country."""
        cleaned = super().clean() or self.cleaned_data
        cleaned["text"], cleaned["examples"] = self._text.texts(), self._examples.keyed(country_code)
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
    most = declared(CampaignSettings, "questions")["maxItems"]
    made = formset_factory(
        QuestionForm,
        formset=_QuestionsFormSet,
        can_delete=True,
        can_order=True,
        max_num=most,
        validate_max=True,
        absolute_max=most,
    )
    shown = [question.model_dump() for question in settings.questions]
    formset = cast(
        _QuestionsFormSet, made(data, initial=shown, form_kwargs={"languages": settings.ui_languages})
    )
    formset.needed = settings.survey
    return formset


class ProfileFieldForm(forms.Form):
    """One question about the person in each language of the pages."""

    name = name_field(ProfileField)

    def __init__(self, *args: Any, languages: tuple[str, ...], **named: Any) -> None:
        super().__init__(*args, **named)
        shown = self.initial
        self._first = languages[0]
        self._parts = {
            stem: ByLanguage(self, ProfileField, stem, languages) for stem in ("label", "purpose", "choices")
        }
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
            values = {"names": ", ".join(lacking)}
            self.add_error(field, gettext("Another language has these names as well: %(names)s.") % values)
        allowed = declared(ProfileField, "choices")
        least, most = allowed["minProperties"], allowed["maxProperties"]
        if field not in self.errors and not least <= len(choices) <= most:
            values = {"least": least, "most": most}
            self.add_error(field, gettext("Write %(least)d to %(most)d answers.") % values)
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
    most = declared(CampaignSettings, "profile")["maxItems"]
    made = formset_factory(
        ProfileFieldForm,
        formset=_ProfileFormSet,
        can_delete=True,
        can_order=True,
        max_num=most,
        validate_max=True,
        absolute_max=most,
    )
    shown = [field.model_dump() for field in settings.profile]
    return cast(_ProfileFormSet, made(data, initial=shown, form_kwargs={"languages": settings.ui_languages}))


def _key(typed: str) -> str:
    longest = declared(ProfileField, "choices")["propertyNames"]["maxLength"]
    if len(typed) > longest:
        values = {"number": longest}
        raise ValidationError(gettext("the name in the export has more than %(number)d characters.") % values)
    return typed
