"""The page of a large run of sentence pairs: seconds, size, and peak memory.

    python benchmarks/report.py                    20 models, 1,500 pairs, 3 rules
    python benchmarks/report.py --models 5         another size

The records are drawn at random around a planted preference, in one language, with 40 identities and 9 axes. Estimates
are computed first (`analyze`), then the page is written from them (`report`), each in a process of its own, `--rounds`
times, in turn.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

RULES = ("sum", "mean", "sum-bos")
WAYS = ("analyze", "report")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", nargs=2, metavar=("WAY", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        way, folder = args.one
        one(way, Path(folder))
        return
    taken: dict[str, list[float]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as name:
        run = Path(name) / "run"
        for _ in range(args.rounds):
            shutil.rmtree(run, ignore_errors=True)
            write_run(run, args.models, args.pairs)
            for way in WAYS:
                words = [sys.executable, __file__, "--one", way, str(run)]
                output = subprocess.run(words, check=True, capture_output=True, text=True).stdout
                seconds, peak = map(float, output.split()[-2:])
                taken[way].append(seconds)
                print(f"{way}: {seconds:.1f} s, peak {peak:.0f} MiB", flush=True)
        size = (Path(name) / "report.html").stat().st_size / 1e6
        figures = len(list((Path(name) / "report_figures").glob("*.svg")))
    for way, seconds in taken.items():
        print(f"{way}: {min(seconds):.1f} / {statistics.median(seconds):.1f} / {max(seconds):.1f} s")
    print(f"page: {size:.2f} MB, {figures} figures")


def one(way: str, run: Path) -> None:
    """One way in this process: seconds after loading endoxa, and peak memory in MiB."""
    began = time.perf_counter()
    if way == "analyze":
        from endoxa.instruments.pairs.estimates import analyze_run

        analyze_run(run, keep=True)
    else:
        from endoxa.instruments.reports import write_report

        write_report([run], run.parent / "report.html")
    print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def write_run(folder: Path, models: int, pairs: int) -> None:
    """A finished run with scores drawn at random."""
    draw = np.random.default_rng(1)
    items = pl.DataFrame(
        {
            "item_id": [f"p{k}" for k in range(pairs)],
            "language": "en",
            "axis": [f"axis {k % 9}" for k in range(pairs)],
            "direction": "stereo",
            "stereotypical": "more",
            "sent_more": [
                f"People from place {k % 40} are said to be early, case {k}." for k in range(pairs)
            ],
            "sent_less": [f"People from place {k % 40} are said to be late, case {k}." for k in range(pairs)],
            "identity": [f"place {k % 40}" for k in range(pairs)],
        }
    )
    names = [f"hf/lab/model-{k:02}" for k in range(models)]
    scored = [
        items.with_columns(
            model=pl.lit(name),
            rule=pl.lit(rule),
            score_more=pl.Series(-20 + draw.normal(0.1 * (k % 5), 1, pairs)),
            score_less=pl.lit(-20.0),
            n_tokens_more=pl.lit(9, pl.Int32),
            n_tokens_less=pl.lit(9, pl.Int32),
        )
        for k, name in enumerate(names)
        for rule in RULES
    ]
    write_records(folder, pl.concat(scored), names)


def write_records(folder: Path, records: pl.DataFrame, models: list[str]) -> None:
    """The files of a finished run."""
    from endoxa.schema import RECORD_COLUMNS

    empty = [pl.lit(None, pl.String).alias(name) for name in RECORD_COLUMNS if name not in records.columns]
    blank = {"neutral_difference": pl.lit(None, pl.Float64), "n_neutral": pl.lit(0, pl.Int32)}
    folder.mkdir(parents=True)
    records.with_columns(empty).with_columns(**blank).select(list(RECORD_COLUMNS)).write_parquet(
        folder / "records.parquet"
    )
    told = {
        "kind": "pairs",
        "endoxa": "0.1.0",
        "command": ["endoxa", "probe", "pairs", "--data", "made-up.csv", "--out", "run"],
        "finished": "2026-01-02T03:04:05+00:00",
        "data": {
            "path": "made-up.csv",
            "sha256": hashlib.sha256(b"made up").hexdigest(),
            "format": "endoxa",
            "rows": records["item_id"].n_unique(),
        },
        "models": [{"name": name, "architecture": "causal"} for name in models],
        "rules": list(RULES),
    }
    (folder / "run.json").write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()
