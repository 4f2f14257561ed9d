"""The page of the campaign's own texts, one fold for each language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.forms import BoundField
from django.http import QueryDict
from django.utils.translation import get_language, gettext_lazy

from endoxa.collect import geography
from endoxa.collect.campaign.settings import CampaignSettings, CampaignTexts

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

LONGEST = 4_000

LABELS: dict[str, StrOrPromise] = {
    "title": gettext_lazy("Title"),
    "about": gettext_lazy("About: what, why, what is kept, what is published, how to leave"),
    "content_warning": gettext_lazy("Content warning"),
    "consent": gettext_lazy("Consent: taking part"),
    "publication": gettext_lazy("Consent: publication of the answers"),
    "keep_words": gettext_lazy("Consent: my words may stay if I leave"),
    "thanks": gettext_lazy("Thanks, and what happens next"),
}


class TextsForm(forms.Form):
    """Every text in every language of the pages. The first language must be complete; others may wait."""

    def __init__(self, settings: CampaignSettings, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self._settings = settings
        first, *_ = settings.ui_languages
        for language in settings.ui_languages:
            for name in CampaignTexts.model_fields:
                self.fields[f"{name}-{language}"] = forms.CharField(
                    label=LABELS[name],
                    required=language == first,
                    max_length=120 if name == "title" else LONGEST,
                    initial=getattr(settings.texts, name).get(language, ""),
                    widget=_widget(name, language),
                )

    def languages(self) -> list[tuple[str, str, list[BoundField]]]:
        """The fields by language: its code, its name, its fields."""
        here = get_language() or "en"
        return [
            (
                language,
                geography.language_name(language, here),
                [self[f"{name}-{language}"] for name in CampaignTexts.model_fields],
            )
            for language in self._settings.ui_languages
        ]

    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`; texts in languages that are off now are kept."""
        texts = {
            name: {**getattr(self._settings.texts, name), **self._typed(name)}
            for name in CampaignTexts.model_fields
        }
        return {
            "texts": {
                name: {code: text for code, text in words.items() if text} for name, words in texts.items()
            }
        }

    def _typed(self, name: str) -> dict[str, str]:
        return {
            language: self.cleaned_data[f"{name}-{language}"].replace("\r\n", "\n")
            for language in self._settings.ui_languages
        }


def _widget(name: str, language: str) -> forms.Widget:
    marks = {"lang": language, "dir": "auto"}
    return forms.TextInput(attrs=marks) if name == "title" else forms.Textarea(attrs={**marks, "rows": 5})
