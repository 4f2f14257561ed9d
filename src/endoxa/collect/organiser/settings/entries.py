"""Lists of entries that have a short name and texts in several languages: questions and profile fields."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BaseFormSet
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, gettext_lazy

from endoxa.collect import geography
from endoxa.collect.campaign.settings import Texts
from endoxa.collect.organiser.settings.fields import SEPARATOR, keyed_lines

LONGEST = 2_000


def name_field() -> forms.RegexField:
    """The short name under which answers are stored and exported."""
    return forms.RegexField(
        r"^[a-z][a-z0-9_]{0,30}$",
        label=gettext_lazy("Short name"),
        help_text=gettext_lazy(
            "It names the column of the export. Leave it as it is once people have answered."
        ),
        error_messages={"invalid": gettext_lazy("Use small letters a to z, digits and _, at most 31.")},
    )


class ByLanguage:
    """The fields of one text, a field for each language; `lines` where it is a list "key | words"."""

    def __init__(self, form: forms.Form, stem: str, languages: Sequence[str]) -> None:
        self._form = form
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
                max_length=LONGEST,
                initial=texts.get(language, ""),
                widget=forms.Textarea(attrs={"rows": rows, "lang": language, "dir": "auto"}),
            )

    def texts(self) -> Texts:
        """What was typed, by language."""
        typed = {language: self._typed(language) for language in self._languages}
        return {language: text for language, text in typed.items() if text}

    def keyed(self, key_of: Callable[[str], str]) -> dict[str, Texts]:
        """Lines by key, then by language; errors go to the field they are in."""
        found: dict[str, Texts] = defaultdict(dict)
        for language in self._languages:
            try:
                for number, key, words in keyed_lines(self._typed(language)):
                    found[_at_line(number, key, key_of)][language] = words
            except ValidationError as problem:
                self._form.add_error(f"{self._stem}-{language}", problem)
        return dict(found)

    def _typed(self, language: str) -> str:
        return str(self._form.cleaned_data.get(f"{self._stem}-{language}", "")).replace("\r\n", "\n")


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
        told = {"number": number, "problem": problem.message}
        raise ValidationError(gettext("Line %(number)d: %(problem)s") % told) from None
