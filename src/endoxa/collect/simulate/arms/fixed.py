"""The same card, but only the seeds are ever shown: what people add is kept and shown to nobody."""

from __future__ import annotations

from dataclasses import dataclass

from endoxa.collect.simulate.arms.uniform import among, question, unseen
from endoxa.collect.simulate.campaign import Campaign, Card


@dataclass(frozen=True)
class FixedArm:
    """Cards from a fixed list; after it, open questions."""

    name: str = "fixed"
    summary: str = "cards from a fixed list of seeds; what people add is not shown to others"
    surveys: bool = False

    def start(self, campaign: Campaign) -> _Fixed:
        """Begin a campaign."""
        return _Fixed(campaign)


@dataclass(frozen=True)
class _Fixed:
    campaign: Campaign

    def next(self, person: int, spent: float) -> Card:  # noqa: ARG002
        """A seed that the person has not seen, else an open question."""
        eligible = unseen(self.campaign, person) & self.campaign.pool["seed"]
        return among(self.campaign, person, eligible, tier="seed") or question(self.campaign, person)
