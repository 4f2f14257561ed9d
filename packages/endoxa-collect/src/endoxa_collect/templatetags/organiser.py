"""Template tags of the account pages: links to the pages of a campaign, times and numbers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.template import RequestContext
from django.urls import resolve, reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext_lazy

from endoxa_collect.health import disk_is_full, proxy_of
from endoxa_collect.models import Campaign, Role, State
from endoxa_collect.organiser.access import roles_of
from endoxa_collect.organiser.wording import digits, state_of, title_of

register = template.Library()
register.filter(digits)

_CLOCKS = {"full": "H:i", "short": "H:i", "seconds": "H:i:s"}
"""Times of the day, as Django names them; "full" has the date before. `organiser.js` knows the same forms."""

PAGES = (
    ("dashboard", gettext_lazy("Dashboard")),
    ("moderation", gettext_lazy("Moderation")),
    ("codes", gettext_lazy("Join codes")),
    ("settings", gettext_lazy("Settings")),
    ("turnout", gettext_lazy("People")),
    ("exports", gettext_lazy("Exports")),
    ("all_pairs", gettext_lazy("All pairs")),
    ("seeds", gettext_lazy("Seeds")),
    ("tasks", gettext_lazy("Tasks")),
    ("projector", gettext_lazy("Projector")),
    ("audit", gettext_lazy("Log")),
)
"""Names of the pages and what their links say, the most used first."""

PREPARING = ("dashboard", "settings", "settings_section", "seeds", "codes")
"""Pages whose first button opens a campaign that is not open."""

PLACES = 4
"""Links that stand side by side on a phone; the others are one touch away."""


@register.filter
def clock(at: datetime, form: str = "full") -> str:
    """A time in UTC, in whose place the script of the pages puts the time where the reader is."""
    day = f"{date_format(at, 'DATE_FORMAT')}, " if form == "full" else ""
    shown = day + date_format(at, _CLOCKS[form])
    return format_html('<time data-clock="{}" datetime="{}">{} UTC</time>', form, at.isoformat(), shown)


@register.inclusion_tag("organiser/links.html", takes_context=True)
def organiser_links(context: RequestContext, campaign: Campaign) -> dict[str, Any]:
    """Links to the pages of a campaign that the signed-in account may open, and to its opening where it is not open."""
    request = context["request"]
    shown = links(request, campaign)
    first = [link for place, link in enumerate(shown) if place < PLACES or link["current"]]
    before = request.resolver_match.url_name in PREPARING and Role.ORGANISER in roles_of(request, campaign)
    opens = before and (campaign.state != State.OPEN or campaign.rehearsing)
    return {
        "title": title_of(campaign),
        "state": state_of(campaign),
        "opening": reverse("organiser:opening", args=[campaign.slug]) if opens else "",
        "links": first,
        "more": [link for link in shown if link not in first],
    }


@register.inclusion_tag("organiser/site_faults.html", takes_context=True)
def site_faults(context: RequestContext) -> dict[str, Any]:
    """What the request for this page shows to be wrong with the proxy, or with the disk of the site."""
    proxy = proxy_of(context["request"])
    plain = settings.HTTPS and not proxy["https"]
    return {"plain": plain, "addresses": proxy["addresses_passed_on"], "full": disk_is_full()}


def links(request: HttpRequest, campaign: Campaign) -> list[dict[str, Any]]:
    """The pages whose views name one of the account's roles; `current` is the page that is shown."""
    roles = roles_of(request, campaign)
    shown = []
    for name, label in PAGES:
        if name == "all_pairs" and not campaign.settings.cards:
            continue
        address = reverse(f"organiser:{name}", args=[campaign.slug])
        if roles & set(resolve(address).func.roles):  # type: ignore[attr-defined]
            current = request.path == address or (name != "dashboard" and request.path.startswith(address))
            shown.append({"address": address, "label": label, "current": current})
    return shown
