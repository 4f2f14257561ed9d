"""Services of the dashboard: state and balance of a campaign, and what is missing before it opens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from django import forms
from django.contrib.auth.models import AnonymousUser, User
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from endoxa_collect.cards.locking import locked
from endoxa_collect.models import AuditEntry, Campaign, State, record
from endoxa_collect.organiser.seeds import ADDED
from endoxa_collect.organiser.wording import BALANCES, STATES
from endoxa_collect.privacy import erase_people
from endoxa_collect.sampler import Balance

ORDERS = ("", Balance.EXPLORE, Balance.BALANCE, Balance.VALIDATE)
"""What can be ordered by page; fewer new pairs than half is left to the controller."""

_SETTINGS = (
    ("organisation", "general", gettext_lazy("who runs it")),
    ("contact", "general", gettext_lazy("how people reach you")),
    ("retention", "general", gettext_lazy("the last day on which answers are linked to people")),
    ("licence", "general", gettext_lazy("the licence of the data")),
    ("help_lines", "care", gettext_lazy("help lines")),
)


class StateForm(forms.Form):
    """A state to change to; nothing goes back to being a draft."""

    state = forms.ChoiceField(
        choices=[(one, STATES[one]) for one in (State.OPEN, State.PAUSED, State.CLOSED)]
    )


class BalanceForm(forms.Form):
    """What people are asked for."""

    balance = forms.ChoiceField(required=False, choices=[(order, BALANCES[order]) for order in ORDERS])


def set_state(campaign: Campaign, state: str, user: User | AnonymousUser) -> None:
    """Open, pause or close a campaign.

    The clock of the forecast begins when it is opened first, and stands still while it is not open.
    """
    with locked(campaign.pk) as current:
        begins = state == State.OPEN and current.began_at is None
        if current.state == state and not begins:
            return
        record(current, user, "state", before=current.state, after=state)
        now = timezone.now()
        if state != State.OPEN:
            current.paused_at = current.paused_at or now
        elif begins:
            current.began_at, current.paused_at = now, None
        elif current.paused_at is not None:
            if current.began_at is not None:
                current.began_at += now - current.paused_at
            current.paused_at = None
        current.state = state
        current.save(update_fields=["state", "began_at", "paused_at"])


class Rehearsal(Enum):
    """Whether what people gave before the opening can be erased; a release holds it for good, or may yet."""

    NONE = "none"
    ERASABLE = "erasable"
    RELEASED = "released"


def rehearsal_of(campaign: Campaign) -> Rehearsal:
    """What there is to erase."""
    if not campaign.rehearsing or not campaign.people.exists():
        return Rehearsal.NONE
    return Rehearsal.RELEASED if campaign.releases.perhaps_out().exists() else Rehearsal.ERASABLE


def end_rehearsal(campaign: Campaign, user: User | AnonymousUser) -> int:
    """Erase everybody who joined before the campaign was opened, with all they gave; how many people.

    Nothing happens once it was opened or released: what people gave then is no rehearsal (`Rehearsal`).
    """
    with locked(campaign.pk) as current:
        if rehearsal_of(current) is not Rehearsal.ERASABLE:
            return 0
        people = erase_people(current)
        record(current, user, "rehearsal erased", people=people)
    return people


def set_balance(campaign: Campaign, balance: str, user: User | AnonymousUser) -> None:
    """Order what people are asked for; "" leaves it to the forecast."""
    with locked(campaign.pk) as current:
        if current.balance == balance:
            return
        record(current, user, "balance", before=current.balance or "auto", after=balance or "auto")
        current.balance = balance
        current.save(update_fields=["balance"])


@dataclass(frozen=True, slots=True)
class Lacking:
    """One thing that is not there, and the address of the page where it is said."""

    what: Promise
    address: str


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
