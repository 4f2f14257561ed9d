"""Addresses of the survey's pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from endoxa.collect.contributor.survey import views

urlpatterns: list[URLPattern] = [
    path("survey/", views.overview, name="survey"),
    path("survey/<slug:question>/", views.ask, name="survey_question"),
]
