"""Run a comparison: missing campaigns on several processes, stored as they finish."""

from __future__ import annotations

import json
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import endoxa
from campaign_simulation.arms import Arm
from campaign_simulation.measures import MAIN, measure
from campaign_simulation.run import simulate
from campaign_simulation.world import World, WorldSettings
from endoxa.errors import UserError
from endoxa_collect.sampler.slots import SamplerSettings

Key = tuple[str, int]
"""Name of the arm, seed."""

_ROWS = "rows.jsonl"
_SETUP = "setup.json"

ENOUGH = 0.95
"""Share of pairs that must get k ratings."""

_PILOTS = range(1_000_000, 1_000_002)
"""Seeds of the tuning; results use others."""

_STEPS = 40

Row = dict[str, Any]
Tell = Callable[[str, float, int], None]
"""Callback for progress: what is done, how much of it, and of how much."""

_TUNING = -1
"""In place of a seed: the row holds the share that an arm was tuned to."""


@dataclass(frozen=True)
class Store:
    """The rows of one folder."""

    folder: Path

    @classmethod
    def open(cls, folder: Path, setup: Mapping[str, Any]) -> Store:
        """The folder, made if needed; `setup` is what its rows depend on.

        Raises:
            UserError: the folder holds rows of another setup, or cannot be written.
        """
        path = folder / _SETUP
        wanted = json.loads(json.dumps(setup))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_text(json.dumps(wanted, indent=1), encoding="utf-8")
            stored = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            raise UserError(
                f"{folder} cannot hold the results ({problem}): name another folder with -o."
            ) from None
        if stored != wanted:
            different = ", ".join(sorted(name for name in wanted if stored.get(name) != wanted[name]))
            raise UserError(
                f"{folder} holds campaigns with other settings ({different}): name another folder with -o, "
                "or add --restart to begin anew there."
            )
        rows = folder / _ROWS
        if rows.exists():
            # A crash may have cut off the end of a row.
            content = rows.read_bytes()
            rows.write_bytes(content[: content.rfind(b"\n") + 1])
        return cls(folder)

    def append(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write rows."""
        with (self.folder / _ROWS).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows, in the order in which they came."""
        path = self.folder / _ROWS
        if path.exists():
            with path.open(encoding="utf-8") as file:
                yield from map(json.loads, file)

    def done(self) -> set[Key]:
        """What there is."""
        return {(row["arm"], row["seed"]) for row in self.rows()}


def best_share(arm: Arm, settings: WorldSettings, sampler: SamplerSettings) -> float:
    """The largest share, in steps of 1/40, with which at least 95 % of all pairs get k ratings.

    Less writing means fewer pairs and more ratings for each, so the steps are searched by halving. Where no share
    is enough, the smallest is taken.
    """
    worlds = [World(settings, seed) for seed in _PILOTS]
    low, high = 1, _STEPS
    while high - low > 1:
        middle = (low + high) // 2
        pools = [simulate(world, arm, sampler, share=middle / _STEPS).campaign.pool for world in worlds]
        if np.mean([(pool["ratings"] >= sampler.k).mean() for pool in pools]) >= ENOUGH:
            low = middle
        else:
            high = middle
    return low / _STEPS


@dataclass(frozen=True)
class Comparison:
    """What to compare.

    Attributes:
        arms: in the order of the tables.
        world: where.
        seeds: how many campaigns of each arm are run (seeds from 0 on).
        sampler: settings of the sampler; `k` holds for every arm.
        jobs: processes.
    """

    arms: tuple[Arm, ...]
    world: WorldSettings
    seeds: int
    sampler: SamplerSettings
    jobs: int = 1


@dataclass(frozen=True)
class Finished:
    """The campaigns of a comparison.

    Attributes:
        rows: one campaign each, by arm and seed.
        shares: of the time for writing that surveys were tuned to, by arm.
        others: how many further campaigns lie in the folder.
    """

    rows: list[Row]
    shares: dict[str, float]
    others: int


@dataclass(frozen=True)
class _Job:
    """Some arms at one seed, or (seed `_TUNING`) the tuning of one arm."""

    world: WorldSettings
    arms: tuple[Arm, ...]
    seed: int
    sampler: SamplerSettings
    shares: Mapping[str, float] = field(default_factory=dict)


def run_campaigns(comparison: Comparison, folder: Path, *, restart: bool, tell: Tell) -> Finished:
    """Run what is missing in the folder; each arm has each seed exactly once. All arms meet the same people.

    Args:
        comparison: what to run.
        folder: where rows go.
        restart: forget what is there.
        tell: callback for progress.

    Raises:
        UserError: the folder holds campaigns with other settings.
    """
    if restart:
        for name in (_ROWS, _SETUP):
            (folder / name).unlink(missing_ok=True)
    setup = {
        "endoxa": endoxa.__version__,
        "world": comparison.world.model_dump(mode="json"),
        "sampler": comparison.sampler.model_dump(mode="json"),
    }
    store = Store.open(folder, setup)
    done = store.done()
    world, sampler = comparison.world, comparison.sampler
    surveys = [arm for arm in comparison.arms if arm.surveys]
    tuning = [_Job(world, (arm,), _TUNING, sampler) for arm in surveys if (arm.name, _TUNING) not in done]
    _run(tuning, store, comparison.jobs, "tuning the surveys", tell)
    shares = {row["arm"]: row["share"] for row in store.rows() if row["seed"] == _TUNING}
    campaigns = [
        _Job(world, missing, seed, sampler, shares)
        for seed in range(comparison.seeds)
        if (missing := tuple(arm for arm in comparison.arms if (arm.name, seed) not in done))
    ]
    _run(campaigns, store, comparison.jobs, "campaigns", tell)
    order = {arm.name: place for place, arm in enumerate(comparison.arms)}
    stored = [row for row in store.rows() if row["seed"] != _TUNING]
    rows = [row for row in stored if row["arm"] in order and row["seed"] < comparison.seeds]
    rows.sort(key=lambda row: (order[row["arm"]], row["seed"]))
    return Finished(rows, shares, len(stored) - len(rows))


def _run(jobs: list[_Job], store: Store, processes: int, what: str, tell: Tell) -> None:
    total = sum(len(job.arms) for job in jobs)
    done = 0
    with ExitStack() as stack:
        worked: Iterable[list[Row]] = map(_work, jobs)
        if processes > 1 and len(jobs) > 1:
            # A fresh process each: forks of one with running threads can hang. Ctrl-C reaches every process; the
            # first one ends the others.
            context = multiprocessing.get_context("spawn")
            ignored = (signal.SIGINT, signal.SIG_IGN)
            pool = stack.enter_context(context.Pool(min(processes, len(jobs)), signal.signal, ignored))
            worked = pool.imap_unordered(_work, jobs)
        for rows in worked:
            store.append(rows)
            done += len(rows)
            tell(what, done, total)


def _work(job: _Job) -> list[Row]:
    head = {"cell": MAIN, "seed": job.seed}
    if job.seed == _TUNING:
        return [
            {**head, "arm": arm.name, "share": best_share(arm, job.world, job.sampler)} for arm in job.arms
        ]
    world = World(job.world, job.seed)
    return [
        {
            **head,
            "arm": arm.name,
            **measure(simulate(world, arm, job.sampler, share=job.shares.get(arm.name))),
        }
        for arm in job.arms
    ]
