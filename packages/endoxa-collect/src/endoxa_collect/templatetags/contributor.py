"""Template tags of the contributors' pages."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import RequestContext
from django.urls import reverse

from endoxa_collect.contributor.access import campaign_of, holder
from endoxa_collect.contributor.progress import cards_of
from endoxa_collect.contributor.results import is_out, planned_end, results_day
from endoxa_collect.security.codes import receipt_code

register = template.Library()


@register.inclusion_tag("contributor/at_pause.html", takes_context=True)
def receipt_at_pause(context: RequestContext) -> dict[str, Any]:
    """What a pause has beside the counts: the receipt, in full at the first one, and questions not asked before."""
    person = holder(context["request"])
    if person is None:
        return {}
    settings = person.campaign.settings
    return {
        "code": receipt_code(context["request"], person),
        "full": cards_of(person).cards < 2 * settings.sampler.break_after,
        "asks": not (person.extras or person.connections),
    }


@register.inclusion_tag("contributor/results_line.html", takes_context=True)
def results_line(context: RequestContext) -> dict[str, Any]:
    """Where and from when on the results of the page's campaign are; nothing where it shows none."""
    campaign = campaign_of(context["request"])
    if campaign is None or not campaign.settings.results_page:
        return {}
    path = reverse("contributor:results_of", args=[campaign.slug])
    context_of_page = {
        "out": is_out(campaign),
        "day": results_day(campaign.settings),
        "end": planned_end(campaign),
        "path": path,
        # To write down or to photograph: with the name of the site, as this phone reached it.
        "address": context["request"].build_absolute_uri(path),
    }
    return {"results": context_of_page}
