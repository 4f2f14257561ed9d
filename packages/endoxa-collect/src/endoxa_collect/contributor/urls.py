"""URLs of the pages of contributors."""

from __future__ import annotations

from endoxa_collect.contributor import additions, cards, invitations, joining, results, survey

app_name = "contributor"
urlpatterns = [
    *joining.urlpatterns,
    *cards.urlpatterns,
    *additions.urlpatterns,
    *survey.urlpatterns,
    *results.urlpatterns,
    *invitations.urlpatterns,
]
