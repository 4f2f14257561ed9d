"""The manual says what the program does."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from functools import cache

import pytest

from support.repository import ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CONTENT_NOTICE.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


def test_help_in_the_manual_is_the_real_help():
    pages = sorted(page.name for page in (ROOT / "docs").glob("*.md"))
    check = subprocess.run(
        [sys.executable, "-m", "cogapp", "--check", *pages], cwd=ROOT / "docs", capture_output=True, text=True
    )
    assert check.returncode == 0, f"run `make docs`:\n{check.stdout}{check.stderr}"


def commands():
    """Every `endoxa ...` line of every shell block, with where it stands."""
    for page in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                if line.strip().startswith("endoxa "):
                    yield pytest.param(line.strip(), id=f"{page.name}: {line.strip()[:60]}")


@cache
def program():
    """The whole command line; making it takes longer than all that is asked of it."""
    from typer.main import get_command

    from endoxa.cli import app

    return get_command(app)


@pytest.mark.parametrize("line", list(commands()))
def test_documented_command_exists_with_its_options(line):
    for part in re.split(r"\s&&\s", line):
        words = shlex.split(part, comments=True)[1:]
        command, context = program(), None
        while words and hasattr(command, "commands"):
            name = words.pop(0)
            assert name in command.commands, f"there is no command '{name}' in: {line}"
            command = command.commands[name]
        context = command.make_context("endoxa", words, resilient_parsing=True)
        known = {
            option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
        }
        given = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert given <= known | {"--help"}, f"unknown options {given - known} in: {line}"
        assert context is not None


def links():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith(("http", "mailto")):
                yield pytest.param(page, target, id=f"{page.name} -> {target}")


@pytest.mark.parametrize(("page", "target"), list(links()))
def test_link_leads_somewhere(page, target):
    assert (page.parent / target).exists()


def test_every_dependency_has_its_reason():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(d for extra in project["optional-dependencies"].values() for d in extra),
    ]
    reasons = (ROOT / "docs/dependencies.md").read_text()
    constraints = (ROOT / "constraints.txt").read_text().lower().replace("_", "-")
    for name in {re.split(r"[\[<>=]", dependency)[0] for dependency in wanted} - {"endoxa"}:
        assert name in reasons, f"{name} has no reason in docs/dependencies.md"
        assert f"\n{name.lower()}==" in constraints, f"{name} has no tested version in constraints.txt"


def test_every_rule_and_statistic_is_in_the_methods():
    from endoxa.instruments.pairs.estimates import STATISTICS
    from endoxa.instruments.pairs.rules import RULES

    methods = (ROOT / "docs/methods.md").read_text()
    for name in (*RULES.all(), *STATISTICS.all()):
        assert f"`{name.removesuffix('_rounded')}`" in methods, f"{name} is not in docs/methods.md"
