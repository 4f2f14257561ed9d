"""The upload of a file of seeds, and the rows that wait for a yes."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from django import forms
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext, gettext_lazy

from endoxa.collect.entry.seed_files import SeedFileError, read_seeds
from endoxa.collect.entry.seeding import SeedRow
from endoxa.collect.models import Campaign

MEGABYTES = 2
_DAY_SECONDS = 86_400


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
        self._languages = campaign.settings.data_languages

    def clean_file(self) -> list[SeedRow]:
        """The rows of the file."""
        file = self.cleaned_data["file"]
        if (file.size or 0) > MEGABYTES * 1024 * 1024:
            raise forms.ValidationError(
                gettext("This file has more than %(limit)d MB: split it into several files.")
                % {"limit": MEGABYTES}
            )
        try:
            return read_seeds(file.read(), file.name or "", self._languages)
        except SeedFileError as problem:
            raise forms.ValidationError(str(problem)) from problem


class RowsForm(forms.Form):
    """Rows that were shown, signed by the site, so that what is added is what was looked at."""

    rows = forms.CharField(widget=forms.HiddenInput)

    def __init__(
        self, campaign: Campaign, data: QueryDict | None = None, rows: list[SeedRow] | None = None
    ) -> None:
        self._salt = f"endoxa.seeds.{campaign.pk}"
        super().__init__(data, initial={"rows": self._signed(rows or [])})

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

    def _signed(self, rows: list[SeedRow]) -> str:
        return signing.dumps([astuple(row) for row in rows], salt=self._salt, compress=True)
