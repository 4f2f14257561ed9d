"""The arms that `simulate` compares, by name: ours, and those of installed packages (group `endoxa.arms`)."""

from __future__ import annotations

from collections.abc import Iterable

from endoxa.collect.simulate.arms.base import Arm, Session
from endoxa.plugins import Registry

__all__ = ["ARMS", "Arm", "Session"]


def _builtin() -> Iterable[Arm]:
    from endoxa.collect.simulate.arms.endoxa import EndoxaArm
    from endoxa.collect.simulate.arms.fedback import FedBackArm
    from endoxa.collect.simulate.arms.fixed import FixedArm
    from endoxa.collect.simulate.arms.laces import LacesArm
    from endoxa.collect.simulate.arms.static import StaticArm

    return (
        StaticArm(name="static-tuned"),
        StaticArm(name="static-proximity", near_first=True),
        StaticArm(name="static-ticks", near_first=True, ticks=True),
        FixedArm(),
        FedBackArm(),
        LacesArm(name="laces"),
        LacesArm(name="laces-lease", reserves=True),
        EndoxaArm(),
        EndoxaArm(name="endoxa-even", evenness=1),
    )


ARMS: Registry[Arm] = Registry("arm", "endoxa.arms", _builtin)
