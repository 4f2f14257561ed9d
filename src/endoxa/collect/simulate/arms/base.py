"""What an arm is: a way to choose the next card."""

from __future__ import annotations

from typing import Protocol

from endoxa.collect.simulate.campaign import Campaign, Card, Wait


class Session(Protocol):
    """An arm at work in one campaign."""

    def next(self, person: int, spent: float) -> Card | Wait | None:
        """The next card of a person who spent so many minutes; None where there is nothing left to do.

        The time is `campaign.pool.now`. Chance comes from `campaign.draws[person]` only: arms stay comparable.
        """
        ...


class Arm(Protocol):
    """A way to choose the next card, found by its name.

    Packages add theirs through entry points of the group `endoxa.arms`.
    """

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
