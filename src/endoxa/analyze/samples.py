"""What every statistic may rely on: a sample that is not empty, of the right types and free of NaN."""

from __future__ import annotations

import numpy as np

from endoxa.schema import DIRECTIONS, Sample


def check_sample(sample: Sample, confidence: float) -> None:
    """Refuse a sample no honest number can be computed from.

    Raises:
        ValueError: the sample is empty, its arrays are not aligned, an array has the wrong type, a score is
            NaN or infinite, a direction is unknown, or the confidence does not lie between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"The confidence must lie between 0 and 1, not {confidence!r}.")
    n = _length(sample)
    if n == 0:
        raise ValueError("The sample is empty: a statistic needs at least one pair.")
    for name in ("difference", "score_more", "score_less", "neutral_difference"):
        values = getattr(sample, name)
        if values.dtype.kind != "f":
            raise ValueError(f"`{name}` must hold floating-point numbers, not {values.dtype}.")
        undefined = np.isinf(values) if name == "neutral_difference" else ~np.isfinite(values)
        if undefined.any():
            raise ValueError(f"`{name}` is NaN or infinite at pair {int(np.argmax(undefined))}.")
    if sample.cluster.dtype.kind not in "iu":
        raise ValueError(f"`cluster` must hold integers, not {sample.cluster.dtype}.")
    if not np.isin(sample.direction, DIRECTIONS).all():
        raise ValueError(f"`direction` may only hold {', '.join(DIRECTIONS)}.")


def _length(sample: Sample) -> int:
    """Number of pairs; ValueError where the fields are not aligned one-dimensional arrays."""
    lengths: set[int] = set()
    for name in ("difference", "score_more", "score_less", "direction", "neutral_difference", "cluster"):
        values = getattr(sample, name)
        if not isinstance(values, np.ndarray) or values.ndim != 1:
            raise ValueError(f"`{name}` must be a one-dimensional numpy array, not {type(values).__name__}.")
        lengths.add(len(values))
    if len(lengths) != 1:
        raise ValueError(f"The arrays of a sample must have one length, not {sorted(lengths)}.")
    return lengths.pop()
