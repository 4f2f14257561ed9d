"""What a campaign still lacks before people come: somebody responsible, somebody to talk to, pairs of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from endoxa.collect.models import AuditEntry, Campaign
from endoxa.collect.organiser.seeds.noting import ADDED


@dataclass(frozen=True, slots=True)
class Lacking:
    """One thing that is not there, and the address of the page where it is said."""

    what: Promise
    address: str


_SETTINGS = (
    ("organisation", "general", gettext_lazy("who runs it")),
    ("contact", "general", gettext_lazy("how people reach you")),
    ("retention", "general", gettext_lazy("the last day on which answers are linked to people")),
    ("licence", "general", gettext_lazy("the licence of the data")),
    ("help_lines", "care", gettext_lazy("help lines")),
)


def lacking(campaign: Campaign) -> tuple[Lacking, ...]:
    """All that is missing, in the order of the pages where it is said."""
    return tuple(_lacking(campaign))


def _lacking(campaign: Campaign) -> Iterator[Lacking]:
    settings = campaign.settings
    for name, section, what in _SETTINGS:
        if not getattr(settings, name):
            page = reverse("organiser:settings_section", args=[campaign.slug, section])
            yield Lacking(what, f"{page}#id_{name}")
    if settings.cards and not AuditEntry.objects.filter(campaign=campaign, action=ADDED).exists():
        yield Lacking(gettext_lazy("seeds of your own"), reverse("organiser:seeds", args=[campaign.slug]))
