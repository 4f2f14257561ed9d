"""Template tags of the contributors' pages."""

from __future__ import annotations

import re
from typing import Any

from django import template
from django.template import RequestContext
from django.urls import reverse

from endoxa_collect.contributor.access import campaign_of, holder
from endoxa_collect.contributor.offline import owner_of
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


_NUMBER = re.compile(r"\+?[\d\s()./-]{3,30}")


@register.inclusion_tag("parts/reach.html")
def reach(contact: str) -> dict[str, str]:
    """How somebody is reached: a phone number, `sms:` and `https:` as links, everything else as text."""
    scheme, _, rest = contact.strip().partition(":")
    if _NUMBER.fullmatch(contact.strip()):
        scheme, rest = "tel", contact.strip()
    digits = "".join(letter for letter in rest if letter.isascii() and letter.isdigit())
    if scheme in {"tel", "sms"} and len(digits) >= 3 and _NUMBER.fullmatch(rest.strip()):
        plus = "+" if rest.strip().startswith("+") else ""
        return {"address": f"{scheme}:{plus}{digits}", "shown": rest.strip()}
    if scheme == "https" and re.fullmatch(r"//[\w.-]+(/\S*)?", rest):
        return {"address": f"https:{rest}", "shown": rest.removeprefix("//")}
    return {"address": "", "shown": contact}


@register.inclusion_tag("contributor/waiting.html", takes_context=True)
def waiting(context: RequestContext) -> dict[str, Any]:
    """The line that says what the phone keeps; nothing for strangers."""
    person = holder(context["request"]) if "request" in context else None
    return {"owner": owner_of(person) if person else ""}


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
