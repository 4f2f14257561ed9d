"""Addresses of the pages that lead in: code, language, consent, receipt, profile, and what to read about them."""

from __future__ import annotations

from django.urls import URLPattern, path

from endoxa.collect.contributor.joining.entrance import home
from endoxa.collect.contributor.joining.information import help_page, privacy
from endoxa.collect.contributor.joining.languages import language

urlpatterns: list[URLPattern] = [
    path("", home, name="home"),
    path("language/", language, name="language"),
    path("help/", help_page, name="help"),
    path("privacy/", privacy, name="privacy"),
]
