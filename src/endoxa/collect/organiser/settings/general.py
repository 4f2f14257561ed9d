"""The pages of the basics, of the campaign's own texts, and of care."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings as django_settings
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import get_language, gettext, gettext_lazy

from endoxa.collect import geography
from endoxa.collect.campaign import CampaignSettings, CampaignTexts, HelpLine
from endoxa.collect.naming import country_names, language_names
from endoxa.collect.organiser.settings.fields import SEPARATOR, CodesField, LinesField, code_of, text_lines

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


_SAME = (
    "organisation", "contact", "data_languages", "countries", "cards", "survey", "moderation", "setting",
    "minutes", "expected_people", "minimum_age", "retention", "licence",
)  # fmt: skip


class GeneralForm(forms.Form):
    """Basics of a campaign."""

    organisation = forms.CharField(max_length=120, label=gettext_lazy("Who runs it"))
    contact = forms.CharField(
        max_length=200,
        label=gettext_lazy("How people reach you"),
        help_text=gettext_lazy("An e-mail address or a phone number; it stands at the foot of every page."),
    )
    main_language = forms.ChoiceField(
        choices=django_settings.LANGUAGES,
        label=gettext_lazy("First language"),
        help_text=gettext_lazy("The projector page speaks it; its texts must be complete."),
    )
    ui_languages = forms.MultipleChoiceField(
        choices=django_settings.LANGUAGES,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label=gettext_lazy("Languages of the pages"),
        help_text=gettext_lazy("People choose among these. Write the texts for each."),
    )
    data_languages = CodesField(
        language_names,
        label=gettext_lazy("Languages people may write in"),
        help_text=gettext_lazy("One a line, by name or code."),
    )
    countries = CodesField(
        country_names,
        required=False,
        label=gettext_lazy("Countries of the campaign"),
        help_text=gettext_lazy(
            "One a line, by name or code. They are listed first; empty means all countries."
        ),
    )
    cards = forms.BooleanField(required=False, label=gettext_lazy("People get cards to rate"))
    survey = forms.BooleanField(required=False, label=gettext_lazy("People answer the survey first"))
    setting = forms.ChoiceField(
        widget=forms.RadioSelect,
        choices=[
            ("workshop", gettext_lazy("People sit together; a card is kept for them for a few minutes")),
            ("online", gettext_lazy("People take part from anywhere; a card is kept for them for longer")),
        ],
        label=gettext_lazy("Where people take part"),
    )
    minutes = forms.IntegerField(
        min_value=1,
        max_value=100_000,
        label=gettext_lazy("Minutes planned"),
        help_text=gettext_lazy("From the opening to the end; the forecast looks that far. A week is 10080."),
    )
    expected_people = forms.IntegerField(
        min_value=1,
        max_value=100_000,
        label=gettext_lazy("People expected"),
        help_text=gettext_lazy("The forecast begins with them, until it has seen how many there are."),
    )
    moderation = forms.ChoiceField(
        widget=forms.RadioSelect,
        choices=[
            ("before", gettext_lazy("A moderator looks at each new pair before others see it")),
            ("after", gettext_lazy("Others see new pairs at once; moderators look at what was flagged")),
        ],
        label=gettext_lazy("New pairs"),
    )
    minimum_age = forms.IntegerField(
        min_value=0,
        max_value=99,
        label=gettext_lazy("Youngest age to take part"),
        help_text=gettext_lazy("0 asks nobody about their age."),
    )
    retention = forms.DateField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        label=gettext_lazy("Last day on which answers are linked to people"),
        help_text=gettext_lazy("People read it before they agree."),
    )
    licence = forms.CharField(
        required=False,
        max_length=60,
        label=gettext_lazy("Licence of the data"),
        help_text=gettext_lazy("It stands in the data card of each export. For example: CC BY 4.0."),
    )

    def __init__(self, settings: CampaignSettings, data: QueryDict | None = None) -> None:
        first, *_ = settings.ui_languages
        shown = {name: getattr(settings, name) for name in _SAME}
        super().__init__(
            data, initial={**shown, "main_language": first, "ui_languages": list(settings.ui_languages)}
        )
        self._settings = settings

    def clean(self) -> dict[str, Any]:
        """Look at what must go together."""
        cleaned = super().clean() or self.cleaned_data
        if not (cleaned.get("cards") or cleaned.get("survey")):
            self.add_error("cards", gettext("Choose cards, the survey or both."))
        if cleaned.get("survey") and not self._settings.questions:
            self.add_error("survey", gettext("Write a question of the survey first, on its own page."))
        main = cleaned.get("main_language", "")
        empty = [name for name, texts in self._settings.texts if main and not texts.get(main)]
        if empty:
            self.add_error(
                "main_language",
                gettext("Tick this language below and save; write its texts; then make it the first one."),
            )
        return cleaned

    def clean_retention(self) -> date | None:
        """A day to come. One that is there already may have passed: then the campaign is over, and says so."""
        typed: date | None = self.cleaned_data["retention"]
        kept = typed is not None and typed.isoformat() == self._settings.retention
        if typed is not None and not kept and typed <= timezone.now().date():
            raise ValidationError(gettext("Choose a day after today."))
        return typed

    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`."""
        cleaned = self.cleaned_data
        retention = cleaned["retention"]
        chosen = [cleaned["main_language"], *cleaned["ui_languages"]]
        return {
            **{name: cleaned[name] for name in _SAME},
            "retention": retention.isoformat() if retention else "",
            "ui_languages": list(dict.fromkeys(chosen)),
        }


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


EVERYWHERE = "*"


class CareForm(forms.Form):
    """Help lines and watch words, one a line."""

    help_lines = forms.CharField(
        required=False,
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 6, "dir": "auto"}),
        label=gettext_lazy("Help lines"),
        help_text=gettext_lazy(
            "One a line: country | name | how to reach it. Write * for a line that serves every country."
        ),
    )
    watch_words = LinesField(
        required=False,
        max_length=10_000,
        label=gettext_lazy("Words to watch"),
        help_text=gettext_lazy(
            "One a line. New pairs with one of these words wait for a moderator; nobody is told which words."
        ),
    )

    def __init__(self, settings: CampaignSettings, data: QueryDict | None = None) -> None:
        lines = "\n".join(_written(line) for line in settings.help_lines)
        super().__init__(data, initial={"help_lines": lines, "watch_words": settings.watch_words})

    def clean_help_lines(self) -> list[HelpLine]:
        """The lines with the codes of their countries."""
        return [_read(number, line) for number, line in text_lines(self.cleaned_data["help_lines"])]

    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`."""
        return {
            "help_lines": [line.model_dump() for line in self.cleaned_data["help_lines"]],
            "watch_words": list(self.cleaned_data["watch_words"]),
        }


def _written(line: HelpLine) -> str:
    country = geography.name(line.country, get_language() or "en") if line.country else EVERYWHERE
    return f" {SEPARATOR} ".join((country, line.name, line.contact))


def _read(number: int, line: str) -> HelpLine:
    parts = [part.strip() for part in line.split(SEPARATOR)]
    if len(parts) != 3 or not all(parts):
        raise ValidationError(
            gettext(
                "Line %(number)d: write three parts with a | between them: country, name, how to reach it."
            )
            % {"number": number}
        )
    country, name, contact = parts
    try:
        code = "" if country == EVERYWHERE else code_of(country, country_names)
    except ValidationError as problem:
        told = {"number": number, "problem": problem.message}
        raise ValidationError(gettext("Line %(number)d: %(problem)s") % told) from None
    return HelpLine(country=code, name=name, contact=contact)
