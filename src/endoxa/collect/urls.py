"""Addresses of the site. Contributors' pages are at the root, those of accounts under /organise/."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("", include("endoxa.collect.contributor.urls")),
    path("organise/", include("endoxa.collect.organiser.urls")),
]
handler404 = "endoxa.collect.missing.page_not_found"
