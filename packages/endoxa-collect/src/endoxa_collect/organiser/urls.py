"""URLs of the pages for accounts."""

from __future__ import annotations

from endoxa_collect.organiser.accounts import urlpatterns as accounts
from endoxa_collect.organiser.audit import urlpatterns as audit
from endoxa_collect.organiser.codes import urlpatterns as codes
from endoxa_collect.organiser.dashboard.urls import urlpatterns as dashboard
from endoxa_collect.organiser.exports.urls import urlpatterns as exports
from endoxa_collect.organiser.moderation.urls import urlpatterns as moderation
from endoxa_collect.organiser.seeds import urlpatterns as seeds
from endoxa_collect.organiser.settings.urls import urlpatterns as settings
from endoxa_collect.organiser.tasks.urls import urlpatterns as tasks

app_name = "organiser"
urlpatterns = [*accounts, *dashboard, *settings, *seeds, *codes, *moderation, *tasks, *exports, *audit]
