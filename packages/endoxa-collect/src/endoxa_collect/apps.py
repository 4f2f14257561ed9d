"""Django's configuration of this package."""

from __future__ import annotations

from django.apps import AppConfig


class CollectConfig(AppConfig):
    """The one Django app of the campaign site."""

    name = "endoxa_collect"
    label = "collect"
    default_auto_field = "django.db.models.BigAutoField"
