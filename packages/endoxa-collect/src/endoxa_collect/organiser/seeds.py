"""Pages of seeds: upload a file, preview, add; one log entry per upload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import astuple
from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser, User
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.datastructures import MultiValueDict
from django.utils.translation import get_language, gettext, gettext_lazy

from endoxa_collect import geography, groups
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.entry.seeding import (
    SeedFileError,
    SeedReport,
    SeedRow,
    add_seeds,
    preview_seeds,
    read_seeds,
    unkind,
)
from endoxa_collect.models import AuditEntry, Campaign, Pair, Role, Source, record
from endoxa_collect.organiser.access import READ_OR_SEND, SEND, allowed

MEGABYTES = 2
_DAY_SECONDS = 86_400

FIRST = 10
"""Rows of each kind that are shown."""

ADDED = "seeds added"
"""The action in the log."""


def require_small(file: UploadedFile[bytes]) -> UploadedFile[bytes]:
    """The file, if it has at most `MEGABYTES`.

    Raises:
        ValidationError: it has more.
    """
    if (file.size or 0) > MEGABYTES * 1024 * 1024:
        raise forms.ValidationError(
            gettext("This file has more than %(limit)d MB: split it into several files.")
            % {"limit": MEGABYTES}
        )
    return file


class UploadForm(forms.Form):
    """A file of seeds; cleaned to its rows."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.jsonl,.ndjson"}),
        help_text=gettext_lazy("CSV (UTF-8), TSV or JSONL; at most 2 MB and 5,000 rows."),
    )

    def __init__(
        self,
        campaign: Campaign,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
    ) -> None:
        super().__init__(data, files)
        self._settings = campaign.settings

    def clean_file(self) -> list[SeedRow]:
        """The rows of the file."""
        file = require_small(self.cleaned_data["file"])
        try:
            return read_seeds(file.read(), file.name or "", self._settings.data_languages, self._settings)
        except SeedFileError as problem:
            raise forms.ValidationError(str(problem)) from problem


class RowsForm(forms.Form):
    """Rows that were shown, signed by the site, so that what is added is what was looked at."""

    rows = forms.CharField(widget=forms.HiddenInput)

    def __init__(
        self, campaign: Campaign, data: QueryDict | None = None, rows: list[SeedRow] | None = None
    ) -> None:
        self._salt = f"endoxa.seeds.{campaign.pk}"
        super().__init__(
            data,
            initial={"rows": signing.dumps(list(map(astuple, rows or [])), salt=self._salt, compress=True)},
        )

    def clean_rows(self) -> list[SeedRow]:
        """The rows."""
        try:
            stored: list[list[Any]] = signing.loads(
                self.cleaned_data["rows"], salt=self._salt, max_age=_DAY_SECONDS
            )
        except signing.BadSignature:
            raise forms.ValidationError(
                gettext("This preview is too old. Please upload the file again.")
            ) from None
        return [SeedRow(*row) for row in stored]


def named(row: SeedRow, settings: CampaignSettings) -> dict[str, Any]:
    """A row with names in the language of the page, and whether it is unkind (None: not known)."""
    here = get_language() or "en"
    return {
        "country": groups.name(row.country, here, settings),
        "language": geography.language_name(row.language, here),
        "row": row,
        "unkind": unkind(row),
    }


def counted(report: SeedReport, settings: CampaignSettings) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """New rows by country, the largest first, and in each by language."""
    here = get_language() or "en"
    cells = Counter((row.country, row.language) for row in report.new)
    totals = Counter(row.country for row in report.new)
    return [
        (
            groups.name(country, here, settings),
            total,
            [
                (geography.language_name(language, here), count)
                for (other, language), count in sorted(cells.items())
                if other == country
            ],
        )
        for country, total in sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    ]


def logged(campaign: Campaign, user: User | AnonymousUser) -> Callable[[SeedReport], None]:
    """A function that writes down what was added so far, as `add_seeds` calls it."""
    entries: list[AuditEntry] = []

    def note(report: SeedReport) -> None:
        numbers = {"added": report.added, "duplicates": len(report.duplicates)}
        if not entries:
            entries.append(record(campaign, user, ADDED, **numbers))
        entries[0].detail = numbers
        entries[0].save(update_fields=["detail"])

    return note


@allowed(Role.ORGANISER, methods=READ_OR_SEND)
def seeds(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The form for a file; with a file, the preview of what it would do."""
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = UploadForm(campaign, *sent)
    if form.is_valid():
        rows = form.cleaned_data["file"]
        report = preview_seeds(campaign, rows)
        context = {
            "campaign": campaign,
            "rows": len(rows),
            "report": report,
            "first": [named(row, campaign.settings) for row in report.new[:FIRST]],
            "duplicates": [named(row, campaign.settings) for row in report.duplicates[:FIRST]],
            "alike": [(named(match.row, campaign.settings), match.other) for match in report.alike[:FIRST]],
            "counted": counted(report, campaign.settings),
            "form": RowsForm(campaign, rows=rows),
        }
        return render(request, "organiser/seeds_preview.html", context)
    return _page(request, campaign, form)


@allowed(Role.ORGANISER, methods=SEND)
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


urlpatterns = [
    path("<slug:slug>/seeds/", seeds, name="seeds"),
    path("<slug:slug>/seeds/add/", add, name="seeds_add"),
]
