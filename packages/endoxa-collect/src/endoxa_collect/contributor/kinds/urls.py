"""URLs of list and comparison cards."""

from __future__ import annotations

from django.urls import URLPattern, path

from endoxa_collect.contributor.kinds import views

urlpatterns: list[URLPattern] = [
    path("mixed/<uuid:token>/", views.answer, name="mixed"),
    path("mixed/<uuid:token>/skip/", views.skip, name="mixed_skip"),
    path("mixed/<uuid:token>/report/", views.report, name="mixed_report"),
    path("mixed/<uuid:token>/undo/", views.undo, name="mixed_undo"),
]
