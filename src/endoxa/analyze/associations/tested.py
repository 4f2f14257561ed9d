"""Step 1: which attributes depend on which? Every table tested, every family decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from os import cpu_count

import numpy as np

from endoxa.analyze.associations.conditional import log_p_units
from endoxa.analyze.associations.fisher import (
    FIRST_ROUND,
    Decisions,
    Exchanged,
    Sampled,
    decide,
    improbability,
    stream,
)
from endoxa.analyze.associations.settings import Discovery
from endoxa.analyze.associations.tables import Table
from endoxa.analyze.associations.within import Distance, is_sparse
from endoxa.stats.correction import adjust

AT_ONCE = 64
"""Families handed to a process together."""

WITHIN = "within languages"
"""Last part of the name of a stream of random numbers for the test within languages."""

Name = tuple[str, ...]
"""What a table is called; decides its stream of random numbers."""


@dataclass(frozen=True, slots=True)
class Within:
    """What the tests within languages found for one table.

    Attributes:
        p_value: generalised Cochran-Mantel-Haenszel test; NaN where nothing can vary within a language.
        p_adjusted: after Benjamini-Hochberg over the family.
        log_p: natural logarithms of the p-values of its cells, row by row; only of a table that is kept.
    """

    p_value: float
    p_adjusted: float
    log_p: np.ndarray | None


@dataclass(frozen=True, slots=True)
class Tested:
    """What the test of one table found.

    Attributes:
        p_value: Fisher's exact test, prompts being exchanged where a prompt has several stories.
        draws: random tables it rests on, 0 where all tables were listed.
        p_adjusted: after Benjamini-Hochberg over the family.
        significant: rejected at the false-discovery rate.
        certain: further draws could change the decision only with a probability of at most the stated error.
        log_p: natural logarithms of the p-values of its cells, row by row; only of a table that is kept, and only
            where prompts are units: those of stories are computed for all tables at once.
        within: what holds within languages; None where the table has one language.
    """

    p_value: float
    draws: int
    p_adjusted: float
    significant: bool
    certain: bool
    log_p: np.ndarray | None = None
    within: Within | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """Tables that are corrected together, with their names."""

    tables: tuple[Table, ...]
    names: tuple[Name, ...]


def run_families(
    families: Sequence[Family], settings: Discovery, progress: Callable[[int], None]
) -> Iterator[list[Tested]]:
    """Test all tables, family by family, in order.

    Args:
        families: usable tables only.
        settings: draws, error, seed, processes.
        progress: told how many families are done.
    """
    jobs = settings.jobs or cpu_count() or 1
    if jobs == 1 or len(families) < 2 * AT_ONCE:
        for done, family in enumerate(families, 1):
            yield run_family(family, settings)
            progress(done)
        return
    # Not fork: the tables may have been counted by libraries that run threads.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        groups = [families[k : k + AT_ONCE] for k in range(0, len(families), AT_ONCE)]
        done = 0
        for results in pool.map(_run_some, groups, [settings] * len(groups)):
            yield from results
            done += len(results)
            progress(done)


def _run_some(families: Sequence[Family], settings: Discovery) -> list[list[Tested]]:
    return [run_family(family, settings) for family in families]


def run_family(family: Family, settings: Discovery) -> list[Tested]:
    """Fisher's exact test of each table by Monte Carlo, Benjamini-Hochberg over them (StereoTales, step 1).

    What step 2 needs of single tables is computed here as well: it is the work of several processes.
    """
    from scipy.stats import false_discovery_control

    tests = [
        _test(table, settings.seed, name) for table, name in zip(family.tables, family.names, strict=True)
    ]
    decisions = _decide(tests, settings)
    adjusted = false_discovery_control([test.p_value for test in tests])
    kept = decisions.significant
    within = _within(family, kept, settings)
    return [
        Tested(
            test.p_value,
            0 if test.exact is not None else test.draws,
            float(adjusted[k]),
            bool(kept[k]),
            bool(decisions.certain[k]),
            log_p_units(table.prompts) if kept[k] and table.prompts is not None else None,
            within[k],
        )
        for k, (test, table) in enumerate(zip(tests, family.tables, strict=True))
    ]


def _test(table: Table, seed: int, name: Name) -> Sampled | Exchanged:
    if table.prompts is None:
        return Sampled(table.counts, stream(seed, *name))
    return Exchanged(table.prompts, improbability(table.prompts), stream(seed, *name))


def _decide(tests: Sequence[Sampled | Exchanged], settings: Discovery) -> Decisions:
    return decide(
        tests,
        alpha=settings.alpha,
        most_draws=settings.draws,
        error=settings.error,
        first_round=min(FIRST_ROUND, settings.draws) if settings.early_stop else settings.draws,
    )


def _within(family: Family, kept: np.ndarray, settings: Discovery) -> list[Within | None]:
    """The tests within languages: by chi-square, and by exchange where that is too small and the table is kept."""
    several = [k for k, table in enumerate(family.tables) if table.languages is not None]
    tests: dict[int, Exchanged] = {}
    for k in several:
        units = family.tables[k].languages
        assert units is not None
        distance = Distance.of(units)
        if not distance.freedom:
            continue
        tests[k] = Exchanged(units, distance, stream(settings.seed, *family.names[k], WITHIN))
        if not (kept[k] and is_sparse(units)):
            tests[k].exact = float(np.exp(distance.log_p))
    if tests:
        _decide(list(tests.values()), settings)
    p_values = [tests[k].p_value if k in tests else float("nan") for k in range(len(family.tables))]
    adjusted = adjust(p_values)
    return [
        Within(p_values[k], float(adjusted[k]), log_p_units(units) if kept[k] else None)
        if (units := table.languages) is not None
        else None
        for k, table in enumerate(family.tables)
    ]
