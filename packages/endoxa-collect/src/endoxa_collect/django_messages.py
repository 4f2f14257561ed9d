"""Sentences of Django that our pages can show and that Django does not say in Hindi or Swahili.

They stand here only to be extracted into our catalogues, which come before Django's.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop as _
from django.utils.translation import ngettext_lazy

SENTENCES = (
    _("Items must be selected in order to perform actions on them. No items have been changed."),
    _("No action selected."),
    _("Null characters are not allowed."),
    _("Enter a valid UUID."),
    _("The two password fields didn’t match."),
    _("This password is too common."),
    _("This password is entirely numeric."),
    _("The password is too similar to the %(verbose_name)s."),
    _("Your password can’t be too similar to your other personal information."),
    _("Your password can’t be a commonly used password."),
    _("Enter the same password as before, for verification."),
)
COUNTED_SENTENCES = (
    ngettext_lazy(
        "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
    ngettext_lazy(
        "Your password must contain at least %(min_length)d character.",
        "Your password must contain at least %(min_length)d characters.",
        "min_length",
    ),
)
