"""Template tags of the contributors' pages."""

from __future__ import annotations

import re
from typing import Any

from django import template
from django.template import RequestContext
from django.urls import reverse
from django.utils.html import format_html, format_html_join

from endoxa_collect.anonymous import holder, owner_of
from endoxa_collect.contributor.progress import cards_of
from endoxa_collect.contributor.results import is_out, planned_end, results_day
from endoxa_collect.frame import campaign_of
from endoxa_collect.security.codes import receipt_code
from endoxa_collect.terms import day

register = template.Library()
register.filter(day)


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


_NUMBER = r"\+?\(?\d[\d\s()./-]*\d"
_REACHED = re.compile(
    r"(?P<mailto>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<web>\b(?:https?://|www\.)[\w.-]+(?::\d+)?(?:/[^\s<>\"']*[\w/=&#-])?)"
    rf"|\b(?P<sms>sms:)\s*(?P<text>{_NUMBER})|(?:\btel:\s*)?(?<![\w-])(?P<tel>{_NUMBER})(?![\w-])"
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d|\d\d?([./])\d\d?\1\d{4}")
_DIGITS = 6
"""Digits of a phone number in the middle of words; a shorter one stands alone."""


@register.filter
def reach(contact: str) -> str:
    """How somebody is reached: phone numbers, `sms:`, e-mail and web addresses in it as links, the rest as text."""
    parts, end = [], 0
    for match in _REACHED.finditer(contact):
        parts += [contact[end : match.start()], _link(match, alone=match.group() == contact.strip())]
        end = match.end()
    return format_html_join("", "{}", ((part,) for part in [*parts, contact[end:]]))


def _link(match: re.Match[str], *, alone: bool) -> str:
    """What was found as a link; as text where it is a day or a short number in the middle of words."""
    shown, number = match.group(), match["text"] or match["tel"]
    if match["mailto"]:
        address = f"mailto:{shown}"
    elif match["web"]:
        address = shown if "://" in shown else f"https://{shown}"
        shown = re.sub("^https?://", "", shown)
    else:
        digits = re.sub("[^0-9]", "", number)
        if _DAY.fullmatch(number) or len(digits) < (3 if alone or match["sms"] else _DIGITS):
            return shown
        plus, shown = "+" if number.startswith("+") else "", number
        address = f"{'sms' if match['sms'] else 'tel'}:{plus}{digits}"
    return format_html('<a class="line-link" href="{}" rel="noreferrer"><bdi>{}</bdi></a>', address, shown)


@register.inclusion_tag("contributor/waiting.html", takes_context=True)
def waiting(context: RequestContext) -> dict[str, Any]:
    """The line that says what the phone keeps; nothing for strangers."""
    person = holder(context["request"]) if "request" in context else None
    return {"owner": owner_of(person.secret_hash) if person else ""}


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
