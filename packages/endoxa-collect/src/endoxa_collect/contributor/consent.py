"""The consent of a campaign: its form, the tickets of the form, and who gave it.

Sending a form twice, as a double tap does, makes one person: its ticket is good for an hour. Sent again by somebody who
left meanwhile, from a page that was still open, it makes a new person with another cookie and another receipt code, so
nothing leads from one to the other.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.signing import BadSignature, TimestampSigner
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from endoxa_collect.campaign import CampaignSettings, in_language
from endoxa_collect.models import AuditEntry, Campaign, Person
from endoxa_collect.security.codes import hash_secret

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise
from endoxa_collect.campaign import Texts
from endoxa_collect.security.codes import hash_receipt, receipt_of

_SALT = "endoxa.ticket"


_SECONDS = 3_600


def new_ticket() -> str:
    """A random ticket, signed with the time."""
    return TimestampSigner(salt=_SALT).sign(secrets.token_hex(16))


def in_force(ticket: str) -> bool:
    """Whether the site made this ticket within the last hour."""
    try:
        TimestampSigner(salt=_SALT).unsign(ticket, max_age=_SECONDS)
    except BadSignature:
        return False
    return True


def secret_of(ticket: str, campaign: Campaign) -> str:
    """The cookie value, 128 bits, of whoever sends the consent form of a campaign with this ticket.

    It follows from the ticket and from the latest withdrawal: who left is one of those who left before, so there is no
    need to keep which tickets were theirs. Who sent the form before and is still there keeps their value, whoever else
    left since.
    """
    left = AuditEntry.objects.filter(campaign=campaign, action="withdrawal").order_by("-pk")
    # A ticket is good for one hour, and the log holds withdrawals by the hour.
    since = timezone.now() - timedelta(hours=3)
    before = left.filter(at__lt=since).values_list("pk", flat=True).first()
    # After which withdrawal a ticket that is in force may have been sent, the latest first; None: before any.
    eras = [*left.filter(at__gte=since).values_list("pk", flat=True), before]
    values = [
        salted_hmac(_SALT, f"{ticket} {campaign.pk} {era}", algorithm="sha256").hexdigest()[:32]
        for era in eras
    ]
    hashes = [hash_secret(value) for value in values]
    present = set(Person.objects.filter(secret_hash__in=hashes).values_list("secret_hash", flat=True))
    return next((value for value, hashed in zip(values, hashes, strict=True) if hashed in present), values[0])


def _box(label: str | _StrPromise, needed: str | _StrPromise = "") -> forms.BooleanField:
    return forms.BooleanField(
        label=label, required=bool(needed), error_messages={"required": needed}, label_suffix=""
    )


class ConsentBoxes(forms.Form):
    """The boxes that every consent needs, for one campaign and in one language.

    `ticket` makes sending twice harmless. `version` is of the text that was read.
    """

    asks_maximum = False

    ticket = forms.CharField(max_length=400, widget=forms.HiddenInput)
    version = forms.IntegerField(widget=forms.HiddenInput)
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

    def __init__(
        self, settings: CampaignSettings, language: str, data: Any = None, *, initial: Mapping[str, Any]
    ) -> None:
        super().__init__(data, initial={**initial, "version": settings.consent_version})
        self._version = settings.consent_version
        self.fields["publication"].label = in_language(settings.texts.publication, language)
        ages = {"age": settings.minimum_age, "most": settings.maximum_age}
        if self.asks_maximum and settings.maximum_age:
            self.fields["age"].label = _("I am between %(age)d and %(most)d years old.") % ages
            self.fields["age"].error_messages["required"] = _(
                "Please tick this box if that is your age. Only then can you take part."
            )
        elif settings.minimum_age:
            self.fields["age"].label = _("I am %(age)d years old or older.") % ages
        else:
            del self.fields["age"]

    @property
    def outdated(self) -> bool:
        """Whether another text was read than the one in force."""
        return self.is_bound and self.data.get("version") != str(self._version)

    @property
    def boxes(self) -> list[forms.BoundField]:
        """The boxes, in the order of the page."""
        order = ("age", "guardian", "take_part", "publication", "keep_words")
        return [self[name] for name in order if name in self.fields]


class ConsentForm(ConsentBoxes):
    """The boxes of people who join by a code.

    `subject` is hidden from people and filled in by machines. Boxes that were `ticked` in an earlier form of the same
    text are shown so.
    """

    asks_maximum = True

    subject = forms.CharField(required=False, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    keep_words = _box("")
    guardian = _box(
        gettext_lazy("A parent or guardian has read the sheet for them and agreed."),
        gettext_lazy("Taking part needs this box: please show the sheet to a parent or guardian first."),
    )

    def __init__(
        self, settings: CampaignSettings, language: str, data: Any = None, *, ticked: Collection[str] = ()
    ) -> None:
        initial = {**dict.fromkeys(ticked, True), "ticket": new_ticket()}
        super().__init__(settings, language, data, initial=initial)
        self.fields["keep_words"].label = in_language(settings.texts.keep_words, language)
        self.fields["keep_words"].help_text = _("You can take part without this one.")
        if settings.guardian:
            self.fields["take_part"].label = _(
                "I want to take part myself. Nobody makes me, and I can stop whenever I like."
            )
        else:
            del self.fields["guardian"]

    @property
    def expired(self) -> bool:
        """Whether it was sent with a ticket that is not in force, mostly since the page was open for too long."""
        return self.is_bound and not in_force(self.data.get("ticket", ""))

    @property
    def ticked(self) -> list[str]:
        """Names of the boxes that were sent ticked."""
        return [box.name for box in self.boxes if box.data]

    def focus(self) -> None:
        """Let the browser go to the first box that is wrong, else to the first, where the page says what is amiss."""
        first = next((box for box in self.boxes if self.is_bound and box.errors), self.boxes[0])
        first.field.widget.attrs["autofocus"] = True

    def clean_subject(self) -> str:
        """Nothing: people do not see this field."""
        if self.cleaned_data["subject"]:
            raise forms.ValidationError(_("Please send the form again, with the hidden field left empty."))
        return ""


def language_of(texts: Texts, language: str) -> str:
    """The language in which `in_language` gives a text."""
    return next((code for code in (language, "en", *texts) if texts.get(code)), language)


def headed(about: str) -> list[tuple[str, str]]:
    """The lines of the short text with their headings: what, why, what is kept, what is published, how to leave.

    A text of more or fewer than five lines is the campaign's own way of telling it, and gets none.
    """
    lines = [line.strip() for line in about.splitlines() if line.strip()]
    headings = (
        _("What you do"),
        _("Why"),
        _("What is kept"),
        _("What is published"),
        _("How to leave"),
    )
    return (
        list(zip(headings, lines, strict=True))
        if len(lines) == len(headings)
        else [("", line) for line in lines]
    )


def enrol(campaign: Campaign, secret: str, language: str, *, keep_words: bool) -> bool:
    """Store a new person; one who sent the form twice is there already.

    Returns:
        False where this person went on elsewhere with the receipt code since: the form of the earlier phone opens
        nothing.
    """
    settings = campaign.settings
    receipt = hash_receipt(receipt_of(secret))
    if Person.objects.filter(receipt_hash=receipt).exclude(secret_hash=hash_secret(secret)).exists():
        return False
    Person.objects.get_or_create(
        secret_hash=hash_secret(secret),
        defaults={
            "campaign": campaign,
            "receipt_hash": receipt,
            "ui_language": language,
            "consent_version": settings.consent_version,
            "consent_language": language_of(settings.texts.consent, language),
            "consent_hour": timezone.now().replace(minute=0, second=0, microsecond=0),
            "keep_words": keep_words,
        },
    )
    return True
