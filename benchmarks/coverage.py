"""How often intervals hold a planted truth, and how often a test claims what is not there, in simulated data.

    python benchmarks/coverage.py                              the scenarios and their pages
    python benchmarks/coverage.py pairs --draws 2000           every scenario whose name begins so
    python benchmarks/coverage.py pairs --draws 2000 --stop    each world until its answer is clear

`scenarios.toml` declares each scenario: how data are drawn, which function of endoxa estimates, the planted truth, the
level, and the sizes. A row of the printed table takes the worst of its worlds.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # `benchmarks`, also where this file is run
SCENARIOS = Path(__file__).parent / "scenarios.toml"
LIMITS = 0.05
"""A test is clearly wrong if it claims this much more often than its level; an interval, if it holds so much less."""
BATCH = 20
"""Draws between two looks at whether the answer is clear."""
SURE = 3.29
"""Standard errors of the interval that decides whether it is: 99.9 %."""
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Scenario:
    """A row of `scenarios.toml`.

    Attributes:
        name: what the command calls it.
        page: page of the manual that quotes its figures.
        draw: module and function that draw one set of data from a generator and the sizes.
        estimate: modules and functions that make a `Reading` of it; each has its rows.
        truth: the planted truth: a number, the size that is the truth, or "drawn".
        rows: sizes of which each value has its row.
        worlds: sizes over whose values a row takes the worst.
        neutral: the truth where nothing is planted. Without it, every claim is right.
        level: share of claims allowed where nothing is planted; 1 - `level` of intervals should hold the truth.
        fraction: share of `--draws` that is enough, for slow scenarios.
        file: the file of the folder `--files` that it needs.
    """

    name: str
    page: str
    draw: str
    estimate: tuple[str, ...]
    truth: float | str
    rows: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    worlds: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    neutral: float | None = None
    level: float = 0.05
    fraction: float = 1.0
    file: str = ""


@dataclass(frozen=True)
class Outcome:
    """Shares of the sets of data of one world.

    Attributes:
        draws: how many sets were drawn.
        claims: share of them with a claim.
        covered: share of intervals that hold the truth.
        width: median width of the intervals.
        given: share of the sets that have an interval.
        null: whether nothing is planted.
    """

    draws: int
    claims: float
    covered: float
    width: float
    given: float
    null: bool


def load_scenarios(path: Path = SCENARIOS) -> list[Scenario]:
    """All scenarios of a file."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))["scenario"]
    return [Scenario(**{**table, "estimate": tuple(np.atleast_1d(table["estimate"]))}) for table in tables]


def function(name: str) -> Callable[..., Any]:
    """The function "module.function" of the folder `worlds`, with the first argument that follows a colon."""
    path, _, argument = name.partition(":")
    module, attribute = path.split(".")
    made: Callable[..., Any] = getattr(import_module(f"benchmarks.worlds.{module}"), attribute)
    return partial(made, argument) if argument else made


def cells(sizes: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """Every combination of sizes."""
    for values in product(*sizes.values()):
        yield dict(zip(sizes, values, strict=True))


def wilson(rate: float, number: int) -> tuple[float, float]:
    """Wilson's (1927) interval of a rate, at 99.9 %."""
    middle = (rate + SURE**2 / (2 * number)) / (1 + SURE**2 / number)
    reach = np.sqrt(rate * (1 - rate) / number + (SURE / (2 * number)) ** 2) * SURE / (1 + SURE**2 / number)
    return float(middle - reach), float(middle + reach)


def judged(outcome: Outcome, level: float) -> str:
    """`wrong` where a rate is clearly beyond its limit, `right` where all are clearly within, else ""."""
    most, number = level + LIMITS, max(1, round(outcome.draws * outcome.given))
    errors = [wilson(outcome.claims, outcome.draws)] if outcome.null else []
    errors += [wilson(1 - outcome.covered, number)] if outcome.given else []
    if any(low > most for low, _ in errors):
        return "wrong"
    return "right" if all(high < most for _, high in errors) else ""


def measure(
    scenario: Scenario, estimate: str, sizes: Mapping[str, Any], draws: int, *, stop: bool = False
) -> Outcome:
    """Draw sets of data in one world and count.

    Args:
        scenario: the scenario.
        estimate: which of its estimates.
        sizes: values of all its sizes.
        draws: sets of data at most.
        stop: end as soon as the answer is clear.
    """
    rng = np.random.default_rng(list(repr((scenario.name, sizes)).encode()))
    truth = sizes.get(scenario.truth, scenario.truth) if isinstance(scenario.truth, str) else scenario.truth
    draw, read = function(scenario.draw), function(estimate)
    claims, covered, widths = [], [], []
    for number in range(1, draws + 1):
        reading = read(draw(rng, **sizes))
        claims.append(float(reading.claimed))
        low, high, true = np.broadcast_arrays(
            reading.low, reading.high, truth if reading.truth is None else reading.truth
        )
        exists = np.isfinite(low) & np.isfinite(true) if truth != "none" else np.zeros(low.shape, bool)
        if exists.any():
            inside = (low - TOLERANCE <= true) & (true <= high + TOLERANCE)
            covered.append(float(inside[exists].mean()))
            widths.append(float(np.median((high - low)[exists])))
        if number == draws or (stop and number % BATCH == 0):
            outcome = Outcome(
                number,
                float(np.nanmean(claims)),
                float(np.mean(covered)) if covered else np.nan,
                float(np.median(widths)) if widths else np.nan,
                len(covered) / number,
                scenario.neutral is not None and truth in (scenario.neutral, "drawn", "none"),
            )
            if number == draws or judged(outcome, scenario.level):
                return outcome
    raise AssertionError("at least one draw")


def table(
    scenario: Scenario, draws: int, *, stop: bool = False, files: Path | None = None, jobs: int = 1
) -> Iterator[str]:
    """The rows of a scenario, in Markdown."""
    fixed = {"file": str(files / scenario.file)} if files is not None and scenario.file else {}
    number = max(1, round(draws * scenario.fraction))
    yield f"| {scenario.name} | estimate | draws | false claims | claims | covered: least, median | width | given |"
    yield "|---|---|---|---|---|---|---|---|"
    with ProcessPoolExecutor(jobs) as pool:
        for row, estimate in product(cells(scenario.rows), scenario.estimate):
            worlds = [{**row, **world, **fixed} for world in cells(scenario.worlds)]
            work = partial(measure, scenario, estimate, draws=number, stop=stop)
            outcomes = list((pool.map if jobs > 1 else map)(work, worlds))
            yield f"| {', '.join(f'{key} {value}' for key, value in row.items())} | {estimate} | {shown(outcomes)} |"


def shown(outcomes: list[Outcome]) -> str:
    """The cells of a row: the worst of its worlds."""
    false = [outcome.claims for outcome in outcomes if outcome.null]
    right = [outcome.claims for outcome in outcomes if not outcome.null]
    covered = [outcome.covered for outcome in outcomes if outcome.given]
    widths = [outcome.width for outcome in outcomes if outcome.given]
    return " | ".join(
        (
            str(max(outcome.draws for outcome in outcomes)),
            f"{max(false):.3f}" if false else "",
            f"{min(right):.3f} to {max(right):.3f}" if right else "",
            f"{min(covered):.3f}, {np.median(covered):.3f}" if covered else "",
            f"{np.median(widths):.3f}" if widths else "",
            f"{np.mean([outcome.given for outcome in outcomes]):.2f}",
        )
    )


def main() -> None:
    """Print the tables that are asked for, or the list of scenarios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scenario", nargs="*", help="names, or how they begin")
    parser.add_argument("--draws", type=int, default=300, help="sets of data in each world (default 300)")
    parser.add_argument("--stop", action="store_true", help="end a world as soon as its answer is clear")
    parser.add_argument("--files", type=Path, help="folder with the published files that some layouts need")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    options = parser.parse_args()
    for scenario in load_scenarios():
        if not options.scenario:
            print(f"{scenario.name:28} {scenario.page}")
        elif scenario.name.startswith(tuple(options.scenario)):
            if scenario.file and not (options.files and (options.files / scenario.file).is_file()):
                print(f"{scenario.name}: skipped. Pass --files FOLDER with {scenario.file} in it.")
                continue
            for line in table(
                scenario, options.draws, stop=options.stop, files=options.files, jobs=options.jobs
            ):
                print(line, flush=True)
            print()


if __name__ == "__main__":
    main()
