"""Association discovery in 650,000 stories: ours beside the literal reference, loading and counting included.

    python benchmarks/associations.py --make SCRIPT           makes the stories first (23 models, 10 languages)
    python benchmarks/associations.py out/big.parquet         on stories that are there
    python benchmarks/associations.py out/big.parquet --pooled          only all languages together

The literal reference reads every row with the json module, counts with a dictionary, and tests each table by scipy's
`fisher_exact` with 500,000 random tables, one after the other, in one process. It is timed on a sample of its tables
in the same round, taken evenly over all of them, and its whole is extrapolated.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations import Discovery, discover
from endoxa.instruments.stories.associations.tables import Table, families
from endoxa.sources.stereotales.profiles import Profiles, read_profiles
from frame import options, peak_memory, seconds_of

Figures = defaultdict[str, list[float]]
"""What was measured, by its name, in each round."""

DRAWS = 500_000
PROFILE = "extracted_attributes_json"


def main() -> None:
    """Measure loading, then both aggregations."""
    parser = options(__doc__, sample=40, rounds=1)
    parser.add_argument("stories", type=Path, nargs="?", default=Path("out/big.parquet"))
    parser.add_argument("--make", type=Path, metavar="SCRIPT")
    parser.add_argument("--pooled", action="store_true")
    args = parser.parse_args()
    if args.make:
        make(args.make, args.stories)
    figures = defaultdict[str, list[float]](list)
    for _ in range(args.rounds):
        loading, _ = seconds_of(lambda: list(families(read_profiles(args.stories), by_language=True)))
        figures["loading and counting, seconds"].append(loading)
        figures["bare polars read and JSON decode, seconds"].append(
            seconds_of(lambda: bare_decode(args.stories))[0]
        )
        for by_language in (False, True)[: 1 if args.pooled else 2]:
            measure(args.stories, loading, args.sample, figures, by_language=by_language)
    for name, values in figures.items():
        print(f"{name}: min {min(values):.2f}, median {statistics.median(values):.2f}, max {max(values):.2f}")
    print(f"peak memory of this process (reference and bare decode included): {peak_memory():.0f} MiB")


def make(script: Path, path: Path) -> None:
    """Stories of 23 models in 10 languages, about 650,000."""
    sizes = ["--models", "23", "--languages", "10", "--per-cell", "2826", "--seed", "1"]
    truth = path.with_suffix(".planted.csv")
    subprocess.run(
        [sys.executable, script, *sizes, "--out", path, "--truth", truth],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def bare_decode(path: Path) -> None:
    """What polars takes to read the file and decode its profiles, nothing else."""
    frame = pl.read_parquet(path).filter(pl.col(PROFILE).str.ends_with("}"))
    names = json.loads(frame[PROFILE][0])
    frame[PROFILE].str.json_decode(pl.Struct(dict.fromkeys(names, pl.String)))


def measure(path: Path, loading: float, sample: int, figures: Figures, *, by_language: bool) -> None:
    """Our time and the reference's, pooled or by language."""
    what = "by language" if by_language else "pooled"
    profiles = read_profiles(path)
    testing, result = seconds_of(lambda: discover(profiles, Discovery(by_language=by_language)))
    reference = reference_seconds(path, profiles, result.tables, sample, by_language=by_language)
    tested = result.tables.filter(status="tested")
    print(f"{what}: {len(tested):,} tables, {len(result.associations):,} associations", flush=True)
    figures[f"{what}, seconds"].append(loading + testing)
    figures[f"{what}, hours of the literal reference"].append(reference / 3600)
    figures[f"{what}, reference / endoxa"].append(reference / (loading + testing))


def reference_seconds(
    path: Path, profiles: Profiles, tables: pl.DataFrame, sample: int, *, by_language: bool
) -> float:
    """Seconds of the literal reference: reading all rows, and its tests extrapolated from a sample of them."""
    reading, _ = seconds_of(lambda: literal_counts(path))
    tested = tables.with_row_index().filter(status="tested")
    every = [table for family in families(profiles, by_language=by_language) for table in family]
    chosen = np.unique(np.linspace(0, len(tested) - 1, sample).astype(int))
    spent = 0.0
    for k in chosen:
        table = every[tested["index"][int(k)]]
        spent += seconds_of(lambda table=table: literal_test(table))[0]
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


if __name__ == "__main__":
    main()
