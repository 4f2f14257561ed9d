"""URLs of the pages that lead in: code, language, consent, receipt, profile, information."""

from __future__ import annotations

from django.urls import URLPattern, path

from endoxa_collect.contributor.joining.views import (
    consent,
    declined,
    guardian,
    help_page,
    home,
    join,
    language,
    privacy,
    profile,
    receipt,
    receipt_image,
)

urlpatterns: list[URLPattern] = [
    path("", home, name="home"),
    path("language/", language, name="language"),
    path("j/<str:code>/", join, name="join"),
    path("j/<str:code>/consent/", consent, name="consent"),
    path("j/<str:code>/guardian/", guardian, name="guardian"),
    path("no-thanks/", declined, name="declined"),
    path("receipt/", receipt, name="receipt"),
    path("receipt/image.png", receipt_image, name="receipt_image"),
    path("profile/", profile, name="profile"),
    path("help/", help_page, name="help"),
    path("privacy/", privacy, name="privacy"),
]
