"""Made-up stories with planted associations, in StereoTales' columns."""

from __future__ import annotations

import json

import numpy as np
import polars as pl

ATTRIBUTES = {
    "town": ("harbour", "hill", "valley"),
    "pet": ("cat", "dog", "none"),
    "tea": ("green", "black", "mint"),
    "season": ("spring", "autumn"),
}


def stories(
    per_value: int = 120,
    *,
    models: tuple[str, ...] = ("m/one",),
    languages: tuple[str, ...] = ("en",),
    planted: dict[tuple[str, str, str], float] | None = None,
    only: str | None = None,
    unknown: float = 0.2,
    seed: int = 0,
) -> pl.DataFrame:
    """Stories of every value of every attribute.

    Args:
        per_value: stories of each base value, model and language.
        models: names of models.
        languages: their languages.
        planted: (base value, compared attribute, compared value) -> factor on its probability.
        only: the one model (or language) in which it is planted; None: everywhere.
        unknown: share of attributes that cannot be read.
        seed: seed.
    """
    generator = np.random.default_rng(seed)
    rows = []
    for model in models:
        for language in languages:
            effects = (planted or {}) if only in (None, model, language) else {}
            for base, values in ATTRIBUTES.items():
                for value in values:
                    for number in range(per_value):
                        profile = {
                            name: _drawn(generator, value, name, options, effects, unknown)
                            for name, options in ATTRIBUTES.items()
                        }
                        rows.append(
                            {
                                "sample_id": f"{language}-{base}-{value}-{number}",
                                "generator_model": model,
                                "language": language,
                                "scenario": f"market {number % 4}",
                                "target_attribute": base,
                                "target_attribute_value": value,
                                "extracted_attributes_json": json.dumps(profile),
                            }
                        )
    return pl.DataFrame(rows)


def _drawn(
    generator: np.random.Generator,
    value: str,
    name: str,
    options: tuple[str, ...],
    effects: dict[tuple[str, str, str], float],
    unknown: float,
) -> str:
    if generator.random() < unknown:
        return "unknown"
    weights = np.array([effects.get((value, name, option), 1.0) for option in options])
    return str(generator.choice(options, p=weights / weights.sum()))
