"""The page of exports: a preview, a working copy, public and restricted releases as one file to download."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import IO, Any

from django import forms
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists, F, OuterRef
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import get_language, gettext, gettext_lazy

from endoxa.errors import UserError
from endoxa_collect import groups
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.export.card import LONGEST, agreement, people_by_country, recipient_named
from endoxa_collect.export.columns import OTHER, Column, columns_of
from endoxa_collect.export.folder import LeftOut
from endoxa_collect.export.run import EmptyReleaseError, NumberTakenError, export_campaign, require_number
from endoxa_collect.export.tables import read_tables
from endoxa_collect.faults import is_full
from endoxa_collect.files import draft
from endoxa_collect.models import Campaign, Edition, Role, record
from endoxa_collect.organiser.access import READ, SEND, allowed, roles_of
from endoxa_collect.organiser.figures import cached
from endoxa_collect.small_cells import LEAST, in_steps
from endoxa_collect.withdrawals import Keys, new_salt


@dataclass(frozen=True)
class Preview:
    """Tables with their rows and columns, what stays in the database, and people by country as the export says it.

    Numbers of people are in steps (`small_cells.in_steps`).
    """

    tables: Sequence[tuple[str, int, tuple[Column, ...]]]
    left_out: LeftOut
    countries: Sequence[tuple[str, int]]


def preview(campaign: Campaign) -> Preview:
    """The tables as they would be now, or were some seconds ago (`figures.cached`)."""
    rows, left_out, countries = cached(campaign, "exports", lambda: _sizes(campaign))
    return Preview(
        [(name, count, columns_of(name, campaign.settings)) for name, count in rows.items()],
        left_out,
        [(_place(country, campaign.settings), count) for country, count in countries],
    )


def _sizes(campaign: Campaign) -> tuple[dict[str, int], LeftOut, list[tuple[str, int]]]:
    """Rows by table, what stays in the database, and people by country as the export writes it."""
    tables = read_tables(campaign, Keys(new_salt()))
    left_out = tables.left_out
    rows = {name: frame.height for name, frame in tables.frames.items()}
    return (
        {**rows, "people": in_steps(rows["people"])},
        replace(left_out, people=in_steps(left_out.people), merged=in_steps(left_out.merged)),
        [
            (country, in_steps(count))
            for country, count in people_by_country(tables.frames["people"], left_out.people)
        ],
    )


def _place(country: str, settings: CampaignSettings) -> str:
    if country == OTHER:
        return gettext("Countries that too few share, or that were put with them")
    names = (groups.name(code, get_language() or "en", settings) for code in country.split("; ") if code)
    return ", ".join(names) or gettext("No country named")


def packed(
    campaign: Campaign, user: User | AnonymousUser, *, release: str | None = None, recipient: str = ""
) -> IO[bytes]:
    """Export a campaign into a zip file that has no name and goes when it is closed; it is in the log then.

    A restricted release has a `recipient`.

    Raises:
        UserError: the number of the release cannot be taken, or the disk cannot be written.
    """
    name = f"{campaign.slug}-{release or 'export'}{'-restricted' if recipient else ''}"
    try:
        with ExitStack() as unless_written:
            archive = unless_written.enter_context(TemporaryFile())
            with draft(Path(gettempdir()), "export") as place:
                export_campaign(
                    campaign,
                    place / name,
                    release=release,
                    recipient=recipient,
                    user=user,
                    pack=lambda folder: _zip(folder, name, archive),
                )
            archive.seek(0)
            unless_written.pop_all()  # the response closes it
            return archive
    except OSError as problem:
        reason = problem.strerror or problem
        raise UserError(
            f"The export cannot be written to the folder for temporary files: {reason}."
        ) from problem


def _zip(folder: Path, name: str, archive: IO[bytes]) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in sorted(folder.iterdir()):
            zipped.write(path, f"{name}/{path.name}")


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

    def refuse_number(self) -> None:
        """Ask for another number: somebody took this one after the form was checked."""
        self.add_error("number", _OTHER_NUMBER)


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

    def __init__(self, campaign: Campaign, *args: Any, **named: Any) -> None:
        # Both forms stand on one page.
        super().__init__(campaign, *args, auto_id="restricted_%s", **named)

    def clean_recipient(self) -> str:
        """The name, without characters that cannot be seen."""
        try:
            return recipient_named(self.cleaned_data["recipient"])
        except UserError:
            raise forms.ValidationError(
                gettext_lazy("Write the name of a person and an institution.")
            ) from None


ROLES = (Role.ORGANISER, Role.RESEARCHER)


@allowed(*ROLES, methods=READ)
def exports(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Preview of the tables, what is left out, releases so far."""
    return _page(request, campaign, ReleaseForm(campaign))


@allowed(*ROLES, methods=SEND)
def download(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Make a working copy and send it."""
    try:
        archive = packed(campaign, request.user)
    except UserError as problem:
        return _page(request, campaign, ReleaseForm(campaign), failed=problem)
    return _sent(archive, f"{campaign.slug}-{timezone.now():%Y-%m-%d}.zip")


@allowed(Role.ORGANISER, methods=SEND)
def release(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Make a release and send it."""
    return _release(request, campaign, ReleaseForm(campaign, request.POST))


@allowed(Role.ORGANISER, methods=SEND)
def restricted(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Make a release in which nothing is merged, for somebody who signed its conditions, and send it."""
    return _release(request, campaign, RestrictedForm(campaign, request.POST))


@allowed(Role.ORGANISER, methods=SEND)
def publish(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Put the data of one public release onto the public page, or take it down."""
    number, on = request.POST.get("number", ""), request.POST.get("publish") == "1"
    edition = Edition.objects.filter(campaign=campaign, release__number=number).exclude(archive=b"")
    if edition.exclude(published=on).update(published=on):
        record(campaign, request.user, "edition published" if on else "edition taken down", release=number)
    return redirect("organiser:exports", campaign.slug)


def _release(request: HttpRequest, campaign: Campaign, form: ReleaseForm) -> HttpResponseBase:
    """Make the release that a form asks for and send it; else the page with the form."""
    if not form.is_valid():
        return _page(request, campaign, form, status=422)
    number, recipient = form.cleaned_data["number"], form.cleaned_data.get("recipient", "")
    try:
        archive = packed(campaign, request.user, release=number, recipient=recipient)
    except NumberTakenError:
        form.refuse_number()
        return _page(request, campaign, form, status=422)
    except EmptyReleaseError as problem:
        form.add_error("number", str(problem))
        return _page(request, campaign, form, status=422)
    except UserError as problem:
        return _page(request, campaign, form, failed=problem)
    return _sent(archive, f"{campaign.slug}-{number}{'-restricted' if recipient else ''}.zip")


def _sent(archive: IO[bytes], name: str) -> FileResponse:
    return FileResponse(archive, as_attachment=True, filename=name, content_type="application/zip")


def _page(
    request: HttpRequest,
    campaign: Campaign,
    form: ReleaseForm,
    *,
    status: int = 200,
    failed: UserError | None = None,
) -> HttpResponse:
    organiser = Role.ORGANISER in roles_of(request, campaign)
    restricted = isinstance(form, RestrictedForm)
    context = {
        "campaign": campaign,
        "preview": preview(campaign),
        "least": LEAST,
        "releases": campaign.releases.finished()
        .annotate(
            published=F("edition__published"),
            here=Exists(Edition.objects.filter(release=OuterRef("pk")).exclude(archive=b"")),
        )
        .order_by("-made_at", "-pk"),
        "form": (ReleaseForm(campaign) if restricted else form) if organiser else None,
        "restricted": (form if restricted else RestrictedForm(campaign)) if organiser else None,
        "conditions": agreement(campaign, "…", "…") if organiser else "",
        "failure": gettext(
            "The export could not be written. Is the disk of the server full? Please try again."
        )
        if is_full(failed)
        else failed,
    }
    return render(request, "organiser/exports.html", context, status=500 if failed else status)


urlpatterns: list[URLPattern] = [
    path("<slug:slug>/exports/", exports, name="exports"),
    path("<slug:slug>/exports/download/", download, name="export_download"),
    path("<slug:slug>/exports/publish/", publish, name="export_publish"),
    path("<slug:slug>/exports/release/", release, name="export_release"),
    path("<slug:slug>/exports/restricted/", restricted, name="export_restricted"),
]
