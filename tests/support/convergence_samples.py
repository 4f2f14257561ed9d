"""Tables of parts in which strengths, reliabilities and correlations of instruments were planted."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import polars as pl

from endoxa.schema.study import PART_COLUMNS

TOOLS: Mapping[str, float] = {"pairs": 0.7, "questions": 0.5, "tests": 0.9, "stories": 0.6}
"""Planted reliabilities."""
PARTS = 6


def planted_parts(
    seed: int = 0,
    *,
    identities: int = 20,
    each: int = 5,
    tools: Mapping[str, float] = TOOLS,
    correlation: float = 0.6,
    mean: float = 0.4,
    common_attribute: float = 0.0,
    model: str = "hf/org/model-a",
) -> pl.DataFrame:
    """Parts of one model; association k is attribute k % each of identity k // each (see `attributes`).

    Args:
        seed: seed of what is drawn.
        identities: number of identities.
        each: associations of each.
        tools: reliability by instrument.
        correlation: planted correlation of strengths between instruments.
        mean: mean strength.
        common_attribute: share of the variance of strengths that belongs to the attribute, alike in all instruments.
        model: its name.
    """
    rng = np.random.default_rng(seed)
    size = identities * each
    of_attribute = np.tile(rng.permutation(np.linspace(-1.4, 1.4, each)), identities)
    common = rng.standard_normal(size)
    frames = []
    for tool, reliability in tools.items():
        own = math.sqrt(correlation) * common + math.sqrt(1 - correlation) * rng.standard_normal(size)
        strength = mean + math.sqrt(1 - common_attribute) * own + math.sqrt(common_attribute) * of_attribute
        noise = math.sqrt(PARTS * (1 - reliability) / reliability)
        values = strength[:, None] + noise * rng.standard_normal((size, PARTS))
        frames.append(
            pl.DataFrame(
                {
                    "model": model,
                    "instrument": tool,
                    "association_id": [f"a{k:03d}" for k in range(size) for _ in range(PARTS)],
                    "identity": [f"group {k // each}" for k in range(size) for _ in range(PARTS)],
                    "part": [f"t{part}" for _ in range(size) for part in range(PARTS)],
                    "value": values.ravel(),
                }
            )
        )
    return pl.concat(frames).select(list(PART_COLUMNS))


def attributes(parts: pl.DataFrame, each: int = 5) -> dict[str, str]:
    """The attribute of each association."""
    return {name: f"attribute {int(name[1:]) % each}" for name in parts["association_id"].unique()}
