"""Silhouette of a grouping under cosine distance (Rousseeuw 1987), for a sample of its members."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from endoxa.curate.encoders import Vectors

SAMPLE = 2000
BLOCK = 200


def silhouette(
    vectors: Vectors, labels: Sequence[str], *, sample: int = SAMPLE, seed: int = 0
) -> float | None:
    """Mean of (b - a) / max(a, b) over members, where a is the mean distance to the own group, b to the nearest other.

    A member alone in its group counts 0. Of many members a sample is taken, each compared with all others, so that
    groups stay whole. None where all members are in one group, or each in its own.

    Args:
        vectors: unit vectors, shape (n, d).
        labels: group of each row.
        sample: how many rows at most.
        seed: of the draw.
    """
    names, codes = np.unique(np.asarray(labels), return_inverse=True)
    if not 1 < len(names) < len(codes):
        return None
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rows = np.arange(len(codes))
    if len(rows) > sample:
        rows = np.sort(np.random.default_rng(seed).choice(len(rows), sample, replace=False))
    total = 0.0
    for start in range(0, len(rows), BLOCK):
        part = rows[start : start + BLOCK]
        distances = 1 - vectors[part].astype(np.float64) @ vectors[order].T
        sums = np.add.reduceat(distances, starts, axis=1)
        here, own = np.arange(len(part)), codes[part]
        inside = (sums[here, own] - distances[here, np.argsort(order)[part]]) / np.maximum(sizes[own] - 1, 1)
        means = sums / sizes
        means[here, own] = np.inf
        outside = means.min(axis=1)
        wide = np.maximum(np.maximum(inside, outside), np.finfo(float).tiny)
        total += float(np.where(sizes[own] > 1, (outside - inside) / wide, 0.0).sum())
    return total / len(rows)
