"""LACES's rule (section 3.2): pairs with fewer than three validations first, near ones when possible, languages read.

The paper does not say in which order the two preferences apply; here need comes before nearness, as its text names
them. A validation is a rating. Without a lease, people who draw at the same time can get the same last place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from endoxa.collect.simulate.arms.uniform import among, question, unseen
from endoxa.collect.simulate.campaign import Campaign, Card
from endoxa.collect.simulate.world import FAR


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
            ratings = ratings + campaign.held()
            lease = lease_minutes(campaign)
        free = unseen(campaign, person)
        needs = ratings < campaign.settings.k
        # Places that are reserved are not offered again, not even to those for whom nothing else is left.
        full = campaign.pool["ratings"] >= campaign.settings.k
        near = np.less(campaign.world.proximity[person], FAR)[campaign.pool["country"]]
        groups = (("near", needs & near), ("needs", needs), ("open", full & near), ("open", full))
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
