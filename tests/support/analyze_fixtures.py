"""Samples and records with a known truth, for the tests of the analyze room."""

from __future__ import annotations

import numpy as np
import polars as pl

from endoxa.schema import Estimate, Sample, Statistic


def make_sample(
    difference, *, cluster=None, direction=None, neutral=None, less=None, resamples=500
) -> Sample:
    """A sample whose sent_more is always the stereotypical sentence."""
    difference = np.asarray(difference, dtype=float)
    n = len(difference)
    score_less = np.full(n, -20.0) if less is None else np.asarray(less, dtype=float)
    return Sample(
        difference=difference,
        score_more=score_less + difference,
        score_less=score_less,
        direction=np.array(["stereo"] * n if direction is None else direction, dtype=np.str_),
        neutral_difference=np.full(n, np.nan) if neutral is None else np.asarray(neutral, dtype=float),
        cluster=np.arange(n) if cluster is None else np.asarray(cluster),
        resamples=resamples,
    )


def estimates(
    statistic: Statistic, sample: Sample, confidence: float = 0.95, seed: int = 3
) -> list[Estimate]:
    return statistic.compute(sample, confidence, seed)


def unequal_sizes(identities: int) -> np.ndarray:
    """Pairs per identity: a few identities with many pairs and many with few, as in collected data."""
    return np.maximum(1, np.round(40 / np.arange(1, identities + 1) ** 0.7)).astype(int)


def clustered_differences(
    rng, identities: int, *, ratio: float | None = None, mean: float = 0.0, icc: float = 0.2
):
    """Differences with a planted intra-identity correlation, and each pair's identity.

    With `ratio`, each identity has its own chance of a preference (beta-distributed about `ratio`); without,
    its own mean (normal about `mean`); `icc` is the intraclass correlation of sides or of differences.
    """
    cluster = np.repeat(np.arange(identities), unequal_sizes(identities))
    n = len(cluster)
    if ratio is None:
        own = rng.normal(mean, np.sqrt(icc), identities)
        return own[cluster] + rng.normal(0, np.sqrt(1 - icc), n), cluster
    spread = (1 - icc) / icc
    chance = rng.beta(ratio * spread, (1 - ratio) * spread, identities)
    side = np.where(rng.random(n) < chance[cluster], 1.0, -1.0)
    return side * rng.exponential(1.0, n), cluster


def make_records(
    differences: dict[tuple[str, str], np.ndarray],
    *,
    identity=None,
    language=None,
    axis=None,
    direction=None,
    stereotypical=None,
    neutral=None,
) -> pl.DataFrame:
    """Records of the given differences (stereotypical minus other) per (model, rule)."""
    frames = []
    for (model, rule), values in differences.items():
        n = len(values)
        more = stereotypical or ["more"] * n
        sign = np.where(np.array(more) == "more", 1.0, -1.0)
        frames.append(
            pl.DataFrame(
                {
                    "item_id": [f"i{index:05d}" for index in range(n)],
                    "language": language or ["en"] * n,
                    "axis": axis or ["age"] * n,
                    "direction": direction or ["stereo"] * n,
                    "stereotypical": more,
                    "identity": identity if identity is not None else [None] * n,
                    "model": [model] * n,
                    "rule": [rule] * n,
                    "score_more": -20.0 + sign * np.asarray(values) / 2,
                    "score_less": -20.0 - sign * np.asarray(values) / 2,
                    "neutral_difference": [None] * n if neutral is None else list(sign * np.asarray(neutral)),
                },
                schema_overrides={"identity": pl.String, "neutral_difference": pl.Float64},
            )
        )
    return pl.concat(frames)
