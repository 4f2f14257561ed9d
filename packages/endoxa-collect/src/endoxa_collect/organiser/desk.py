"""What lists of organisers have in common: Django's admin for the rows of one campaign, by role; pages of forms, files.

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
from django.contrib.admin import AdminSite, ModelAdmin, ShowFacets, SimpleListFilter, display
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Model, QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy

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


class CampaignList(ModelAdmin):  # type: ignore[type-arg]
    """Rows of `model` of one campaign, for accounts with a role in `sees`; made anew for each request.

    `adds` are pages on which organisers add a row, with what their links say. Who may do none of the `actions` can only
    look. Rows are named by `mark`, never by their words.
    """

    sees: ClassVar[Sequence[Role]] = (Role.ORGANISER,)
    of: ClassVar[type[Model]]
    heading: ClassVar[Promise]
    intro: ClassVar[Promise]
    adds: ClassVar[Sequence[tuple[str, Promise]]] = ()
    mark: ClassVar[Callable[[Any], str]] = str
    change_list_template = "organiser/list.html"
    list_display_links = None
    list_per_page = 50
    list_max_show_all = 0
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    sortable_by = ()

    def __init__(self, campaign: Campaign, roles: set[Role]) -> None:
        super().__init__(self.of, desk)
        self.campaign = campaign
        self.roles = roles
        self.organises = Role.ORGANISER in roles

    @classmethod
    def page(cls) -> Callable[..., HttpResponseBase]:
        """The view: GET shows the list, POST carries out an action on the rows that were ticked."""

        def view(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
            rows = cls(campaign, roles_of(request, campaign))
            if request.method == "POST" and not rows.get_actions(request):
                raise Http404
            return rows.changelist_view(request, rows.context(request))

        return allowed(*cls.sees, methods=READ_OR_SEND)(view)

    def context(self, _request: HttpRequest) -> dict[str, Any]:
        """What the template is handed beside the list."""
        return {"campaign": self.campaign, "adds": self.adds if self.organises else ()}

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

    def lookup_allowed(self, lookup: str, _value: str, request: HttpRequest | None = None) -> bool:  # noqa: ARG002
        """Only the filters of the page: Django would let anybody ask for rows by any column, such as their author."""
        return lookup in {narrowing.parameter_name for narrowing in self.list_filter}

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """The list; the whole of it where the address asks for what there is not."""
        try:
            return super().get_changelist_instance(request)
        except (IncorrectLookupParameters, DisallowedModelAdminLookup):
            request.GET = QueryDict()
            return super().get_changelist_instance(request)

    @display(description=gettext_lazy("Tick"))
    def action_checkbox(self, obj: Any) -> str:
        """The box of a row; Django's own has the whole row in its label, also words that are covered."""
        label = gettext("Tick %(name)s") % {"name": type(self).mark(obj)}
        return format_html(
            '<label class="tick"><input type="checkbox" name="{}" value="{}" aria-label="{}"></label>',
            ACTION_CHECKBOX_NAME,
            obj.pk,
            label,
        )


def choice(
    name: str,
    label: str | Promise,
    options: Callable[[Campaign], Iterable[tuple[str, Any]]],
    narrow: Callable[[QuerySet[Any], str], QuerySet[Any]],
) -> type[SimpleListFilter]:
    """A filter of a list: `options` to choose from, of which `narrow` leaves the rows; others are ignored."""

    class Choice(SimpleListFilter):
        title = label  # type: ignore[assignment]
        parameter_name = name

        def lookups(self, _request: HttpRequest, listed: Any) -> list[tuple[str, Any]]:
            return list(options(listed.campaign))

        def queryset(self, _request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
            value = self.value() or ""
            return narrow(rows, value) if value in dict(self.lookup_choices) else rows

    return Choice


def form_page(
    request: HttpRequest,
    campaign: Campaign,
    form: forms.Form,
    *,
    title: str | Promise,
    button: str | Promise,
    back: str,
    template: str = "organiser/form.html",
    **context: Any,
) -> HttpResponse:
    """A page with one form, which leads back to the page named; 422 where what was sent cannot be used."""
    context |= {"campaign": campaign, "form": form, "title": title, "button": button, "back": back}
    return render(request, template, context, status=422 if form.is_bound else 200)


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
