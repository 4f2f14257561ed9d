"""Addresses of these pages."""

from __future__ import annotations

from django.urls import path

from endoxa.collect.organiser.accounts import views

urlpatterns = [
    path("", views.home, name="home"),
    path("login/", views.sign_in, name="login"),
    path("logout/", views.sign_out, name="logout"),
    path("password/", views.change_password, name="password"),
    path("password/changed/", views.password_changed, name="password_changed"),
]
