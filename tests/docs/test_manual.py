"""The manual says what the program does."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from fnmatch import filter as filter_names
from functools import cache

import pytest

from endoxa.commands import plugins
from support.manual import form
from support.repository import ROOT
from support.tutorials import split

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CONTENT_NOTICE.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


@pytest.mark.slow
def test_generated_parts_of_the_manual_are_up_to_date():
    docs = ROOT / "docs"
    pages = [page for page in sorted(docs.rglob("*.md")) if "[[[cog" in page.read_text(encoding="utf-8")]
    names = [str(page.relative_to(docs)) for page in pages]
    check = subprocess.run(
        [sys.executable, "-m", "cogapp", "-I", ".", "--check", *names],
        cwd=docs,
        capture_output=True,
        text=True,
    )
    assert check.returncode == 0, f"run `make docs`:\n{check.stdout}{check.stderr}"


def commands():
    """The `endoxa ...` lines of shell blocks, and of the tables of the first page: one of each form."""
    blocks = [
        block.replace("\\\n", " ")
        for page in PAGES
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    ]
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    lines += re.findall(r"`(endoxa [a-z][^`]*)`", (ROOT / "docs/index.md").read_text(encoding="utf-8"))
    return list({form(split(line)): line for line in lines if line.startswith("endoxa ")}.values())


@cache
def command_of(*words):
    """The command that words name, from the whole command line."""
    from typer.main import get_command

    from endoxa.commands import app

    if not words:
        return get_command(app)
    group = command_of(*words[:-1])
    assert words[-1] in group.list_commands(None), f"there is no command '{' '.join(words)}'"
    return group.get_command(None, words[-1])


@pytest.mark.slow
@pytest.mark.parametrize("line", commands())
def test_documented_command_exists_with_its_options(line):
    for part in re.split(r"\s&&\s", line):
        words = split(part)[1:]
        names = []
        while words and not words[0].startswith("-") and hasattr(command_of(*names), "list_commands"):
            names.append(words.pop(0))
        command = command_of(*names)
        context = command.make_context("endoxa", words, resilient_parsing=True)
        known = {
            option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
        }
        given = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert given <= known | {"--help"}, f"unknown options {given - known} in: {line}"
        assert context is not None


@cache
def anchors(page):
    """Anchors of all headings, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def test_links_lead_somewhere():
    links = [
        (page, target, anchor)
        for page in PAGES
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8"))
        if not target.startswith(("http", "mailto"))
    ]
    assert len(links) > 500
    for page, target, anchor in links:
        path = page.parent / target if target else page
        assert path.exists(), f"{page.name}: there is no {target}"
        assert not anchor or anchor in anchors(path), f"{page.name}: no heading '{anchor}' in {path.name}"


SOURCE = ROOT / "src" / "endoxa"
SITE = ROOT / "packages" / "endoxa-collect" / "src" / "endoxa_collect"
FOREIGN = {"seat.py", "metric.py", "analysis_scripts/BBQ_results_metadata.R"}
"""Files of other projects that the manual names."""


FOLDERS = ("src", "packages", "docs", "tests", "benchmarks")


def is_of_ours(name):
    """Whether a name in backticks is a path that begins with a folder of ours, or the name of a module."""
    ours = {*FOLDERS, *(path.name for path in SOURCE.iterdir() if path.is_dir())}
    inside = "/" in name.rstrip("/") and name.split("/")[0] in ours
    placeholder = any(part.isupper() for part in name.split("/"))
    return (inside or name.endswith(".py")) and not placeholder and name not in FOREIGN


@pytest.mark.slow
def test_named_paths_exist():
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    named = {name for text in texts for name in re.findall(r"`([\w./*-]+)`", text)}
    wanted = set(filter(is_of_ours, named))
    assert len(wanted) > 100
    files = [path.as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    text = "\n".join((*files, ""))
    missing = {name for name in wanted if f"/{name.rstrip('/')}\n" not in text}
    assert not {name for name in missing if not filter_names(files, f"*/{name.rstrip('/')}")}


GROUPS = set(
    re.findall(
        r'Registry\(\s*"[^"]+",\s*"(endoxa\.\w+)"',
        "\n".join(
            path.read_text(encoding="utf-8") for folder in (SOURCE, SITE) for path in folder.rglob("*.py")
        ),
    )
) | {plugins.GROUP}
"""Entry-point groups of all registries."""


def dotted_names():
    """Every `endoxa.x.y` in prose, and every import of a Python example."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for name in dict.fromkeys(re.findall(r"`(endoxa(?:_collect)?(?:\.\w+)+)(?:\([^`]*\))?`", text)):
            if name not in GROUPS and name != "endoxa.json":
                yield pytest.param(name, id=f"{page.relative_to(ROOT)}: {name}")
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            for node in ast.walk(ast.parse(block)):
                if isinstance(node, ast.ImportFrom) and str(node.module).startswith("endoxa"):
                    for one in node.names:
                        yield pytest.param(
                            f"{node.module}.{one.name}",
                            id=f"{page.relative_to(ROOT)}: {node.module}.{one.name}",
                        )


@pytest.mark.parametrize("name", list(dotted_names()))
def test_named_thing_can_be_imported(name):
    module, _, thing = name.rpartition(".")
    try:
        assert hasattr(importlib.import_module(module), thing)
    except (ImportError, AssertionError):
        importlib.import_module(name)


def test_every_registry_is_in_the_architecture():
    architecture = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    for group in GROUPS:
        assert f"`{group}`" in architecture, f"{group} is not in docs/architecture.md"


def test_every_dependency_has_its_reason():
    files = (ROOT / "pyproject.toml", SITE.parents[1] / "pyproject.toml")
    projects = [tomllib.loads(file.read_text())["project"] for file in files]
    wanted = [
        name
        for project in projects
        for names in (project["dependencies"], *project.get("optional-dependencies", {}).values())
        for name in names
    ]
    reasons = (ROOT / "docs/dependencies.md").read_text()
    constraints = (ROOT / "constraints.txt").read_text().lower().replace("_", "-")
    for name in {re.split(r"[\[<>=]", dependency)[0] for dependency in wanted} - {
        "endoxa-toolkit",
        "endoxa-collect",
    }:
        assert name in reasons, f"{name} has no reason in docs/dependencies.md"
        assert f"\n{name.lower()}==" in constraints, f"{name} has no tested version in constraints.txt"


def test_every_rule_and_statistic_is_in_the_methods():
    from endoxa.instruments.pairs.estimates import STATISTICS
    from endoxa.instruments.pairs.estimates.statistics import KINDS
    from endoxa.instruments.pairs.rules import RULES

    pages = ("scoring-rules", "pairs", "identities")
    methods = "".join((ROOT / f"docs/methods/{page}.md").read_text() for page in pages)
    for name in (*RULES.all(), *STATISTICS.all()):
        kind = next((kind for kind in KINDS if name.endswith(f"_{kind}")), "")
        assert not kind or f"`{kind}`" in methods
        written = name.removesuffix(kind) + ("KIND" if kind else "")
        assert f"`{written}`" in methods, f"{name} is not in docs/methods/"
