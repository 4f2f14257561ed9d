"""Exports: who is left out, a working copy, public and restricted releases as one file to download."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir
from typing import IO, Any

from django import forms
from django.contrib.admin import action
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext_lazy

from endoxa.errors import UserError
from endoxa_collect.export.card import LONGEST, agreement, recipient_named
from endoxa_collect.export.folder import LeftOut
from endoxa_collect.export.run import EmptyReleaseError, NumberError, export_campaign
from endoxa_collect.export.tables import read_tables
from endoxa_collect.files import draft
from endoxa_collect.models import Campaign, Edition, Release, Role, record
from endoxa_collect.organiser.access import SEND, allowed
from endoxa_collect.organiser.desk import CampaignForm, CampaignList, sent, zipped
from endoxa_collect.organiser.figures import cached
from endoxa_collect.small_cells import LEAST, in_steps
from endoxa_collect.withdrawals import Keys, new_salt


def left_out(campaign: Campaign) -> LeftOut:
    """What an export would leave out now, some seconds old; numbers of people in steps (`small_cells.in_steps`)."""
    out = cached(campaign, "exports", lambda: read_tables(campaign, Keys(new_salt())).left_out)
    return replace(out, people=in_steps(out.people), merged=in_steps(out.merged))


def packed(
    campaign: Campaign, user: User | AnonymousUser, *, release: str | None = None, recipient: str = ""
) -> IO[bytes]:
    """Export a campaign into a zip file that has no name and goes when it is closed; it is in the log then.

    A restricted release has a `recipient`.

    Raises:
        UserError: the number of the release cannot be taken.
    """
    name = f"{campaign.slug}-{release or 'export'}{'-restricted' if recipient else ''}"
    archives: list[IO[bytes]] = []
    with draft(Path(gettempdir()), "export") as place:
        export_campaign(
            campaign,
            place / name,
            release=release,
            recipient=recipient,
            user=user,
            pack=lambda folder: archives.append(zipped(sorted(folder.iterdir()), f"{name}/")),
        )
    return archives[0]


class ReleaseForm(CampaignForm):
    """Number of a release, and that whoever makes it knows what that means."""

    title, button = gettext_lazy("A new release"), gettext_lazy("Make and download the release")
    back, template = "organiser:exports", "organiser/release.html"
    number = forms.CharField(
        label=gettext_lazy("Number"),
        max_length=14,
        help_text=gettext_lazy("1.0 for the first; 1.1 or 2.0 for later ones with more answers."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "ltr"}),
    )
    final = forms.BooleanField(
        label=gettext_lazy(
            "I know that a release never changes, and that what is published cannot be called back."
        )
    )

    def carry_out(self, request: HttpRequest) -> HttpResponseBase | None:
        """Make the release and send it, unless the number is none, or taken."""
        number, recipient = self.cleaned_data["number"], self.cleaned_data.get("recipient", "")
        try:
            archive = packed(self.campaign, request.user, release=number, recipient=recipient)
            return sent(archive, f"{self.campaign.slug}-{number}{'-restricted' if recipient else ''}.zip")
        except NumberError:
            fault = gettext_lazy("Write a number such as 1.0 that no release of this campaign has yet.")
            self.add_error("number", fault)
        except EmptyReleaseError as problem:
            self.add_error("number", str(problem))
        return None


class RestrictedForm(ReleaseForm):
    """Number of a release in which nothing is merged, for whom it is, and that they signed the conditions."""

    title = gettext_lazy("A restricted release")
    button = gettext_lazy("Make and download the restricted release")
    recipient = forms.CharField(
        label=gettext_lazy("For whom"),
        max_length=LONGEST,
        help_text=gettext_lazy("Name and institution of who signed. It stands in the file and in the log."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "auto"}),
    )
    final = forms.BooleanField(
        label=gettext_lazy("This person signed these conditions, and nobody else will get the file.")
    )
    field_order = ("number", "recipient", "final")

    def conditions(self) -> str:
        """What has to be signed."""
        return agreement(self.campaign, "…", "…")

    def clean_recipient(self) -> str:
        """The name, without characters that cannot be seen."""
        try:
            return recipient_named(self.cleaned_data["recipient"])
        except UserError:
            fault = gettext_lazy("Write the name of a person and an institution.")
            raise forms.ValidationError(fault) from None


def _publishing(label: Any, *, on: bool) -> Any:
    """An action that puts the data of public releases onto the public page, or takes them down."""

    @action(description=label, permissions=["organise"])
    def published(rows: Releases, request: HttpRequest, releases: QuerySet[Release]) -> None:
        editions = Edition.objects.filter(release__in=releases.values("pk"), published=not on)
        for pk, number in editions.exclude(archive=b"").values_list("pk", "release__number"):
            Edition.objects.filter(pk=pk).update(published=on)
            record(
                rows.campaign,
                request.user,
                "edition published" if on else "edition taken down",
                release=number,
            )

    return published


class Releases(CampaignList):
    """Releases that were made; above them who is left out of exports, and what can be exported."""

    sees = (Role.ORGANISER, Role.RESEARCHER)
    of = Release
    heading = gettext_lazy("Exports")
    adds = (
        ("organiser:export_release", ReleaseForm.title),
        ("organiser:export_restricted", RestrictedForm.title),
    )
    change_list_template = "organiser/exports.html"
    ordering = ("-made_at", "-pk")
    actions = ("publish", "take_down")

    def context(self) -> dict[str, Any]:
        """With who is left out."""
        return {"out": left_out(self.campaign), "least": LEAST}

    def get_queryset(self, request: HttpRequest) -> Any:
        """Those that were finished."""
        return super().get_queryset(request).exclude(sha256="").annotate(published=F("edition__published"))

    publish = _publishing(gettext_lazy("Publish this edition"), on=True)
    take_down = _publishing(gettext_lazy("Take this edition down"), on=False)


@allowed(*Releases.sees, methods=SEND)
def download(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Make a working copy and send it."""
    return sent(packed(campaign, request.user), f"{campaign.slug}-{timezone.now():%Y-%m-%d}.zip")


urlpatterns = [
    path("<slug:slug>/exports/", Releases.page(), name="exports"),
    path("<slug:slug>/exports/download/", download, name="export_download"),
    path("<slug:slug>/exports/release/", ReleaseForm.page(), name="export_release"),
    path("<slug:slug>/exports/restricted/", RestrictedForm.page(), name="export_restricted"),
]
