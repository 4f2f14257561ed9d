"""Whose answers are to be deleted: those of the holder of this phone's cookie, or of a receipt code."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from endoxa.collect.models import Person
from endoxa.collect.security.codes import hash_receipt


class ReceiptForm(forms.Form):
    """A receipt code, typed as people type. `person` is set by a successful check."""

    person: Person

    code = forms.CharField(
        max_length=40,
        label=gettext_lazy("Receipt code"),
        help_text=gettext_lazy(
            "Three groups of four, such as in a screenshot. Capitals, spaces and dashes do not matter."
        ),
        error_messages={"required": gettext_lazy("Please type your receipt code.")},
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false", "dir": "ltr"}
        ),
    )

    def clean_code(self) -> str:
        """The code, if it is somebody's."""
        code: str = self.cleaned_data["code"]
        person = Person.objects.select_related("campaign").filter(receipt_hash=hash_receipt(code)).first()
        if person is None:
            raise forms.ValidationError(
                gettext_lazy(
                    "We find no answers for this code. They may be deleted already, or a letter is wrong."
                ),
                code="unknown",
            )
        self.person = person
        return code
