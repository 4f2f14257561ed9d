"""A command stops on SIGTERM also as a background job (SIGINT ignored), whatever it is doing."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from endoxa import commands

READY = "print('ready', flush=True)"
TASKS = {
    "between instructions": f"import time; {READY}\nfor _ in range(600): time.sleep(0.1)",
    "asking, with a cleanup": (
        "import asyncio\nasync def ask():\n"
        f" try:\n  {READY}; await asyncio.sleep(60)\n finally:\n  print('committed', flush=True)\nasyncio.run(ask())"
    ),
    # A thread that is waited for, as a batch of a local model is.
    "waiting for a thread": (
        "import time\nfrom concurrent.futures import ThreadPoolExecutor\n"
        f"with ThreadPoolExecutor(1) as pool:\n pool.submit(time.sleep, 60); {READY}\n time.sleep(60)"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("background", [True, False])
@pytest.mark.parametrize("task", TASKS)
def test_a_command_can_always_be_stopped(task: str, background: bool) -> None:
    program = (
        "import sys\nsys.argv = ['endoxa', 'probe', 'pairs']\nfrom endoxa import commands\n"
        f"commands.app = lambda **_: exec({TASKS[task]!r}, {{}})\ncommands.main()"
    )
    ignored = (lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) if background else None
    command = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=ignored,
    )
    assert command.stdout is not None
    assert command.stdout.readline() == "ready\n"
    if background:
        command.send_signal(signal.SIGINT)  # the Ctrl-C of another command is none of its business
        assert command.poll() is None
        command.send_signal(signal.SIGTERM)
    else:
        command.send_signal(signal.SIGINT)
    if task == "waiting for a thread":
        assert command.stderr is not None
        assert command.stderr.readline().startswith("endoxa: stopping ...")
        command.send_signal(signal.SIGTERM)
    out, said = command.communicate(timeout=50)
    assert command.returncode == 2
    assert said.endswith(
        "endoxa: Interrupted. Finished work is kept. Run the same command again to continue.\n"
    )
    assert said.count("Interrupted") == 1
    assert "Traceback" not in said
    assert out == ("committed\n" if "asking" in task else "")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["probe", "qa"], "Finished work is kept. Run the same command again to continue."),
        (["build", "qa"], "Nothing was finished"),
    ],
)
def test_only_a_command_with_a_journal_promises_to_continue(command, said, monkeypatch, endoxa):
    def stop(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "app", stop)
    stopped = endoxa(*command)
    assert (stopped.returncode, said in stopped.stderr) == (2, True)
