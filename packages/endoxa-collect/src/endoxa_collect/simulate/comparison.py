"""Run a comparison: missing campaigns on several processes, stored as they finish, then the report."""

from __future__ import annotations

import json
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import endoxa
from endoxa.errors import UserError
from endoxa_collect.sampler import SamplerSettings
from endoxa_collect.simulate.arms import ARMS, Arm
from endoxa_collect.simulate.calibration import simulated
from endoxa_collect.simulate.measures import measure
from endoxa_collect.simulate.report import write_report
from endoxa_collect.simulate.run import simulate
from endoxa_collect.simulate.settings import GridCell, WorldSettings, cells, load_world
from endoxa_collect.simulate.world import World

Key = tuple[str, str, int]
"""Cell, arm, seed."""

_ROWS = "rows.jsonl"
_SETUP = "setup.json"

ENOUGH = 0.95
"""Share of pairs that must get k ratings."""

_PILOTS = range(1_000_000, 1_000_002)
"""Seeds of the tuning; results use others."""

_STEPS = 40

Row = dict[str, Any]
Told = Callable[[str, float, int], None]

_TUNING = -1
"""In place of a seed: the row holds the share that an arm was tuned to."""

FITTED = "laces"
"""The world that was fitted to LACES's published numbers."""

_FITTED_SEEDS = 8


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
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            raise UserError(
                f"{folder} cannot hold the results ({problem}): name another folder with -o."
            ) from None
        if found != wanted:
            different = ", ".join(sorted(name for name in wanted if found.get(name) != wanted[name]))
            raise UserError(
                f"{folder} holds campaigns with other settings ({different}): name another folder with -o, "
                "or add --restart to begin anew there."
            )
        _mend(folder / _ROWS)
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
        return {(row["cell"], row["arm"], row["seed"]) for row in self.rows()}

    def clear(self) -> None:
        """Remove the rows and the setup."""
        for name in (_ROWS, _SETUP):
            (self.folder / name).unlink(missing_ok=True)


def _mend(path: Path) -> None:
    """Drop the end of a row that a crash cut off."""
    if path.exists():
        content = path.read_bytes()
        path.write_bytes(content[: content.rfind(b"\n") + 1])


def best_share(arm: Arm, settings: WorldSettings, sampler: SamplerSettings) -> float:
    """The largest share, in steps of 1/40, with which at least 95 % of all pairs get k ratings.

    Less writing means fewer pairs and more ratings for each, so the steps are searched by halving. Where no share
    is enough, the smallest is taken.
    """
    worlds = [World(settings, seed) for seed in _PILOTS]
    low, high = 1, _STEPS
    while high - low > 1:
        middle = (low + high) // 2
        if _reached(arm, worlds, sampler, middle / _STEPS) >= ENOUGH:
            low = middle
        else:
            high = middle
    return low / _STEPS


def _reached(arm: Arm, worlds: Iterable[World], sampler: SamplerSettings, share: float) -> float:
    pools = [simulate(world, arm, sampler, share=share).campaign.pool for world in worlds]
    return float(np.mean([(pool["ratings"] >= sampler.k).mean() for pool in pools]))


@dataclass(frozen=True)
class Planned:
    """A cell and the seeds that it is run with."""

    cell: GridCell
    seeds: range


@dataclass(frozen=True)
class _Job:
    """Some arms in one world, or (seed `_TUNING`) the tuning of one arm."""

    cell: GridCell
    arms: tuple[str, ...]
    seed: int
    sampler: SamplerSettings
    shares: tuple[tuple[str, float], ...] = ()


def run_all(
    planned: Iterable[Planned],
    arms: tuple[str, ...],
    sampler: SamplerSettings,
    store: Store,
    *,
    jobs: int,
    tell: Told,
) -> None:
    """Run what is not in the store yet. Every arm meets the same worlds.

    Args:
        planned: cells and seeds.
        arms: names.
        sampler: settings of the sampler.
        store: where rows go; (cell, arm, seed) is there exactly once afterwards.
        jobs: processes.
        tell: callback for progress: what is done, how much of it, and of how much.
    """
    planned = list(planned)
    done = store.done()
    surveys = [name for name in arms if ARMS.get(name).surveys]
    tuning = [
        _Job(plan.cell, (name,), _TUNING, sampler)
        for plan in planned
        for name in surveys
        if (plan.cell.name, name, _TUNING) not in done
    ]
    _run(tuning, store, jobs, "tuning the surveys", tell)
    shares = {(row["cell"], row["arm"]): row["share"] for row in store.rows() if row["seed"] == _TUNING}
    campaigns = [
        _Job(plan.cell, missing, seed, sampler, _shares(plan.cell.name, missing, shares))
        for plan in planned
        for seed in plan.seeds
        if (missing := _missing(plan.cell.name, arms, seed, done))
    ]
    _run(campaigns, store, jobs, "campaigns", tell)


def results(store: Store) -> list[Row]:
    """The rows of campaigns, in a fixed order."""
    rows = (row for row in store.rows() if row["seed"] != _TUNING)
    return sorted(rows, key=lambda row: (row["cell"], row["arm"], row["seed"]))


def tuned(store: Store) -> dict[tuple[str, str], float]:
    """The share of time for writing by cell and arm."""
    return {(row["cell"], row["arm"]): row["share"] for row in store.rows() if row["seed"] == _TUNING}


def _missing(cell: str, arms: tuple[str, ...], seed: int, done: set[Key]) -> tuple[str, ...]:
    return tuple(name for name in arms if (cell, name, seed) not in done)


def _shares(
    cell: str, arms: tuple[str, ...], shares: dict[tuple[str, str], float]
) -> tuple[tuple[str, float], ...]:
    return tuple((name, shares[cell, name]) for name in arms if (cell, name) in shares)


def _run(jobs: list[_Job], store: Store, processes: int, what: str, tell: Told) -> None:
    total = sum(len(job.arms) for job in jobs)
    done = 0
    for rows in _worked(jobs, processes):
        store.append(rows)
        done += len(rows)
        tell(what, done, total)


def _worked(jobs: list[_Job], processes: int) -> Iterator[list[Row]]:
    if processes == 1 or len(jobs) < 2:
        yield from map(_work, jobs)
        return
    # A fresh process each: forks of one with running threads can hang.
    context = multiprocessing.get_context("spawn")
    with context.Pool(min(processes, len(jobs)), initializer=_leave_interrupts) as pool:
        yield from pool.imap_unordered(_work, jobs)


def _leave_interrupts() -> None:
    # Ctrl-C reaches every process; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work(job: _Job) -> list[Row]:
    head = {"cell": job.cell.name, "seed": job.seed}
    if job.seed == _TUNING:
        share = best_share(ARMS.get(job.arms[0]), job.cell.settings, job.sampler)
        return [{**head, "arm": job.arms[0], "share": share}]
    world = World(job.cell.settings, job.seed)
    shares = dict(job.shares)
    return [
        {
            **head,
            "arm": name,
            **measure(simulate(world, ARMS.get(name), job.sampler, share=shares.get(name))),
        }
        for name in job.arms
    ]


@dataclass(frozen=True)
class Comparison:
    """What to compare.

    Attributes:
        arms: names, in the order of the tables.
        world: the main world.
        sampler: settings of the sampler; `k` holds for every arm.
        seeds: campaigns of each arm in the main world.
        grid_seeds: the same in every other world of the grid; 0 leaves the grid out.
        jobs: processes.
    """

    arms: tuple[str, ...]
    world: WorldSettings
    sampler: SamplerSettings
    seeds: int = 200
    grid_seeds: int = 20
    jobs: int = 1


def compare(asked: Comparison, folder: Path, *, restart: bool, tell: Told) -> list[str]:
    """Run what is missing in the folder and write everything anew; gives the lines of the main table.

    A run that was cut off goes on where it was: each campaign is in the folder exactly once.

    Args:
        asked: what to compare.
        folder: where results go.
        restart: forget what is there.
        tell: callback for progress.

    Raises:
        UserError: an arm is unknown, or the folder holds campaigns with other settings.
    """
    for name in asked.arms:
        ARMS.get(name)
    if restart:
        Store(folder).clear()
    setup = {
        "endoxa": endoxa.__version__,
        "world": asked.world.model_dump(mode="json"),
        "sampler": asked.sampler.model_dump(mode="json"),
    }
    store = Store.open(folder, setup)
    main, *others = cells(asked.world)
    grid = [main, *(others if asked.grid_seeds else [])]
    planned = [Planned(cell, range(asked.seeds if cell is main else asked.grid_seeds)) for cell in grid]
    run_all(planned, asked.arms, asked.sampler, store, jobs=asked.jobs, tell=tell)
    wanted = {(plan.cell.name, arm, seed) for plan in planned for arm in asked.arms for seed in plan.seeds}
    stored = results(store)
    rows = [row for row in stored if (row["cell"], row["arm"], row["seed"]) in wanted]
    fitted = simulated(asked.world, _FITTED_SEEDS) if asked.world == load_world(FITTED) else None
    order = {name: place for place, name in enumerate(asked.arms)}
    rows.sort(key=lambda row: (row["cell"], order[row["arm"]], row["seed"]))
    lines = write_report(folder, rows, tuned(store), grid, fitted)
    if left := len(stored) - len(rows):
        lines.append(f"{left:,} further campaigns in {folder} were not asked for now and are in no table.")
    return lines
