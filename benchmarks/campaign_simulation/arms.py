"""Arms, ways to choose the next card, LACES's rule and a survey (ours: `endoxa_arm.py`).

LACES's rule (section 3.2): pairs with fewer than three validations first, near ones when possible, languages read. The
paper does not say in which order the two preferences apply; here need comes before nearness, as its text names them. A
validation is a rating. Without a lease, people who draw at the same time can get the same last place.

The survey: everybody writes first, then everybody rates what was written, k ratings per pair. This is its strongest
form: the second wave begins when the first is over, everybody is still there, ratings are assigned without a gap or a
surplus, and the share of time for writing is tuned beforehand on other seeds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from campaign_simulation.campaign import Campaign, Card, Wait
from campaign_simulation.world import FAR, NEAR, OWN

__all__ = ["Arm", "Session"]


class Session(Protocol):
    """An arm at work in one campaign."""

    def next(self, person: int, spent: float) -> Card | Wait | None:
        """The next card of a person who spent so many minutes; None where there is nothing left to do.

        The time is `campaign.pool.now`. Chance comes from `campaign.draws[person]` only: arms stay comparable.
        """
        ...


class Arm(Protocol):
    """A way to choose the next card."""

    @property
    def name(self) -> str:
        """Its name on the command line."""
        ...

    @property
    def summary(self) -> str:
        """One line that says what it does."""
        ...

    @property
    def surveys(self) -> bool:
        """Whether it divides people's time between writing and rating (`Campaign.share`), which is then tuned."""
        ...

    def start(self, campaign: Campaign) -> Session:
        """Begin a campaign."""
        ...


Chosen = npt.NDArray[np.bool_]

_QUESTION_SHARES = {OWN: 0.50, NEAR: 0.35, FAR: 0.15}
"""How often the open question is about an own, near or far country."""

_HALF = 0.5


def among(campaign: Campaign, person: int, eligible: Chosen, *, tier: str, lease: float = 0.0) -> Card | None:
    """A card with one of these pairs, all with the same chance; None where there is none."""
    pairs = np.flatnonzero(eligible)
    if not len(pairs):
        return None
    pair = int(pairs[campaign.draws[person].integers(len(pairs))])
    country = campaign.pool.codes(pair)[0]
    return Card(country, pair, tier=tier, propensity=1 / len(pairs), lease=lease)


def unseen(campaign: Campaign, person: int) -> Chosen:
    """By pair: whether this person reads it and neither proposed, rated nor skipped it."""
    return campaign.readable(person) & ~campaign.seen(person)


def question(campaign: Campaign, person: int) -> Card:
    """The open question about the countries that are the person's own or near, in turn."""
    proximity = campaign.world.proximity[person]
    familiar = [*np.flatnonzero(proximity == OWN), *np.flatnonzero(proximity == NEAR)]
    return Card(int(familiar[campaign.number[person] % len(familiar)]), tier="prompt")


@dataclass(frozen=True)
class LacesArm:
    """LACES's rule. With `reserves`, a drawn card counts as a rating until it is answered or its time is over."""

    name: str
    reserves: bool = False
    surveys: bool = False

    @property
    def summary(self) -> str:
        """One line that says what it does."""
        rule = "LACES's rule: fewer than k ratings first, own and neighbouring countries first"
        return f"{rule}; drawn cards are reserved" if self.reserves else rule

    def start(self, campaign: Campaign) -> _Laces:
        """Begin a campaign."""
        return _Laces(campaign, reserves=self.reserves)


@dataclass(frozen=True)
class _Laces:
    campaign: Campaign
    reserves: bool

    def next(self, person: int, spent: float) -> Card:  # noqa: ARG002
        """The first group of pairs that is not empty, drawn from with equal chances."""
        campaign = self.campaign
        ratings = campaign.pool["ratings"]
        lease = 0.0
        if self.reserves:
            ratings = ratings + campaign.leased()
            lease = lease_minutes(campaign)
        free = unseen(campaign, person)
        if campaign.world.introduced[person] and not campaign.number[person] and free[:1].any():
            country = campaign.pool.codes(0)[0]
            return Card(country, 0, tier="introduction", propensity=1.0, lease=lease)
        needs = ratings < campaign.settings.k
        # Places that are reserved are not offered again, not even to those for whom nothing else is left.
        full = campaign.pool["ratings"] >= campaign.settings.k
        near = np.less(campaign.world.proximity[person], FAR)[campaign.pool["country"]]
        at_home = np.equal(campaign.world.proximity[person], OWN)[campaign.pool["country"]]
        groups = (
            ("own", needs & at_home),
            ("near", needs & near),
            ("needs", needs),
            ("open", full & near),
            ("open", full),
        )
        for tier, group in groups:
            card = among(campaign, person, free & group, tier=tier, lease=lease)
            if card is not None:
                return card
        return question(campaign, person)


def lease_minutes(campaign: Campaign) -> float:
    """How long a card is reserved where people come as they do in this world."""
    settings = campaign.settings
    return float(settings.lease_workshop if at_once(campaign) else settings.lease_online)


def at_once(campaign: Campaign) -> bool:
    """Whether all people are there at the same time."""
    return campaign.world.settings.arrival == "workshop"


@dataclass(frozen=True)
class StaticArm:
    """A survey, then ratings in random order or (`near_first`) by those who are nearest.

    With `ticks`, the survey also asks of which other countries the same is said.
    """

    name: str
    near_first: bool = False
    ticks: bool = False
    surveys: bool = True

    @property
    def summary(self) -> str:
        """One line that says what it does."""
        extra = ", other countries can be ticked" if self.ticks else ""
        order = "own and near countries first" if self.near_first else "in random order"
        return f"an open survey{extra}, then k ratings a pair, {order}"

    def start(self, campaign: Campaign) -> _Static:
        """Begin a campaign."""
        return _Static(campaign, near_first=self.near_first, ticks=self.ticks)


class _Static:
    def __init__(self, campaign: Campaign, *, near_first: bool, ticks: bool) -> None:
        self._campaign, self._near_first, self._ticks = campaign, near_first, ticks
        share = _HALF if campaign.share is None else campaign.share
        self._writing = share * campaign.world.settings.minutes
        self._second = float(campaign.world.arrivals.max()) + self._writing

    def next(self, person: int, spent: float) -> Card | Wait | None:
        """An open question in the first wave, a pair to rate in the second."""
        if spent < self._writing:
            world, rng = self._campaign.world, self._campaign.draws[person]
            proximity = world.proximity[person]
            kinds = [kind for kind in _QUESTION_SHARES if (proximity == kind).any()]
            shares = np.array([_QUESTION_SHARES[kind] for kind in kinds])
            kind = kinds[int(rng.choice(len(kinds), p=shares / shares.sum()))]
            places = np.flatnonzero(proximity == kind)
            fame = world.fame[places]
            return Card(int(rng.choice(places, p=fame / fame.sum())), ticks=self._ticks, tier="survey")
        if self._campaign.pool.now < self._second:
            return Wait(self._second)
        campaign = self._campaign
        needs = campaign.pool["ratings"] + campaign.leased() < campaign.settings.k
        free = unseen(campaign, person) & needs
        groups = [free]
        if self._near_first:
            proximity = campaign.world.proximity[person][campaign.pool["country"]]
            groups = [free & (proximity == kind) for kind in _QUESTION_SHARES]
        for group in groups:
            # Nobody else is given a place that has been handed out, however long an answer takes.
            card = among(campaign, person, group, tier="static", lease=campaign.world.settings.minutes)
            if card is not None:
                return replace(card, adds=False)
        return None
