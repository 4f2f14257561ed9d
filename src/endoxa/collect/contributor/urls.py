"""URLs of the contributors' pages."""

from __future__ import annotations

from endoxa.collect.contributor.cards.urls import urlpatterns as cards
from endoxa.collect.contributor.joining.urls import urlpatterns as joining
from endoxa.collect.contributor.kinds.urls import urlpatterns as kinds
from endoxa.collect.contributor.leaving import urlpatterns as leaving
from endoxa.collect.contributor.results import urlpatterns as results
from endoxa.collect.contributor.survey import urlpatterns as survey

app_name = "contributor"
urlpatterns = [*joining, *cards, *kinds, *survey, *leaving, *results]
