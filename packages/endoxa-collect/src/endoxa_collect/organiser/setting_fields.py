"""Form fields generated from the models of the settings, with their types, limits, labels and hints.

A text in several languages gets a field for each of them; lists are typed line by line.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, get_args

from django import forms
from django.conf import settings as django_settings
from django.core.exceptions import ValidationError
from django.forms.forms import DeclarativeFieldsMetaclass
from django.utils.translation import get_language, gettext, gettext_lazy
from pydantic import BaseModel

from endoxa_collect import geography
from endoxa_collect.campaign import UI_LANGUAGES, CampaignSettings, HelpLine, Texts
from endoxa_collect.naming import Names, country_names, language_names

SEPARATOR = "|"
EVERYWHERE = "*"
"""Typed in place of a country: everywhere else."""
_LONGEST_CODE = 3
_LONGEST_LIST = 10_000
_UNCLEAR, _THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}"), re.compile(r"[1-9]\d{0,2}(,\d{3}){2,}")
"""55,000 may be 55 thousand or, with a decimal comma, 55; 1,234,567 is clear, and so are 3,4 and 0,125."""


@cache
def _properties(model: type[BaseModel]) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = model.model_json_schema()["properties"]
    return properties


def declared(model: type[BaseModel], name: str) -> Mapping[str, Any]:
    """JSON Schema of one field of a model: `type`, `minimum`, `maxLength`, `enum`, `title` and the like."""
    schema: Mapping[str, Any] = _properties(model)[name]
    return schema


def text_length(model: type[BaseModel], name: str) -> int:
    """Maximum number of characters of a text in one language."""
    texts = declared(model, name)["additionalProperties"]
    return int(texts.get("additionalProperties", texts)["maxLength"])


def words_of(model: type[BaseModel], name: str) -> dict[str, Any]:
    """Label and hint of a form field, and whether it must be filled in: where the model has no default."""
    schema = declared(model, name)
    help_text = gettext_lazy(schema["description"]) if "description" in schema else ""
    required = model.model_fields[name].is_required()
    return {"label": gettext_lazy(schema["title"]), "help_text": help_text, "required": required}


def form_field(model: type[BaseModel], name: str) -> forms.Field:  # noqa: PLR0911
    """A form field that accepts what the model accepts in its field `name`."""
    schema, words = declared(model, name), words_of(model, name)
    match schema:
        case {"enum": values}:
            choices = [(value, gettext_lazy(schema["words"][value])) for value in values]
            return forms.ChoiceField(choices=choices, widget=forms.RadioSelect, **words | {"required": True})
        case {"type": "boolean"}:
            return forms.BooleanField(**words)
        case {"type": "integer" | "number" as kind}:
            scale = 100 if schema.get("percent") else 1
            limits = {"min_value": scale * schema["minimum"], "max_value": scale * schema["maximum"]}
            number = forms.IntegerField if kind == "integer" else partial(NumberField, scale=scale)
            return number(**words | limits | {"required": True})
        case {"format": "date"}:
            return DayField(**words)
        case {"pattern": pattern}:
            invalid = gettext_lazy("Use small letters a to z, digits and _, at most 31.")
            return forms.RegexField(pattern, error_messages={"invalid": invalid}, **words)
        case {"type": "string"}:
            return forms.CharField(max_length=schema["maxLength"], **words)
        case {"items": {"pattern": pattern}}:
            return CodesField(country_names if "A-Z" in pattern else language_names, **words)
        case {"items": {"$ref": _}}:
            return HelpLinesField(**words)
    return LinesField(max_length=_LONGEST_LIST, **words)


def label_of(path: Iterable[str]) -> str:
    """The way to a value, in the words of the page: "Texts › Title › Spanish".

    The first part in a list is the name of the entry, which is the organiser's own.
    """
    model: type[BaseModel] | None = CampaignSettings
    words, entry, here = [], False, get_language() or "en"
    for part in path:
        if entry:
            words.append(part)
            entry = False
        elif model and part in model.model_fields:
            field = model.model_fields[part]
            words.append(gettext(field.title) if field.title else part)
            inside = (field.annotation, *get_args(field.annotation))
            model = next(
                (kind for kind in inside if isinstance(kind, type) and issubclass(kind, BaseModel)), None
            )
            entry = model is not None and model is not field.annotation
        elif part in dict(django_settings.LANGUAGES):
            words.append(geography.language_name(part, here))
        else:
            words.append(geography.name(part, here) if part in geography.codes() else part)
    return " › ".join(words)


class SettingsFormMeta(DeclarativeFieldsMetaclass):
    """Generates the fields `names` of a form from its `model`; those that a class declares itself stay as they are."""

    def __new__(mcs, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> SettingsFormMeta:
        """The class of a form."""
        generated = {
            field: attrs.pop(field, None) or form_field(attrs["model"], field)
            for field in attrs.get("names", ())
        }
        return super().__new__(mcs, name, bases, {**attrs, **generated})


class NumberField(forms.FloatField):
    """A number; with the scale 100 a share of the model that is typed in per cent."""

    def __init__(self, *, scale: int, **named: Any) -> None:
        super().__init__(**named)
        self._scale = scale

    def prepare_value(self, value: Any) -> Any:
        """A number of the model as it is typed."""
        return f"{self._scale * value:.12g}" if isinstance(value, float) else value

    def clean(self, value: Any) -> float:
        """The number of the model."""
        return float(super().clean(value)) / self._scale


class DayField(forms.DateField):
    """A day, or none; cleaned to a text as the settings store it."""

    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def clean(self, value: Any) -> str:
        """The day as 2027-12-31, or ""."""
        day = super().clean(value)
        return day.isoformat() if day else ""


def text_lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not empty, with their numbers from 1."""
    stripped = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1))
    return [(number, line) for number, line in stripped if line]


@contextmanager
def at_line(number: int) -> Iterator[None]:
    """Say in which line something is wrong."""
    try:
        yield
    except ValidationError as problem:
        values = {"number": number, "problem": problem.message}
        raise ValidationError(gettext("Line %(number)d: %(problem)s") % values) from None


class LinesField(forms.CharField):
    """One entry a line; cleaned to a tuple of the entries, each once."""

    widget = forms.Textarea(attrs={"rows": 6, "dir": "auto"})

    def prepare_value(self, value: Any) -> Any:
        """Entries as lines."""
        return value if isinstance(value, str) or value is None else "\n".join(map(self.written, value))

    def clean(self, value: Any) -> Any:
        """The entries, each once."""
        return tuple(
            dict.fromkeys(self.entry(number, line) for number, line in text_lines(super().clean(value)))
        )

    def written(self, entry: Any) -> str:
        """An entry as a line."""
        return str(entry)

    def entry(self, number: int, line: str) -> Any:  # noqa: ARG002
        """The entry that a line stands for."""
        return line


class CodesField(LinesField):
    """Names or codes, one a line, cleaned to codes; shown as names in the language of the page."""

    def __init__(self, names: Callable[[str], Names], **named: Any) -> None:
        super().__init__(**named)
        self._names = names

    def written(self, entry: str) -> str:
        """The name of a code."""
        return self._names(get_language() or "en").of(entry)

    def entry(self, number: int, line: str) -> str:
        """The code of a name; the nearest name is suggested where there is none."""
        with at_line(number):
            return code_of(line, self._names)


class HelpLinesField(LinesField):
    """Lines "country | name | how to reach it", cleaned to help lines as they are stored."""

    def __init__(self, **named: Any) -> None:
        super().__init__(max_length=4_000, **named)

    def written(self, entry: HelpLine) -> str:
        """A help line as it is typed."""
        return f" {SEPARATOR} ".join((country_shown(entry.country), entry.name, entry.contact))

    def entry(self, number: int, line: str) -> HelpLine:
        """A help line, with the code of its country."""
        parts = [part.strip() for part in line.split(SEPARATOR)]
        if len(parts) != 3 or not all(parts):
            raise ValidationError(
                gettext(
                    "Line %(number)d: write three parts with a | between them: country, name, how to reach it."
                )
                % {"number": number}
            )
        with at_line(number):
            return HelpLine(country=country_code(parts[0]), name=parts[1], contact=parts[2])


def keyed_lines(text: str) -> list[tuple[int, str, str]]:
    """Lines "key | words", with their numbers.

    Raises:
        ValidationError: a line has no separator, or nothing on one side of it.
    """
    rows = []
    for number, line in text_lines(text):
        key, separator, words = (part.strip() for part in line.partition(SEPARATOR))
        if not (key and separator and words):
            raise ValidationError(
                gettext("Line %(number)d: write two parts with a | between them.") % {"number": number}
            )
        rows.append((number, key, words))
    return rows


def code_of(typed: str, names: Callable[[str], Names]) -> str:
    """The code that a name (in any language of the pages) or a code stands for.

    Raises:
        ValidationError: it is neither, or may mean several; the nearest name is suggested.
    """
    local, *others = [names(language) for language in dict.fromkeys([get_language() or "en", *UI_LANGUAGES])]
    match = local.match(typed)
    code = match.code or _elsewhere(typed, local, others)
    if code:
        return code
    if match.perhaps:
        values = {"typed": typed, "near": local.of(match.perhaps[0])}
        raise ValidationError(gettext("“%(typed)s” is not known. Did you mean “%(near)s”?") % values)
    raise ValidationError(gettext("“%(typed)s” is not known.") % {"typed": typed})


def _elsewhere(typed: str, local: Names, others: Iterable[Names]) -> str:
    """The one code that a name has in other languages, or a code in all; "" if a name of our own begins like it."""
    wanted = typed.casefold()
    goes_on = any(name.casefold().startswith(wanted) for name in local.shown.values())
    if goes_on and len(wanted) > _LONGEST_CODE:
        return ""
    codes = {code for other in others if (code := other.match(typed).code)}
    return codes.pop() if len(codes) == 1 else ""


def country_code(typed: str) -> str:
    """The code of a country, or "" for `EVERYWHERE`.

    Raises:
        ValidationError: see `code_of`.
    """
    return "" if typed == EVERYWHERE else code_of(typed, country_names)


def country_shown(code: str) -> str:
    """The name of a country in the language of the page, or `EVERYWHERE` for ""."""
    return geography.name(code, get_language() or "en") if code else EVERYWHERE


def text_field(
    model: type[BaseModel], name: str, language: str, *, rows: int, **named: Any
) -> forms.CharField:
    """The field of a text in one language; a single line where there are no `rows`."""
    marks = {"lang": language, "dir": "auto"}
    widget = forms.Textarea(attrs={"rows": rows, **marks}) if rows else forms.TextInput(attrs=marks)
    return forms.CharField(
        **words_of(model, name) | named, max_length=text_length(model, name), widget=widget
    )


def typed_text(form: forms.Form, name: str, language: str) -> str:
    """What was typed into the field of a text in one language."""
    return str(form.cleaned_data.get(f"{name}-{language}", "")).replace("\r\n", "\n")


@dataclass(frozen=True)
class Keyed:
    """Texts by key, typed as lines "key | words" in each language: how a key is shown, and read."""

    shown: Callable[[str], str]
    key_of: Callable[[str], str]

    def lines(self, entries: Mapping[str, Texts], language: str) -> str:
        """Entries as lines."""
        return "\n".join(
            f"{self.shown(key)} {SEPARATOR} {texts[language]}"
            for key, texts in entries.items()
            if language in texts
        )

    def texts(self, form: forms.Form, name: str, languages: Sequence[str]) -> dict[str, Texts]:
        """Texts by key, then by language; errors go to the field they are in."""
        texts: dict[str, Texts] = defaultdict(dict)
        for language in languages:
            try:
                for number, key, words in keyed_lines(typed_text(form, name, language)):
                    with at_line(number):
                        texts[self.key_of(key)][language] = words
            except ValidationError as problem:
                form.add_error(f"{name}-{language}", problem)
        return dict(texts)
