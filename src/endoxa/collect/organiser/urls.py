"""URLs of the pages for accounts."""

from __future__ import annotations

from endoxa.collect.organiser.accounts import urlpatterns as accounts
from endoxa.collect.organiser.audit import urlpatterns as audit
from endoxa.collect.organiser.codes import urlpatterns as codes
from endoxa.collect.organiser.dashboard.urls import urlpatterns as dashboard
from endoxa.collect.organiser.exports.urls import urlpatterns as exports
from endoxa.collect.organiser.moderation.urls import urlpatterns as moderation
from endoxa.collect.organiser.seeds import urlpatterns as seeds
from endoxa.collect.organiser.settings.urls import urlpatterns as settings
from endoxa.collect.organiser.tasks.urls import urlpatterns as tasks

app_name = "organiser"
urlpatterns = [*accounts, *dashboard, *settings, *seeds, *codes, *moderation, *tasks, *exports, *audit]
