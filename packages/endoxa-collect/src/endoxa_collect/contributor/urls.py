"""URLs of the pages of contributors."""

from __future__ import annotations

from endoxa_collect.contributor import (
    additions,
    again,
    cards,
    interviews,
    joining,
    leaving,
    offline,
    results,
    survey,
)

app_name = "contributor"
urlpatterns = [
    *joining.urlpatterns,
    *leaving.urlpatterns,
    *again.urlpatterns,
    *interviews.urlpatterns,
    *cards.urlpatterns,
    *additions.urlpatterns,
    *survey.urlpatterns,
    *offline.urlpatterns,
    *results.urlpatterns,
]
