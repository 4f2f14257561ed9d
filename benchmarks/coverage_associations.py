"""How often associations in stories are claimed that are not there, and how often those that are there are found.

    python benchmarks/coverage_associations.py             every table of docs/methods/associations.md, some ten minutes
    python benchmarks/coverage_associations.py --sets 100    the same, quick and rough

Each set of stories is a model, or a study, of its own. Stories of a prompt depend on each other: two of them have the
same value with the stated correlation. 'before' takes every story for an independent one and all languages for one
table, as the published analysis does; 'after' is what the package does. A share of 0.05 in 1,000 sets has a standard
error of 0.007.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations import Discovery, discover
from endoxa.instruments.stories.associations.cells import Cells, design_effects, lift_interval
from endoxa.instruments.stories.associations.permutations import PROMPT, differences
from endoxa.instruments.stories.associations.tables import units_of_prompts
from endoxa.stats.verdicts import ABOVE
from story_sets import StorySets, Studies

DRAWS = 1_000
"""Random tables of a test: as valid as 500,000, and quick."""
PERMUTATIONS = 99

REPEATED = (
    *(("36 prompts, 3 stories each", {"repeats": 3, "dependence": rho}) for rho in (0.3, 0.6, 1.0)),
    ("36 prompts, 5 stories each", {"repeats": 5, "dependence": 0.5}),
    ("12 prompts, 8 stories each", {"repeats": 8, "dependence": 1.0, "scenarios": 12}),
    ("6 prompts, 10 stories each", {"repeats": 10, "dependence": 0.6, "scenarios": 6, "rows": 2}),
    (
        "5 stories, half unreadable, unequally",
        {"repeats": 5, "dependence": 1.0, "unknown": 0.5, "unequal": True},
    ),
    ("36 prompts, 1 story each", {}),
)
SIMPSON = {"rows": 3, "columns": 3, "languages": 2, "confounded": True, "scenarios": 20}
POOLED = (
    ("2 languages alike", {"languages": 2, "scenarios": 20}),
    ("2 languages, Simpson", SIMPSON),
    ("4 languages, Simpson", {**SIMPSON, "languages": 4, "rows": 4}),
    ("2 languages, Simpson, 4 x 6 values", {**SIMPSON, "rows": 4, "columns": 6}),
    ("2 languages, Simpson, 3 stories each, correlation 0.6", {**SIMPSON, "repeats": 3, "dependence": 0.6}),
)
EFFECTS = (
    ("1 story", {}),
    ("3 stories, correlation 0", {"repeats": 3}),
    ("3 stories, correlation 0.3", {"repeats": 3, "dependence": 0.3}),
    ("3 stories, correlation 0.6", {"repeats": 3, "dependence": 0.6}),
    ("1 story in each of 2 languages", {"languages": 2}),
)
LIFTS = (1.5, 2.0, 2.5)


def print_row(*cells: object) -> None:
    """Print a row of a table in Markdown."""
    spoken = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells)
    print("|", " | ".join(spoken), "|", flush=True)


def head(*cells: str) -> None:
    """Print the first two rows of a table."""
    print()
    print_row(*cells)
    print_row(*("---" for _ in cells))


def found_in(
    sets: StorySets, jobs: int | None, *, before: bool, planted: bool = False
) -> tuple[float, float]:
    """Share of sets in which a family of tables is kept, and in which an association is claimed.

    Args:
        sets: the sets.
        jobs: processes.
        before: take stories as independent, and claim what the pooled test finds.
        planted: count only the planted association.
    """
    settings = Discovery(draws=DRAWS, jobs=jobs, pooled="published" if before else "stratified")
    found = discover(sets.profiles(prompt_per_story=before), settings)
    kept = found.tables.filter(significant=1)["model"].n_unique()
    claimed = found.associations.filter(verdict=ABOVE)
    if planted:
        claimed = claimed.filter(base_value="b0", compared_value="1")
    return kept / sets.sets, claimed["model"].n_unique() / sets.sets


def repeats(number: int, jobs: int | None) -> None:
    """False families and false associations where a prompt has several stories."""
    head(
        "4 base values, no effect",
        "correlation",
        "families kept before",
        "after",
        "associations before",
        "after",
    )
    for name, design in REPEATED:
        sets = StorySets(sets=number, seed=1, **design)
        before, after = (found_in(sets, jobs, before=one) for one in (True, False))
        print_row(name, sets.dependence, before[0], after[0], before[1], after[1])


def pooled(number: int, jobs: int | None) -> None:
    """False associations of all languages together."""
    head("no effect within any language", "associations before", "after")
    for name, design in POOLED:
        sets = StorySets(sets=number, seed=2, **design)
        print_row(name, *(found_in(sets, jobs, before=one)[1] for one in (True, False)))


def power(number: int, jobs: int | None) -> None:
    """How often a planted association is claimed, before and after."""
    head("36 prompts for each of 4 base values", *(f"lift {lift:g}: before, after" for lift in LIFTS))
    for name, design in EFFECTS:
        cells = []
        for lift in LIFTS:
            sets = StorySets(sets=number, seed=3, lift=lift, **design)
            shares = (found_in(sets, jobs, before=one, planted=True)[1] for one in (True, False))
            cells.append(", ".join(f"{share:.2f}" for share in shares))
        print_row(name, *cells)


def lift_intervals(number: int) -> None:
    """Coverage of the intervals of lifts, over all cells of a table whose true lift is 1."""
    head("coverage of lifts, nominal 0.95", "correlation", "before", "after")
    for name, design in REPEATED[:4]:
        sets = StorySets(sets=number, seed=4, unknown=0.1, **design)
        held = np.array(list(_held(sets)))
        print_row(name, sets.dependence, *held.mean(axis=0))


def _held(sets: StorySets) -> Iterator[tuple[float, float]]:
    profiles = sets.profiles()
    for model in range(sets.sets):
        here = (profiles.model == model) & (profiles.codes[:, 1] < sets.columns)
        row, value, prompt = profiles.base_value[here], profiles.codes[here, 1], profiles.sample[here]
        found = units_of_prompts(row, value, prompt, (sets.rows, sets.columns), np.zeros_like(row))
        if found is None:
            continue
        cells = Cells.of(found.table)
        ends = lift_interval(cells, 0.95), lift_interval(cells, 0.95, design_effects(found))
        yield tuple(float(((low <= 1) & (high >= 1)).mean()) for low, high in ends)  # type: ignore[misc]


STUDIES = (
    ("2 models, 1 story each", "model", Studies()),
    ("2 models, 3 stories each, correlation 0.6", "model", Studies((3, 3), within=0.6)),
    ("2 models, 1 and 5 stories of a prompt (cannot be tested)", "model", Studies((1, 5), within=0.6)),
    ("4 models, prompts suggest the same to all (0.3)", "model", Studies((1,) * 4, shared=0.3)),
    ("2 themes, 4 models, prompts suggest the same (0.3)", "theme", Studies((1,) * 4, themes=2, shared=0.3)),
    ("2 languages, 4 models, prompts suggest the same (0.3)", "language", Studies((1,) * 4, 2, shared=0.3)),
    ("3 themes, 3 stories each, correlation 0.6", "theme", Studies((3,), themes=3, within=0.6)),
)
RAISED = (
    ("2 models, 1 story each, 15 % of stories moved", "model", Studies(scenarios=24, raised=0.15)),
    ("2 models, 1 story each, 25 % of stories moved", "model", Studies(scenarios=24, raised=0.25)),
    ("2 models, 3 stories, correlation 0.3, 25 % moved", "model", Studies((3, 3), within=0.3, raised=0.25)),
)


def protagonists(number: int) -> None:
    """How often a difference of protagonists is claimed, without one and with one."""
    for title, studies in (("no difference", STUDIES), ("a difference", RAISED)):
        head(f"{title} of models, themes or languages", "claimed before", "after")
        for name, by, study in studies:
            before = [_claims(study, by, seed, before=True) for seed in range(-(-number // 4))]
            after = [_claims(study, by, seed, before=False) for seed in range(number)]
            print_row(name, float(np.mean(before)), float(np.mean(after)))


def _claims(study: Studies, by: str, seed: int, *, before: bool) -> bool:
    stories = study.stories(np.random.default_rng(seed))
    if before:
        stories = stories.with_columns(pl.int_range(pl.len()).cast(pl.String).alias(PROMPT))
    found = differences(stories, by, seed=seed, permutations=PERMUTATIONS)
    return bool((found["verdict"] == ABOVE).any())


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=1000, help="sets of stories in each row")
    parser.add_argument("--jobs", type=int, default=None, help="processes; all cores by default")
    parser.add_argument("--only", choices=("repeats", "pooled", "power", "lifts", "protagonists"))
    given = parser.parse_args()
    parts = {
        "repeats": lambda: repeats(given.sets, given.jobs),
        "pooled": lambda: pooled(given.sets, given.jobs),
        "power": lambda: power(max(1, given.sets // 4), given.jobs),
        "lifts": lambda: lift_intervals(max(1, given.sets // 2)),
        "protagonists": lambda: protagonists(max(1, given.sets // 2)),
    }
    for name, run in parts.items():
        if given.only in (None, name):
            run()


if __name__ == "__main__":
    main()
