"""Form fields for lists that people type line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from babel import Locale
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import get_language, gettext

from endoxa.collect import geography

SEPARATOR = "|"


def text_lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not empty, with their numbers from 1."""
    stripped = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1))
    return [(number, line) for number, line in stripped if line]


def keyed_lines(text: str) -> list[tuple[int, str, str]]:
    """Lines "key | words", with their numbers.

    Raises:
        ValidationError: a line has no separator, or nothing on one side of it.
    """
    found = []
    for number, line in text_lines(text):
        key, separator, words = (part.strip() for part in line.partition(SEPARATOR))
        if not (key and separator and words):
            raise ValidationError(
                gettext("Line %(number)d: write two parts with a | between them.") % {"number": number}
            )
        found.append((number, key, words))
    return found


class LinesField(forms.CharField):
    """One entry a line; cleaned to a tuple without empty lines."""

    widget = forms.Textarea(attrs={"rows": 6, "dir": "auto"})

    def prepare_value(self, value: Any) -> Any:
        """Entries as lines."""
        return "\n".join(value) if isinstance(value, tuple) else value

    def clean(self, value: Any) -> tuple[str, ...]:
        """The entries, each once."""
        return tuple(dict.fromkeys(line for _, line in text_lines(super().clean(value))))


class NamesField(LinesField):
    """Names or codes, one a line, cleaned to codes; shown as names in the language of the page."""

    def __init__(self, names: Callable[[str], Mapping[str, str]], **named: Any) -> None:
        super().__init__(**named)
        self._names = names

    def prepare_value(self, value: Any) -> Any:
        """Codes as names."""
        known = self._names(get_language() or "en")
        named = tuple(known.get(code, code) for code in value) if isinstance(value, tuple) else value
        return super().prepare_value(named)

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
            told = {"number": number, "problem": problem.message}
            raise ValidationError(gettext("Line %(number)d: %(problem)s") % told) from None


def code_of(typed: str, names: Callable[[str], Mapping[str, str]]) -> str:
    """The code that a name (in English or the language of the page) or a code stands for.

    Raises:
        ValidationError: it is neither; the nearest name is suggested.
    """
    own, english = names(get_language() or "en"), names("en")
    known = {name.casefold(): code for table in (english, own) for code, name in table.items()}
    known |= {code.casefold(): code for code in english}
    found = known.get(typed.casefold())
    if found is not None:
        return found
    near = get_close_matches(typed.casefold(), known, n=1)
    if near:
        told = {"typed": typed, "near": own.get(known[near[0]], near[0])}
        raise ValidationError(gettext("“%(typed)s” is not known. Did you mean “%(near)s”?") % told)
    raise ValidationError(gettext("“%(typed)s” is not known.") % {"typed": typed})


def language_names(language: str) -> Mapping[str, str]:
    """Names of languages with codes of two or three letters, in a language."""
    own = Locale.parse(language.replace("-", "_")).languages
    return {code: str(name) for code, name in own.items() if code.isalpha() and len(code) <= 3}


def country_names(language: str) -> Mapping[str, str]:
    """Names of countries in a language."""
    return geography.names(language)
