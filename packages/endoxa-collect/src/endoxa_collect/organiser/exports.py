"""Exports: who is left out, a working copy, public and restricted releases as one file to download."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir
from typing import IO, Any

from django import forms
from django.contrib.admin import action, display
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy

from endoxa.errors import UserError
from endoxa_collect.export.card import LONGEST, agreement, recipient_named
from endoxa_collect.export.folder import LeftOut
from endoxa_collect.export.run import EmptyReleaseError, NumberTakenError, export_campaign, require_number
from endoxa_collect.export.tables import read_tables
from endoxa_collect.files import draft
from endoxa_collect.models import Campaign, Edition, Release, Role, record
from endoxa_collect.organiser.access import READ_OR_SEND, SEND, allowed
from endoxa_collect.organiser.desk import CampaignList, form_page, sent, zipped
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
        UserError: the number of the release cannot be taken, or the disk cannot be written.
    """
    name = f"{campaign.slug}-{release or 'export'}{'-restricted' if recipient else ''}"
    archives: list[IO[bytes]] = []
    try:
        with draft(Path(gettempdir()), "export") as place:
            export_campaign(
                campaign,
                place / name,
                release=release,
                recipient=recipient,
                user=user,
                pack=lambda folder: archives.append(zipped(sorted(folder.iterdir()), f"{name}/")),
            )
    except OSError as problem:
        reason = problem.strerror or problem
        raise UserError(
            f"The export cannot be written to the folder for temporary files: {reason}."
        ) from problem
    return archives[0]


_OTHER_NUMBER = gettext_lazy("Write a number such as 1.0 that no release of this campaign has yet.")


class ReleaseForm(forms.Form):
    """Number of a release, and that whoever makes it knows what that means."""

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


class RestrictedForm(ReleaseForm):
    """Number of a restricted release, for whom it is, and that they signed the conditions."""

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

    def clean_recipient(self) -> str:
        """The name, without characters that cannot be seen."""
        try:
            return recipient_named(self.cleaned_data["recipient"])
        except UserError:
            raise forms.ValidationError(
                gettext_lazy("Write the name of a person and an institution.")
            ) from None


class Releases(CampaignList):
    """Releases that were made; above them who is left out of exports, and what can be exported."""

    sees = (Role.ORGANISER, Role.RESEARCHER)
    of = Release
    heading = gettext_lazy("Exports")
    intro = gettext_lazy(
        "No name, address, cookie, receipt code or exact time is in an export: it holds declared columns and nothing else."
    )
    change_list_template = "organiser/exports.html"
    adds = (
        ("organiser:export_release", gettext_lazy("A new release")),
        ("organiser:export_restricted", gettext_lazy("A restricted release")),
    )
    list_display = ("release", "made", "checksum", "public")
    ordering = ("-made_at", "-pk")
    actions = ("publish", "take_down")

    def context(self, request: HttpRequest) -> dict[str, Any]:
        """With who is left out."""
        return {**super().context(request), "out": left_out(self.campaign), "least": LEAST}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Those that were finished."""
        return super().get_queryset(request).exclude(sha256="").annotate(published=F("edition__published"))

    @display(description=gettext_lazy("Number"))
    def release(self, release: Release) -> str:
        """Its number and for whom it is; organisers see the name."""
        recipient = release.recipient if self.organises else ""
        whom = gettext("restricted") if release.recipient else gettext("for everybody")
        return format_html("<strong>{}</strong> · {} <bdi>{}</bdi>", release.number, whom, recipient)

    @display(description=gettext_lazy("Made"))
    def made(self, release: Release) -> str:
        """The day."""
        return date_format(release.made_at, "DATE_FORMAT")

    @display(description="SHA-256")
    def checksum(self, release: Release) -> str:
        """The beginning of it."""
        return format_html('<code title="{}">{}…</code>', release.sha256, release.sha256[:16])

    @display(description=gettext_lazy("Public page"))
    def public(self, release: Any) -> str:
        """A link, where its data are on the public page."""
        address = reverse("contributor:data", args=[self.campaign.slug])
        return format_html('<a href="{}">{}</a>', address, gettext("published")) if release.published else ""

    @action(description=gettext_lazy("Publish this edition"), permissions=["organise"])
    def publish(self, request: HttpRequest, releases: QuerySet[Release]) -> None:
        """Put the data of public releases onto the public page."""
        self._turn(request, releases, published=True)

    @action(description=gettext_lazy("Take this edition down"), permissions=["organise"])
    def take_down(self, request: HttpRequest, releases: QuerySet[Release]) -> None:
        """Take them down."""
        self._turn(request, releases, published=False)

    def _turn(self, request: HttpRequest, releases: QuerySet[Release], *, published: bool) -> None:
        editions = Edition.objects.filter(release__in=releases.values("pk"), published=not published)
        for edition in editions.exclude(archive=b"").select_related("release"):
            Edition.objects.filter(pk=edition.pk).update(published=published)
            name = edition.release.number if edition.release else ""
            record(
                self.campaign,
                request.user,
                "edition published" if published else "edition taken down",
                release=name,
            )


@allowed(*Releases.sees, methods=SEND)
def download(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Make a working copy and send it."""
    return sent(packed(campaign, request.user), f"{campaign.slug}-{timezone.now():%Y-%m-%d}.zip")


@allowed(Role.ORGANISER, methods=READ_OR_SEND)
def release(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Make a release and send it."""
    form = ReleaseForm(campaign, request.POST if request.method == "POST" else None)
    title, button = gettext("A new release"), gettext("Make and download the release")
    return _release(request, campaign, form, title, button)


@allowed(Role.ORGANISER, methods=READ_OR_SEND)
def restricted(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Make a release in which nothing is merged, for somebody who signed its conditions, and send it."""
    form = RestrictedForm(campaign, request.POST if request.method == "POST" else None)
    title, button = gettext("A restricted release"), gettext("Make and download the restricted release")
    return _release(request, campaign, form, title, button, conditions=agreement(campaign, "…", "…"))


def _release(
    request: HttpRequest, campaign: Campaign, form: ReleaseForm, title: str, button: str, **context: Any
) -> HttpResponseBase:
    """Make the release that a form asks for and send it; else the page with the form."""
    if form.is_valid():
        number, recipient = form.cleaned_data["number"], form.cleaned_data.get("recipient", "")
        try:
            archive = packed(campaign, request.user, release=number, recipient=recipient)
            return sent(archive, f"{campaign.slug}-{number}{'-restricted' if recipient else ''}.zip")
        except NumberTakenError:
            form.add_error("number", _OTHER_NUMBER)
        except EmptyReleaseError as problem:
            form.add_error("number", str(problem))
    return form_page(
        request,
        campaign,
        form,
        title=title,
        button=button,
        back="organiser:exports",
        template="organiser/release.html",
        **context,
    )


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/exports/", Releases.page(), name="exports"),
    path("<slug:slug>/exports/download/", download, name="export_download"),
    path("<slug:slug>/exports/release/", release, name="export_release"),
    path("<slug:slug>/exports/restricted/", restricted, name="export_restricted"),
]
