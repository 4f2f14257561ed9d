"""Arms, ways to choose the next card, by name: ours, and those of packages (group `endoxa.arms`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from endoxa.registry import Registry
from endoxa_collect.simulate.campaign import Campaign, Card, Wait

__all__ = ["ARMS", "Arm", "Session"]


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


def _builtin() -> Iterable[Arm]:
    from endoxa_collect.simulate.arms.endoxa import EndoxaArm
    from endoxa_collect.simulate.arms.rivals import FedBackArm, FixedArm, LacesArm, StaticArm

    return (
        StaticArm(name="static-tuned"),
        StaticArm(name="static-proximity", near_first=True),
        StaticArm(name="static-ticks", near_first=True, ticks=True),
        FixedArm(),
        FedBackArm(),
        LacesArm(name="laces"),
        LacesArm(name="laces-lease", reserves=True),
        EndoxaArm(),
        EndoxaArm(
            name="endoxa-anyone",
            changes={"own_slots": 0, "near_slots": 0},
            different="every rating is for anyone who is present",
        ),
        EndoxaArm(
            name="endoxa-all",
            changes={"second_mention": False},
            different="every ticked pair asks for ratings at once",
        ),
    )


ARMS: Registry[Arm] = Registry("arm", "endoxa.arms", _builtin)
