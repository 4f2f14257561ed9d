"""A campaign made and served by the command line, on a free port of 127.0.0.1."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psycopg

from collect_support import commands
from endoxa_collect.campaign import UI_LANGUAGES
from support.repository import ROOT

PEOPLE_WITH_PHONES = ROOT / "benchmarks" / "crowd_on_phones.py"


@dataclass(frozen=True)
class Site:
    """A running campaign: folder, address, join path, the organiser's password; `url` where it has PostgreSQL."""

    folder: Path
    address: str
    join: str
    password: str
    url: str = ""

    def ask(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        """Ask the site's database; with `values` only SQLite."""
        if self.url:
            with psycopg.connect(self.url) as server:
                return server.execute(sql).fetchall()
        with closing(sqlite3.connect(self.folder / "db.sqlite3", timeout=30)) as database:
            return database.execute(sql, values).fetchall()

    def change(self, sql: str, *values: object) -> None:
        """Change the site's SQLite file."""
        with closing(sqlite3.connect(self.folder / "db.sqlite3", timeout=30)) as database, database:
            database.execute(sql, values)


@cache
def _made(preset: str) -> tuple[Path, str]:
    """A campaign of a preset, made once in a process, and what `init` printed."""
    place = Path(tempfile.mkdtemp(prefix="endoxa-campaign-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place / "camp", endoxa("init", str(place / "camp"), "--preset", preset)


@contextmanager
def served(
    folder: Path,
    *,
    preset: str = "laces",
    environment: dict[str, str] | None = None,
    options: tuple[str, ...] = (),
    early_questions: bool = True,
) -> Iterator[Site]:
    """Make a campaign in `folder` and serve it, with `options` of `serve`, until the block ends.

    Without `early_questions` (SQLite only) every card is a rating while a pair waits for one.
    """
    everything = {**os.environ, **(environment or {})}
    if "DATABASE_URL" in everything:
        made = endoxa("init", str(folder), "--preset", preset, environment=everything)
    else:
        campaign, made = _made(preset)
        shutil.copytree(campaign, folder)
    code = re.search(r"Code to join: (\w+)", made)[1]
    password = re.search(r"Password \(shown once\): (\S+)", made)[1]
    url = everything.get("DATABASE_URL", "")
    if not early_questions:
        # Pages in all languages, also those in which the preset has no pairs.
        pages = json.dumps(UI_LANGUAGES)
        Site(folder, "", "", "").change(
            "update collect_settingsversion set content = json_set(content, '$.sampler.prompt_early', 0, "
            f"'$.ui_languages', json('{pages}'))"
        )
    with serving(folder, environment=environment, options=options) as address:
        yield Site(folder, address, f"/j/{code}/", password, url)


@contextmanager
def serving(
    folder: Path, *, environment: dict[str, str] | None = None, options: tuple[str, ...] = ()
) -> Iterator[str]:
    """Serve a campaign that is there until the block ends; gives its address."""
    everything = {**os.environ, **(environment or {})}
    port = free_port()
    words = ("collect", "serve", str(folder), "--host", "127.0.0.1", "--port", str(port), *options)
    log = folder.parent / f"{folder.name}.log"
    server = commands.start(commands.COMMAND, *words, env=everything, log=log)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, server)
        yield address
    finally:
        server.stop()


def endoxa(*words: str, environment: dict[str, str] | None = None) -> str:
    """Run `endoxa collect ...` and give what it printed."""
    everything = {**os.environ, **(environment or {})}
    done = commands.run(commands.COMMAND, "collect", *words, env=everything, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def drive(
    site: Site,
    thanked: Path,
    *,
    people: int,
    joining_per_second: float,
    seconds: float,
    environment: dict[str, str] | None = None,
) -> str:
    """Let locust be the people; gives its table. Fails if any answer of the site was an error."""
    everything = {
        **os.environ,
        "ENDOXA_JOIN": site.join,
        "ENDOXA_THANKED": str(thanked),
        **(environment or {}),
    }
    done = subprocess.run(
        [
            sys.executable, "-m", "locust", "-f", str(PEOPLE_WITH_PHONES), "--headless", "--only-summary",
            "--users", str(people), "--spawn-rate", str(joining_per_second), "--run-time", f"{int(seconds)}s",
            "--stop-timeout", "10", "--host", site.address,
        ],
        env=everything, capture_output=True, text=True, check=False, timeout=seconds + 120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stderr + done.stdout


def kept(site: Site, thanked: Path) -> tuple[int, int]:
    """Answers that people were thanked for and that are not in the database, and pairs that somebody rated twice."""
    stored = {
        str(row[0]).replace("-", "")
        for row in site.ask("select token from collect_card c join collect_rating r on r.card_id = c.id")
    }
    told = {line.strip().replace("-", "") for line in thanked.read_text().splitlines()}
    doubled = site.ask("select 1 from collect_rating group by person_id, pair_id having count(*) > 1")
    return len(told - stored), len(doubled)


def _wait_for(address: str, server: commands.Started) -> None:
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            assert not server.wait(0.1), "the server ended"
    raise AssertionError(f"nobody answers at {address}")
