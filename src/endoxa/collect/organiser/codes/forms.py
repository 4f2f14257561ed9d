"""How long a new join code holds."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

DAYS = (
    ("1", gettext_lazy("one day")),
    ("7", gettext_lazy("a week")),
    ("14", gettext_lazy("two weeks")),
    ("60", gettext_lazy("two months")),
)


class CodeForm(forms.Form):
    """Makes a code; the code itself is drawn at random."""

    days = forms.ChoiceField(
        choices=DAYS,
        initial="14",
        label=gettext_lazy("How long it opens the campaign"),
        help_text=gettext_lazy("Who has joined by then can go on afterwards."),
    )
