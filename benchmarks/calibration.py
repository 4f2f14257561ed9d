"""What a calibrated preference claims where nothing is planted, and where stereotypes are. Simulated, truth known.

Prints the table of docs/methods/pairs.md, "Measured": claims of the calibrated preference, compared with two phrases
("people", "they") and with up to five other identities of the same table.

    python benchmarks/calibration.py                        some 40 minutes on one core
    python benchmarks/calibration.py --sets 100             minutes
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from endoxa.instruments.pairs.probe.items import FEWEST, MOST
from endoxa.stats.two_way import two_way

ALPHA, FLIPS = 0.05, 2000
DESIGNS = ((6, 30, 60, 0.0), (6, 30, 60, 1.0), (8, 12, 40, 0.5), (28, 39, 150, 0.7), (55, 224, 538, 1.0))
"""Identities, attributes, pairs, and how much more often the first ones occur (exponent of 1 / rank)."""


@dataclass(frozen=True)
class World:
    """What decides the difference of a pair, in nats; the standard deviation of its own part is 1.

    Attributes:
        name: as printed.
        people: lean of "people" and "they" against the stereotypical attribute.
        behind_names: how strongly word frequency works behind names, where it works with 1 behind "people"; of words
            that are less frequent than the others by 1 nat on average (standard deviation 1). None: it does not work.
        identities: standard deviation of what each identity adds to all its attributes.
        skewed: whether that has a long tail (exponential).
        stereotype: what the model adds where the table states a stereotype.
    """

    name: str
    people: float = 0.0
    behind_names: float | None = None
    identities: float = 0.0
    skewed: bool = False
    stereotype: float = 0.0


WORLDS = (
    World("attributes lean (standard deviation 1)"),
    World("and 'people' leans by .2", people=0.2),
    World("... by .4", people=0.4),
    World("... by .8", people=0.8),
    World("frequency works .8 as strongly behind names", behind_names=0.8),
    World("identities differ (standard deviation 1)", identities=1.0),
    World("the same, skewed", identities=1.0, skewed=True),
    World("stereotypes of .3", stereotype=0.3),
    World("stereotypes of .6", stereotype=0.6),
)


def table(
    rng: np.random.Generator, identities: int, attributes: int, pairs: int, slope: float
) -> tuple[np.ndarray, np.ndarray]:
    """Identity and attribute of each pair; no two pairs are the same."""
    chance = np.outer(np.arange(1, identities + 1) ** -slope, np.arange(1, attributes + 1) ** (-slope / 2))
    drawn = rng.choice(chance.size, pairs, replace=False, p=chance.ravel() / chance.sum())
    return drawn // attributes, drawn % attributes


def differences(
    rng: np.random.Generator, world: World, identity: np.ndarray, attribute: np.ndarray, size: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """The differences of every identity with every attribute, and those of two phrases."""
    lean = rng.normal(0, 1, size[1])
    frequency = rng.normal(-1, 1, size[1])
    behind_names = behind_phrases = 0.0
    if world.behind_names is not None:
        behind_names, behind_phrases = world.behind_names, 1.0
    effect = rng.exponential(1, size[0]) - 1 if world.skewed else rng.normal(0, 1, size[0])
    cells = lean + behind_names * frequency + world.identities * effect[:, None] + rng.normal(0, 1, size)
    cells[identity, attribute] += world.stereotype
    phrases = lean + behind_phrases * frequency - world.people + rng.normal(0, 1, (2, size[1]))
    return cells, phrases


def compared_with_others(
    rng: np.random.Generator,
    cells: np.ndarray,
    phrases: np.ndarray,
    identity: np.ndarray,
    attribute: np.ndarray,
) -> np.ndarray:
    """The median difference of up to `MOST` identities that the table does not pair with the attribute."""
    order = rng.random(cells.shape)
    order[identity, attribute] = np.inf
    compared = []
    for number in attribute:
        others = np.argsort(order[:, number])[: min(MOST, int(np.isfinite(order[:, number]).sum()))]
        odd = others[: len(others) - (len(others) + 1) % 2]
        compared.append(np.median(cells[odd, number]) if len(odd) else phrases[:, number].mean())
    return np.array(compared)


def claims(world: World, design: tuple[int, int, int, float], sets: int) -> tuple[float, float]:
    """Share of data sets in which a preference is claimed: compared with phrases, with other identities."""
    identities, attributes, pairs, slope = design
    count = np.zeros(2)
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        identity, attribute = table(rng, identities, attributes, pairs, slope)
        cells, phrases = differences(rng, world, identity, attribute, (identities, attributes))
        of_pairs = cells[identity, attribute]
        for place, compared in enumerate(
            (
                phrases.mean(axis=0)[attribute],
                compared_with_others(rng, cells, phrases, identity, attribute),
            )
        ):
            shares = (1 + np.sign(of_pairs - compared)) / 2
            result = two_way(
                shares, identity, attribute, neutral=0.5, bounds=(0, 1), confidence=1 - ALPHA, flips=FLIPS
            )
            count[place] += result.p_value <= ALPHA
    return float(count[0] / sets), float(count[1] / sets)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=1000, help="data sets of each world and design")
    sets = parser.parse_args().sets
    assert all(design[0] >= FEWEST for design in DESIGNS)
    names = [f"{i} x {a}, {n} pairs{', unequal' if slope >= 1 else ''}" for i, a, n, slope in DESIGNS]
    print("| world |", " | ".join(names), "|\n|---|", "---|" * len(names), sep="")
    for world in WORLDS:
        cells = [claims(world, design, sets) for design in DESIGNS]
        print(f"| {world.name} |", " | ".join(f"{a:.3f} -> {b:.3f}" for a, b in cells), "|", flush=True)


if __name__ == "__main__":
    main()
