"""Forms of the basics, of the campaign's own texts, and of care."""

from __future__ import annotations

import math
import re
from datetime import date
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings as django_settings
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import get_language, gettext, gettext_lazy

from endoxa_collect import geography
from endoxa_collect.campaign import ADULT, CampaignSettings, CampaignTexts, HelpLine, sensitive_field
from endoxa_collect.naming import country_names, language_names
from endoxa_collect.organiser.settings.fields import (
    SEPARATOR,
    CodesField,
    LinesField,
    country_code,
    country_shown,
    text_lines,
)
from endoxa_collect.organiser.settings.limits import field_of, text_length

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


_SAME = (
    "organisation", "contact", "data_languages", "countries", "cards", "survey", "moderation", "setting",
    "minutes", "expected_people", "feedback", "wave_minutes", "heard_lists", "comparisons",
    "minimum_age", "maximum_age", "guardian", "results_page", "retention", "licence",
)  # fmt: skip
"""Fields of the settings that the form holds as they are."""

_MOST_PEOPLE = 1e12
_UNCLEAR, _THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}"), re.compile(r"[1-9]\d{0,2}(,\d{3}){2,}")
"""55,000 may be 55 thousand or, with a decimal comma, 55; 1,234,567 is clear, and so are 3,4 and 0,125."""

LABELS: dict[str, StrOrPromise] = {
    "title": gettext_lazy("Title"),
    "about": gettext_lazy("About: what, why, what is kept, what is published, how to leave"),
    "content_warning": gettext_lazy("Content warning"),
    "consent": gettext_lazy("Consent: taking part"),
    "publication": gettext_lazy("Consent: publication of the answers"),
    "keep_words": gettext_lazy("Consent: my words may stay if I leave"),
    "thanks": gettext_lazy("Thanks, and what happens next"),
    "guardian": gettext_lazy("Sheet for parents and guardians"),
}
"""Labels of `CampaignTexts`."""


def _field(name: str, label: StrOrPromise, help_text: StrOrPromise = "", **more: Any) -> forms.Field:
    return field_of(CampaignSettings, name, label=label, help_text=help_text, **more)


class GeneralForm(forms.Form):
    """Basics of a campaign."""

    organisation = _field("organisation", gettext_lazy("Who runs it"))
    contact = _field(
        "contact",
        gettext_lazy("How people reach you"),
        gettext_lazy("An e-mail address or a phone number; it stands at the foot of every page."),
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
    population = forms.CharField(
        required=False,
        max_length=8_000,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
        label=gettext_lazy("The population that means should stand for"),
        help_text=gettext_lazy(
            "One a line: country | people, in any unit, such as millions. Empty means the people who took part."
        ),
    )
    cards = _field("cards", gettext_lazy("People get cards to rate"))
    survey = _field("survey", gettext_lazy("People answer the survey first"))
    setting = _field(
        "setting",
        gettext_lazy("Where people take part"),
        words={
            "workshop": gettext_lazy("People sit together; a card is kept for them for a few minutes"),
            "online": gettext_lazy("People take part from anywhere; a card is kept for them for longer"),
        },
    )
    minutes = _field(
        "minutes",
        gettext_lazy("Minutes planned"),
        gettext_lazy("From the opening to the end; the forecast looks that far. A week is 10080."),
    )
    expected_people = _field(
        "expected_people",
        gettext_lazy("People expected"),
        gettext_lazy("The forecast begins with them, until it has seen how many there are."),
    )
    feedback = _field("feedback", gettext_lazy("After an answer, tell how many others knew the same"))
    wave_minutes = _field(
        "wave_minutes",
        gettext_lazy("Minutes until what others knew is counted anew"),
        gettext_lazy("0 means every 15 minutes where people sit together, and once a day online."),
    )
    heard_lists = _field(
        "heard_lists",
        gettext_lazy("Lists “which of these have you heard?” between two pauses"),
        gettext_lazy("Shown once a country has enough pairs that are fully rated. 0 shows none."),
    )
    comparisons = _field(
        "comparisons",
        gettext_lazy("Cards “which of these two is said more?” between two pauses"),
        gettext_lazy("Shown once a country has enough pairs that are fully rated. 0 shows none."),
    )
    moderation = _field(
        "moderation",
        gettext_lazy("New pairs"),
        words={
            "before": gettext_lazy("A moderator looks at each new pair before others see it"),
            "after": gettext_lazy("Others see new pairs at once; moderators look at what was flagged"),
        },
    )
    minimum_age = _field(
        "minimum_age",
        gettext_lazy("Minimum age to take part"),
        gettext_lazy("0 asks nobody about their age."),
    )
    maximum_age = _field(
        "maximum_age",
        gettext_lazy("Maximum age to take part"),
        gettext_lazy("0 is no maximum. A campaign of minors needs one of 17 or less."),
    )
    guardian = _field(
        "guardian",
        gettext_lazy("Minors take part with a guardian's consent"),
        gettext_lazy(
            "They confirm that a parent or guardian has read the sheet, whose words are among the texts."
        ),
    )
    results_page = _field(
        "results_page",
        gettext_lazy("Show results to everybody after the end"),
        gettext_lazy("A page of rounded figures; nothing of single people and nothing that may hurt."),
    )
    results_from = forms.DateField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        label=gettext_lazy("First day of the results page"),
        help_text=gettext_lazy("Empty: as soon as the campaign is closed. People read it at the end."),
    )
    retention = forms.DateField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        label=gettext_lazy("Last day on which answers are linked to people"),
        help_text=gettext_lazy("People read it before they agree."),
    )
    licence = _field(
        "licence",
        gettext_lazy("Licence of the data"),
        gettext_lazy("It stands in the data card of each export. For example: CC BY 4.0."),
        required=False,
    )

    def __init__(self, settings: CampaignSettings, data: QueryDict | None = None) -> None:
        first, *_ = settings.ui_languages
        shown = {name: getattr(settings, name) for name in _SAME}
        shown["results_from"] = settings.results_from
        shown["population"] = "\n".join(
            f"{country_shown(code)} {SEPARATOR} {weight:.12g}" for code, weight in settings.population.items()
        )
        super().__init__(
            data, initial={**shown, "main_language": first, "ui_languages": list(settings.ui_languages)}
        )
        self._settings = settings

    def clean(self) -> dict[str, Any]:
        """Look at what must go together."""
        cleaned = super().clean() or self.cleaned_data
        if not (cleaned.get("cards") or cleaned.get("survey") or self._settings.tasks):
            self.add_error("cards", gettext("Choose cards, the survey or both."))
        if cleaned.get("survey") and not self._settings.questions:
            self.add_error("survey", gettext("Write a question of the survey first, on its own page."))
        main = cleaned.get("main_language", "")
        # The sheet for guardians is only needed where minors take part.
        needed = [pair for pair in self._settings.texts if pair[0] != "guardian" or cleaned.get("guardian")]
        empty = [name for name, texts in needed if main and not texts.get(main)]
        if empty:
            self.add_error(
                "main_language",
                gettext("Tick this language below and save; write its texts; then make it the first one."),
            )
        self._check_ages(cleaned)
        return cleaned

    def _check_ages(self, cleaned: dict[str, Any]) -> None:
        """The sentences of `CampaignSettings`, beside the fields they are about."""
        least, most = cleaned.get("minimum_age"), cleaned.get("maximum_age")
        if least is None or most is None:
            return
        if most and most < least:
            self.add_error("maximum_age", gettext("The maximum age is below the minimum age."))
        if not cleaned.get("guardian"):
            return
        if not (0 < least < ADULT and 0 < most < ADULT):
            self.add_error(
                "guardian",
                gettext(
                    "A guardian's consent is for minors: set a minimum and a maximum age between 1 and 17."
                ),
            )
        if not self._settings.texts.guardian:
            self.add_error("guardian", gettext("Write the sheet for parents and guardians first (Texts)."))
        if named := sensitive_field(self._settings.profile, self._settings.questions):
            self.add_error(
                "guardian",
                gettext("Minors are not asked about “%(name)s”: take that question out first.")
                % {"name": named},
            )

    def clean_population(self) -> dict[str, float]:
        """People by code of the country."""
        shares: dict[str, float] = {}
        for number, line in text_lines(self.cleaned_data["population"]):
            code, weight = _weight(number, line)
            if code in shares:
                raise ValidationError(
                    gettext("Line %(number)d: this country is there already.") % {"number": number}
                )
            shares[code] = weight
        return shares

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
        retention, results = cleaned["retention"], cleaned["results_from"]
        chosen = [cleaned["main_language"], *cleaned["ui_languages"]]
        return {
            **{name: cleaned[name] for name in _SAME},
            "retention": retention.isoformat() if retention else "",
            "results_from": results.isoformat() if results else "",
            "ui_languages": list(dict.fromkeys(chosen)),
            "population": cleaned["population"],
        }


def _weight(number: int, line: str) -> tuple[str, float]:
    country, _, typed = (part.strip() for part in line.partition(SEPARATOR))
    if _UNCLEAR.fullmatch(typed):
        values = {
            "number": number,
            "typed": typed,
            "many": typed.replace(",", ""),
            "few": typed.replace(",", "."),
        }
        raise ValidationError(
            gettext("Line %(number)d: %(typed)s can be two numbers. Write %(many)s or %(few)s.") % values
        )
    try:
        plain = typed.replace(",", "" if _THOUSANDS.fullmatch(typed) else ".")
        code, weight = country_code(country), float(plain)
    except ValidationError as problem:
        values = {"number": number, "problem": problem.message}
        raise ValidationError(gettext("Line %(number)d: %(problem)s") % values) from None
    except ValueError:
        code, weight = "", math.nan
    if not code or not 0 < weight <= _MOST_PEOPLE:
        raise ValidationError(
            gettext("Line %(number)d: write a country, a | and a number above 0.") % {"number": number}
        )
    return code, weight


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
                    required=language == first and (name != "guardian" or settings.guardian),
                    max_length=text_length(CampaignTexts, name),
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


class CareForm(forms.Form):
    """Help lines and watch words, one a line; how many people decide whether words could hurt."""

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
    hurt_answers = _field(
        "hurt_answers",
        gettext_lazy("People who must say whether words could hurt"),
        gettext_lazy(
            "Words that nobody judged are covered. When this many people who opened them said no, and nobody anything "
            "else, they are shown. A moderator can always decide otherwise."
        ),
    )

    def __init__(self, settings: CampaignSettings, data: QueryDict | None = None) -> None:
        lines = "\n".join(_written(line) for line in settings.help_lines)
        initial = {"help_lines": lines, "watch_words": settings.watch_words}
        super().__init__(data, initial={**initial, "hurt_answers": settings.hurt_answers})

    def clean_help_lines(self) -> list[HelpLine]:
        """The lines with the codes of their countries."""
        return [_read(number, line) for number, line in text_lines(self.cleaned_data["help_lines"])]

    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`."""
        return {
            "help_lines": [line.model_dump() for line in self.cleaned_data["help_lines"]],
            "watch_words": list(self.cleaned_data["watch_words"]),
            "hurt_answers": self.cleaned_data["hurt_answers"],
        }


def _written(line: HelpLine) -> str:
    return f" {SEPARATOR} ".join((country_shown(line.country), line.name, line.contact))


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
        code = country_code(country)
    except ValidationError as problem:
        values = {"number": number, "problem": problem.message}
        raise ValidationError(gettext("Line %(number)d: %(problem)s") % values) from None
    return HelpLine(country=code, name=name, contact=contact)
