"""Names of topics in the languages of the pages.

The twelve topics are those of LACES (section 4.1, table 1). Others that organisers use are shown as they wrote them.
"""

from __future__ import annotations

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

TOPICS: tuple[str, ...] = (
    _("Cooking and Food"),
    _("Positive Traits"),
    _("Geography, Buildings, Landmarks"),
    _("Economy"),
    _("People & Everyday Life"),
    _("Tradition, Art, History"),
    _("Negative Traits"),
    _("Politics & Governance"),
    _("Sports & Recreation"),
    _("Other"),
    _("Public Figures & Pop Culture"),
    _("Neutral Traits"),
)


def topic_name(topic: str) -> str:
    """A topic in the active language; one that is not of `TOPICS` unchanged."""
    return gettext(topic) if topic in TOPICS else topic
