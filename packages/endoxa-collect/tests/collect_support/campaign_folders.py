"""The command line in a process of its own, on campaigns in folders."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from collect_support import commands
from endoxa.commands import app
from endoxa.errors import UserError
from support.repository import SUPPORT_PATH

LIMIT = 60
"""Seconds that any step may take before the test fails; none of them needs more than a few."""


def environment(**more):
    """The caller's environment without what pytest-django and the shell say about databases."""
    kept = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "ENDOXA_CAMPAIGN"}}
    return {**kept, "PYTHONUNBUFFERED": "1", **more}


def endoxa(*words, stdin="", before="", fresh=False, **env):
    """Run `endoxa collect ...` to its end; `before` are lines of Python that come first.

    A `fresh` process has loaded nothing before them.
    """
    words, code = ["collect", *map(str, words)], f"{before}\n{commands.COMMAND}"
    if not fresh:
        return commands.run(code, *words, env=environment(**env), stdin=stdin, timeout=LIMIT)
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT, env=environment(**env), check=False
    )


def in_campaign(folder, code, **more):
    """Run lines of Python as the site of a campaign would, with `collect_support.visits` as `v`; what they print."""
    paths = SUPPORT_PATH.split(os.pathsep)
    start = f"import sys, django; sys.path[:0] = {paths!r}; django.setup()\nfrom collect_support import visits as v\n"
    env = environment(ENDOXA_CAMPAIGN=str(folder), DJANGO_SETTINGS_MODULE="endoxa_collect.settings", **more)
    done = commands.run(start + code, env=env, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def refused(*words):
    """What `endoxa collect ...` says when it refuses before it starts Django."""
    with pytest.raises(UserError) as problem:
        app(["collect", *map(str, words)], standalone_mode=False)
    return str(problem.value)


def said(done):
    """The one sentence with which a program ended that could not do what it was told."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def copied(source, target):
    """A copy of a campaign's folder, to be changed."""
    target.mkdir()
    for path in source.iterdir():
        if path.is_file():
            (target / path.name).write_bytes(path.read_bytes())
    return target
