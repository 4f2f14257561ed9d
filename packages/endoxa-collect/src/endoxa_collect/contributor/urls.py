"""URLs of the contributors' pages."""

from __future__ import annotations

from endoxa_collect.contributor.cards.urls import urlpatterns as cards
from endoxa_collect.contributor.joining.urls import urlpatterns as joining
from endoxa_collect.contributor.kinds.urls import urlpatterns as kinds
from endoxa_collect.contributor.leaving import urlpatterns as leaving
from endoxa_collect.contributor.results import urlpatterns as results
from endoxa_collect.contributor.survey import urlpatterns as survey

app_name = "contributor"
urlpatterns = [*joining, *cards, *kinds, *survey, *leaving, *results]
