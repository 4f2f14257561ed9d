"""Simulated respondents, `sim/NAME[?PARAMETER=VALUE&...]`: what they think is planted, so the truth is known.

For rehearsals without a bill, for tests, and to learn whether a measure finds what is there.
"""

from __future__ import annotations

from endoxa.models.chat.simulated.model import SIMULATIONS, SimulatedModel

__all__ = ["SIMULATIONS", "SimulatedModel"]
