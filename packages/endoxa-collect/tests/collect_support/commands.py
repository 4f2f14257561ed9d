"""Commands in processes of their own that begin with the libraries loaded: a fork instead of two seconds of imports.

`python -m collect_support.commands` loads what commands of the campaign site need, but no setting of a campaign, and
waits for requests: a JSON line each on its standard input, answered by the exit status on its standard output. Each
request runs in a fork, with its own environment, folder, input and outputs.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path

from support.repository import SUPPORT_PATH

LIBRARIES = (
    "django.core.management",
    "django.db.models",
    "django.db.backends.sqlite3.base",
    "django.db.migrations.executor",
    "django.forms",
    "django.template.loader",
    "django.test.client",
    "django.views.generic",
    "polars",
    "rapidfuzz",
    "endoxa.commands",
    "endoxa_collect.commands",
    "endoxa_collect.campaign",
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
            "code": code, "words": words, "environment": env, "cwd": str(cwd or Path.cwd()), "files": name,
            "seconds": int(timeout),
        }  # fmt: skip
        status = _server().ask(request)
        if status is None:
            raise subprocess.TimeoutExpired([code, *words], timeout)
        out, err = ((folder / stream).read_text(encoding="utf-8") for stream in ("out", "err"))
    return subprocess.CompletedProcess([code, *words], status, out, err)


class _Server:
    def __init__(self) -> None:
        paths = [SUPPORT_PATH, os.environ.get("PYTHONPATH", "")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PYTHONUNBUFFERED": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip

    def ask(self, request: dict[str, object]) -> int | None:
        """The exit status of a request, or None where its time was over."""
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
    for library in LIBRARIES:
        import_module(library)
    words = import_module("endoxa.words.components")
    for name in ("page texts", "preset texts"):  # `init` says who has checked them
        words.languages_of(words.COMPONENTS[name])
    for line in sys.stdin:
        request = json.loads(line)
        if (child := os.fork()) == 0:
            _become(request)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps(None if status == -14 else status), flush=True)


def _become(request: dict[str, object]) -> None:
    """Be the process that runs a request, to its end."""
    import signal

    signal.alarm(request["seconds"])  # the default action of SIGALRM ends the process
    for number, (name, mode) in enumerate((("in", os.O_RDONLY), ("out", _NEW), ("err", _NEW))):
        opened = os.open(Path(request["files"]) / name, mode, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
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


_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC

if __name__ == "__main__":
    _serve()
