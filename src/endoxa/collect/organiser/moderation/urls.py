"""Addresses of these pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from endoxa.collect.organiser.moderation import acting, views

urlpatterns: list[URLPattern] = [
    path("<slug:slug>/moderation/", views.moderation, name="moderation"),
    path("<slug:slug>/moderation/next/", acting.moderation_next, name="moderation_next"),
    path("<slug:slug>/moderation/approve/", acting.moderation_approve, name="moderation_approve"),
    path("<slug:slug>/moderation/words/", acting.moderation_words, name="moderation_words"),
    path("<slug:slug>/moderation/merges/", views.merges, name="merges"),
    path("<slug:slug>/moderation/undo/<uuid:act>/", acting.moderation_undo, name="moderation_undo"),
    path("<slug:slug>/moderation/<uuid:item>/", views.moderation_item, name="moderation_item"),
    path("<slug:slug>/moderation/<uuid:item>/act/", acting.moderation_act, name="moderation_act"),
]
