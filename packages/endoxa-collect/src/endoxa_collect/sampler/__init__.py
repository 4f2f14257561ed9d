"""Which card comes next: pure functions, which simulations call too.

`slots.py` the numbers an organiser may change and what a pair needs, `matching.py` who rates it, `controller.py` the
balance between new pairs and ratings and where new pairs are asked for.
"""

from endoxa_collect.sampler.controller import Balance, Forecast
from endoxa_collect.sampler.slots import SamplerSettings

__all__ = ["Balance", "Forecast", "SamplerSettings"]
