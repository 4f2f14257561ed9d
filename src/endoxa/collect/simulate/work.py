"""All campaigns of a comparison: which are missing, run on several processes, stored as they end."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from endoxa.collect.sampler import SamplerSettings
from endoxa.collect.simulate.arms import ARMS
from endoxa.collect.simulate.grid import GridCell
from endoxa.collect.simulate.measures import measure
from endoxa.collect.simulate.run import simulate
from endoxa.collect.simulate.store import Key, Store
from endoxa.collect.simulate.tuning import best_share
from endoxa.collect.simulate.world import World

Row = dict[str, Any]
Told = Callable[[str, float, int], None]

_TUNING = -1
"""In place of a seed: the row holds the share that an arm was tuned to."""


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
        tell: is told what is done, how much of it, and of how much.
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
