"""Form fields for lists that are typed line by line, and for texts in several languages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BaseFormSet
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext
from pydantic import BaseModel

from endoxa_collect import geography
from endoxa_collect.campaign import UI_LANGUAGES, Texts
from endoxa_collect.naming import Names, country_names
from endoxa_collect.organiser.settings.limits import text_length

SEPARATOR = "|"
EVERYWHERE = "*"
"""Typed in place of a country: everywhere else."""
_LONGEST_CODE = 3


def text_lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not empty, with their numbers from 1."""
    stripped = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1))
    return [(number, line) for number, line in stripped if line]


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


class LinesField(forms.CharField):
    """One entry a line; cleaned to a tuple without empty lines."""

    widget = forms.Textarea(attrs={"rows": 6, "dir": "auto"})

    def prepare_value(self, value: Any) -> Any:
        """Entries as lines."""
        return "\n".join(value) if isinstance(value, tuple) else value

    def clean(self, value: Any) -> tuple[str, ...]:
        """The entries, each once."""
        return tuple(dict.fromkeys(line for _, line in text_lines(super().clean(value))))


class CodesField(LinesField):
    """Names or codes, one a line, cleaned to codes; shown as names in the language of the page."""

    def __init__(self, names: Callable[[str], Names], **named: Any) -> None:
        super().__init__(**named)
        self._names = names

    def prepare_value(self, value: Any) -> Any:
        """Codes as names."""
        names = self._names(get_language() or "en")
        return super().prepare_value(tuple(map(names.of, value)) if isinstance(value, tuple) else value)

    def clean(self, value: Any) -> tuple[str, ...]:
        """The codes.

        Raises:
            ValidationError: a line is no name and no code; the nearest name is suggested.
        """
        text = forms.CharField.clean(self, value)
        return tuple(dict.fromkeys(self._code(number, line) for number, line in text_lines(text)))

    def _code(self, number: int, typed: str) -> str:
        try:
            return code_of(typed, self._names)
        except ValidationError as problem:
            values = {"number": number, "problem": problem.message}
            raise ValidationError(gettext("Line %(number)d: %(problem)s") % values) from None


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


class ByLanguage:
    """The form fields of one text of a model, one for each language: a text, or a list of lines "key | words"."""

    def __init__(self, form: forms.Form, model: type[BaseModel], stem: str, languages: Sequence[str]) -> None:
        self._form = form
        self._longest = text_length(model, stem)
        self._stem = stem
        self._languages = languages

    def add(self, label: Promise, texts: Texts, *, required: bool, rows: int, help_text: Any = "") -> None:
        """Add the fields to the form, with what is there."""
        here = get_language() or "en"
        for place, language in enumerate(self._languages):
            self._form.fields[f"{self._stem}-{language}"] = forms.CharField(
                label=f"{label} ({geography.language_name(language, here)})",
                help_text=help_text if place == 0 else "",
                required=required and place == 0,
                max_length=self._longest,
                initial=texts.get(language, ""),
                widget=forms.Textarea(attrs={"rows": rows, "lang": language, "dir": "auto"}),
            )

    def texts(self) -> Texts:
        """What was typed, by language."""
        typed = {language: self._typed(language) for language in self._languages}
        return {language: text for language, text in typed.items() if text}

    def keyed(self, key_of: Callable[[str], str]) -> dict[str, Texts]:
        """Lines by key, then by language; errors go to the field they are in."""
        texts: dict[str, Texts] = defaultdict(dict)
        for language in self._languages:
            try:
                for number, key, words in keyed_lines(self._typed(language)):
                    texts[_at_line(number, key, key_of)][language] = words
            except ValidationError as problem:
                self._form.add_error(f"{self._stem}-{language}", problem)
        return dict(texts)

    def _typed(self, language: str) -> str:
        return str(self._form.cleaned_data.get(f"{self._stem}-{language}", "")).replace("\r\n", "\n")


def country_code(typed: str) -> str:
    """The code of a country, or "" for `EVERYWHERE`.

    Raises:
        ValidationError: see `code_of`.
    """
    return "" if typed == EVERYWHERE else code_of(typed, country_names)


def country_shown(code: str) -> str:
    """The name of a country in the language of the page, or `EVERYWHERE` for ""."""
    return geography.name(code, get_language() or "en") if code else EVERYWHERE


def as_lines(entries: dict[str, Texts], languages: Sequence[str], shown: Callable[[str], str]) -> Texts:
    """Entries by key as lines "key | words", for each language."""
    return {
        language: "\n".join(
            f"{shown(key)} {SEPARATOR} {texts[language]}"
            for key, texts in entries.items()
            if language in texts
        )
        for language in languages
    }


class EntriesFormSet(BaseFormSet):  # type: ignore[type-arg]
    """A list of entries: each has a short name that no other has."""

    needed = False
    """Whether the list may not be empty."""

    def clean(self) -> None:
        """Refuse a name that is there twice, and an empty list where entries are needed."""
        seen = set()
        for form in self._kept():
            name = form.cleaned_data.get("name")
            if name in seen:
                form.add_error("name", gettext("Another entry has this short name."))
            seen.add(name)
        if self.needed and not seen:
            raise ValidationError(gettext("Keep one question, or switch the survey off first, under Basics."))

    def entries(self) -> list[dict[str, Any]]:
        """The entries in the order asked for, without those taken out."""
        return [form.content() for form in self.ordered_forms]

    def _kept(self) -> list[Any]:
        there = [*self.initial_forms, *(form for form in self.extra_forms if form.has_changed())]
        return [form for form in there if not form.cleaned_data.get("DELETE")]


def _at_line(number: int, key: str, key_of: Callable[[str], str]) -> str:
    try:
        return key_of(key)
    except ValidationError as problem:
        values = {"number": number, "problem": problem.message}
        raise ValidationError(gettext("Line %(number)d: %(problem)s") % values) from None
