"""URLs of the site: contributors at the root, panels under /t/, accounts under /organise/; pages of 400 and 404."""

from __future__ import annotations

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import include, path
from django.views import defaults

from endoxa_collect import health
from endoxa_collect.organiser import (
    access,
    audit,
    codes,
    dashboard,
    exports,
    moderation,
    opening,
    settings,
    tasks,
)

_ORGANISER = [
    *access.urlpatterns,
    *dashboard.urlpatterns,
    *opening.urlpatterns,
    *settings.urlpatterns,
    *codes.urlpatterns,
    *moderation.urlpatterns,
    *tasks.urlpatterns,
    *exports.urlpatterns,
    *audit.urlpatterns,
]
urlpatterns = [
    *health.urlpatterns,
    path("", include("endoxa_collect.contributor.urls")),
    path("t/", include("endoxa_collect.contributor.panel")),
    path("organise/", include((_ORGANISER, "organiser"))),
]
handler400 = "endoxa_collect.urls.bad_request"
handler404 = "endoxa_collect.urls.page_not_found"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page with status 400; where the site is not known by the name in the request, it says so.

    That name is neither shown nor used: the page is made without the request, which would ask for it.
    """
    if isinstance(exception, DisallowedHost):
        return HttpResponse(render_to_string("400_host.html"), status=400)
    return defaults.bad_request(request, exception)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """The page with status 404, with the header of accounts or that of contributors."""
    template = "organiser/404.html" if request.path.startswith("/organise/") else "404.html"
    return render(request, template, status=404)
