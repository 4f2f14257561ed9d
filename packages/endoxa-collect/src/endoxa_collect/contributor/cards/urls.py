"""URLs of the card pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from endoxa_collect.contributor.cards import covering, views

urlpatterns: list[URLPattern] = [
    path("card/", views.card, name="card"),
    path("card/covers/", covering.set_covers, name="covers"),
    path("card/<uuid:token>/reveal/", covering.reveal, name="reveal"),
    path("card/<uuid:token>/hurt/", covering.hurt, name="hurt"),
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
