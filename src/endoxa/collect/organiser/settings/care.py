"""The page of care: help lines, and words that moderators should see."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import get_language, gettext, gettext_lazy

from endoxa.collect import geography
from endoxa.collect.campaign.settings import CampaignSettings, HelpLine
from endoxa.collect.naming.names import country_names
from endoxa.collect.organiser.settings.fields import SEPARATOR, LinesField, code_of, text_lines

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
