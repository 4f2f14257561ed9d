"""The form of one question: several short lines and the language they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from endoxa.collect.entry.cleaning import MAX_LENGTH, clean
from endoxa.collect.entry.errors import TooLongError
from endoxa.collect.visible import visible

LINES = 5
MOST_LINES = 16
"""Sixteen lines of 120 characters fit into one `Statement`."""


class LineField(forms.CharField):
    """One statement, cleaned of characters that cannot be seen. May be empty."""

    def __init__(self, number: int) -> None:
        label = gettext("Answer %(number)d") % {"number": number}
        widget = forms.TextInput(attrs={"dir": "auto", "autocomplete": "off", "maxlength": MAX_LENGTH})
        super().__init__(label=label, required=False, widget=widget)

    def to_python(self, value: Any) -> str:
        """The text as it will be stored."""
        text = super().to_python(value) or ""
        try:
            return clean(text) if visible(text) else ""
        except TooLongError as error:
            raise forms.ValidationError(str(error)) from None


class AnswerForm(forms.Form):
    """Fields `line_0`, `line_1` ..., as many as told, and the language.

    Sent with the button `nothing` the lines must be empty; else at least one is needed, and their language.
    """

    language = forms.ChoiceField(label=_("Language of your answers"), required=False)

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        lines: int,
        languages: Sequence[tuple[str, str]],
        **options: Any,
    ) -> None:
        super().__init__(data, label_suffix="", **options)
        self.fields["language"].choices = [("", _("Please choose")), *languages]  # type: ignore[attr-defined]
        for index in range(lines):
            self.fields[f"line_{index}"] = LineField(index + 1)

    @property
    def line_fields(self) -> list[forms.BoundField]:
        """The lines, for the page."""
        return [self[name] for name in self.fields if name.startswith("line_")]

    def clean(self) -> dict[str, Any]:
        """Gather the lines into `lines`."""
        cleaned = super().clean() or {}
        lines = [text for name, text in cleaned.items() if name.startswith("line_") and text]
        if "nothing" in self.data and lines:
            raise forms.ValidationError(
                _("You wrote something below. Keep it with “Save”, or empty the lines first.")
            )
        if "nothing" not in self.data and not lines and not self.errors:
            raise forms.ValidationError(
                _("Please write at least one line. If you know of nothing, choose “Nothing comes to mind”.")
            )
        if lines and not cleaned.get("language") and "language" not in self.errors:
            self.add_error("language", _("Please choose the language you wrote in."))
        return {**cleaned, "lines": lines}


def line_count(data: Mapping[str, Any], *, more: int = 0) -> int:
    """How many lines the page had, plus `more`; between `LINES` and `MOST_LINES`, whatever was sent."""
    sent = str(data.get("lines", ""))
    count = int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 4 else LINES
    return min(max(count, LINES) + more, MOST_LINES)
