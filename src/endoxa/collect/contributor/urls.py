"""Addresses of the contributors' pages."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "contributor"
urlpatterns: list[URLPattern] = []
