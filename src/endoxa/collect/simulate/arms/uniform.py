"""Draws with equal chances, and the open question, which several arms share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from endoxa.collect.simulate.campaign import Campaign, Card
from endoxa.collect.simulate.world import NEAR, OWN

Chosen = npt.NDArray[np.bool_]


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
    known = [*np.flatnonzero(proximity == OWN), *np.flatnonzero(proximity == NEAR)]
    return Card(int(known[campaign.number[person] % len(known)]), tier="prompt")
