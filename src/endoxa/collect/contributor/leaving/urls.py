"""Addresses of the pages that lead out."""

from __future__ import annotations

from django.urls import URLPattern, path

from endoxa.collect.contributor.leaving.views import leave, left

urlpatterns: list[URLPattern] = [
    path("leave/", leave, name="leave"),
    path("left/", left, name="left"),
]
