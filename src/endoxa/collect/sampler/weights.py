"""How much each pair weighs within its tier."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from endoxa.collect.sampler.settings import SamplerSettings
from endoxa.collect.sampler.types import NEEDS, FloatArray, Rows

_HEAVY = 0.25
_SMALLEST = 1e-3


def weights(
    rows: Rows,
    reserved: Mapping[int, int],
    coverage: Mapping[str, int],
    heavy: frozenset[str],
    settings: SamplerSettings,
) -> FloatArray:
    """Weight of each row: missing share of ratings ** evenness x 1 / sqrt(1 + ratings of its country) x age x topic.

    Rows whose ratings and reservations already reach what they need weigh 0.
    """
    held = np.array([reserved.get(pair, 0) for pair in rows.ids.tolist()]) if reserved else 0
    goal = np.where(rows.needs == NEEDS, settings.k, settings.k_max)
    missing = np.clip((goal - rows.ratings - held) / goal, 0, None)
    covered = np.array([coverage.get(country, 0) for country in rows.countries.tolist()])
    age = 1 + np.minimum(1, rows.waiting / settings.age_minutes)
    topic = np.where(np.isin(rows.topics, list(heavy)), _HEAVY, 1.0) if heavy else 1.0
    wanted = np.where(missing > 0, np.maximum(missing, _SMALLEST) ** settings.evenness, 0.0)
    result: FloatArray = wanted / np.sqrt(1 + covered) * age * topic
    return result
