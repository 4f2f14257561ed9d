"""Association discovery in 650,000 stories: ours beside the literal reference, loading and counting included.

    python benchmarks/associations.py --make SCRIPT           makes the stories first (23 models, 10 languages)
    python benchmarks/associations.py out/big.parquet         on stories that are there
    python benchmarks/associations.py out/big.parquet --pooled          only all languages together
    python benchmarks/associations.py out/big.parquet --rounds 5        minimum, median and maximum of five rounds

The literal reference reads every row with the json module, counts with a dictionary, and tests each table by scipy's
`fisher_exact` with 500,000 random tables, one after the other, in one process. It is timed on a sample of its tables
in the same round, taken evenly over all of them, and its whole is extrapolated. Loading is compared with a bare polars
read and JSON decode of the same file. CPU seconds are those of all processes; they depend less on what else runs.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations import Discovery, discover
from endoxa.instruments.stories.associations.tables import Table, families
from endoxa.sources.stereotales.profiles import Profiles, read_profiles

Figures = defaultdict[str, list[float]]
"""What was measured, by its name, in each round."""

DRAWS = 500_000
PROFILE = "extracted_attributes_json"


def main() -> None:
    """Measure loading, then both aggregations."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stories", type=Path, nargs="?", default=Path("out/big.parquet"))
    parser.add_argument("--make", type=Path, metavar="SCRIPT")
    parser.add_argument("--sample", type=int, default=40, help="tables the reference is timed on")
    parser.add_argument("--pooled", action="store_true")
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--rounds", type=int, default=1)
    args = parser.parse_args()
    if args.make:
        make(args.make, args.stories)
    figures = defaultdict[str, list[float]](list)
    for number in range(args.rounds):
        print(f"round {number + 1}", flush=True)
        loading = measure_loading(args.stories, figures)
        for by_language in (False, True)[: 1 if args.pooled else 2]:
            measure(args.stories, loading, args.sample, args.jobs, figures, by_language=by_language)
    for name, values in figures.items():
        least, middle, most = min(values), statistics.median(values), max(values)
        print(f"{name}: min {least:.2f}, median {middle:.2f}, max {most:.2f}")
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process (reference and bare decode included): {own:.0f} MiB")


def make(script: Path, path: Path) -> None:
    """Stories of 23 models in 10 languages, about 650,000."""
    sizes = ["--models", "23", "--languages", "10", "--per-cell", "2826", "--seed", "1"]
    truth = path.with_suffix(".planted.csv")
    subprocess.run(
        [sys.executable, script, *sizes, "--out", path, "--truth", truth],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def measure_loading(path: Path, figures: Figures) -> float:
    """Print loading and counting beside a bare decode; returns our seconds."""
    ours = seconds(lambda: list(families(read_profiles(path), by_language=True)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    bare = seconds(lambda: bare_decode(path))
    print(
        f"loading and counting {ours:.1f} s (peak {peak:.0f} MiB), bare polars read and JSON decode {bare:.1f} s"
    )
    print(f"ratio {ours / bare:.2f} (target: at most 3)", flush=True)
    figures["loading and counting, seconds"].append(ours)
    figures["loading and counting / bare decode"].append(ours / bare)
    return ours


def bare_decode(path: Path) -> None:
    """What polars takes to read the file and decode its profiles, nothing else."""
    frame = pl.read_parquet(path).filter(pl.col(PROFILE).str.ends_with("}"))
    names = json.loads(frame[PROFILE][0])
    frame[PROFILE].str.json_decode(pl.Struct(dict.fromkeys(names, pl.String)))


def measure(
    path: Path, loading: float, sample: int, jobs: int | None, figures: Figures, *, by_language: bool
) -> None:
    """Print our time and the reference's, pooled or by language."""
    what = "by language" if by_language else "pooled"
    profiles = read_profiles(path)
    start, spent = time.perf_counter(), cpu_seconds()
    found = discover(profiles, Discovery(by_language=by_language, jobs=jobs))
    ours = loading + time.perf_counter() - start
    figures[f"{what}, seconds"].append(ours)
    figures[f"{what}, CPU seconds of testing"].append(cpu_seconds() - spent)
    tested = found.tables.filter(status="tested")
    print(f"{what}: {len(tested):,} tables, {len(found.associations):,} associations, ", end="")
    print(f"{tested['n_resamples'].mean():,.0f} draws a table, {ours:.1f} s", flush=True)
    reference = reference_seconds(path, profiles, found.tables, sample, by_language=by_language)
    print(f"{what}: literal reference {reference / 3600:.2f} h, ratio {reference / ours:.0f}", flush=True)
    figures[f"{what}, hours of the literal reference"].append(reference / 3600)
    figures[f"{what}, reference / endoxa"].append(reference / ours)


def reference_seconds(
    path: Path, profiles: Profiles, tables: pl.DataFrame, sample: int, *, by_language: bool
) -> float:
    """Seconds of the literal reference: reading all rows, and its tests extrapolated from a sample of them."""
    reading = seconds(lambda: literal_counts(path))
    tested = tables.with_row_index().filter(status="tested")
    every = [table for family in families(profiles, by_language=by_language) for table in family]
    chosen = np.unique(np.linspace(0, len(tested) - 1, sample).astype(int))
    spent = 0.0
    for k in chosen:
        table = every[tested["index"][int(k)]]
        spent += seconds(lambda table=table: literal_test(table))
    return reading + len(tested) * spent / len(chosen)


def literal_counts(path: Path) -> Counter[tuple[str, str, str, str, str]]:
    """Count with the json module and a dictionary, row by row."""
    counts: Counter[tuple[str, str, str, str, str]] = Counter()
    columns = ["generator_model", "target_attribute", "target_attribute_value", PROFILE]
    for model, base, value, text in pl.read_parquet(path, columns=columns).iter_rows():
        try:
            profile = json.loads(text or "")
        except ValueError:
            continue
        for name, read in profile.items():
            counts[model, base, value, name, read] += 1
    return counts


def literal_test(table: Table) -> float:
    """Scipy's Monte Carlo Fisher test of one table."""
    from scipy.stats import MonteCarloMethod, fisher_exact

    method = MonteCarloMethod(n_resamples=DRAWS, rng=np.random.default_rng(0))
    return float(fisher_exact(table.counts, method=method).pvalue)


def cpu_seconds() -> float:
    """CPU time of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def seconds(work) -> float:  # noqa: ANN001
    """How long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
