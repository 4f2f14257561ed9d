"""The page of the questions about the person: choices only, each optional and with its purpose."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.forms import formset_factory
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from endoxa.collect.campaign.settings import CampaignSettings
from endoxa.collect.organiser.settings.entries import ByLanguage, EntriesFormSet, as_lines, name_field

FEWEST, CHOICES = 2, 20
MOST = 16
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
        max_num=MOST,
        validate_max=True,
        absolute_max=MOST,
    )
    shown = [field.model_dump() for field in settings.profile]
    return cast(_ProfileFormSet, made(data, initial=shown, form_kwargs={"languages": settings.ui_languages}))


def _key(typed: str) -> str:
    if len(typed) > LONGEST_KEY:
        raise ValidationError(gettext("the name in the export has more than 30 characters."))
    return typed
