"""URLs of the export pages."""

from __future__ import annotations

from django.urls import path

from endoxa_collect.organiser.exports import views

urlpatterns = [
    path("<slug:slug>/exports/", views.exports, name="exports"),
    path("<slug:slug>/exports/download/", views.download, name="export_download"),
    path("<slug:slug>/exports/release/", views.release, name="export_release"),
    path("<slug:slug>/exports/restricted/", views.restricted, name="export_restricted"),
]
