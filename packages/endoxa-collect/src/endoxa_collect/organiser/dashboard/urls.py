"""URLs of the dashboard."""

from __future__ import annotations

from django.urls import path

from endoxa_collect.organiser.dashboard import views

urlpatterns = [
    path("<slug:slug>/", views.dashboard, name="dashboard"),
    path("<slug:slug>/live/", views.live, name="dashboard_live"),
    path("<slug:slug>/projector/", views.projector, name="projector"),
    path("<slug:slug>/projector/live/", views.projector_live, name="projector_live"),
    path("<slug:slug>/projector/invitation/", views.projector_invitation, name="projector_invitation"),
    path("<slug:slug>/state/", views.state, name="state"),
    path("<slug:slug>/rehearsal/", views.rehearsal, name="rehearsal"),
    path("<slug:slug>/balance/", views.balance, name="balance"),
]
