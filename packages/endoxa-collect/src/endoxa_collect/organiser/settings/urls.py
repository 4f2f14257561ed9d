"""URLs of the settings pages."""

from __future__ import annotations

from django.urls import path

from endoxa_collect.organiser.settings import views

urlpatterns = [
    path("<slug:slug>/settings/", views.overview, name="settings"),
    path("<slug:slug>/settings/versions/", views.versions, name="settings_versions"),
    path("<slug:slug>/settings/versions/<int:number>/", views.version, name="settings_version"),
    path("<slug:slug>/settings/<slug:name>/", views.section, name="settings_section"),
]
