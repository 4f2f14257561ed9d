"""Signing in, with a limit on wrong passwords."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.utils.translation import gettext_lazy

from endoxa.collect.security import throttle
from endoxa.collect.security.known_browsers import known_as
from endoxa.collect.security.limits import LOGIN_ACCOUNT, LOGIN_KNOWN_BROWSER, LOGIN_SITE, Limit

_TOO_OFTEN = gettext_lazy("That was tried too often. Please wait ten minutes, then try again.")
_WRONG = gettext_lazy("This name and password do not go together. Please look at both again.")


class SignInForm(AuthenticationForm):
    """Name and password. A name that was tried too often must wait, whether an account has it or not.

    Browsers in which the account signed in before are counted by themselves.
    """

    error_messages = {
        "invalid_login": _WRONG,
        "inactive": _WRONG,
        "too_often": _TOO_OFTEN,
    }

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.fields["username"].label = gettext_lazy("Name")
        self.fields["password"].label = gettext_lazy("Password")

    def clean(self) -> dict[str, Any]:
        """Count the try before the password is looked at, so that many at once do not slip through."""
        name = self.cleaned_data.get("username", "")
        known = known_as(self.request, name) if self.request else ""
        mine, key = _counted(known, name)
        flooded = not known and LOGIN_SITE.exhausted(throttle.SITE)
        if flooded or not mine.count(key):
            raise forms.ValidationError(self.error_messages["too_often"], code="too_often")
        try:
            cleaned = super().clean()
        except forms.ValidationError:
            if not known:
                LOGIN_SITE.count(throttle.SITE)
            raise
        mine.clear(key)
        return cleaned


class NewPasswordForm(PasswordChangeForm):
    """The old password and a new one; who does not know the old one is not let try without end.

    `known` is what the browser is known as, if the account signed in there before.
    """

    error_messages = {**PasswordChangeForm.error_messages, "too_often": _TOO_OFTEN}

    def __init__(self, *args: Any, known: str = "", **named: Any) -> None:
        super().__init__(*args, **named)
        self._known = known

    def clean_old_password(self) -> str:
        """Count the try, as signing in does, before the password is looked at."""
        mine, key = _counted(self._known, self.user.get_username())
        if not mine.count(key):
            raise forms.ValidationError(self.error_messages["too_often"], code="too_often")
        old = super().clean_old_password()
        mine.clear(key)
        return old


def _counted(known: str, name: str) -> tuple[Limit, str]:
    """Where tries of an account are counted: by themselves in a browser that is known as `known`, not ""."""
    return (LOGIN_KNOWN_BROWSER, known) if known else (LOGIN_ACCOUNT, name)
