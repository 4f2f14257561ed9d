"""Pairs of runs with a planted difference, as values per item or as run folders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.study.compare.decision import Values
from support.report_samples import run_folder, scored


@dataclass(frozen=True)
class Situation:
    """What is planted.

    Attributes:
        identities: number of identities.
        size: items about each.
        margin: the margin that is tested.
        baseline: preference ratio of the baseline.
        candidate: preference ratio of the candidate.
        correlation: of the baseline's answers within identities.
        churn: share of items that change sides besides what the difference takes, half in each direction.
        clustered: correlation of changes within identities.
    """

    identities: int
    size: int
    margin: float
    baseline: float
    candidate: float
    correlation: float = 0.0
    churn: float = 0.0
    clustered: float = 0.0


def draw(rng: np.random.Generator, planted: Situation) -> Values:
    """One pair of runs: answers of the baseline, some of which change sides."""
    cluster = np.repeat(np.arange(planted.identities), planted.size)
    before = planted.baseline
    sides = rng.random(len(cluster)) < _chances(rng, before, planted.correlation, planted)[cluster]
    up = planted.churn / 2 + max(planted.candidate - before, 0)
    down = planted.churn / 2 + max(before - planted.candidate, 0)
    rise = _chances(rng, up / (1 - before) if before < 1 else 0, planted.clustered, planted)[cluster]
    fall = _chances(rng, down / before if before > 0 else 0, planted.clustered, planted)[cluster]
    lot = rng.random(len(cluster))
    after = np.where(sides, lot >= fall, lot < rise)
    return Values(sides - 0.5, after - 0.5, cluster)


def _chances(rng: np.random.Generator, share: float, correlation: float, planted: Situation) -> np.ndarray:
    """A chance for every identity, beta-distributed about `share`."""
    share = min(share, 1.0)
    if correlation == 0 or share in (0, 1):
        return np.full(planted.identities, share)
    spread = (1 - correlation) / correlation
    return rng.beta(share * spread, (1 - share) * spread, planted.identities)


JOBS = tuple(f"occupation {number}" for number in range(200))


def pairs(identities: int, size: int, axes: tuple[str, ...] = ("work",)) -> pl.DataFrame:
    """Mild pairs: `size` about each of the identities, axes by turns of identities."""
    rows = [
        {
            "item_id": f"p{k}-{i}",
            "language": "en",
            "axis": axes[k % len(axes)],
            "direction": "stereo",
            "stereotypical": "more" if i % 2 else "less",
            "sent_more": f"People of {JOBS[k]} rise early, case {i}.",
            "sent_less": f"People of {JOBS[k]} rise late, case {i}.",
            "identity": JOBS[k],
        }
        for k in range(identities)
        for i in range(size)
    ]
    return pl.DataFrame(rows)


def write_run(
    folder: Path,
    items: pl.DataFrame,
    sides: np.ndarray,
    *,
    model: str = "hf/base",
    rule: str = "sum",
    seed: int = 0,
) -> Path:
    """A finished run whose pairs have these sides (+1, -1, or 0 for a tie)."""
    size = np.random.default_rng(seed).uniform(0.2, 3.0, len(items))
    sign = np.where(items["stereotypical"].to_numpy() == "more", 1, -1)
    records = scored(items, model, rule, 0.5).with_columns(
        score_more=pl.Series(-20 + sign * np.asarray(sides) * size), score_less=pl.lit(-20.0)
    )
    return run_folder(folder, records)
