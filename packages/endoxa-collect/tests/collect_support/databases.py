"""A PostgreSQL server of one's own, in a temporary folder, on a free port of 127.0.0.1."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.repository import SUPPORT_PATH


def postgres_programs() -> Path | None:
    """The folder with `initdb` and `pg_ctl`, or None where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    named = shutil.which("initdb")
    if found:
        return found[-1].parent
    return Path(named).parent if named else None


@contextmanager
def postgres(programs: Path) -> Iterator[str]:
    """Start a server and give its DATABASE_URL; stop and delete it afterwards."""
    home = Path(tempfile.mkdtemp(prefix="endoxa-postgres-"))
    # PostgreSQL refuses to run as root; Debian's package brings a user for it.
    as_user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
    if as_user:
        shutil.chown(home, "postgres", "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data, log = home / "data", home / "log"

    def do(program: str, *words: str) -> None:
        subprocess.run(
            [programs / program, *words], check=True, capture_output=True, cwd=home, timeout=120, **as_user
        )

    do("initdb", "-D", str(data), "-U", "endoxa", "-A", "trust", "-E", "UTF8", "--no-sync")
    options = f"-p {port} -k {home} -c listen_addresses=127.0.0.1 -c max_connections=120 -c fsync=off"
    do("pg_ctl", "-D", str(data), "-l", str(log), "-w", "-o", options, "start")
    try:
        yield f"postgresql://endoxa@127.0.0.1:{port}/postgres"
    finally:
        do("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
        shutil.rmtree(home, ignore_errors=True)


def own_campaign(folder: Path, url: str = "") -> dict[str, str]:
    """The environment of processes with a campaign in a folder, in SQLite or in the database of a URL."""
    (folder / "secret.key").write_text("a secret of this test only")
    path = os.pathsep.join([SUPPORT_PATH, os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "ENDOXA_CAMPAIGN": str(folder), "PYTHONPATH": path, "DATABASE_URL": url}
    return (
        environment if url else {name: value for name, value in environment.items() if name != "DATABASE_URL"}
    )
