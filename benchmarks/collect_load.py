"""A workshop on two cores: 200 people, a card every 8 seconds each, two joining every second.

    python benchmarks/collect_load.py [PEOPLE] [MINUTES]

Makes a campaign in a temporary folder, serves it with `endoxa collect serve` on 127.0.0.1 with SQLite, lets
locust be the
people, prints locust's table of answer times and compares what people were thanked for with what the database holds.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.collect.served import drive, kept, served


def main() -> None:
    """Run and print."""
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 4.0
    with tempfile.TemporaryDirectory() as name, served(Path(name) / "camp") as site:
        thanked = Path(name) / "thanked"
        table = drive(site, thanked, people=people, joining_per_second=2.0, seconds=minutes * 60 + people / 2)
        print(table)
        lost, doubled = kept(site, thanked)
        print(f"{os.cpu_count()} cores, {people} people: {lost} answers lost, {doubled} doubled")


if __name__ == "__main__":
    main()
