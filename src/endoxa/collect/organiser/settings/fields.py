"""Form fields for lists that people type line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import get_language, gettext

from endoxa.collect.campaign.settings import UI_LANGUAGES
from endoxa.collect.naming.names import Names

SEPARATOR = "|"
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
            told = {"number": number, "problem": problem.message}
            raise ValidationError(gettext("Line %(number)d: %(problem)s") % told) from None


def code_of(typed: str, names: Callable[[str], Names]) -> str:
    """The code that a name (in any language of the pages) or a code stands for.

    Raises:
        ValidationError: it is neither, or may mean several; the nearest name is suggested.
    """
    own, *others = [names(language) for language in dict.fromkeys([get_language() or "en", *UI_LANGUAGES])]
    found = own.match(typed)
    code = found.code or _elsewhere(typed, own, others)
    if code:
        return code
    if found.perhaps:
        told = {"typed": typed, "near": own.of(found.perhaps[0])}
        raise ValidationError(gettext("“%(typed)s” is not known. Did you mean “%(near)s”?") % told)
    raise ValidationError(gettext("“%(typed)s” is not known.") % {"typed": typed})


def _elsewhere(typed: str, own: Names, others: Iterable[Names]) -> str:
    """The one code that a name has in other languages, or a code in all; "" if a name of our own begins like it."""
    wanted = typed.casefold()
    goes_on = any(name.casefold().startswith(wanted) for name in own.shown.values())
    if goes_on and len(wanted) > _LONGEST_CODE:
        return ""
    codes = {code for other in others if (code := other.match(typed).code)}
    return codes.pop() if len(codes) == 1 else ""
