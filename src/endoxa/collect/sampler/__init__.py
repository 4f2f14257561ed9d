"""Which card comes next: pure functions over a `Pool`, the same for the site and for `simulate`.

`settings.py` the numbers an organiser may change, `types.py` what goes in and out, `tiers.py` which pairs belong where,
`draw.py` how they are weighed, the draw and its propensity, `controller.py` the balance between new pairs and ratings,
`aim.py` where new pairs are asked for.
"""

from endoxa.collect.sampler.aim import Fields, Said, fields, least_said, unseen_mass
from endoxa.collect.sampler.controller import (
    KEPT_SECONDS,
    Balance,
    Expected,
    Forecast,
    Outlook,
    Pace,
    adds_on,
    forecast,
    under,
)
from endoxa.collect.sampler.draw import draw
from endoxa.collect.sampler.settings import Conflict, SamplerSettings
from endoxa.collect.sampler.types import Cell, Drawn, Person, Pool, Region, Rows

__all__ = [
    "KEPT_SECONDS",
    "Balance",
    "Cell",
    "Conflict",
    "Drawn",
    "Expected",
    "Fields",
    "Forecast",
    "Outlook",
    "Pace",
    "Person",
    "Pool",
    "Region",
    "Rows",
    "Said",
    "SamplerSettings",
    "adds_on",
    "draw",
    "fields",
    "forecast",
    "least_said",
    "under",
    "unseen_mass",
]
