"""The balance between new pairs and ratings: without it, each card adds more work than it does.

If a card yields g new pairs, ratings per pair tend to 1/g whatever the sampler; so the fields for new pairs
are shown on fewer cards as the ratings still missing come near to what the people present can give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum


class Balance(StrEnum):
    """How often the fields for new pairs are shown."""

    EXPLORE = "explore"
    BALANCE = "balance"
    SPARSE = "sparse"
    VALIDATE = "validate"


_EVERY = {Balance.EXPLORE: 1, Balance.BALANCE: 2, Balance.SPARSE: 4, Balance.VALIDATE: 0}
_LIMITS = ((0.3, Balance.EXPLORE), (0.4, Balance.BALANCE), (0.5, Balance.SPARSE))
"""Backlog as a share of the capacity up to which each is chosen. Far less than 1: people tire and leave, not everybody
can rate everything, and what is on its way when the fields close still comes. In simulations 0.8, 0.9 and 1 left nearly
half of all pairs short of k ratings, these limits a tenth (docs/collect/simulate.md)."""

KEPT_SECONDS = 5.0
"""How long a forecast is kept."""

_FIRST_PACE = 1.5
"""Ratings per person and minute of a workshop before anything is known."""

_FIRST_CARDS = 20
"""Ratings per person of an online campaign before anything is known."""


@dataclass(frozen=True)
class Forecast:
    """What to expect at the end.

    Attributes:
        backlog: ratings still missing up to k, less those reserved.
        capacity: ratings that the people active now will give in the minutes left.
        short: pairs that will end below k if new ones keep coming as they did, taking it that those that fall
            short miss (k + 1) / 2 ratings on average.
        switch_in: minutes after which only ratings should be asked for, so that all pairs reach k; None if never.
        coming: new pairs in the minutes left, if they keep coming as they did.
        balance: what the controller does now.
    """

    backlog: int
    capacity: float
    short: int
    switch_in: float | None
    coming: float
    balance: Balance


def forecast(*, backlog: int, people: int, pace: float, minutes: float, new_pairs: float, k: int) -> Forecast:
    """Look ahead.

    Args:
        backlog: sum over pairs of max(0, k - ratings - reservations).
        people: active in the last minutes.
        pace: ratings per person and minute.
        minutes: left.
        new_pairs: new pairs per rating, as of late.
        k: ratings each pair should get.
    """
    rate = people * pace
    capacity = rate * max(0.0, minutes)
    missing = backlog + new_pairs * k * capacity - capacity
    room = capacity - backlog
    switch = None
    growth = rate * new_pairs * k
    if growth > 0 and missing > 0:
        switch = max(0.0, room / growth)
    return Forecast(
        backlog=backlog,
        capacity=capacity,
        short=max(0, math.ceil(2 * missing / (k + 1))),
        switch_in=switch,
        coming=new_pairs * capacity,
        balance=_balance(backlog, capacity),
    )


def _balance(backlog: int, capacity: float) -> Balance:
    for limit, balance in _LIMITS:
        if backlog <= limit * capacity:
            return balance
    return Balance.VALIDATE


@dataclass(frozen=True)
class Expected:
    """What a campaign was made for; it stands for the room until the room has shown how it is.

    Attributes:
        together: people sit in one room, else they come when they like.
        people: how many may come.
        minutes: how long the campaign lasts.
    """

    together: bool
    people: int
    minutes: float

    @property
    def window(self) -> float:
        """Minutes whose answers say how many people are active and how fast they are."""
        return 10.0 if self.together else 24 * 60.0

    def pace(self, age: float, people: int, pace: float) -> tuple[int, float]:
        """People and ratings per person and minute to go by, at `age` minutes, given those of the last window.

        Most have not joined while a campaign is younger than its window, and after a break nobody is back yet: the last
        minutes say nothing about the room then.
        """
        if age >= self.window and people:
            return people, pace
        first = _FIRST_PACE if self.together else _FIRST_CARDS / self.minutes
        return max(people, self.people), first


def adds_on(balance: Balance, card: int) -> bool:
    """Whether the fields for new pairs are shown on a person's card number `card` (from 0)."""
    every = _EVERY[balance]
    return every > 0 and card % every == 0
