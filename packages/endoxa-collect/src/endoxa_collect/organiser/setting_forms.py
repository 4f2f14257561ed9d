"""The pages of the settings as forms: fields made from the models, which alone say what is refused.

A text in several languages gets a field for each of them; lists are typed line by line.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, cast, get_args

import pydantic
from django import forms
from django.conf import settings as django_settings
from django.core import validators
from django.core.exceptions import ValidationError
from django.forms import BaseFormSet, BoundField, formset_factory
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, gettext_lazy, gettext_noop
from pydantic import BaseModel
from pydantic_core import ErrorDetails

from endoxa_collect import geography
from endoxa_collect.campaign import UI_LANGUAGES, CampaignSettings, HelpLine
from endoxa_collect.geography import Names, country_names, language_names
from endoxa_collect.labels import RefusedError, fault_of

SEPARATOR = "|"
EVERYWHERE = "*"
"""Typed in place of a country: everywhere else."""
_LONGEST_LIST = 10_000
_LINE = 120
"""A text that may be longer gets several rows to type in."""


_FIRST_LANGUAGE = {
    "enum": UI_LANGUAGES,
    "words": dict(django_settings.LANGUAGES),
    "title": gettext_noop("First language"),
    "description": gettext_noop("The projector page speaks it; its texts must be complete."),
}
"""What the first of the languages of the pages is on its page, as if it were a setting."""


@cache
def _properties(model: type[BaseModel]) -> Mapping[str, Any]:
    """JSON Schema of the fields of a model by name: `type`, `maxLength`, `enum`, `title` and the like."""
    return {"main_language": _FIRST_LANGUAGE, **model.model_json_schema()["properties"]}


class NumberField(forms.FloatField):
    """A number; with the scale 100 a share of the model that is typed in per cent."""

    def __init__(self, *, scale: int, **named: Any) -> None:
        super().__init__(**named)
        self.scale = scale

    def prepare_value(self, value: Any) -> Any:
        """A number of the model as it is typed."""
        return f"{self.scale * value:.12g}" if isinstance(value, float) else value

    def clean(self, value: Any) -> float:
        """The number of the model."""
        return float(super().clean(value)) / self.scale


class LinesField(forms.CharField):
    """One entry a line, cleaned to a list of the entries, each once.

    An entry is a text or, where it has several `parts`, a tuple of them, typed with | between. With `names` the first
    is typed as a name or a code, cleaned to the code, and shown as the name in the language of the page.
    """

    widget = forms.Textarea(attrs={"rows": 6, "dir": "auto"})

    def __init__(self, names: Callable[[str], Names] | None = None, parts: int = 1) -> None:
        super().__init__(max_length=_LONGEST_LIST)
        self._names, self.parts = names, parts

    def prepare_value(self, value: Any) -> Any:
        """Entries as lines."""
        if isinstance(value, str) or value is None:
            return value
        shown = self._names(get_language() or "en").of if self._names else str
        rows = ([entry] if isinstance(entry, str) else entry for entry in value)
        return "\n".join(f" {SEPARATOR} ".join((shown(key) or EVERYWHERE, *more)) for key, *more in rows)

    def clean(self, value: Any) -> list[Any]:
        """The entries, each once; it is said in which line something is wrong."""
        entries: dict[Any, None] = {}
        for number, line in enumerate(super().clean(value).splitlines(), start=1):
            if line.strip():
                try:
                    entries[self._entry(line)] = None
                except ValidationError as problem:
                    values = {"number": number, "problem": problem.message}
                    raise ValidationError(gettext("Line %(number)d: %(problem)s") % values) from None
        return list(entries)

    def _entry(self, line: str) -> Any:
        key, *more = parts = [part.strip() for part in line.split(SEPARATOR, maxsplit=self.parts - 1)]
        if len(parts) != self.parts or not all(parts):
            raise ValidationError(_PARTS[self.parts])
        if self._names:
            key = "" if key == EVERYWHERE and more else code_of(key, self._names)
        return (key, *more) if more else key


_PARTS = {
    2: gettext_lazy("write two parts with a | between them."),
    3: gettext_lazy("write three parts with a | between them: country, name, how to reach it."),
}


def code_of(typed: str, names: Callable[[str], Names]) -> str:
    """The code that a name (in any language of the pages) or a code stands for.

    Raises:
        ValidationError: it is neither, or may mean several; the nearest name is suggested.
    """
    local = names(get_language() or "en")
    match = local.match(typed)
    if code := match.code or (typed.upper() if typed.upper() in local.codes else ""):
        return code
    if match.perhaps:
        values = {"typed": typed, "near": local.of(match.perhaps[0])}
        raise ValidationError(gettext("“%(typed)s” is not known. Did you mean “%(near)s”?") % values)
    raise ValidationError(gettext("“%(typed)s” is not known.") % {"typed": typed})


def _field(model: type[BaseModel], name: str, *, first: bool) -> forms.Field:
    """A field for what a model holds, by its JSON Schema; of a text, for the first or a further language."""
    schema = _properties(model)[name]
    field = _plain_field(schema)
    field.label = gettext_lazy(schema["title"])
    if first and "description" in schema:
        field.help_text = gettext_lazy(schema["description"])
    if longest := {**schema, **schema.get("additionalProperties", {})}.get("maxLength"):
        field.widget.attrs["maxlength"] = longest
    must = "default" not in schema or "enum" in schema or schema.get("type") in ("integer", "number")
    field.required = field.widget.is_required = first and must
    return field


def _plain_field(schema: Mapping[str, Any]) -> forms.Field:  # noqa: PLR0911
    """Limits are left to the model."""
    match schema:
        case {"enum": values, "words": words}:
            choices = [(value, gettext_lazy(words[value])) for value in values]
            return forms.ChoiceField(
                choices=choices, widget=forms.Select if len(values) > 3 else forms.RadioSelect
            )
        case {"items": {"enum": _}}:
            tiles = forms.CheckboxSelectMultiple
            return forms.MultipleChoiceField(choices=django_settings.LANGUAGES, widget=tiles)
        case {"type": "boolean"}:
            return forms.BooleanField()
        case {"type": "integer"}:
            return forms.IntegerField()
        case {"type": "number"}:
            return NumberField(scale=100 if schema.get("percent") else 1)
        case {"format": "date"}:
            return forms.CharField(widget=forms.DateInput(attrs={"type": "date"}))
        case {"type": "string"}:
            return forms.CharField()
        case {"items": {"pattern": pattern}}:
            return LinesField(country_names if "A-Z" in pattern else language_names)
        case {"items": {"$ref": _}}:
            return LinesField(country_names, parts=len(HelpLine.model_fields))
        case {"additionalProperties": {"additionalProperties": _}}:
            # Keys that are no countries have a limit of their length.
            return LinesField(None if "propertyNames" in schema else country_names, parts=2)
        case {"additionalProperties": {"maxLength": longest}}:
            return forms.CharField(widget=forms.Textarea(attrs={"rows": 4}) if longest > _LINE else None)
    return LinesField()


@dataclasses.dataclass(frozen=True)
class Section:
    """A page of the settings: its title, what it is about, and what of the settings stands on it.

    `within` is the setting that holds what stands there, "" for the settings themselves; `parts` are names of fields by
    their heading, by default all.
    """

    title: Promise
    about: Promise
    within: str = ""
    parts: Mapping[Promise | str, Iterable[str]] = dataclasses.field(default_factory=dict)

    @property
    def model(self) -> type[BaseModel]:
        """What holds the fields: the settings, one setting, or an entry of it."""
        held: Any = CampaignSettings.model_fields[self.within].annotation if self.within else CampaignSettings
        return next(iter(get_args(held)), held)  # type: ignore[no-any-return]

    @property
    def names(self) -> list[str]:
        """The fields of the model."""
        return list(itertools.chain(*self.parts.values()) if self.parts else self.model.model_fields)

    def form(self, settings: CampaignSettings, data: QueryDict | None) -> SettingsForm | EntriesFormSet:
        """What stands there as a form, or as a form for each entry of a list and one more."""
        held = getattr(settings, self.within) if self.within else settings
        facts: dict[str, Any] = {"section": self, "languages": settings.ui_languages}
        if not isinstance(held, tuple):
            lines = [tuple(dict(line).values()) for line in settings.help_lines]
            more = {"help_lines": lines, "main_language": settings.ui_languages[0]}
            return SettingsForm(data, initial={**dict(held), **more}, **facts)
        most = _properties(CampaignSettings)[self.within]["maxItems"]
        made = formset_factory(
            SettingsForm, EntriesFormSet, can_delete=True, can_order=True, max_num=most, absolute_max=most
        )
        return cast(EntriesFormSet, made(data, initial=[dict(entry) for entry in held], form_kwargs=facts))

    def checked(
        self, form: SettingsForm | EntriesFormSet, settings: CampaignSettings
    ) -> CampaignSettings | None:
        """The settings with what was typed; None where a field or the model refuses it, which the form then says."""
        if not form.is_valid():
            return None
        try:
            return settings.changed(form.content())
        except pydantic.ValidationError as problem:
            for error in problem.errors():
                place, _ = fault_of(error)
                if self.within:
                    place = place[1:] if place[0] == self.within else ()
                form.refuse(place, error)
        return None


Block = tuple[Promise | str, list[BoundField], bool]
"""Fields under one heading, and whether they are shown at once; "" is no heading, and they always are."""


class SettingsForm(forms.Form):
    """What one model holds, with a field for each language of the pages where it is a text."""

    def __init__(self, *args: Any, section: Section, languages: tuple[str, ...], **named: Any) -> None:
        super().__init__(*args, **named)
        self._section, self._languages = section, languages
        for name in section.names:
            if "additionalProperties" not in _properties(section.model)[name]:
                self.fields[name] = _field(section.model, name, first=True)
                continue
            shown = self.initial.get(name, {})
            for language in languages:
                field = _field(section.model, name, first=language == languages[0])
                field.label = f"{field.label} ({_language(language)})"
                field.widget.attrs |= {"lang": language, "dir": "auto"}
                field.initial = shown.get(language, "")
                if isinstance(field, LinesField):
                    lines = [(key, texts[language]) for key, texts in shown.items() if language in texts]
                    field.initial = lines or None
                self.fields[f"{name}-{language}"] = field

    def blocks(self) -> list[Block]:
        """The fields under the headings of the page or, of texts, the names of languages; first the first are shown."""
        parts, names = self._section.parts, self._section.names
        if not parts:
            parts = {_language(code): [f"{name}-{code}" for name in names] for code in self._languages}
        blocks = [(heading, [self[name] for name in names]) for heading, names in parts.items()]
        return [
            (heading, fields, place == 0 or any(field.errors for field in fields))
            for place, (heading, fields) in enumerate(blocks)
        ]

    def values(self) -> dict[str, Any]:
        """What was typed, by field of the model. Texts in languages that are off now are kept."""
        values = {name: self.cleaned_data[name] for name in self._section.names if name in self.fields}
        for name in self._section.names:
            if name not in values:
                typed = {code: self.cleaned_data[f"{name}-{code}"] for code in self._languages}
                before = self.initial.get(name, {})
                if isinstance(self.fields[f"{name}-{self._languages[0]}"], LinesField):
                    words = {code: dict(lines) for code, lines in typed.items()}
                    values[name] = {
                        key: _written(before.get(key), {code: by.get(key, "") for code, by in words.items()})
                        for key in itertools.chain(*words.values())
                    }
                else:
                    values[name] = _written(before, typed)
        if first := values.pop("main_language", ""):
            values["ui_languages"] = list(dict.fromkeys([first, *values["ui_languages"]]))
        if lines := values.get("help_lines"):
            values["help_lines"] = [dict(zip(HelpLine.model_fields, line, strict=True)) for line in lines]
        return values

    def content(self) -> dict[str, Any]:
        """New values by field of the settings."""
        return {self._section.within: self.values()} if self._section.within else self.values()

    def refuse(self, place: Sequence[str | int], error: ErrorDetails) -> None:
        """Say what the model refused beside the field that it is about, or above all fields."""
        name, *inside = place or ("",)
        by_language = (f"{name}-{part}" for part in (*inside, self._languages[0]))
        likely = ("main_language" if (name, inside) == ("ui_languages", [0]) else name, *by_language)
        field = next((str(likeliest) for likeliest in likely if likeliest in self.fields), None)
        self.add_error(field, _sentence(error, getattr(self.fields.get(field or ""), "scale", 1)))


class EntriesFormSet(BaseFormSet):  # type: ignore[type-arg]
    """A form for each entry of a list of the settings, and one more."""

    def blocks(self) -> list[Block]:
        """The fields of each entry, under its name."""
        add = gettext_lazy("Add one")
        return [(form.initial.get("name", add), list(form), bool(form.errors)) for form in self]

    @cached_property
    def in_order(self) -> list[SettingsForm]:
        """The forms in the order asked for; kept, since Django gives the order only while none is refused."""
        return list(self.ordered_forms)

    def content(self) -> dict[str, Any]:
        """New values by field of the settings: the entries in the order asked for, without those taken out."""
        return {self.form_kwargs["section"].within: [form.values() for form in self.in_order]}

    def refuse(self, place: Sequence[str | int], error: ErrorDetails) -> None:
        """Say what the model refused at the entry that it is about, or above all entries."""
        if place:
            self.in_order[int(place[0])].refuse(place[1:], error)
        else:
            self.non_form_errors().append(_sentence(error))


def _written(before: Mapping[str, str] | None, typed: Mapping[str, str]) -> dict[str, str]:
    """Texts by language, those that are not empty."""
    return {code: text.replace("\r\n", "\n") for code, text in {**(before or {}), **typed}.items() if text}


def _language(code: str) -> str:
    return geography.language_name(code, get_language() or "en")


_SENTENCES: dict[str, Any] = {
    "greater_than_equal": validators.MinValueValidator.message,
    "less_than_equal": validators.MaxValueValidator.message,
    "string_too_long": validators.MaxLengthValidator.message,
    "string_pattern_mismatch": gettext_lazy("Use small letters a to z, digits and _, at most 31."),
}
"""What pydantic refuses that people can type, in sentences that are in our catalogues or in Django's."""


def _sentence(error: ErrorDetails, scale: int = 1) -> str:
    """Why the model refuses a value, in the language of the page; numbers as they are typed."""
    facts = error.get("ctx", {})
    if isinstance(refused := facts.get("error"), RefusedError):
        return gettext(refused.sentence) % refused.values
    if error["type"] not in _SENTENCES:
        return gettext(
            "This does not go with what stands on another page of the settings. Nothing was saved."
        )
    limit = next(iter(facts.values())) * scale
    return str(_SENTENCES[error["type"]] % {"limit_value": limit, "show_value": len(str(error["input"]))})


def label_of(path: Iterable[str]) -> str:
    """The way to a value, in the words of the page: "Texts › Title › Spanish".

    The first part in a list is the name of the entry, which is the organiser's own.
    """
    model: type[BaseModel] | None = CampaignSettings
    words, entry = [], False
    for part in path:
        field = model.model_fields.get(part) if model and not entry else None
        if field:
            words.append(gettext(field.title) if field.title else part)
            inside = [field.annotation, *get_args(field.annotation)]
            model = next(
                (kind for kind in inside if isinstance(kind, type) and issubclass(kind, BaseModel)), None
            )
            entry = model is not None and model is not field.annotation
            continue
        if not entry and part in dict(django_settings.LANGUAGES):
            words.append(_language(part))
        else:
            words.append(part if entry else geography.name(part, get_language() or "en"))
        entry = False
    return " › ".join(words)


SECTIONS: dict[str, Section] = {
    "general": Section(
        gettext_lazy("Basics"),
        gettext_lazy("Who runs it, languages, countries, where and how long."),
        parts={
            "": (
                "organisation", "contact", "main_language", "ui_languages", "data_languages", "countries",
                "cards", "survey", "setting", "minutes", "expected_people", "feedback", "wave_minutes", "heard_lists",
                "comparisons", "moderation", "minimum_age", "maximum_age", "guardian", "results_page", "results_from",
                "retention", "licence",
            )
        },
    ),
    "texts": Section(
        gettext_lazy("Texts"),
        gettext_lazy("What people read, in each language. New words of consent get a new version of consent."),
        within="texts",
    ),
    "cards": Section(
        gettext_lazy("Cards"),
        gettext_lazy("How many ratings each pair should get, and which cards people get."),
        within="sampler",
        parts={
            gettext_lazy("How many ratings"): (
                "rule", "k", "own_slots", "near_slots", "k_max", "disagreement", "topup",
            ),
            gettext_lazy("Pace and care"): ("break_after", "negative_in_a_row", "in_a_row"),
            gettext_lazy("Asking for new pairs"): (
                "prompt_early", "prompt", "tick_people", "second_mention", "candidate_share",
            ),
            gettext_lazy("How long a card is kept for one person, in minutes"): ("lease_workshop", "lease_online"),
            gettext_lazy("For researchers: pairs that all people rate"): ("calibration", "calibration_pairs"),
        },
    ),
    "profile": Section(
        gettext_lazy("About the person"),
        gettext_lazy("What else you ask people about themselves. Ask as little as you can."),
        within="profile",
    ),
    "questions": Section(
        gettext_lazy("Survey"), gettext_lazy("Open questions, with examples by country."), within="questions"
    ),
    "care": Section(
        gettext_lazy("Care"),
        gettext_lazy("Help lines, and words that a moderator should see first."),
        parts={
            "": (
                "help_lines", "watch_words", "hurt_answers", "fast_seconds", "exclude_fast", "exclude_run",
                "exclude_skips",
            )
        },
    ),
}  # fmt: skip
