"""URLs of the card pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from endoxa.collect.contributor.cards import (
    views,
)

urlpatterns: list[URLPattern] = [
    path("card/", views.card, name="card"),
    path("card/covers/", views.set_covers, name="covers"),
    path("card/<uuid:token>/rate/", views.rate, name="rate"),
    path("card/<uuid:token>/skip/", views.skip, name="skip"),
    path("card/<uuid:token>/undo/", views.undo, name="undo"),
    path("card/<uuid:token>/avoid/", views.avoid, name="avoid"),
    path("card/<uuid:token>/add/", views.add, name="add"),
    path("card/<uuid:token>/finish/", views.finish, name="finish"),
    path("card/<uuid:token>/alike/<uuid:mention>/", views.alike, name="alike"),
    path("pause/", views.pause, name="pause"),
    path("thanks/", views.thanks, name="thanks"),
]
