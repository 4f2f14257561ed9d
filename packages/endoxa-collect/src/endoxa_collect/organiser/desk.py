"""What lists of organisers have in common: Django's admin for the rows of one campaign, by role; forms, files.

Of Django's admin the lists use its search, filters, pages and actions. None of its own addresses, templates, scripts or
accounts is part of the site: each list is a page of its campaign (`CampaignList.page`), opened by `access.allowed`.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, ClassVar

from django import forms
from django.contrib.admin import AdminSite, ModelAdmin, ShowFacets, SimpleListFilter
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Model, Q, QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext

from endoxa_collect.models import Campaign, Role
from endoxa_collect.organiser.access import READ_OR_SEND, allowed, roles_of

MEGABYTES = 2


class Desk(AdminSite):
    """The site of these lists; it has no pages of its own."""

    def each_context(self, _request: HttpRequest) -> dict[str, Any]:
        """Nothing: the pages have the header and links of the campaign."""
        return {}


desk = Desk("desk")
desk.disable_action("delete_selected")


def choice(
    name: str, label: Any, options: Callable[[Campaign], Iterable[tuple[str, Any, Q]]]
) -> type[SimpleListFilter]:
    """A filter of a list: values, their labels, and which rows each of them leaves. Other values are ignored."""

    class Choice(SimpleListFilter):
        title = label
        parameter_name = name

        def lookups(self, _request: HttpRequest, listed: Any) -> list[tuple[str, Any]]:
            choices = list(options(listed.campaign))
            self.rows = {value: rows for value, _, rows in choices}
            return [(value, shown) for value, shown, _ in choices]

        def queryset(self, _request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
            return rows.filter(self.rows.get(self.value() or "", Q()))

    return Choice


class CampaignList(ModelAdmin):  # type: ignore[type-arg]
    """Rows of the model `of` in one campaign, for accounts with a role in `sees`; made anew for each request.

    `list_filter` are its `choice`s, `adds` pages on which organisers add a row. Who may do none of the `actions` can
    only look. A template shows each row, so that no words are shown which it would cover.
    """

    sees: ClassVar[Sequence[Role]] = (Role.ORGANISER,)
    of: ClassVar[type[Model]]
    heading: ClassVar[str | Promise]
    adds: ClassVar[Sequence[tuple[str, str | Promise]]] = ()
    list_display_links = None
    list_per_page = 50
    list_max_show_all = 0
    show_full_result_count = False
    show_facets = ShowFacets.NEVER

    def __init__(self, request: HttpRequest, campaign: Campaign) -> None:
        super().__init__(self.of, desk)
        self.request = request
        self.campaign = campaign
        self.roles = roles_of(request, campaign)
        self.organises = Role.ORGANISER in self.roles

    @classmethod
    def page(cls) -> Callable[..., HttpResponseBase]:
        """The view: GET shows the list, POST carries out an action on the rows that were ticked."""

        @allowed(*cls.sees, methods=READ_OR_SEND)
        def view(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
            rows = cls(request, campaign)
            ticked = request.POST.getlist("_selected_action")
            if request.method == "POST" and not (
                rows.get_actions(request) and all(map(str.isdecimal, ticked))
            ):
                raise Http404
            return rows.changelist_view(request, {"campaign": campaign, **rows.context()})

        return view

    def context(self) -> dict[str, Any]:
        """What the template is handed beside the list."""
        return {}

    def shown(self, _row: Any) -> Any:
        """What the template is handed beside a row."""
        return None

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Rows of the campaign."""
        return super().get_queryset(request).filter(campaign=self.campaign).select_related("campaign")

    def has_view_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        """`allowed` has looked."""
        return True

    def has_add_permission(self, _request: HttpRequest) -> bool:
        """Django's own forms are not part of the site."""
        return False

    def has_organise_permission(self, _request: HttpRequest) -> bool:
        """Who may do what only organisers may."""
        return self.organises

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:  # noqa: ARG002
        """Only the filters of the page: Django would let anybody ask for rows by any column, such as their author."""
        return lookup in {getattr(filter_, "parameter_name", "") for filter_ in self.list_filter}

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """The list with what its template needs; the whole of it where the address asks for what there is not."""
        try:
            listed = super().get_changelist_instance(request)
        except (IncorrectLookupParameters, DisallowedModelAdminLookup):
            request.GET = QueryDict()
            listed = super().get_changelist_instance(request)
        listed.rows = [(row, self.shown(row)) for row in listed.result_list]  # type: ignore[attr-defined]
        return listed


class CampaignForm(forms.Form):
    """A form on a page of its own, for organisers of a campaign. `back` is the page that it leads back to."""

    title: str | Promise
    button: str | Promise
    back: str
    template = "organiser/form.html"

    def __init__(self, campaign: Campaign, data: Any = None, files: Any = None, **named: Any) -> None:
        super().__init__(data, files, **named)
        self.campaign = campaign

    def carry_out(self, request: HttpRequest) -> HttpResponseBase | None:
        """Do what was sent, which is valid, and lead on; None where it cannot be done and a field says why."""
        raise NotImplementedError

    @classmethod
    def page(cls) -> Callable[..., HttpResponseBase]:
        """The view; 422 where what was sent cannot be used."""

        @allowed(Role.ORGANISER, methods=READ_OR_SEND)
        def view(request: HttpRequest, campaign: Campaign, **named: Any) -> HttpResponseBase:
            form = cls(
                campaign, *((request.POST, request.FILES) if request.method == "POST" else ()), **named
            )
            answer = form.carry_out(request) if form.is_valid() else None
            context = {"campaign": campaign, "form": form}
            return answer or render(request, form.template, context, status=422 if form.is_bound else 200)

        return view


def require_small(file: UploadedFile[bytes]) -> None:
    """Refuse a file of more than `MEGABYTES`, as a validator of its field."""
    if (file.size or 0) > MEGABYTES * 1024 * 1024:
        fault = gettext("This file has more than %(limit)d MB: split it into several files.")
        raise forms.ValidationError(fault % {"limit": MEGABYTES})


def zipped(paths: Iterable[Path], folder: str = "") -> IO[bytes]:
    """Files as a zip file that has no name on disk and goes when it is closed."""
    archive = TemporaryFile()  # noqa: SIM115  (the answer closes it)
    try:
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packing:
            for path in paths:
                packing.write(path, f"{folder}{path.name}")
    except OSError:
        archive.close()
        raise
    archive.seek(0)
    return archive


def sent(archive: IO[bytes], name: str) -> FileResponse:
    """A zip file to download."""
    return FileResponse(archive, as_attachment=True, filename=name, content_type="application/zip")
