"""The form that makes a release."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from endoxa.errors import UserError
from endoxa_collect.export.agreement import LONGEST, recipient_named
from endoxa_collect.export.releases import require_number
from endoxa_collect.models import Campaign

_OTHER_NUMBER = _("Write a number such as 1.0 that no release of this campaign has yet.")


class ReleaseForm(forms.Form):
    """Number of a release, and that whoever makes it knows what that means."""

    number = forms.CharField(
        label=_("Number"),
        max_length=14,
        help_text=_("1.0 for the first; 1.1 or 2.0 for later ones with more answers."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "ltr"}),
    )
    final = forms.BooleanField(
        label=_("I know that a release never changes, and that what is published cannot be called back.")
    )

    def __init__(self, campaign: Campaign, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._campaign = campaign

    def clean_number(self) -> str:
        """The number, if it is one and not taken."""
        number: str = self.cleaned_data["number"].strip()
        try:
            require_number(self._campaign, number)
        except UserError:
            raise forms.ValidationError(_OTHER_NUMBER) from None
        return number

    def refuse_number(self) -> None:
        """Ask for another number: somebody took this one after the form was checked."""
        self.add_error("number", _OTHER_NUMBER)


class RestrictedForm(ReleaseForm):
    """Number of a restricted release, for whom it is, and that they signed the conditions."""

    recipient = forms.CharField(
        label=_("For whom"),
        max_length=LONGEST,
        help_text=_("Name and institution of who signed. It stands in the file and in the log."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "auto"}),
    )
    final = forms.BooleanField(
        label=_("This person signed these conditions, and nobody else will get the file.")
    )
    field_order = ("number", "recipient", "final")

    def __init__(self, campaign: Campaign, *args: Any, **named: Any) -> None:
        # Both forms stand on one page.
        super().__init__(campaign, *args, auto_id="restricted_%s", **named)

    def clean_recipient(self) -> str:
        """The name, without characters that cannot be seen."""
        try:
            return recipient_named(self.cleaned_data["recipient"])
        except UserError:
            raise forms.ValidationError(_("Write the name of a person and an institution.")) from None
