"""A survey in two waves: everybody writes first; then everybody rates what was written, k ratings a pair.

The strongest form of it: the second wave begins when the first is over, everybody is still there, ratings are
handed out without a gap or a surplus, and the share of time for writing is tuned beforehand on other seeds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from endoxa.collect.simulate.arms.uniform import among, unseen
from endoxa.collect.simulate.campaign import Campaign, Card, Wait
from endoxa.collect.simulate.world import FAR, NEAR, OWN

_ASKED = {OWN: 0.50, NEAR: 0.35, FAR: 0.15}
"""How often the open question is about an own, near or far country."""

_HALF = 0.5


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
            return self._question(person)
        if self._campaign.pool.now < self._second:
            return Wait(self._second)
        return self._pair(person)

    def _question(self, person: int) -> Card:
        world, rng = self._campaign.world, self._campaign.draws[person]
        proximity = world.proximity[person]
        kinds = [kind for kind in _ASKED if (proximity == kind).any()]
        shares = np.array([_ASKED[kind] for kind in kinds])
        kind = kinds[int(rng.choice(len(kinds), p=shares / shares.sum()))]
        places = np.flatnonzero(proximity == kind)
        known = world.fame[places]
        return Card(int(rng.choice(places, p=known / known.sum())), ticks=self._ticks, tier="survey")

    def _pair(self, person: int) -> Card | None:
        campaign = self._campaign
        needs = campaign.pool["ratings"] + campaign.held() < campaign.settings.k
        free = unseen(campaign, person) & needs
        groups = [free]
        if self._near_first:
            proximity = campaign.world.proximity[person][campaign.pool["country"]]
            groups = [free & (proximity == kind) for kind in _ASKED]
        for group in groups:
            # Nobody else is given a place that has been handed out, however long an answer takes.
            card = among(campaign, person, group, tier="static", lease=campaign.world.settings.minutes)
            if card is not None:
                return replace(card, adds=False)
        return None
