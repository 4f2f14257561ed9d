"""What somebody agrees to, one box for each thing, none of them ticked by us."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from endoxa.collect.campaign.settings import CampaignSettings, in_language
from endoxa.collect.contributor.joining.tickets import in_force, new_ticket

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


def _box(label: str | _StrPromise, needed: str | _StrPromise = "") -> forms.BooleanField:
    return forms.BooleanField(
        label=label, required=bool(needed), error_messages={"required": needed}, label_suffix=""
    )


class ConsentForm(forms.Form):
    """The boxes of one campaign, in one language.

    `ticket` makes sending twice harmless (see `tickets`). `version` is of the text that was read. `subject` is hidden
    from people and filled in by machines. Boxes that were `ticked` in an earlier form of the same text are shown so.
    """

    ticket = forms.CharField(max_length=120, widget=forms.HiddenInput)
    version = forms.IntegerField(widget=forms.HiddenInput)
    subject = forms.CharField(required=False, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    age = _box("", gettext_lazy("Please tick this box if you are old enough. Only then can you take part."))
    take_part = _box(
        gettext_lazy("I want to take part. I know that I can stop whenever I like."),
        gettext_lazy("Please tick this box if you want to take part. If not, choose “No, thanks”."),
    )
    publication = _box(
        "",
        gettext_lazy(
            "Taking part needs this box too, since answers are published. If not, choose “No, thanks”."
        ),
    )
    keep_words = _box("")

    def __init__(
        self, settings: CampaignSettings, language: str, data: Any = None, *, ticked: Collection[str] = ()
    ) -> None:
        fresh = {"ticket": new_ticket(), "version": settings.consent_version}
        super().__init__(data, initial={**dict.fromkeys(ticked, True), **fresh})
        self._version = settings.consent_version
        self.fields["publication"].label = in_language(settings.texts.publication, language)
        self.fields["keep_words"].label = in_language(settings.texts.keep_words, language)
        self.fields["keep_words"].help_text = _("You can take part without this one.")
        if settings.minimum_age:
            self.fields["age"].label = _("I am %(age)d years old or older.") % {"age": settings.minimum_age}
        else:
            del self.fields["age"]

    @property
    def outdated(self) -> bool:
        """Whether another text was read than the one in force."""
        return self.is_bound and self.data.get("version") != str(self._version)

    @property
    def expired(self) -> bool:
        """Whether it was sent with a ticket that is not in force, mostly since the page was open for too long."""
        return self.is_bound and not in_force(self.data.get("ticket", ""))

    @property
    def ticked(self) -> list[str]:
        """Names of the boxes that were sent ticked."""
        return [box.name for box in self.boxes if box.data]

    @property
    def boxes(self) -> list[forms.BoundField]:
        """The boxes, in the order of the page."""
        return [
            self[name] for name in ("age", "take_part", "publication", "keep_words") if name in self.fields
        ]

    def clean_subject(self) -> str:
        """Nothing: people do not see this field."""
        if self.cleaned_data["subject"]:
            raise forms.ValidationError(_("Please send the form again, with the hidden field left empty."))
        return ""
