"""Commands in processes of their own that begin with the libraries loaded: a fork instead of two seconds of imports.

`python -m collect_support.commands` loads what commands of the campaign site need, its models and pages among it, and
waits for requests: a JSON line each on its standard input, answered by the exit status on its standard output, or by
the number of the process where its end is not waited for. Each request runs in a fork, with its own environment,
folder, input and outputs.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from support.repository import SUPPORT_PATH

LIBRARIES = (
    "django.db.migrations.executor",
    "django.test.client",
    "granian",
    "psycopg",
    "endoxa.commands",
    "endoxa_collect.commands.check",
    "endoxa_collect.commands.export",
    "endoxa_collect.urls",
)
COMMAND = "from endoxa.commands import main; main()"


def run(
    code: str, *words: str, env: dict[str, str], stdin: str = "", cwd: Path | None = None, timeout: float
) -> subprocess.CompletedProcess[str]:
    """What `python -c CODE WORDS` does in a new process.

    Raises:
        subprocess.TimeoutExpired: it took longer.
    """
    with tempfile.TemporaryDirectory(prefix="endoxa-command-") as name:
        folder = Path(name)
        (folder / "in").write_text(stdin, encoding="utf-8")
        request = {
            "code": code, "words": words, "environment": env, "cwd": str(cwd or Path.cwd()),
            "files": [str(folder / stream) for stream in ("in", "out", "err")], "seconds": int(timeout),
        }  # fmt: skip
        status = _server().ask(request)
        if status is None:
            raise subprocess.TimeoutExpired([code, *words], timeout)
        out, err = ((folder / stream).read_text(encoding="utf-8") for stream in ("out", "err"))
    return subprocess.CompletedProcess([code, *words], status, out, err)


@dataclass(frozen=True)
class Started:
    """A command that goes on in a process, and a group of processes, of its own.

    Attributes:
        pid: number of the process.
    """

    pid: int

    def wait(self, seconds: float) -> bool:
        """Wait for its end, at most so long; whether it has ended."""
        limit = time.monotonic() + seconds
        while self._is_there():
            if time.monotonic() > limit:
                return False
            time.sleep(0.05)
        return True

    def _is_there(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def kill(self) -> None:
        """End it and its processes at once, whatever they do."""
        os.killpg(self.pid, signal.SIGKILL)
        assert self.wait(60), "it did not end"

    def stop(self) -> None:
        """Ask it to end, and wait until it has."""
        if self._is_there():
            os.killpg(self.pid, signal.SIGTERM)
        assert self.wait(60), "it did not end"


def start(code: str, *words: str, env: dict[str, str], log: Path) -> Started:
    """Begin what `python -c CODE WORDS` does in a new process; what it prints goes to `log`."""
    request = {
        "code": code, "words": words, "environment": env, "cwd": str(Path.cwd()),
        "files": [os.devnull, str(log), str(log)], "seconds": None,
    }  # fmt: skip
    pid = _server().ask(request)
    assert pid is not None
    return Started(pid)


class _Server:
    def __init__(self) -> None:
        paths = [SUPPORT_PATH, os.environ.get("PYTHONPATH", "")]
        environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if name not in ("ENDOXA_CAMPAIGN", "DATABASE_URL")
            },
            "DJANGO_SETTINGS_MODULE": "endoxa_collect.settings",
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PYTHONUNBUFFERED": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip

    def ask(self, request: dict[str, object]) -> int | None:
        """The exit status of a request, or None where its time was over; the process of one that goes on."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        """End it."""
        self._process.communicate()


@cache
def _server() -> _Server:
    server = _Server()
    atexit.register(server.close)
    return server


def _serve() -> None:
    import_module("django").setup()  # without a campaign
    for library in LIBRARIES:
        import_module(library)
    words = import_module("endoxa.words.components")
    for name in ("page texts", "preset texts"):  # `init` says who has checked them
        words.languages_of(words.COMPONENTS[name])
    import_module("endoxa_collect.entry.words").warm_up()  # as workers of a site do
    gc.freeze()  # forks share it
    going_on: set[int] = set()

    def forget_ended(*_: object) -> None:
        for pid in list(going_on):
            if os.waitpid(pid, os.WNOHANG)[0]:
                going_on.discard(pid)

    signal.signal(signal.SIGCHLD, forget_ended)
    for line in sys.stdin:
        request = json.loads(line)
        if (child := os.fork()) == 0:
            _become(request)
        if request["seconds"] is None:
            going_on.add(child)
            forget_ended()  # it may have ended before it was noted
            print(child, flush=True)
            continue
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps(None if status == -14 else status), flush=True)


def _become(request: dict[str, object]) -> None:
    """Be the process that runs a request, to its end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if request["seconds"] is None:
        os.setsid()
    else:
        signal.alarm(request["seconds"])  # the default action of SIGALRM ends the process
    for number, (name, mode) in enumerate(zip(request["files"], (os.O_RDONLY, _NEW, _NEW), strict=True)):
        opened = os.open(name, mode, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    _forget_settings()
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - the other one has read ahead
    sys.argv = ["endoxa", *request["words"]]
    sys.path[:] = [path for path in sys.path if path not in SUPPORT_PATH.split(os.pathsep)]
    status = 0
    try:
        exec(request["code"], {"__name__": "__main__"})
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    # Not os._exit: what commands left to the end of their process is done.
    sys.exit(status)


def _forget_settings() -> None:
    """Have settings and packs read anew, which follow from the campaign and the environment."""
    from django import conf, db

    from endoxa.words import packs

    if packs.VARIABLE in os.environ:
        packs._forget()
    del sys.modules[conf.settings.SETTINGS_MODULE]
    conf.settings._wrapped = conf.empty
    db.connections.__dict__.pop("settings", None)
    db.connections._settings = None
    del db.connections["default"]


_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC

if __name__ == "__main__":
    _serve()
