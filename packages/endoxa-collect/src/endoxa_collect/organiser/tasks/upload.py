"""The page on which an organiser makes a task from a file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from endoxa.errors import UserError
from endoxa_collect.models import Campaign, Role, Task
from endoxa_collect.organiser.access import allowed
from endoxa_collect.tasks.adding import add_task, options_of
from endoxa_collect.tasks.rooms import rooms

MEGABYTES = 2
SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson")


def kinds() -> list[tuple[str, Any]]:
    """Kinds that a file alone can make; the group editor needs likeness, which the site does not compute."""
    return [(kind, found.title) for kind, found in sorted(rooms().items()) if not found.workspace]


class TaskForm(forms.Form):
    """Kind, file and settings of a task."""

    kind = forms.ChoiceField(label=gettext_lazy("Kind of the task"), choices=kinds)
    file = forms.FileField(
        label=gettext_lazy("File with the items"),
        widget=forms.FileInput(attrs={"accept": ",".join(SUFFIXES)}),
        help_text=gettext_lazy("CSV (UTF-8), TSV or JSONL with a row for each item; at most 2 MB."),
    )
    name = forms.CharField(label=gettext_lazy("Name (may be left out)"), required=False, max_length=40)
    settings = forms.CharField(
        label=gettext_lazy("Settings (may be left out)"),
        required=False,
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "ltr", "placeholder": "needed=3"}),
        help_text=gettext_lazy("One in each line, such as needed=3. They are listed below."),
    )
    panel = forms.BooleanField(
        label=gettext_lazy("People of a panel may judge, by an address with a code"), required=False
    )

    def clean_file(self) -> UploadedFile[bytes]:
        """A table that is not too large."""
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > MEGABYTES * 1024 * 1024:
            raise forms.ValidationError(
                gettext("This file has more than %(limit)d MB: split it into several files.")
                % {"limit": MEGABYTES}
            )
        if Path(file.name or "").suffix.lower() not in SUFFIXES:
            raise forms.ValidationError(gettext("Expected a file that ends in .csv, .tsv or .jsonl."))
        return file


@allowed(Role.ORGANISER)
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Make a task from an uploaded file; every row is checked before anything is kept."""
    form = TaskForm(request.POST, request.FILES) if request.method == "POST" else TaskForm()
    if request.method == "POST" and form.is_valid():
        try:
            _made(request, campaign, form.cleaned_data)
        except UserError as problem:
            form.add_error("file", str(problem))
        else:
            return redirect("organiser:tasks", campaign.slug)
    described = [room for room in rooms().values() if not room.workspace]
    context = {"campaign": campaign, "form": form, "rooms": [_described(found) for found in described]}
    return render(request, "tasks/add.html", context, status=422 if form.is_bound else 200)


def _made(request: HttpRequest, campaign: Campaign, given: dict[str, Any]) -> Task:
    """The task; messages name the file as it was called, not where it lay here.

    Raises:
        UserError: the file or a setting cannot be used.
    """
    file = given["file"]
    named = Path(file.name or "items").name
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"items{Path(named).suffix.lower()}"
        path.write_bytes(file.read())
        lines = [line for line in given["settings"].splitlines() if line.strip()]
        try:
            return add_task(
                campaign,
                given["kind"],
                path,
                name=given["name"] or None,
                options=options_of(lines),
                panel=given["panel"],
                user=request.user,
            )
        except UserError as problem:
            raise UserError(str(problem).replace(str(path), named).replace(f"{folder}/", "")) from None


def _described(found: Any) -> dict[str, Any]:
    """Columns and settings of a kind, for the list below the form."""
    fields = found.settings.model_fields
    return {
        "kind": found.kind,
        "title": found.title,
        "columns": {**found.columns, **found.optional},
        "needed": set(found.columns),
        "settings": [f"{name}={_text(field.default)}" for name, field in fields.items()],
    }


def _text(value: object) -> str:
    return "[" + ",".join(map(str, value)) + "]" if isinstance(value, tuple) else str(value)
