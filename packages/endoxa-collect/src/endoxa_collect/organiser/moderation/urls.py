"""URLs of the moderation pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from endoxa_collect.organiser.moderation import all_pairs, views

urlpatterns: list[URLPattern] = [
    path("<slug:slug>/pairs/", all_pairs.all_pairs, name="all_pairs"),
    path("<slug:slug>/pairs/words/", all_pairs.all_pairs_words, name="all_pairs_words"),
    path("<slug:slug>/pairs/<uuid:item>/act/", all_pairs.all_pairs_act, name="all_pairs_act"),
    path("<slug:slug>/moderation/", views.moderation, name="moderation"),
    path("<slug:slug>/moderation/next/", views.moderation_next, name="moderation_next"),
    path("<slug:slug>/moderation/approve/", views.moderation_approve, name="moderation_approve"),
    path("<slug:slug>/moderation/words/", views.moderation_words, name="moderation_words"),
    path("<slug:slug>/moderation/merges/", views.merges, name="merges"),
    path("<slug:slug>/moderation/undo/<uuid:act>/", views.moderation_undo, name="moderation_undo"),
    path("<slug:slug>/moderation/<uuid:item>/", views.moderation_item, name="moderation_item"),
    path("<slug:slug>/moderation/<uuid:item>/act/", views.moderation_act, name="moderation_act"),
]
