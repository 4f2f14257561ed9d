"""URLs of the pages for accounts."""

from __future__ import annotations

from endoxa_collect.organiser import (
    accounts,
    all_pairs,
    audit,
    codes,
    dashboard,
    exports,
    groups,
    moderation,
    seeds,
    tasks,
)
from endoxa_collect.organiser.settings.urls import urlpatterns as settings

app_name = "organiser"
urlpatterns = [
    *accounts.urlpatterns,
    *dashboard.urlpatterns,
    *settings,
    *seeds.urlpatterns,
    *codes.urlpatterns,
    *all_pairs.urlpatterns,
    *moderation.urlpatterns,
    *tasks.urlpatterns,
    *groups.urlpatterns,
    *exports.urlpatterns,
    *audit.urlpatterns,
]
