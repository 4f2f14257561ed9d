"""The same card with what people add fed back into the pool, drawn with equal chances."""

from __future__ import annotations

from dataclasses import dataclass

from endoxa.collect.simulate.arms.uniform import among, question, unseen
from endoxa.collect.simulate.campaign import Campaign, Card


@dataclass(frozen=True)
class FedBackArm:
    """Any pair of the pool, all with the same chance."""

    name: str = "fedback"
    summary: str = "cards from the whole pool, new pairs included, all with the same chance"
    surveys: bool = False

    def start(self, campaign: Campaign) -> _FedBack:
        """Begin a campaign."""
        return _FedBack(campaign)


@dataclass(frozen=True)
class _FedBack:
    campaign: Campaign

    def next(self, person: int, spent: float) -> Card:  # noqa: ARG002
        """Any pair that the person has not seen, else an open question."""
        eligible = unseen(self.campaign, person)
        return among(self.campaign, person, eligible, tier="any") or question(self.campaign, person)
