"""Pages of seeds: upload a file, preview, add; one log entry per upload."""

from __future__ import annotations

from collections import Counter, defaultdict
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
from endoxa_collect.entry.cleaning import comparable, key
from endoxa_collect.entry.likeness import nearest_before
from endoxa_collect.entry.seeding import (
    SeedFileError,
    SeedReport,
    SeedRow,
    add_seeds,
    read_seeds,
    row_of,
    unkind,
)
from endoxa_collect.inputs import set_choices
from endoxa_collect.models import AuditEntry, Campaign, Pair, Role, Source, record
from endoxa_collect.organiser.access import READ_OR_SEND, SEND, allowed
from endoxa_collect.visible import visible

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
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.xlsx,.jsonl,.ndjson"}),
        help_text=gettext_lazy("CSV (UTF-8), TSV, XLSX or JSONL; at most 2 MB and 5,000 rows."),
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


class OneForm(forms.Form):
    """One seed, typed; cleaned to its row."""

    country = forms.ChoiceField(label=gettext_lazy("Whom it is about"))
    attribute = forms.CharField(
        label=gettext_lazy("What is said of them"),
        max_length=120,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )
    language = forms.ChoiceField(label=gettext_lazy("Language"))
    topic = forms.CharField(label=gettext_lazy("Topic"), max_length=40, required=False)
    negative = forms.ChoiceField(
        label=gettext_lazy("Does it hurt to hear it?"),
        required=False,
        choices=[("", gettext_lazy("not known")), ("yes", gettext_lazy("Yes")), ("no", gettext_lazy("No"))],
    )

    def __init__(self, campaign: Campaign, data: QueryDict | None = None) -> None:
        super().__init__(data, label_suffix="", prefix="one")
        self._settings = campaign.settings
        here = get_language() or "en"
        names = groups.names(here, self._settings)
        first = [code for code in groups.listed(self._settings) if code in names]
        ordered = dict.fromkeys((*first, *names))
        languages = self._settings.data_languages
        set_choices(
            self,
            country=[(code, names[code]) for code in ordered],
            language=[(code, geography.language_name(code, here)) for code in languages],
        )

    def clean(self) -> dict[str, Any]:
        """The row under `row`."""
        cleaned = self.cleaned_data
        if not self.errors:
            try:
                cleaned["row"] = row_of("–", cleaned, self._settings.data_languages, self._settings)
            except SeedFileError as problem:
                self.add_error("attribute", str(problem))
        return cleaned


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


def preview_seeds(campaign: Campaign, rows: list[SeedRow]) -> tuple[SeedReport, list[tuple[SeedRow, str]]]:
    """What `add_seeds` would do, and new rows that are nearly like a pair or an earlier row, with its words."""
    there = Pair.objects.filter(campaign=campaign).values_list("country", "language", "key", "attribute")
    known = {(country, language, name): words for country, language, name, words in there}
    cells: defaultdict[tuple[str, str], dict[str, tuple[str, SeedRow | None]]] = defaultdict(dict)
    for (country, language, name), words in known.items():
        cells[country, language][name] = (words, None)
    new, duplicates = [], []
    for row in rows:
        cell, name = cells[row.country, row.language], key(visible(row.attribute), row.language)
        (duplicates if name in cell else new).append(row)
        cell.setdefault(name, (row.attribute, row))
    alike = []
    for (_, language), cell in cells.items():
        entries = list(cell.values())
        start = sum(row is None for _, row in entries)
        near = nearest_before([comparable(name, language) for name in cell], start)
        alike += [(row, entries[other][0]) for place, other in near.items() if (row := entries[place][1])]
    return SeedReport(tuple(new), tuple(duplicates)), alike


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
        report, alike = preview_seeds(campaign, rows)
        context = {
            "campaign": campaign,
            "rows": len(rows),
            "report": report,
            "first": [named(row, campaign.settings) for row in report.new[:FIRST]],
            "duplicates": [named(row, campaign.settings) for row in report.duplicates[:FIRST]],
            "alike": [(named(row, campaign.settings), other) for row, other in alike[:FIRST]],
            "all_alike": len(alike),
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


@allowed(Role.ORGANISER, methods=SEND)
def add_one(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Add one seed; one that is there already is not added again."""
    single = OneForm(campaign, request.POST)
    if not single.is_valid():
        return _page(request, campaign, UploadForm(campaign), single=single)
    add_seeds(campaign, [single.cleaned_data["row"]], note=logged(campaign, request.user))
    return redirect("organiser:seeds", campaign.slug)


def _page(
    request: HttpRequest,
    campaign: Campaign,
    form: UploadForm,
    problem: str = "",
    single: OneForm | None = None,
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "form": form,
        "one": single or OneForm(campaign),
        "problem": problem,
        "there": Pair.objects.filter(campaign=campaign, source=Source.SEED).count(),
        "uploads": AuditEntry.objects.filter(campaign=campaign, action=ADDED).order_by("-at", "-pk")[:5],
    }
    return render(request, "organiser/seeds.html", context)


urlpatterns = [
    path("<slug:slug>/seeds/", seeds, name="seeds"),
    path("<slug:slug>/seeds/add/", add, name="seeds_add"),
    path("<slug:slug>/seeds/one/", add_one, name="seeds_one"),
]
