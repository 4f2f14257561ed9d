"""A harm study of the size of StereoTales': 247 people of a panel, 784 associations, 50 each, over HTTP.

    python benchmarks/panel.py [PEOPLE] [ASSOCIATIONS] [AT_ONCE]

Makes a campaign of tasks in a temporary folder, serves it with `endoxa collect serve` (SQLite, or DATABASE_URL), lets
people take part in threads, of whom 15 % go away without a word and 5 % fail the quiz, exports the ratings, and
compares them with what people sent. A block is free again after a minute here, as after an hour in a study that
lasts days.
"""

from __future__ import annotations

import csv
import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "packages" / "endoxa-collect" / "tests"))

from collect_support.panel_people import Plan, Said, associations, crowd, exported, keyed, plans
from collect_support.served import endoxa, serving

BLOCK, NEEDED = 50, 12


def main() -> None:
    """Run and print."""
    people, count, at_once = (
        int(sys.argv[place]) if len(sys.argv) > place else default
        for place, default in ((1, 247), (2, 784), (3, 6))
    )
    with tempfile.TemporaryDirectory() as name:
        folder, table, output = Path(name) / "panel", Path(name) / "assoc.csv", Path(name) / "harm.csv"
        associations(table, count)
        endoxa("init", str(folder), "--preset", "panel")
        settings = ("participant=PROLIFIC_PID", "minutes=1", "completion=https://panel.example/complete")
        chosen = [word for one in settings for word in ("--set", one)]
        made = endoxa("import", str(folder), str(table), "--task", "harm", *chosen)
        with serving(folder) as address:
            began = time.monotonic()
            said = crowd(address, re.search(r"/t/\w+/", made)[0], _plans(people), at_once=at_once)
            seconds = time.monotonic() - began
            endoxa("export", str(folder), "--task", "harm", "-o", str(output))
        with output.open(encoding="utf-8") as file:
            _report(said, list(csv.DictReader(file)), count, seconds, at_once)


def _plans(people: int) -> list[Plan]:
    return plans(people, BLOCK, drop_out=0.15, fail=0.05)


def _report(said: list[Said], rows: list[dict[str, str]], count: int, seconds: float, at_once: int) -> None:
    sent = Counter(answer for one in said for answer in keyed(one.answers))
    stored = Counter(exported(row) for row in rows if row["counts"] == "true")
    doubled = len(rows) - len({(row["association_id"], row["rater"]) for row in rows})
    counts = Counter(row["association_id"] for row in rows if row["counts"] == "true")
    numbers = [*counts.values(), *[0] * (count - len(counts))]
    requests = sum(one.requests for one in said)
    print(f"{os.cpu_count()} cores, {at_once} at once: {requests} requests in {seconds:.0f} s")
    print(f"slowest request: {max(one.slowest for one in said):.2f} s")
    print(f"people: {dict(Counter(one.ended for one in said))}")
    print(
        f"ratings sent {sent.total()}, stored {stored.total()}; lost {(sent - stored).total()}, doubled {doubled}"
    )
    print(f"ratings of an association: {min(numbers)} to {max(numbers)}, mean {mean(numbers):.2f}")
    print(f"spread: {dict(sorted(Counter(numbers).items()))}")
    print(f"with fewer than {NEEDED}: {sum(number < NEEDED for number in numbers)} of {count}")


if __name__ == "__main__":
    main()
