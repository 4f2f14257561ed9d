"""Association tests, correlations of instruments that are corrected for reliability, and pairs of runs for the gate."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb, sqrt
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import norm

from benchmarks.worlds import Reading
from endoxa.instruments.association_tests.estimates import effect_size as effects
from endoxa.instruments.association_tests.estimates.permutation import permutation_test, too_small
from endoxa.stats.attenuation import corrected_correlation
from endoxa.stats.intervals import agreeing
from endoxa.stats.reliability import PartScores, part_scores
from endoxa.stats.verdicts import CLEAR, adjust, adjust_within, decide
from endoxa.study.compare.decision import Contrasts, Values
from endoxa.study.convergence.chance import seen_together
from endoxa.study.convergence.estimates import correlations, joined_parts, measured
from endoxa.study.convergence.estimates import effects as effects_of

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from support import gate_runs

PARTITIONS = 999
"""Partitions that are drawn where there are more: as valid as counting them, and quick."""

# ---------------------------------------------------------------------------- association tests


@dataclass(frozen=True)
class Sets:
    """Associations of both target sets, and the true effect size."""

    x: np.ndarray
    y: np.ndarray
    truth: float


def _drawn(rng: np.random.Generator, shape: str, size: int) -> np.ndarray:
    if shape == "skewed":
        return rng.exponential(size=size) - 1
    return rng.standard_t(4, size=size) / sqrt(2) if shape == "heavy tails" else rng.normal(size=size)


def targets(
    rng: np.random.Generator, sizes: tuple[int, int], shape: str, shift: float = 0.0, spread: float = 1.0
) -> Sets:
    """X is shifted by this many deviations and has this many times the spread of Y."""
    n_x, n_y = sizes
    truth = shift / sqrt(1 + n_x * n_y / (n_x + n_y) ** 2 * shift**2)
    return Sets(spread * _drawn(rng, shape, n_x) + shift, _drawn(rng, shape, n_y), truth)


def _p_value(x: np.ndarray, y: np.ndarray) -> float:
    return permutation_test(x, y, alternative="two-sided", draws=PARTITIONS, max_half_sums=0).p_value


def verdict(data: Sets) -> Reading:
    """The verdict of a test that is alone in its family."""
    p = _p_value(data.x, data.y)
    untestable = too_small(comb(len(data.x) + len(data.y), len(data.x)), 0.95)
    difference = data.x.mean() - data.y.mean()
    return Reading(
        decide(difference, 0.0, p, p, untestable=untestable, alternative="two-sided").verdict in CLEAR
    )


def effect_size(data: Sets) -> Reading:
    """The interval of the effect size."""
    sides = [effects.Targets(values, np.arange(len(values))) for values in (data.x, data.y)]
    interval = effects.bootstrap_interval(*sides, confidence=0.95, resamples=1000, seed=0)
    p = _p_value(data.x, data.y)
    interval = agreeing(interval, effects.effect_size(data.x, data.y), 0.0, p, 0.95)
    return Reading.of(p, interval, data.truth)


def encoders(rng: np.random.Generator, number: int, correlation: float) -> list[float]:
    """p-values of one test (8 against 8) in each of several encoders, without a difference."""
    shared = rng.normal(size=16)
    values = sqrt(correlation) * shared + sqrt(1 - correlation) * rng.normal(size=(number, 16))
    return [_p_value(row[:8], row[8:]) for row in values]


def families(kind: str, p_values: list[float]) -> Reading:
    """Whether anything is claimed where `each` encoder is a family, or `all` of them are one."""
    adjusted = adjust_within(p_values, range(len(p_values))) if kind == "each" else adjust(p_values)
    return Reading(min(adjusted) <= 0.05)


# ---------------------------------------------------------------------------- convergence

RELIABILITIES = (0.5, 0.7, 0.8, 0.9)
PARTS = 6


def _parts(rng: np.random.Generator, strength: np.ndarray, reliability: float) -> np.ndarray:
    """Values of the parts, shape (associations, parts), of this reliability; every part has a level."""
    noise = np.sqrt(PARTS * (1 - reliability) / reliability)
    shape = (len(strength), PARTS)
    return strength[:, None] + noise * rng.standard_normal(shape) + 0.5 * rng.standard_normal(PARTS)


def four_instruments(
    rng: np.random.Generator, identities: int, correlation: float
) -> tuple[list[PartScores], np.ndarray]:
    """Scores of four instruments, and the identity of each association; one of five of an identity shares 0.3."""
    cluster = np.repeat(np.arange(identities), 5)

    def strengths() -> np.ndarray:
        shared = rng.standard_normal(identities)[cluster]
        return np.sqrt(0.3) * shared + np.sqrt(0.7) * rng.standard_normal(len(cluster))

    common = strengths()
    unit, part = np.repeat(np.arange(len(cluster)), PARTS), np.tile(np.arange(PARTS), len(cluster))
    scores = []
    for reliability in RELIABILITIES:
        strength = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * strengths()
        scores.append(part_scores(unit, part, _parts(rng, strength, reliability).ravel()))
    return scores, cluster


def corrected(data: tuple[list[PartScores], np.ndarray]) -> Reading:
    """All six correlations: the share claimed after correction, and their intervals."""
    scores, cluster = data
    rows = [corrected_correlation(one, two, cluster, 0.95) for one, two in combinations(scores, 2)]
    low, high = (np.array([getattr(row.interval, end) for row in rows]) for end in ("low", "high"))
    p_values = np.array(
        [row.p_value if np.isfinite(end) else np.nan for row, end in zip(rows, low, strict=True)]
    )
    return Reading(float(np.mean(np.array(adjust(p_values)) <= 0.05)), low, high)


def recurring(
    rng: np.random.Generator,
    layout: tuple[int, int, float],
    of_attribute: float,
    correlation: float,
    instruments: int = 2,
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Parts of instruments, and the attribute of each association; attributes recur and make a share of the variance.

    Args:
        rng: the generator.
        layout: identities, attributes, and the share of both that are an association.
        of_attribute: share of the variance of strengths that an attribute makes; an identity makes 0.2.
        correlation: of the strengths under the instruments, at each level.
        instruments: their number; the strengths of three or more are 0.5 on average.
    """
    identities, attributes, filled = layout
    identity, attribute = (codes.ravel() for codes in np.mgrid[0:identities, 0:attributes])
    kept = rng.random(len(identity)) < filled
    identity, attribute = identity[kept], attribute[kept]
    strength = np.full((instruments, len(identity)), 0.5 * (instruments > 2))
    alone = np.arange(len(identity))
    for share, codes in ((0.2, identity), (of_attribute, attribute), (0.8 - of_attribute, alone)):
        common, *apart = rng.standard_normal((1 + instruments, int(codes.max()) + 1))
        for k in range(instruments):
            drawn = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * apart[k]
            strength[k] += np.sqrt(share) * drawn[codes]
    names = [f"a{k:05d}" for k in alone]
    tables = [
        pl.DataFrame(
            {
                "model": "m",
                "instrument": f"t{k}",
                "association_id": np.repeat(names, PARTS),
                "identity": np.repeat(identity, PARTS).astype(str),
                "part": np.tile(np.arange(PARTS), len(names)).astype(str),
                "value": _parts(rng, strength[k], 0.7).ravel(),
            }
        )
        for k in range(instruments)
    ]
    return pl.concat(tables), {name: f"word {code}" for name, code in zip(names, attribute, strict=True)}


def correlated(sample: str, data: tuple[pl.DataFrame, dict[str, str]]) -> Reading:
    """The correlation with `identities` alone as the sample, or with `both` identities and attributes."""
    parts, names = data
    row = correlations(measured(joined_parts(parts)), names if sample == "both" else {}).row(0, named=True)
    if row["low"] is None:
        return Reading(0)
    return Reading(row["p_value"] <= 0.05, row["low"], row["high"])


def seen(together: str, data: tuple[pl.DataFrame, dict[str, str]]) -> Reading:
    """Whether more associations than by chance are seen by `several` instruments, or by `all`."""
    parts, names = data
    rows = seen_together(effects_of(measured(joined_parts(parts))), names, seed=0, exchanges=199)
    return Reading((rows.filter(together=together)["p_value"] <= 0.05).any())


# ---------------------------------------------------------------------------- gate


def runs(
    rng: np.random.Generator,
    design: tuple[int, int],
    margin: float,
    worse_by: float,
    baseline: tuple[float, float],
    alike: tuple[float, float] = (0.6, 0.3),
) -> tuple[Contrasts, float]:
    """A pair of runs, and the margin.

    Args:
        rng: the generator.
        design: identities, and items of each.
        margin: the margin.
        worse_by: by how many margins the candidate is worse.
        baseline: preference ratio, and share of items that change sides besides; below 0 the candidate lies on the
            other side of one half.
        alike: correlations within identities of answers and of changes.
    """
    ratio, churn = abs(baseline[0]), baseline[1]
    candidate = ratio + worse_by * margin
    situation = gate_runs.Situation(
        *design, margin, ratio, candidate if baseline[0] > 0 else 1 - candidate, alike[0], churn, alike[1]
    )
    return Contrasts.of(gate_runs.draw(rng, situation)), margin


def crossed_runs(
    rng: np.random.Generator,
    design: tuple[int, int, float, int],
    deviations: tuple[float, float],
    change: float,
    margin: float = 0.0,
) -> tuple[Contrasts, float]:
    """A pair of runs in which identities and attributes differ in how much changes; margin 0: exactly the change."""
    values = _crossed(rng, tuple(design), tuple(deviations), change)
    return Contrasts.of(values), margin or _true_change(tuple(deviations), change)


@cache
def _true_change(deviations: tuple[float, float], change: float) -> float:
    """What the share rises by, chances being cut at 0 and 1."""
    rng = np.random.default_rng(99)
    many = [_crossed(rng, (1000, 1000, 0.1, 1), deviations, change) for _ in range(20)]
    return float(np.mean([(values.candidate - values.baseline).mean() for values in many]))


def _crossed(
    rng: np.random.Generator, design: tuple[int, ...], deviations: tuple[float, ...], change: float
) -> Values:
    """One in ten items change sides besides, half in each direction."""
    identities, attributes, filled, size = design
    first, second = (codes.ravel() for codes in np.mgrid[0:identities, 0:attributes])
    kept = rng.random(len(first)) < filled
    first, second = (np.repeat(codes[kept], size) for codes in (first, second))
    shift = change + sum(
        deviation * rng.standard_normal(number)[codes]
        for deviation, number, codes in zip(deviations, design[:2], (first, second), strict=True)
    )
    up = np.clip((np.maximum(shift, 0) + 0.05) / 0.4, 0, 1)
    down = np.clip((np.maximum(-shift, 0) + 0.05) / 0.6, 0, 1)
    sides, lot = rng.random(len(first)) < 0.6, rng.random(len(first))
    return Values(sides - 0.5, np.where(sides, lot >= down, lot < up) - 0.5, first, attribute=second)


def gate(decision: str, data: tuple[Contrasts, float]) -> Reading:
    """Whether the gate `passes`, or the candidate is found `worse`."""
    evidence = data[0].evidence(data[1], 0.05)
    return Reading((evidence.p_worse if decision == "worse" else evidence.p_not_worse) <= 0.05)


def normal_estimates(_: np.random.Generator, correlation: float, margin: float, away: float) -> float:
    """The rate of wrong failures where both estimates are normal, exactly: either sign may be found worse.

    Args:
        correlation: of the two estimates, whose standard errors are 1.
        margin: by which the candidate is worse, in standard errors.
        away: distance of the baseline from the neutral value.
    """
    scales = np.array([sqrt(2 - 2 * correlation), sqrt(2 + 2 * correlation)])
    rates = [
        norm.cdf(
            (np.array([sign * margin, sign * (2 * away + margin)]) - margin) / scales - norm.ppf(0.95)
        ).prod()
        for sign in (1, -1)
    ]
    return float(sum(rates))


def exactly(rate: float) -> Reading:
    """The rate itself."""
    return Reading(rate)
