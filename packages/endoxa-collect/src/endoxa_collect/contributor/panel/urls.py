"""URLs of the pages of a panel, under /t/."""

from __future__ import annotations

from django.urls import URLPattern, path

from endoxa_collect.contributor.panel import views

app_name = "panel"
urlpatterns: list[URLPattern] = [
    path("<str:code>/", views.start, name="start"),
    path("<str:code>/no-thanks/", views.declined, name="declined"),
    path("<str:code>/warning/", views.warning, name="warning"),
    path("<str:code>/before/<slug:name>/", views.step, name="step"),
    path("<str:code>/item/", views.item, name="item"),
    path("<str:code>/undo/", views.undo_last, name="undo"),
    path("<str:code>/break/", views.pause, name="break"),
    path("<str:code>/stop/", views.stop, name="stop"),
    path("<str:code>/end/", views.over, name="end"),
    path("<str:code>/deleted/", views.deleted, name="deleted"),
]
