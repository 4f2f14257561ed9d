"""Addresses of these pages."""

from __future__ import annotations

from django.urls import path

from endoxa.collect.organiser.codes import views

urlpatterns = [
    path("<slug:slug>/codes/", views.codes, name="codes"),
    path("<slug:slug>/codes/<slug:code>/poster/", views.poster, name="code_poster"),
    path("<slug:slug>/codes/<slug:code>/qr.svg", views.qr, name="code_qr"),
    path("<slug:slug>/codes/<slug:code>/revoke/", views.revoke, name="code_revoke"),
]
