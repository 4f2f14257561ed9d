"""A harm study of the size of StereoTales': 247 people of a panel, 784 associations, 50 each, over HTTP.

    python benchmarks/panel.py [--people N] [--associations N] [--at-once N]

Makes a campaign of tasks in a temporary folder, serves it with `endoxa collect serve` (SQLite, or DATABASE_URL), lets
people take part in threads, of whom 15 % go away without a word and 5 % fail the quiz, exports the ratings, and
compares them with what people sent. A block is free again after a minute here, as after an hour in a study that
lasts days.
"""

from __future__ import annotations

import csv
import os
import re
import tempfile
from collections import Counter
from pathlib import Path

from frame import options, seconds_of

from collect_support.panel_people import associations, crowd, exported, keyed, plans  # isort: skip
from collect_support.served import endoxa, serving  # isort: skip

BLOCK = 50


def main() -> None:
    """Run and print."""
    args = options(__doc__, people=247, associations=784, at_once=6).parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, table, output = Path(name) / "panel", Path(name) / "assoc.csv", Path(name) / "harm.csv"
        associations(table, args.associations)
        endoxa("init", str(folder), "--preset", "panel")
        settings = ("participant=PROLIFIC_PID", "minutes=1", "completion=https://panel.example/complete")
        chosen = [word for setting in settings for word in ("--set", setting)]
        made = endoxa("import", str(folder), str(table), "--task", "harm", *chosen)
        people, link = plans(args.people, BLOCK, drop_out=0.15, fail=0.05), re.search(r"/t/\w+/", made)[0]
        with serving(folder) as address:
            seconds, said = seconds_of(lambda: crowd(address, link, people, at_once=args.at_once))
            endoxa("export", str(folder), "--task", "harm", "-o", str(output))
        with output.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    sent = Counter(answer for person in said for answer in keyed(person.answers))
    stored = Counter(exported(row) for row in rows if row["counts"] == "true")
    doubled = len(rows) - len({(row["association_id"], row["rater"]) for row in rows})
    counts = Counter(row["association_id"] for row in rows if row["counts"] == "true")
    requests = sum(person.requests for person in said)
    print(f"{os.cpu_count()} cores, {args.at_once} at once: {requests} requests in {seconds:.0f} s")
    print(f"slowest request: {max(person.slowest for person in said):.2f} s")
    print(f"sent {sent.total()}, stored {stored.total()}; lost {(sent - stored).total()}, doubled {doubled}")
    least = min(counts.values()) if len(counts) == args.associations else 0
    print(f"ratings of an association: {least} to {max(counts.values())}")


if __name__ == "__main__":
    main()
