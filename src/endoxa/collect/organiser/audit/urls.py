"""Addresses of these pages."""

from __future__ import annotations

from django.urls import path

from endoxa.collect.organiser.audit import views

urlpatterns = [path("<slug:slug>/log/", views.audit, name="audit")]
