"""Words of the pages for accounts: states of a campaign, roles, what was done."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from endoxa.collect.models import Role, State
from endoxa.collect.sampler import Balance

STATES: dict[str, Promise] = {
    State.DRAFT: pgettext_lazy("campaign", "not open yet"),
    State.OPEN: pgettext_lazy("campaign", "open"),
    State.PAUSED: pgettext_lazy("campaign", "paused"),
    State.CLOSED: pgettext_lazy("campaign", "closed"),
}

ROLES: dict[str, Promise] = {
    Role.ORGANISER: gettext_lazy("organiser"),
    Role.MODERATOR: gettext_lazy("moderator"),
    Role.REVIEWER: gettext_lazy("reviewer"),
    Role.RESEARCHER: gettext_lazy("researcher"),
}

BALANCES: dict[str, Promise] = {
    "": gettext_lazy("Automatic"),
    Balance.EXPLORE: gettext_lazy("Collect new pairs"),
    Balance.BALANCE: gettext_lazy("Half and half"),
    Balance.SPARSE: gettext_lazy("A few new pairs"),
    Balance.VALIDATE: gettext_lazy("Ratings only"),
}
"""What contributors are asked for; "" leaves it to the forecast."""
