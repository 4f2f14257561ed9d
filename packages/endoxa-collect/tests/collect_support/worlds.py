"""Small simulated worlds."""

from __future__ import annotations

from endoxa_collect.simulate.world import WorldSettings

SMALL = WorldSettings(people=12, countries=("AR", "CL", "UY"), pairs=60, attributes=120, minutes=12, seeds=6)
