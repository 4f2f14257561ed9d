"""The sections of the settings pages: their forms, whose fields are those of the models, and what must go together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol, cast

from django import forms
from django.conf import settings as django_settings
from django.core.exceptions import ValidationError
from django.forms import BaseFormSet, BoundField, formset_factory
from django.http import QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, gettext_lazy
from pydantic import BaseModel

from endoxa_collect import geography
from endoxa_collect.campaign import (
    ADULT,
    CampaignSettings,
    CampaignTexts,
    ProfileField,
    SurveyQuestion,
    sensitive_field,
)
from endoxa_collect.organiser.setting_fields import (
    Keyed,
    SettingsFormMeta,
    country_code,
    country_shown,
    declared,
    text_field,
    typed_text,
    words_of,
)
from endoxa_collect.sampler import SamplerSettings


class SectionForm(Protocol):
    """A form or formset for a part of the settings."""

    def is_valid(self) -> bool:
        """Whether what was typed can be saved."""

    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`."""


class SettingsForm(forms.Form, metaclass=SettingsFormMeta):
    """A form for some fields of the settings, `names`."""

    model = CampaignSettings

    def __init__(self, settings: CampaignSettings, data: QueryDict | None = None, **initial: Any) -> None:
        super().__init__(data, initial={**dict(settings), **initial})
        self._settings = settings

    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`."""
        return {name: value for name, value in self.cleaned_data.items() if name in self.model.model_fields}


class GeneralForm(SettingsForm):
    """Basics of a campaign."""

    model = CampaignSettings
    names = (
        "organisation", "contact", "main_language", "ui_languages", "data_languages", "countries",
        "cards", "survey", "setting", "minutes", "expected_people", "feedback", "wave_minutes", "heard_lists",
        "comparisons", "moderation", "minimum_age", "maximum_age", "guardian", "results_page", "results_from",
        "retention", "licence",
    )  # fmt: skip
    main_language = forms.ChoiceField(
        choices=django_settings.LANGUAGES,
        label=gettext_lazy("First language"),
        help_text=gettext_lazy("The projector page speaks it; its texts must be complete."),
    )
    ui_languages = forms.MultipleChoiceField(
        choices=django_settings.LANGUAGES,
        widget=forms.CheckboxSelectMultiple,
        **words_of(CampaignSettings, "ui_languages"),
    )

    def __init__(self, settings: CampaignSettings, data: QueryDict | None = None) -> None:
        languages = list(settings.ui_languages)
        super().__init__(settings, data, main_language=languages[0], ui_languages=languages)

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
        if main and not all(texts.get(main) for _, texts in needed):
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

    def clean_retention(self) -> str:
        """A day to come. One that is there already may have passed: then the campaign is over, and says so."""
        typed: str = self.cleaned_data["retention"]
        if typed and typed != self._settings.retention and typed <= timezone.now().date().isoformat():
            raise ValidationError(gettext("Choose a day after today."))
        if self._settings.retention and not typed:
            raise ValidationError(gettext("People agreed to a day: choose another one, but name one."))
        return typed

    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`; the first language stands before the others."""
        chosen = [self.cleaned_data["main_language"], *self.cleaned_data["ui_languages"]]
        return {**super().content(), "ui_languages": list(dict.fromkeys(chosen))}


class TextsForm(forms.Form):
    """Every text in every language of the pages. The first language must be complete; others may wait."""

    def __init__(self, settings: CampaignSettings, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self._settings = settings
        first, *_ = settings.ui_languages
        for language in settings.ui_languages:
            for name, texts in settings.texts:
                self.fields[f"{name}-{language}"] = text_field(
                    CampaignTexts,
                    name,
                    language,
                    rows=0 if name == "title" else 5,
                    required=language == first and (name != "guardian" or settings.guardian),
                    initial=texts.get(language, ""),
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
        typed = {
            name: {
                **texts,
                **{language: typed_text(self, name, language) for language in self._settings.ui_languages},
            }
            for name, texts in self._settings.texts
        }
        return {
            "texts": {
                name: {code: text for code, text in texts.items() if text} for name, texts in typed.items()
            }
        }


@dataclass(frozen=True)
class FieldGroup:
    """Fields under one heading; `folded` ones are shown on request, or at once where one has an error (`open`)."""

    heading: Promise
    fields: tuple[BoundField, ...]
    folded: bool
    open: bool


class CardsForm(forms.Form, metaclass=SettingsFormMeta):
    """The numbers of the sampler, shares in per cent."""

    model = SamplerSettings
    groups_of_names = (
        (
            gettext_lazy("How many ratings"),
            ("k", "own_slots", "near_slots", "k_max", "disagreement", "topup"),
        ),
        (gettext_lazy("Pace and care"), ("break_after", "negative_in_a_row", "in_a_row")),
        (
            gettext_lazy("Asking for new pairs"),
            ("prompt_early", "prompt", "tick_people", "second_mention", "candidate_share"),
        ),
        (
            gettext_lazy("How long a card is kept for one person, in minutes"),
            ("lease_workshop", "lease_online"),
        ),
        # Hardly any campaign changes these.
        (
            gettext_lazy("For researchers: pairs that all people rate"),
            ("calibration", "calibration_pairs"),
        ),
    )
    names = tuple(name for _, names in groups_of_names for name in names)

    def __init__(self, settings: CampaignSettings, data: QueryDict | None = None) -> None:
        super().__init__(data, initial=dict(settings.sampler))

    def groups(self) -> list[FieldGroup]:
        """The fields under their headings, the last ones folded; what has an error is never folded away."""
        last = len(self.groups_of_names) - 1
        return [
            FieldGroup(
                heading,
                fields := tuple(self[name] for name in names),
                place == last,
                any(field.errors for field in fields),
            )
            for place, (heading, names) in enumerate(self.groups_of_names)
        ]

    def clean(self) -> dict[str, Any]:
        """Refuse fewer ratings at most than each pair should get."""
        cleaned = super().clean() or self.cleaned_data
        k, k_max = cleaned.get("k"), cleaned.get("k_max")
        if k is not None and k_max is not None and k_max < k:
            self.add_error("k_max", gettext("This cannot be less than the ratings each pair should get."))
        return cleaned

    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`."""
        return {"sampler": self.cleaned_data}


class CareForm(SettingsForm):
    """Help lines, watch words, who decides whether words could hurt, and whose answers are left out of exports."""

    model = CampaignSettings
    names = (
        "help_lines", "watch_words", "hurt_answers", "fast_seconds", "exclude_fast", "exclude_run", "exclude_skips",
    )  # fmt: skip

    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`."""
        lines = [line.model_dump() for line in self.cleaned_data["help_lines"]]
        return {**super().content(), "help_lines": lines}


class EntryForm(forms.Form, metaclass=SettingsFormMeta):
    """An entry of a list, with its texts in each language of the pages."""

    model: ClassVar[type[BaseModel]]
    texts: ClassVar[Mapping[str, int]]
    """Rows of the fields of each text, by name."""
    keyed: ClassVar[Mapping[str, Keyed]]
    """Those of the texts that are lists by key."""

    def __init__(self, *args: Any, languages: tuple[str, ...], **named: Any) -> None:
        super().__init__(*args, **named)
        self._languages = languages
        here = get_language() or "en"
        for name, rows in self.texts.items():
            shown, words = self.initial.get(name, {}), words_of(self.model, name)
            for place, language in enumerate(languages):
                lines = (
                    self.keyed[name].lines(shown, language) if name in self.keyed else shown.get(language, "")
                )
                self.fields[f"{name}-{language}"] = text_field(
                    self.model,
                    name,
                    language,
                    rows=rows,
                    label=f"{words['label']} ({geography.language_name(language, here)})",
                    help_text="" if place else words["help_text"],
                    required=words["required"] and not place,
                    initial=lines,
                )

    def clean(self) -> dict[str, Any]:
        """Put the texts together."""
        cleaned = super().clean() or self.cleaned_data
        for name in self.texts:
            if name in self.keyed:
                cleaned[name] = self.keyed[name].texts(self, name, self._languages)
            else:
                typed = {language: typed_text(self, name, language) for language in self._languages}
                cleaned[name] = {language: text for language, text in typed.items() if text}
        return cleaned

    def content(self) -> dict[str, Any]:
        """The entry by field of its model."""
        return {name: self.cleaned_data[name] for name in self.model.model_fields}


class QuestionForm(EntryForm):
    """One open question."""

    model = SurveyQuestion
    names = ("name", "axis", "identity")
    texts = {"text": 3, "examples": 3}
    keyed = {"examples": Keyed(country_shown, country_code)}


def _key(typed: str) -> str:
    longest = declared(ProfileField, "choices")["propertyNames"]["maxLength"]
    if len(typed) > longest:
        values = {"number": longest}
        raise ValidationError(gettext("the name in the export has more than %(number)d characters.") % values)
    return typed


class ProfileFieldForm(EntryForm):
    """One question about the person."""

    model = ProfileField
    names = ("name",)
    texts = {"label": 2, "purpose": 2, "choices": 6}
    keyed = {"choices": Keyed(str, _key)}

    def clean(self) -> dict[str, Any]:
        """See that the first language has all choices."""
        cleaned = super().clean()
        first, choices = self._languages[0], cleaned["choices"]
        field = f"choices-{first}"
        lacking = [key for key, texts in choices.items() if first not in texts]
        if lacking:
            values = {"names": ", ".join(lacking)}
            self.add_error(field, gettext("Another language has these names as well: %(names)s.") % values)
        allowed = declared(ProfileField, "choices")
        least, most = allowed["minProperties"], allowed["maxProperties"]
        if field not in self.errors and not least <= len(choices) <= most:
            values = {"least": least, "most": most}
            self.add_error(field, gettext("Write %(least)d to %(most)d answers.") % values)
        return cleaned


class EntriesFormSet(BaseFormSet):  # type: ignore[type-arg]
    """A list of entries: each has a short name that no other has."""

    name: str
    """The field of the settings."""
    needed = False
    """Whether the list may not be empty."""

    def clean(self) -> None:
        """Refuse a name that is there twice, and an empty list where entries are needed."""
        seen = set()
        there = [*self.initial_forms, *(form for form in self.extra_forms if form.has_changed())]
        for form in there:
            if form.cleaned_data.get("DELETE"):
                continue
            name = form.cleaned_data.get("name")
            if name in seen:
                form.add_error("name", gettext("Another entry has this short name."))
            seen.add(name)
        if self.needed and not seen:
            raise ValidationError(gettext("Keep one question, or switch the survey off first, under Basics."))

    def content(self) -> dict[str, Any]:
        """New values by field of `CampaignSettings`: the entries in the order asked for, without those taken out."""
        return {self.name: [form.content() for form in self.ordered_forms]}


def entries_form(
    name: str, form: type[EntryForm], settings: CampaignSettings, data: QueryDict | None = None
) -> EntriesFormSet:
    """All entries of a list of the settings, and room for one more."""
    most = declared(CampaignSettings, name)["maxItems"]
    made = formset_factory(
        form,
        formset=EntriesFormSet,
        can_delete=True,
        can_order=True,
        max_num=most,
        validate_max=True,
        absolute_max=most,
    )
    shown = [entry.model_dump() for entry in getattr(settings, name)]
    formset = cast(
        EntriesFormSet, made(data, initial=shown, form_kwargs={"languages": settings.ui_languages})
    )
    formset.name, formset.needed = name, name == "questions" and settings.survey
    return formset


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
        partial(entries_form, "profile", ProfileFieldForm),
        "organiser/settings_entries.html",
    ),
    "questions": Section(
        gettext_lazy("Survey"),
        gettext_lazy("Open questions, with examples by country."),
        partial(entries_form, "questions", QuestionForm),
        "organiser/settings_entries.html",
    ),
    "care": Section(
        gettext_lazy("Care"),
        gettext_lazy("Help lines, and words that a moderator should see first."),
        CareForm,
        "organiser/settings_fields.html",
    ),
}
