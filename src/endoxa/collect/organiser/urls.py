"""Addresses of the pages for accounts."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "organiser"
urlpatterns: list[URLPattern] = []
