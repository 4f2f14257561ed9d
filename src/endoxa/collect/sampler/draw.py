"""Draw one pair, with the probability of the draw.

A card comes from one of several branches: the next pair of the calibration set, exploration (equal chances), countries
that got too little, or the tiers (own country, near, anywhere, disagreement), within which pairs are weighed. A pair
can be reached by several; its propensity is the sum over them, so that answers can be weighted by its inverse later
(Horvitz and Thompson 1952). It is exact while regions are read whole; larger ones are read by windows, and then it is
an approximation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from endoxa.collect.sampler.settings import SamplerSettings
from endoxa.collect.sampler.tiers import Guards, available, base, shares, still_open, tiers
from endoxa.collect.sampler.types import (
    FULL,
    NEEDS,
    OPEN,
    TOPUP,
    Cell,
    Drawn,
    FloatArray,
    Person,
    Pool,
    Region,
    Rows,
)

_HEAVY = 0.25
_SMALLEST = 1e-3

_PROMPT = "prompt"

_FLOOR_FROM = 50
"""Cards before which no country can be said to get too little."""


def weights(
    rows: Rows,
    reserved: Mapping[int, int],
    coverage: Mapping[str, int],
    heavy: frozenset[str],
    settings: SamplerSettings,
) -> FloatArray:
    """Weight of each row: missing share of ratings ** evenness x 1 / sqrt(1 + ratings of its country) x age x topic.

    Rows whose ratings and reservations already reach what they need weigh 0.
    """
    held = np.array([reserved.get(pair, 0) for pair in rows.ids.tolist()]) if reserved else 0
    goal = np.where(rows.needs == NEEDS, settings.k, settings.k_max)
    missing = np.clip((goal - rows.ratings - held) / goal, 0, None)
    covered = np.array([coverage.get(country, 0) for country in rows.countries.tolist()])
    age = 1 + np.minimum(1, rows.waiting / settings.age_minutes)
    topic = np.where(np.isin(rows.topics, list(heavy)), _HEAVY, 1.0) if heavy else 1.0
    wanted = np.where(missing > 0, np.maximum(missing, _SMALLEST) ** settings.evenness, 0.0)
    result: FloatArray = wanted / np.sqrt(1 + covered) * age * topic
    return result


@dataclass(frozen=True)
class _Branch:
    """A way to reach a pair: `even` gives all its pairs the same chance, else they are weighed."""

    name: str
    probability: float
    region: Region
    size: int
    even: bool


@dataclass(frozen=True)
class _Moment:
    """What every step of a draw looks at."""

    pool: Pool
    person: Person
    settings: SamplerSettings


def draw(pool: Pool, person: Person, settings: SamplerSettings, rng: np.random.Generator) -> Drawn | None:
    """Draw a pair for a person, or None where there is none (a prompt card is due).

    Sorted and seeded alike, the same pool gives the same draws. Reads at most `settings.whole` pairs of a tier.
    """
    moment = _Moment(pool, person, settings)
    for guards in (Guards.ALL, Guards.UNKIND, Guards.NONE):
        branches = _branches(moment, guards)
        while branches:
            branch = branches[_pick(np.array([branch.probability for branch in branches]), rng)]
            if branch.name == _PROMPT:
                return None
            drawn = _from(branch, branches, moment, rng)
            if drawn is not None:
                return drawn
            # The sizes were a little old: the branch is empty by now.
            branches = _without(branches, branch)
    return None


def _branches(moment: _Moment, guards: Guards) -> list[_Branch]:
    """All branches that have a pair for this person; their probabilities add up to 1.

    None where a guard leaves no pair at all, or the one against repetition none of those that need ratings.
    """
    pool, person, settings = moment.pool, moment.person, moment.settings
    barred = Counter(person.barred.values())
    whole = base(person, settings, guards)
    parts = tiers(person, whole)
    counts = {name: available(region, pool, barred) for name, region in parts.items()}
    needing = counts["own"] + counts["near"] + counts["anywhere"]
    if (
        not needing
        and guards is Guards.ALL
        and available(base(person, settings, Guards.UNKIND), pool, barred)
    ):
        return []
    result: list[_Branch] = []
    anything = replace(whole, needs=frozenset({NEEDS, TOPUP, OPEN, FULL}))
    if settings.calibration and _next_common(pool, person, anything).ids.size:
        result.append(_Branch("calibration", settings.calibration, anything, 1, even=True))
    if needing and settings.exploration:
        result.append(_Branch("exploration", settings.exploration, whole, needing, even=True))
    if needing and settings.floor:
        poor = replace(whole, countries=_poor(pool.coverage(), pool.drawn(), settings))
        if size := available(poor, pool, barred):
            result.append(_Branch("floor", settings.floor, poor, size, even=True))
    left = 1 - sum(branch.probability for branch in result)
    chosen = shares(settings, counts)
    if not needing:
        rest = still_open(whole)
        parts, counts = (
            {"open": rest, _PROMPT: rest},
            {"open": available(rest, pool, barred), _PROMPT: 0},
        )
        if guards is not Guards.NONE and not counts["open"]:
            return []
        # Calibration keeps its share here too: questions bring pairs, further ratings of the same set do not.
        chosen = {"open": 1 - settings.prompt, _PROMPT: settings.prompt} if counts["open"] else {_PROMPT: 1.0}
    result += [
        _Branch(name, left * share, parts[name], counts[name], even=False) for name, share in chosen.items()
    ]
    return _whole_again(result)


def _poor(countries: Iterable[str], drawn: Mapping[str, int], settings: SamplerSettings) -> frozenset[str]:
    """Countries of the pool that got less than their floor of all cards."""
    total = sum(drawn.values())
    if total < _FLOOR_FROM:
        return frozenset()
    return frozenset(name for name in countries if drawn.get(name, 0) < settings.floor_below * total)


def _from(
    branch: _Branch, branches: list[_Branch], moment: _Moment, rng: np.random.Generator
) -> Drawn | None:
    """Draw from one branch; None where it turns out to be empty."""
    rows = _rows(branch, moment, float(rng.random()))
    weighed = _weigh(branch, rows, moment)
    total = float(weighed.sum())
    if total <= 0:
        return None
    place = _pick(weighed, rng)
    propensity = sum(
        other.probability * _chance(other, rows, place, moment)
        if other is not branch
        else branch.probability * _chance_within(branch, rows, weighed, place)
        for other in branches
    )
    return Drawn(
        pair=int(rows.ids[place]),
        tier=branch.name,
        weight=float(weighed[place]),
        propensity=min(1.0, propensity),
        pool=branch.size,
    )


def _rows(branch: _Branch, moment: _Moment, start: float) -> Rows:
    pool, person, settings = moment.pool, moment.person, moment.settings
    if branch.name == "calibration":
        return _next_common(pool, person, branch.region)
    if branch.size <= settings.whole:
        return pool.whole(branch.region)
    # Wide enough that what the person has seen cannot fill it.
    seen = sum(branch.region.takes(cell) for cell in person.barred.values())
    return pool.window(branch.region, start, settings.candidates + seen)


def _next_common(pool: Pool, person: Person, region: Region) -> Rows:
    """The first pair of the calibration set that the person has not had and that the guards let through, if any.

    Everybody meets the set in one order, so that people who rate few cards still have some in common; it does not
    matter how many ratings a pair has or who else is rating it now.
    """
    common = pool.calibration(person.languages).only(region)
    return common.at(np.flatnonzero(_free(common, person.excluded))[:1])


def _weigh(branch: _Branch, rows: Rows, moment: _Moment) -> FloatArray:
    pool, person = moment.pool, moment.person
    if branch.name == "calibration":
        return np.ones(len(rows.ids))
    free = _free(rows, person.barred)
    if branch.even:
        return free
    return free * weights(rows, person.reserved, pool.coverage(), pool.heavy_topics(), moment.settings)


def _free(rows: Rows, barred: Mapping[int, Cell]) -> FloatArray:
    """1 for pairs that the person can get, 0 for others."""
    return np.array([pair not in barred for pair in rows.ids.tolist()], dtype=np.float64)


def _chance_within(branch: _Branch, rows: Rows, weighed: FloatArray, place: int) -> float:
    """P(this row | branch): exact where the branch was read whole, else that of the window times its chance within."""
    if branch.even:
        return 1.0 / branch.size
    return float(rows.inclusion[place] * weighed[place] / weighed.sum())


def _chance(other: _Branch, rows: Rows, place: int, moment: _Moment) -> float:
    """P(a pair that another branch drew | this branch)."""
    pool, person = moment.pool, moment.person
    pair, country = int(rows.ids[place]), str(rows.countries[place])
    if other.name == _PROMPT:
        return 0.0
    if other.name == "calibration":
        return float(pair in _next_common(pool, person, other.region).ids)
    if not other.region.holds(country, int(rows.needs[place]), negative=bool(rows.negative[place])):
        return 0.0
    if other.even:
        return 1.0 / other.size
    there = _rows(other, moment, 0.0)
    weighed = _weigh(other, there, moment)
    found = np.flatnonzero(there.ids == pair)
    if found.size and other.size <= moment.settings.whole:
        return _chance_within(other, there, weighed, int(found[0]))
    # A tier too large to be read whole: its weight beside the mean weight of a window.
    own = _weigh(other, rows, moment)[place]
    mean = float(weighed.sum()) / max(1, int(np.count_nonzero(weighed)))
    return float(own / (mean * other.size)) if mean else 0.0


def _pick(weighed: FloatArray, rng: np.random.Generator) -> int:
    """A place drawn in proportion to the weights."""
    steps: FloatArray = np.cumsum(weighed)
    place = int(np.searchsorted(steps, rng.random() * steps[-1], side="right"))
    return min(place, len(steps) - 1)


def _without(branches: list[_Branch], empty: _Branch) -> list[_Branch]:
    return _whole_again([branch for branch in branches if branch is not empty])


def _whole_again(branches: list[_Branch]) -> list[_Branch]:
    """The same branches with probabilities that add up to 1."""
    total = sum(branch.probability for branch in branches)
    return [replace(branch, probability=branch.probability / total) for branch in branches if total > 0]
