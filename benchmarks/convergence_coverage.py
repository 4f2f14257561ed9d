"""How often intervals of corrected correlations hold the truth, and how often agreement is claimed that is not there.

    python benchmarks/convergence_coverage.py                  tables of docs/methods/convergence.md, some ten minutes
    python benchmarks/convergence_coverage.py --repeats 100    the same, quick and rough
    python benchmarks/convergence_coverage.py --crossed --repeats 100    identities crossed with attributes

A simulated model has a latent strength for each association under each of four instruments; the strengths correlate
between instruments as planted, and associations of one identity share a part of their strength. Each instrument
measures with six parts and a known reliability. Every statistic is the package's own; other methods of making the
interval are here only to be compared.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri, stdtrit

from endoxa.stats.attenuation import CorrectedCorrelation, corrected_correlation
from endoxa.stats.reliability import PartScores, jackknife_error, moments, part_scores, totals_of
from endoxa.stats.verdicts import adjust
from endoxa.study.convergence.chance import seen_together
from endoxa.study.convergence.estimates import correlations, effects, joined_parts, measured

RELIABILITIES = (0.5, 0.7, 0.8, 0.9)
"""Planted reliabilities of the four instruments."""
CORRELATIONS = (0.0, 0.3, 0.6, 1.0)
IDENTITIES = (10, 20, 60)
EACH = 5
"""Associations of an identity."""
PARTS = 6
WITHIN = 0.3
"""Share of the variance of strengths that associations of one identity have in common."""
CONFIDENCE = 0.95
RESAMPLES = 600


@dataclass(frozen=True)
class World:
    """How strengths and values are drawn.

    Attributes:
        within: share of the variance that associations of one identity have in common.
        sizes: associations of each identity, dealt out in turn.
        skewed: strengths are exponential instead of normal.
        answers: instruments by index whose parts are answers of -1, 0 or 1 instead of normal values.
        nested: every association has parts of its own.
        missing: share of the values that are missing at random (refusals); one of each association is kept.
    """

    within: float = WITHIN
    sizes: tuple[int, ...] = (EACH,)
    skewed: bool = False
    answers: tuple[int, ...] = ()
    nested: bool = False
    missing: float = 0.0


def strengths(rng: np.random.Generator, cluster: np.ndarray, correlation: float, world: World) -> np.ndarray:
    """Strengths of variance 1 under four instruments that correlate as planted, shape (4, associations)."""

    def drawn(size: int) -> np.ndarray:
        return rng.exponential(size=size) - 1 if world.skewed else rng.standard_normal(size)

    def one() -> np.ndarray:
        shared = drawn(int(cluster.max()) + 1)[cluster]
        return np.sqrt(world.within) * shared + np.sqrt(1 - world.within) * drawn(len(cluster))

    common = one()
    return np.array([np.sqrt(correlation) * common + np.sqrt(1 - correlation) * one() for _ in RELIABILITIES])


def expected(strength: np.ndarray, *, answers: bool) -> np.ndarray:
    """The mean of infinitely many parts: what an instrument without error would say."""
    return 0.8 * np.tanh(strength / 2) if answers else strength


def values(
    rng: np.random.Generator, strength: np.ndarray, reliability: float, *, answers: bool, levels: bool
) -> np.ndarray:
    """Values of the parts, shape (associations, PARTS); with `levels` every part has one of its own."""
    shape = (len(strength), PARTS)
    if answers:
        stereotyped = 1 / (1 + np.exp(-strength))[:, None]
        named = rng.random(shape) < 0.8
        return np.where(named, np.where(rng.random(shape) < stereotyped, 1.0, -1.0), 0.0)
    noise = np.sqrt(PARTS * (1 - reliability) / reliability)
    return strength[:, None] + noise * rng.standard_normal(shape) + 0.5 * levels * rng.standard_normal(PARTS)


def study(
    rng: np.random.Generator, identities: int, correlation: float, world: World
) -> tuple[list[PartScores], np.ndarray]:
    """Scores of the four instruments, and the identity of each association."""
    sizes = [world.sizes[k % len(world.sizes)] for k in range(identities)]
    cluster = np.repeat(np.arange(identities), sizes)
    latent = strengths(rng, cluster, correlation, world)
    unit, part = np.repeat(np.arange(len(cluster)), PARTS), np.tile(np.arange(PARTS), len(cluster))
    if world.nested:
        part = np.arange(len(unit))
    scores = []
    for k, one in enumerate(RELIABILITIES):
        drawn = values(rng, latent[k], one, answers=k in world.answers, levels=not world.nested).ravel()
        kept = np.ones(len(unit), dtype=bool)
        if world.missing:
            kept = (rng.random(len(unit)) >= world.missing) | (np.arange(len(unit)) % PARTS == unit % PARTS)
        scores.append(part_scores(unit[kept], part[kept], drawn[kept]))
    return scores, cluster


def truth(correlation: float, world: World, one: int, two: int) -> float:
    """The correlation of what two instruments would say without error, from 400,000 associations."""
    if not world.answers or correlation in (0.0,):
        return correlation
    cluster = np.arange(400_000)
    latent = strengths(np.random.default_rng(0), cluster, correlation, world)
    x, y = (expected(latent[k], answers=k in world.answers) for k in (one, two))
    return float(np.corrcoef(x, y)[0, 1])


PAIRS = tuple(combinations(range(len(RELIABILITIES)), 2))


def studies(
    repeats: int, identities: int, correlation: float, world: World
) -> Iterator[list[CorrectedCorrelation]]:
    """The six correlations of each simulated study."""
    for seed in range(repeats):
        rng = np.random.default_rng([seed, identities, round(10 * correlation)])
        scores, cluster = study(rng, identities, correlation, world)
        yield [
            corrected_correlation(scores[one], scores[two], cluster, CONFIDENCE, seed=seed)
            for one, two in PAIRS
        ]


def covered(found: CorrectedCorrelation, true: float) -> bool:
    """Whether the interval holds the truth; one that cannot be given holds nothing and is not counted."""
    return bool(found.interval.low <= true <= found.interval.high)


def coverage_table(repeats: int) -> None:
    """Coverage by number of associations, planted correlation, and pair of reliabilities."""
    print(
        "associations | identities | planted | covered, all pairs | lowest and highest pair | given | median width"
    )
    for identities in IDENTITIES:
        for correlation in CORRELATIONS:
            hits, widths = [], []
            for found in studies(repeats, identities, correlation, World()):
                hits.append([covered(one, correlation) if given(one) else np.nan for one in found])
                widths += [one.interval.high - one.interval.low for one in found if given(one)]
            table = np.array(hits, dtype=float)
            by_pair = np.nanmean(table, axis=0)
            print(
                f"{identities * EACH} | {identities} | {correlation:g} | {np.nanmean(table):.3f} | "
                f"{by_pair.min():.3f} to {by_pair.max():.3f} | {np.isfinite(table).mean():.3f} | "
                f"{np.median(widths):.2f}",
                flush=True,
            )


def given(found: CorrectedCorrelation) -> bool:
    """Whether there is an interval."""
    return not np.isnan(found.interval.low)


def claims_table(repeats: int) -> None:
    """False claims where nothing is planted, and how often a planted correlation is found."""
    print(
        "associations | planted | claimed, one pair alone | claimed, of six after correction | studies with any claim"
    )
    for identities in IDENTITIES:
        for correlation in CORRELATIONS:
            alone, after, any_claim = [], [], []
            for found in studies(repeats, identities, correlation, World()):
                p = np.array([one.p_value if given(one) else np.nan for one in found])
                adjusted = adjust(p)
                alone.append(np.nanmean(p <= 1 - CONFIDENCE))
                after.append(np.mean(adjusted <= 1 - CONFIDENCE))
                any_claim.append(bool((adjusted <= 1 - CONFIDENCE).any()))
            print(
                f"{identities * EACH} | {correlation:g} | {np.mean(alone):.3f} | {np.mean(after):.3f} | "
                f"{np.mean(any_claim):.3f}",
                flush=True,
            )


WORLDS: dict[str, World] = {
    "identities share nothing": World(within=0.0),
    "identities share 60 %": World(within=0.6),
    "identities of 1 to 15 associations": World(sizes=(1, 1, 2, 3, 3, 5, 5, 5, 10, 15)),
    "skewed strengths": World(skewed=True),
    "every association has parts of its own": World(nested=True),
    "three in ten values missing": World(missing=0.3),
    "two instruments with answers of -1, 0, 1": World(answers=(0, 2)),
}


def worlds_table(repeats: int) -> None:
    """Coverage in worlds that differ from the usual one, 20 identities."""
    print("world | planted | covered, all pairs | lowest and highest pair")
    for name, world in WORLDS.items():
        for correlation in CORRELATIONS:
            true = [truth(correlation, world, *pair) for pair in PAIRS]
            table = np.array(
                [
                    [covered(one, t) if given(one) else np.nan for one, t in zip(found, true, strict=True)]
                    for found in studies(repeats, 20, correlation, world)
                ],
                dtype=float,
            )
            by_pair = np.nanmean(table, axis=0)
            print(
                f"{name} | {correlation:g} | {np.nanmean(table):.3f} | {by_pair.min():.3f} to {by_pair.max():.3f}",
                flush=True,
            )


Interval = tuple[float, float]


def corrected(totals: np.ndarray) -> np.ndarray:
    """Corrected correlations of totals, NaN where a reliability is not above 0."""
    raw, one, two = moments(totals)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where((one > 0) & (two > 0), raw / np.sqrt(one * two), np.nan)


@dataclass(frozen=True)
class Resampled:
    """One pair of instruments, resampled: estimate, delete-one values, bootstrap draws."""

    totals: np.ndarray
    value: float
    left: np.ndarray
    draws: np.ndarray

    @classmethod
    def of(cls, one: PartScores, two: PartScores, cluster: np.ndarray, rng: np.random.Generator) -> Resampled:
        """Leave out and draw whole identities."""
        totals = totals_of(one, two, cluster)
        count = len(totals)
        weights = rng.multinomial(count, np.full(count, 1 / count), size=RESAMPLES).astype(float)
        whole = totals.sum(axis=0)
        return cls(totals, float(corrected(whole)), corrected(whole - totals), corrected(weights @ totals))


def percentile(one: Resampled) -> Interval:
    """Percentile bootstrap."""
    low, high = np.nanquantile(one.draws, [0.025, 0.975])
    return float(low), float(high)


def expanded(one: Resampled) -> Interval:
    """Expanded percentile bootstrap (Hesterberg 2015)."""
    m = len(one.totals)
    tail = ndtr(-np.sqrt(m / (m - 1)) * stdtrit(m - 1, 0.975))
    low, high = np.nanquantile(one.draws, [tail, 1 - tail])
    return float(low), float(high)


def accelerated(one: Resampled) -> Interval:
    """Bias-corrected and accelerated bootstrap (Efron 1987)."""
    shift = ndtri(np.clip(np.nanmean(one.draws < one.value), 1e-4, 1 - 1e-4))
    away = np.nanmean(one.left) - one.left
    rate = np.nansum(away**3) / (6 * np.nansum(away**2) ** 1.5)
    levels = [ndtr(shift + (shift + z) / (1 - rate * (shift + z))) for z in (-1.96, 1.96)]
    low, high = np.nanquantile(one.draws, levels)
    return float(low), float(high)


def jackknife(one: Resampled) -> Interval:
    """Estimate and Student's t times the jackknife error."""
    known = one.left[np.isfinite(one.left)]
    reach = stdtrit(len(one.totals) - 1, 0.975) * jackknife_error(known)
    return one.value - float(reach), one.value + float(reach)


METHODS: dict[str, Callable[[Resampled], Interval]] = {
    "percentile bootstrap": percentile,
    "expanded percentile": expanded,
    "BCa": accelerated,
    "jackknife t": jackknife,
}


def methods_table(repeats: int) -> None:
    """Coverage of other methods on the same studies, first and last pair of instruments."""
    names: Sequence[str] = (*METHODS, "endoxa")
    print("associations | reliabilities | planted | " + " | ".join(names))
    for identities in IDENTITIES:
        for one, two in ((0, 1), (2, 3)):
            for correlation in CORRELATIONS:
                hits: dict[str, list[bool]] = {name: [] for name in names}
                for seed in range(repeats):
                    rng = np.random.default_rng([seed, identities, round(10 * correlation)])
                    scores, cluster = study(rng, identities, correlation, World())
                    ours = corrected_correlation(scores[one], scores[two], cluster, CONFIDENCE)
                    if not given(ours):
                        continue
                    resampled = Resampled.of(scores[one], scores[two], cluster, rng)
                    hits["endoxa"].append(covered(ours, correlation))
                    for name, method in METHODS.items():
                        low, high = method(resampled)
                        hits[name].append(low <= correlation <= high)
                told = " | ".join(f"{np.mean(hits[name]):.3f}" for name in names)
                print(
                    f"{identities * EACH} | {RELIABILITIES[one]:g}, {RELIABILITIES[two]:g} | {correlation:g} | {told}",
                    flush=True,
                )


@dataclass(frozen=True)
class Crossed:
    """Associations of identities and attributes that recur; shares of the variance of strengths that either makes.

    Attributes:
        identities: their number.
        attributes: their number.
        of_attribute: share of the variance of strengths that associations of one attribute have in common.
        of_identity: the same of one identity.
        filled: share of identities and attributes that are an association.
        skewed: everything is exponential instead of normal.
        unique: every association has an attribute of its own.
    """

    identities: int
    attributes: int
    of_attribute: float
    of_identity: float = 0.2
    filled: float = 1.0
    skewed: bool = False
    unique: bool = False

    def strengths(
        self, rng: np.random.Generator, instruments: int, correlation: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Strengths (instruments, associations), correlated as planted at each level, and codes of both kinds."""
        identity = np.repeat(np.arange(self.identities), self.attributes)
        attribute = np.tile(np.arange(self.attributes), self.identities)
        kept = rng.random(len(identity)) < self.filled
        identity, attribute = identity[kept], attribute[kept]
        attribute = np.arange(len(identity)) if self.unique else attribute

        def drawn(size: int) -> np.ndarray:
            return rng.exponential(size=size) - 1 if self.skewed else rng.standard_normal(size)

        strength = np.zeros((instruments, len(identity)))
        rest = 1 - self.of_identity - self.of_attribute
        levels = (
            (self.of_identity, identity),
            (self.of_attribute, attribute),
            (rest, np.arange(len(identity))),
        )
        for share, codes in levels:
            size = int(codes.max()) + 1
            common = np.sqrt(correlation) * drawn(size)
            for k in range(instruments):
                strength[k] += np.sqrt(share) * (common + np.sqrt(1 - correlation) * drawn(size))[codes]
        return strength, identity, attribute


CROSSED = {
    "20 x 10, attributes make 0": Crossed(20, 10, 0.0),
    "20 x 10, attributes make 0.3": Crossed(20, 10, 0.3),
    "20 x 10, attributes make 0.6": Crossed(20, 10, 0.6),
    "12 x 40, attributes make 0.6": Crossed(12, 40, 0.6),
    "30 x 60, 15 % filled, attributes make 0.6": Crossed(30, 60, 0.6, filled=0.15),
    "20 x 10, skewed, attributes make 0.4": Crossed(20, 10, 0.4, 0.3, skewed=True),
    "20 x 10, attributes of their own": Crossed(20, 10, 0.3, unique=True),
    "20 x 5, attributes make 0.6": Crossed(20, 5, 0.6),
}


def crossed_tables(repeats: int) -> None:
    """Correlations of two instruments, and associations that three see: identities alone as the sample, and both."""
    print("world | sample | false claims | covered at 0 | covered at 0.6 | claimed at 0.6")
    for name, world in CROSSED.items():
        for both in (False, True):
            cells = [_correlated(world, repeats, correlation, both=both) for correlation in (0.0, 0.6)]
            rates = (cells[0][0], cells[0][1], cells[1][1], cells[1][0])
            print(
                " | ".join((name, "both" if both else "identities", *(f"{rate:.3f}" for rate in rates))),
                flush=True,
            )
    seen_tables(repeats)


def seen_tables(repeats: int) -> None:
    """Associations that several, and that all of three instruments see."""
    print("world | planted | seen by | claimed | mean | by chance, mean")
    for name, world in CROSSED.items():
        if world.unique:  # association or word: nothing is tested
            continue
        for correlation in (0.0, 0.6):
            for together, (claimed, observed, expected) in _seen(world, repeats, correlation).items():
                print(
                    f"{name} | {correlation:g} | {together} | {claimed:.3f} | {observed:.1f} | {expected:.1f}",
                    flush=True,
                )


def _parts(
    rng: np.random.Generator, strength: np.ndarray, instrument: str, identity: np.ndarray
) -> pl.DataFrame:
    """A table of parts of reliability 0.7."""
    drawn = values(rng, strength, 0.7, answers=False, levels=True)
    names = [f"a{k:05d}" for k in range(len(strength))]
    return pl.DataFrame(
        {
            "model": "m",
            "instrument": instrument,
            "association_id": np.repeat(names, PARTS),
            "identity": np.repeat(identity, PARTS).astype(str),
            "part": np.tile(np.arange(PARTS), len(strength)).astype(str),
            "value": drawn.ravel(),
        }
    )


def _correlated(world: Crossed, repeats: int, correlation: float, *, both: bool) -> tuple[float, float]:
    """Share of studies whose correlation is claimed, and of intervals that hold it."""
    claims, hits = [], []
    for seed in range(repeats):
        rng = np.random.default_rng([seed, world.identities, world.attributes])
        strength, identity, attribute = world.strengths(rng, 2, correlation)
        parts = pl.concat([_parts(rng, strength[k], f"t{k}", identity) for k in range(2)])
        names = {f"a{k:05d}": f"word {code}" for k, code in enumerate(attribute)} if both else {}
        row = correlations(measured(joined_parts(parts)), names).row(0, named=True)
        if row["low"] is not None:
            claims.append(row["p_value"] <= 1 - CONFIDENCE)
            hits.append(row["low"] <= correlation <= row["high"])
    return float(np.mean(claims)), float(np.mean(hits))


def _seen(world: Crossed, repeats: int, correlation: float) -> dict[str, tuple[float, float, float]]:
    """Share of studies in which more is seen by several, and by all, than by chance; mean numbers, and by chance."""
    rows = []
    for seed in range(repeats):
        rng = np.random.default_rng([seed, world.identities, world.attributes])
        strength, identity, attribute = world.strengths(rng, 3, correlation)
        parts = pl.concat([_parts(rng, 0.5 + strength[k], f"t{k}", identity) for k in range(3)])
        names = {f"a{k:05d}": f"word {code}" for k, code in enumerate(attribute)}
        rows.append(seen_together(effects(measured(joined_parts(parts))), names, seed=seed, exchanges=199))
    found = pl.concat(rows).with_columns(claimed=pl.col("p_value") <= 1 - CONFIDENCE)
    means = found.group_by("together").agg(pl.col("claimed", "observed", "expected").mean())
    numbers = {name: (claimed, observed, expected) for name, claimed, observed, expected in means.iter_rows()}
    return {together: numbers[together] for together in ("several", "all")}


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=1000, help="simulated studies of each kind")
    parser.add_argument(
        "--crossed", action="store_true", help="identities crossed with attributes, nothing else"
    )
    options = parser.parse_args()
    repeats = options.repeats
    if options.crossed:
        crossed_tables(repeats)
        return
    for table in (coverage_table, claims_table, worlds_table, methods_table):
        table(repeats)
        print()


if __name__ == "__main__":
    main()
