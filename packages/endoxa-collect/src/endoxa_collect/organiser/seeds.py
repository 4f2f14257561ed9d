"""Seeds: the list of them, and the pages that add some from a file or one by a form; one log entry per upload."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import path
from django.utils.datastructures import MultiValueDict
from django.utils.translation import get_language, gettext, gettext_lazy, ngettext

from endoxa_collect import geography, groups
from endoxa_collect.entry.seeding import SeedFileError, SeedReport, SeedRow, add_seeds, read_seeds, row_of
from endoxa_collect.inputs import set_choices
from endoxa_collect.models import AuditEntry, Campaign, Role, Source, record
from endoxa_collect.organiser.access import READ_OR_SEND, allowed
from endoxa_collect.organiser.all_pairs import Pairs
from endoxa_collect.organiser.desk import form_page, require_small

ADDED = "seeds added"
"""The action in the log."""


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
        super().__init__(data)
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


class Seeds(Pairs):
    """The pairs to start with."""

    sees = (Role.ORGANISER,)
    heading = gettext_lazy("Seeds")
    intro = gettext_lazy(
        "Seeds give the first people something to rate. Choose kind and unkind ones, from every country of the "
        "campaign."
    )
    adds = (
        ("organiser:seeds_add", gettext_lazy("Upload a file")),
        ("organiser:seeds_one", gettext_lazy("Add one")),
    )
    list_filter = Pairs.list_filter[:-2]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Seeds only."""
        return super().get_queryset(request).filter(source=Source.SEED)


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


def _add(request: HttpRequest, campaign: Campaign, rows: Iterable[SeedRow]) -> HttpResponse:
    """Add rows, and say on the list how many were new."""
    report = add_seeds(campaign, rows, note=logged(campaign, request.user))
    said = ngettext("%(added)d pair added", "%(added)d pairs added", report.added) % {"added": report.added}
    if twice := len(report.duplicates):
        there = ngettext("%(n)d was there already", "%(n)d were there already", twice) % {"n": twice}
        said = f"{said}, {there}"
    messages.success(request, said)
    return redirect("organiser:seeds", campaign.slug)


@allowed(Role.ORGANISER, methods=READ_OR_SEND)
def add(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Add the rows of a file, all or none of them."""
    form = UploadForm(campaign, *((request.POST, request.FILES) if request.method == "POST" else ()))
    if form.is_valid():
        return _add(request, campaign, form.cleaned_data["file"])
    title, button = gettext("Upload a file"), gettext("Add them")
    template = "organiser/seeds_file.html"
    return form_page(
        request, campaign, form, title=title, button=button, back="organiser:seeds", template=template
    )


@allowed(Role.ORGANISER, methods=READ_OR_SEND)
def add_one(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Add one seed; one that is there already is not added again."""
    form = OneForm(campaign, request.POST if request.method == "POST" else None)
    if form.is_valid():
        return _add(request, campaign, [form.cleaned_data["row"]])
    title, button = gettext("Add one"), gettext("Add it")
    return form_page(request, campaign, form, title=title, button=button, back="organiser:seeds")


urlpatterns = [
    path("<slug:slug>/seeds/", Seeds.page(), name="seeds"),
    path("<slug:slug>/seeds/add/", add, name="seeds_add"),
    path("<slug:slug>/seeds/one/", add_one, name="seeds_one"),
]
