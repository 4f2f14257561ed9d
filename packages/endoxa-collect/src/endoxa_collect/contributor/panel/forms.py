"""The consent form of a panel."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from endoxa_collect.campaign import CampaignSettings, in_language


def _box(needed: Any, label: Any = "") -> forms.BooleanField:
    return forms.BooleanField(label=label, label_suffix="", error_messages={"required": needed})


class ConsentForm(forms.Form):
    """The boxes that taking part needs, none of them ticked.

    `ticket` holds what the first request brought, signed; `version` is that of the text that was read.
    """

    ticket = forms.CharField(max_length=400, widget=forms.HiddenInput)
    version = forms.IntegerField(widget=forms.HiddenInput)
    age = _box(gettext_lazy("Please tick this box if you are old enough. Only then can you take part."))
    take_part = _box(
        gettext_lazy("Please tick this box if you want to take part. If not, choose “No, thanks”."),
        gettext_lazy("I want to take part. I know that I can stop whenever I like."),
    )
    publication = _box(
        gettext_lazy(
            "Taking part needs this box too, since answers are published. If not, choose “No, thanks”."
        )
    )

    def __init__(self, settings: CampaignSettings, language: str, ticket: str, data: Any = None) -> None:
        super().__init__(data, initial={"ticket": ticket, "version": settings.consent_version})
        self._version = settings.consent_version
        self.fields["publication"].label = in_language(settings.texts.publication, language)
        if settings.minimum_age:
            self.fields["age"].label = _("I am %(age)d years old or older.") % {"age": settings.minimum_age}
        else:
            del self.fields["age"]

    @property
    def outdated(self) -> bool:
        """Whether another text was read than the one in force."""
        return self.is_bound and self.data.get("version") != str(self._version)

    @property
    def boxes(self) -> list[forms.BoundField]:
        """The boxes, in the order of the page."""
        return [self[name] for name in ("age", "take_part", "publication") if name in self.fields]
