"""URLs of the site: contributors at the root, panels under /t/, accounts under /organise/; and the 404 page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import include, path

urlpatterns = [
    path("", include("endoxa.collect.contributor.urls")),
    path("t/", include("endoxa.collect.contributor.panel.urls")),
    path("organise/", include("endoxa.collect.organiser.urls")),
]
handler404 = "endoxa.collect.urls.page_not_found"


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """The page with status 404, with the header of accounts or that of contributors."""
    template = "organiser/404.html" if request.path.startswith("/organise/") else "404.html"
    return render(request, template, status=404)
