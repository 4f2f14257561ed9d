"""Addresses of these pages."""

from __future__ import annotations

from django.urls import path

from endoxa.collect.organiser.seeds import views

urlpatterns = [
    path("<slug:slug>/seeds/", views.seeds, name="seeds"),
    path("<slug:slug>/seeds/add/", views.add, name="seeds_add"),
]
