"""What an organiser orders while a campaign runs: its state, and what people are asked for."""

from __future__ import annotations

from django import forms
from django.contrib.auth.models import AnonymousUser, User
from django.utils import timezone

from endoxa.collect.audit import record
from endoxa.collect.cards.locking import locked
from endoxa.collect.models import Campaign, State
from endoxa.collect.organiser.wording import BALANCES, STATES
from endoxa.collect.sampler import Balance

ORDERS = ("", Balance.EXPLORE, Balance.BALANCE, Balance.VALIDATE)
"""What can be ordered by page; fewer new pairs than half is left to the controller."""


class StateForm(forms.Form):
    """A state to change to; nothing goes back to being a draft."""

    state = forms.ChoiceField(
        choices=[(one, STATES[one]) for one in (State.OPEN, State.PAUSED, State.CLOSED)]
    )


class BalanceForm(forms.Form):
    """What people are asked for."""

    balance = forms.ChoiceField(required=False, choices=[(one, BALANCES[one]) for one in ORDERS])


def set_state(campaign: Campaign, state: str, user: User | AnonymousUser) -> None:
    """Open, pause or close a campaign. The clock of the forecast stands still while it is not open."""
    with locked(campaign.pk) as current:
        if current.state == state:
            return
        record(current, user, "state", before=current.state, after=state)
        now = timezone.now()
        if state != State.OPEN:
            current.paused_at = current.paused_at or now
        elif current.paused_at is not None:
            if current.began_at is not None:
                current.began_at += now - current.paused_at
            current.paused_at = None
        current.state = state
        current.save(update_fields=["state", "began_at", "paused_at"])


def set_balance(campaign: Campaign, balance: str, user: User | AnonymousUser) -> None:
    """Order what people are asked for; "" leaves it to the forecast."""
    with locked(campaign.pk) as current:
        if current.balance == balance:
            return
        record(current, user, "balance", before=current.balance or "auto", after=balance or "auto")
        current.balance = balance
        current.save(update_fields=["balance"])
