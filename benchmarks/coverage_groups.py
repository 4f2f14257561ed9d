"""Do groups of a table hold the level where the words of published pairs do not? Simulated on their real layout.

Prints the table of docs/methods/groups.md: false claims, coverage and power of shares for axes of CrowS-Pairs, with the
differing words as identities (as before) and with groups (`endoxa.sources.groups`), both crossed with sentence frames.
Answers of one group are alike, and those of one sentence frame. A pair that names no group is given a true one of its
axis, by their frequency, the same for the same words. Where groups are no sample the truth is their own mean.

    python benchmarks/coverage_groups.py crows_pairs_anonymized.csv                    some 10 minutes on one core
    python benchmarks/coverage_groups.py crows_pairs_anonymized.csv --repeats 100 --axis race-color
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from endoxa.instruments.pairs.estimates.inference import Question, share_estimate, testable
from endoxa.instruments.pairs.estimates.records import frame, groups
from endoxa.schema import Estimate
from endoxa.sources.groups import group_of_pair, published_groups
from endoxa.sources.identities import identity_key
from endoxa.sources.read import read_pairs

DEVIATIONS = (0.0, 0.5, 1.0)
"""Standard deviations of groups and of frames on the probit scale, where a pair's own is 1."""
SHARES = (0.6, 0.7, 0.8)
AXES = ("race-color", "socioeconomic", "nationality", "religion", "gender", "age")


@dataclass(frozen=True)
class Layout:
    """Codes of each pair: differing words, groups as they are counted (negative), true groups, sentence frames."""

    words: np.ndarray
    counted: np.ndarray
    true: np.ndarray
    frames: np.ndarray

    @property
    def fixed(self) -> bool:
        """Whether groups are no sample: too few of them, or one that has most pairs."""
        return bool((testable((self.counted, self.frames), 0.95)[0] == 0).all())


def codes(names: Sequence[str]) -> np.ndarray:
    """A whole number from 0 for each name."""
    return np.unique(np.array(names, dtype=np.str_), return_inverse=True)[1]


def layout(pairs: pl.DataFrame) -> Layout:
    """Units of the pairs."""
    rows = pairs.to_dicts()
    named = np.array([group_of_pair(published_groups(), row) for row in rows], dtype=np.str_)
    words = codes([identity_key(row["identity"] or row["item_id"]) for row in rows])
    rng, true = np.random.default_rng(5), named.copy()
    axis = pairs["axis"].to_numpy()
    for code, name in sorted(set(zip(words[named == ""], axis[named == ""], strict=True))):
        alike = (words == code) & (axis == name) & (named == "")
        true[alike] = rng.choice(named[(axis == name) & (named != "")])
    records = pl.DataFrame(
        {"data": "", "axis": pairs["axis"], "item_id": pairs["item_id"], "identity_group": named.tolist()}
    )
    frames = codes([frame(row["sent_more"], row["sent_less"]) for row in rows])
    return Layout(words, -1 - codes(groups(records).to_list()), codes(true.tolist()), frames)


def sides(
    rng: np.random.Generator, units: Layout, share: float, of_group: float, of_frame: float
) -> np.ndarray:
    """+1 where the stereotype is preferred, else -1; in `share` of pairs, over all groups or over these."""
    effects = rng.normal(0, of_group, units.true.max() + 1)[units.true]
    spread = np.sqrt(1 + of_frame**2)
    if units.fixed:
        start = brentq(lambda mean: ndtr((mean + effects) / spread).mean() - share, -10, 10)
    else:
        start = ndtri(share) * np.sqrt(spread**2 + of_group**2)
    latent = start + effects + rng.normal(size=len(effects))
    latent += rng.normal(0, of_frame, units.frames.max() + 1)[units.frames]
    return np.where(latent > 0, 1.0, -1.0)


def measured(
    drawn: Sequence[np.ndarray], identity: np.ndarray, units: Layout, share: float
) -> tuple[float, float]:
    """Shares of the data sets whose interval covers the truth, and in which a preference is claimed."""
    results: list[Estimate] = [
        share_estimate(Question("share", 0.5, 0.95), values, (identity, units.frames)) for values in drawn
    ]
    covered = [r.low - 1e-9 <= share <= r.high + 1e-9 for r in results]
    return float(np.mean(covered)), float(np.mean([not r.reason and r.p_value <= 0.05 for r in results]))


def report(axis: str, units: Layout, repeats: int) -> None:
    """Most false claims and least coverage over all deviations; power where both are 0.5."""
    for name, identity in (("differing words", units.words), ("groups", units.counted)):
        claims: list[float] = []
        covered: list[float] = []
        power: list[float] = []
        for share, of_group, of_frame in product((0.5, *SHARES), DEVIATIONS, DEVIATIONS):
            if share != 0.5 and not of_group == of_frame == 0.5:
                continue
            rng = np.random.default_rng([int(100 * share), int(10 * of_group), int(10 * of_frame)])
            drawn = [sides(rng, units, share, of_group, of_frame) for _ in range(repeats)]
            coverage, claimed = measured(drawn, identity, units, share)
            covered.append(coverage)
            (claims if share == 0.5 else power).append(claimed)
        count, frames = len(np.unique(identity)), len(np.unique(units.frames))
        shown = " | ".join(f"{number:.2f}" for number in power)
        print(
            f"| {axis}, {len(identity)} pairs | {count} {name} x {frames} frames | {max(claims):.3f} "
            f"| {min(covered):.3f} | {shown} |",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path, help="crows_pairs_anonymized.csv")
    parser.add_argument("--repeats", type=int, default=300, help="data sets of each kind")
    parser.add_argument("--axis", action="append", help="only this axis, or 'all'")
    arguments = parser.parse_args()
    every = pl.concat(read_pairs(arguments.file))
    heads = " | ".join(f"power at {share:g}" for share in SHARES)
    print(
        f"| pairs | units | false claims | least coverage | {heads} |\n|---|---|---|---|"
        + "---|" * len(SHARES)
    )
    for wanted in arguments.axis or AXES:
        report(wanted, layout(every.filter(axis=wanted) if wanted != "all" else every), arguments.repeats)
