"""Views of exports: what is included, what is left out and why, and how to make one."""

from __future__ import annotations

from typing import IO

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from endoxa.errors import UserError
from endoxa_collect.export.agreement import agreement
from endoxa_collect.export.columns import LEAST
from endoxa_collect.export.releases import NumberTakenError
from endoxa_collect.models import Campaign, Role
from endoxa_collect.organiser.access import allowed, roles_of
from endoxa_collect.organiser.exports.forms import ReleaseForm, RestrictedForm
from endoxa_collect.organiser.exports.services import packed, preview

ROLES = (Role.ORGANISER, Role.RESEARCHER)


@allowed(*ROLES)
@require_safe
def exports(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Preview of the tables, what is left out, releases so far."""
    return _page(request, campaign, ReleaseForm(campaign))


@allowed(*ROLES)
@require_POST
def download(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Make a working copy and send it."""
    try:
        _, archive = packed(campaign, request.user)
    except UserError:
        return _page(request, campaign, ReleaseForm(campaign), failed=True)
    return _sent(archive, f"{campaign.slug}-{timezone.now():%Y-%m-%d}.zip")


@allowed(Role.ORGANISER)
@require_POST
def release(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Make a release and send it."""
    form = ReleaseForm(campaign, request.POST)
    if not form.is_valid():
        return _page(request, campaign, form, status=422)
    try:
        report, archive = packed(campaign, request.user, release=form.cleaned_data["number"])
    except NumberTakenError:
        form.refuse_number()
        return _page(request, campaign, form, status=422)
    except UserError:
        return _page(request, campaign, form, failed=True)
    return _sent(archive, f"{campaign.slug}-{report.release}.zip")


@allowed(Role.ORGANISER)
@require_POST
def restricted(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    """Make a release in which nothing is merged, for somebody who signed its conditions, and send it."""
    form = RestrictedForm(campaign, request.POST)
    empty = ReleaseForm(campaign)
    if not form.is_valid():
        return _page(request, campaign, empty, restricted=form, status=422)
    number, recipient = form.cleaned_data["number"], form.cleaned_data["recipient"]
    try:
        _, archive = packed(campaign, request.user, release=number, recipient=recipient)
    except NumberTakenError:
        form.refuse_number()
        return _page(request, campaign, empty, restricted=form, status=422)
    except UserError:
        return _page(request, campaign, empty, restricted=form, failed=True)
    return _sent(archive, f"{campaign.slug}-{number}-restricted.zip")


def _sent(archive: IO[bytes], name: str) -> FileResponse:
    return FileResponse(archive, as_attachment=True, filename=name, content_type="application/zip")


def _page(
    request: HttpRequest,
    campaign: Campaign,
    form: ReleaseForm,
    *,
    restricted: RestrictedForm | None = None,
    status: int = 200,
    failed: bool = False,
) -> HttpResponse:
    organiser = Role.ORGANISER in roles_of(request, campaign)
    context = {
        "campaign": campaign,
        "preview": preview(campaign),
        "least": LEAST,
        "releases": campaign.releases.finished().order_by("-made_at", "-pk"),
        "form": form if organiser else None,
        "restricted": (restricted or RestrictedForm(campaign)) if organiser else None,
        "conditions": agreement(campaign, "…", "…") if organiser else "",
        "failure": _("The export could not be written. Is the disk of the server full? Please try again.")
        if failed
        else "",
    }
    return render(request, "organiser/exports.html", context, status=500 if failed else status)
