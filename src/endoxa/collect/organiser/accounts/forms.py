"""Signing in, with a limit on wrong passwords."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.utils.translation import gettext_lazy

from endoxa.collect.security import throttle

TRIES = 5
"""Tries a name has before it must wait."""

WAIT_SECONDS = 300


class SignInForm(AuthenticationForm):
    """Name and password. A name that was tried too often must wait, whether an account has it or not."""

    error_messages = {
        "invalid_login": gettext_lazy("This name and password do not go together. Please look at both again."),
        "inactive": gettext_lazy("This name and password do not go together. Please look at both again."),
        "too_often": gettext_lazy("That was tried too often. Please wait five minutes, then try again."),
    }

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.fields["username"].label = gettext_lazy("Name")
        self.fields["password"].label = gettext_lazy("Password")

    def clean(self) -> dict[str, Any]:
        """Count the try, then look the account up."""
        name = self.cleaned_data.get("username", "").casefold()
        if name and not throttle.allow("sign-in", name, limit=TRIES, seconds=WAIT_SECONDS):
            raise forms.ValidationError(self.error_messages["too_often"], code="too_often")
        return super().clean()
