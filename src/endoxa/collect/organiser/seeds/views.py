"""Seeds: upload a file, look at what it would do, add it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from endoxa.collect.entry.seeding import SeedRow, add_seeds, preview_seeds
from endoxa.collect.models import AuditEntry, Campaign, Pair, Role, Source
from endoxa.collect.organiser.access import allowed
from endoxa.collect.organiser.seeds.forms import RowsForm, UploadForm
from endoxa.collect.organiser.seeds.noting import ADDED, logged
from endoxa.collect.organiser.seeds.previewing import FIRST, counted, named, shown


@allowed(Role.ORGANISER)
@require_http_methods(["GET", "HEAD", "POST"])
def seeds(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The form for a file; with a file, the preview of what it would do."""
    form = (
        UploadForm(campaign, request.POST, request.FILES)
        if request.method == "POST"
        else UploadForm(campaign)
    )
    if form.is_valid():
        return _preview(request, campaign, form.cleaned_data["file"])
    return _page(request, campaign, form)


@allowed(Role.ORGANISER)
@require_POST
def add(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Add the rows that were looked at; a second time nothing is added."""
    form = RowsForm(campaign, request.POST)
    if not form.is_valid():
        return _page(request, campaign, UploadForm(campaign), problem=" ".join(map(str, form.errors["rows"])))
    add_seeds(campaign, form.cleaned_data["rows"], note=logged(campaign, request.user))
    return redirect("organiser:seeds", campaign.slug)


def _page(request: HttpRequest, campaign: Campaign, form: UploadForm, problem: str = "") -> HttpResponse:
    context = {
        "campaign": campaign,
        "form": form,
        "problem": problem,
        "there": Pair.objects.filter(campaign=campaign, source=Source.SEED).count(),
        "uploads": AuditEntry.objects.filter(campaign=campaign, action=ADDED).order_by("-at", "-pk")[:5],
    }
    return render(request, "organiser/seeds.html", context)


def _preview(request: HttpRequest, campaign: Campaign, rows: list[SeedRow]) -> HttpResponse:
    report = preview_seeds(campaign, rows)
    context = {
        "campaign": campaign,
        "rows": len(rows),
        "report": report,
        "first": shown(report.new),
        "duplicates": shown(report.duplicates),
        "alike": [(named(one.row), one.other) for one in report.alike[:FIRST]],
        "counted": counted(report),
        "form": RowsForm(campaign, rows=rows),
    }
    return render(request, "organiser/seeds_preview.html", context)
