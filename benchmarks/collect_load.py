"""A workshop on two cores: 200 people, a card every 8 seconds each, two joining every second.

    python benchmarks/collect_load.py [--people N] [--minutes N] [--seconds-a-card N] [--postgresql] [--workers N]
                                      [--in-step] [--slow N]

Makes a campaign in a temporary folder, serves it with `endoxa collect serve` on 127.0.0.1 with SQLite (or with a
PostgreSQL server of its own), lets locust be the people, prints locust's table of answer times and compares what people
were thanked for with what the database holds. `--in-step` lets all who began in the same second tap in the same
instant ever after; `--slow` adds connections that send a form a byte at a time.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "packages" / "endoxa-collect" / "tests"))

from collect_support.databases import postgres, postgres_programs
from collect_support.served import Site, drive, kept, served


def main() -> None:
    """Run and print."""
    words = _words()
    pace = {"ENDOXA_SECONDS_A_CARD": str(words.seconds_a_card), "ENDOXA_IN_STEP": str(int(words.in_step))}
    environment, options = {}, ("--workers", str(words.workers)) if words.workers else ()
    with ExitStack() as open_ones:
        folder = Path(open_ones.enter_context(tempfile.TemporaryDirectory()))
        if words.postgresql:
            programs = postgres_programs()
            if programs is None:
                sys.exit("PostgreSQL is not installed (apt-get install postgresql)")
            environment["DATABASE_URL"] = open_ones.enter_context(postgres(programs))
        site = open_ones.enter_context(served(folder / "camp", environment=environment, options=options))
        open_ones.enter_context(_sending_slowly(site, words.slow))
        seconds = words.minutes * 60 + words.people / 2
        thanked = folder / "thanked"
        print(
            drive(
                site, thanked, people=words.people, joining_per_second=2.0, seconds=seconds, environment=pace
            )
        )
        lost, doubled = kept(site, thanked)
    print(f"{os.cpu_count()} cores, {words.people} people: {lost} answers lost, {doubled} doubled")


def _words() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=4.0, help="after all have joined")
    parser.add_argument("--seconds-a-card", type=float, default=8.0)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--in-step", action="store_true")
    parser.add_argument("--slow", type=int, default=0)
    return parser.parse_args()


@contextmanager
def _sending_slowly(site: Site, number: int) -> Iterator[None]:
    """Keep connections open that send a form of 1,000 bytes, one byte in two seconds."""
    host, port = site.address.removeprefix("http://").split(":")
    head = f"POST /organise/login/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n\r\n"
    over = Event()

    def dribble() -> None:
        slow = [_begun(host, int(port), head) for _ in range(number)]
        while not over.wait(2):
            for place, one in enumerate(slow):
                try:
                    one.sendall(b"x")
                except OSError:  # refused after its time
                    slow[place] = _begun(host, int(port), head)
        for one in slow:
            one.close()

    sender = Thread(target=dribble)
    sender.start()
    try:
        yield
    finally:
        over.set()
        sender.join()


def _begun(host: str, port: int, head: str) -> socket.socket:
    one = socket.create_connection((host, port))
    one.sendall(head.encode())
    return one


if __name__ == "__main__":
    main()
