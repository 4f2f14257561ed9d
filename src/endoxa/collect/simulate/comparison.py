"""A whole comparison: the campaigns that are missing, then tables, figures and the page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import endoxa
from endoxa.collect.sampler import SamplerSettings
from endoxa.collect.simulate.arms import ARMS
from endoxa.collect.simulate.calibration import simulated
from endoxa.collect.simulate.grid import cells
from endoxa.collect.simulate.report import write_report
from endoxa.collect.simulate.settings import WorldSettings, load_world
from endoxa.collect.simulate.store import Store
from endoxa.collect.simulate.work import Planned, Told, results, run_all, tuned

FITTED = "laces"
"""The world that was fitted to LACES's published numbers."""

_FITTED_SEEDS = 8


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
        tell: is told how far it is.

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
