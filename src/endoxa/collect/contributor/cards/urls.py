"""Addresses of these pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from endoxa.collect.contributor.cards import adding, alike, answers, pausing, showing

urlpatterns: list[URLPattern] = [
    path("card/", showing.card, name="card"),
    path("card/covers/", showing.covers, name="covers"),
    path("card/<uuid:token>/rate/", answers.rate, name="rate"),
    path("card/<uuid:token>/skip/", answers.skip, name="skip"),
    path("card/<uuid:token>/undo/", answers.undo, name="undo"),
    path("card/<uuid:token>/avoid/", answers.avoid, name="avoid"),
    path("card/<uuid:token>/add/", adding.add, name="add"),
    path("card/<uuid:token>/finish/", adding.finish, name="finish"),
    path("card/<uuid:token>/alike/<uuid:mention>/", alike.alike, name="alike"),
    path("pause/", pausing.pause, name="pause"),
    path("thanks/", pausing.thanks, name="thanks"),
]
