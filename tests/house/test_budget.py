"""Rooms keep to their lines: `budget.toml` says how many each may have, and why where it grew."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from support.repository import ROOT

pytestmark = pytest.mark.slow

BUDGET = Path(__file__).with_name("budget.toml")
TOOLKIT = ROOT / "src" / "endoxa"
SITE = ROOT / "packages" / "endoxa-collect" / "src" / "endoxa_collect"


def code_lines(text: str) -> int:
    """Lines that are neither blank, nor a comment, nor part of a docstring."""
    docstrings = set[int]()
    for node in ast.walk(ast.parse(text)):
        if (
            not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            or not node.body
        ):
            continue
        first = node.body[0]
        if (
            isinstance(first, ast.Expr)
            and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)
        ):
            docstrings.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(
        1 for number, line in lines if line.strip() and line.strip()[0] != "#" and number not in docstrings
    )


def room(path: Path) -> str:
    """The folder (or module) of the toolkit that a file belongs to, an instrument each; the site is one room."""
    if path.is_relative_to(SITE):
        return "site"
    parts = path.relative_to(TOOLKIT).with_suffix("").parts
    return ".".join(parts[: 2 if parts[0] == "instruments" and len(parts) > 2 else 1])


def test_no_room_is_larger_than_its_budget() -> None:
    budget = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    paths = [
        path for folder in (TOOLKIT, SITE) for path in folder.rglob("*.py") if "migrations" not in path.parts
    ]
    lines = Counter[str]()
    for path in paths:
        name = room(path)
        lines[name if name in budget else "small rooms"] += code_lines(path.read_text(encoding="utf-8"))
    measured = {**lines, "all": lines.total(), "modules": len(paths)}
    larger = {name: (count, budget[name]) for name, count in measured.items() if count > budget[name]}
    assert not larger, (
        f"rooms with (lines, budget): {larger}; make them smaller, or say in {BUDGET.name} why not"
    )


def test_only_code_counts() -> None:
    lines = ['"""Two', 'lines."""', "", "# a comment", "NAMES = (", "    1,", ")", "", "def double(x):"]
    lines += ['    """Docstring."""', "    return 2 * x"]
    assert code_lines("\n".join(lines)) == 5
