"""Memory of a run as its file grows: probing in chunks, tiny model, one process for each size.

    python benchmarks/streaming.py                    1,000, 10,000 and 100,000 pairs
    python benchmarks/streaming.py --pairs 1000000    some six minutes on two cores

Prints, for each size, pairs per second and the peak memory of the whole process (torch included), and the ratio of
the peaks. Only probing is measured; the analysis holds a few numbers per record.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

IDENTITIES = ("bakers", "drivers", "teachers", "farmers", "students", "grandmothers", "engineers", "sailors")
ATTRIBUTES = (("patient", "impatient"), ("careful", "careless"), ("strict", "lenient"), ("early", "late"))


def main() -> None:
    """Measure each size in a process of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, action="append")
    parser.add_argument("--one", nargs=2, metavar=("PAIRS", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        probe(int(args.one[0]), Path(args.one[1]))
        return
    from support import tiny

    first = None
    print(f"{'pairs':>10}{'seconds':>10}{'pairs/s':>10}{'peak MiB':>10}{'of the first':>14}")
    with tempfile.TemporaryDirectory() as folder:
        tiny.causal(Path(folder) / "model")
        for pairs in args.pairs or (1_000, 10_000, 100_000):
            words = [sys.executable, __file__, "--one", str(pairs), folder]
            seconds, peak = map(
                float, subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
            )
            first = first or peak
            print(
                f"{pairs:10,}{seconds:10.1f}{pairs / seconds:10.0f}{peak:10.0f}{peak / first:14.2f}",
                flush=True,
            )


def probe(count: int, folder: Path) -> None:
    """Write `count` pairs, score them, print seconds and peak memory in MiB."""
    from endoxa.instruments.pairs.options import PairsSettings

    data = folder / f"pairs-{count}.csv"
    with data.open("w", encoding="utf-8") as file:
        file.write("sent_more,sent_less,identity,axis,language\n")
        for k in range(count):
            identity, (more, less) = IDENTITIES[k % 8], ATTRIBUTES[k // 8 % 4]
            file.write(f"The {k} {identity} are {more}.,The {k} {identity} are {less}.,{identity},work,en\n")
    from endoxa.instruments.pairs.instrument import PAIRS
    from endoxa.runs.run import measure

    start = time.perf_counter()
    settings = PairsSettings(data=str(data), models=(f"hf/{folder / 'model'}",), rules=("sum",))
    measure(PAIRS, settings, folder / f"run-{count}")
    seconds = time.perf_counter() - start
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    main()
