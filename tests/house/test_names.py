"""Names say what they hold: words that say nothing are refused, but for the few that stand below."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.repository import ROOT

pytestmark = pytest.mark.slow

VAGUE = frozenset(
    (
        "one",
        "ones",
        "found",
        "own",
        "told",
        "known",
        "said",
        "held",
        "asked",
        "both",
        "taken",
        "given",
        "whole",
    )
)
SOURCES = (ROOT / "src", ROOT / "packages" / "endoxa-collect" / "src")
SHARE = 0.005
"""Most of all bound names that may be vague: attributes that templates, files or plug-ins name."""


def bound_names(tree: ast.AST) -> Iterator[str]:
    """Parameters, variables, functions, classes and annotated attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def is_vague(name: str) -> bool:
    return not VAGUE.isdisjoint(name.lower().split("_"))


def names_of(path: Path) -> list[str]:
    return list(bound_names(ast.parse(path.read_text(encoding="utf-8"))))


def test_names_say_what_they_hold() -> None:
    paths = [path for folder in SOURCES for path in folder.rglob("*.py") if "migrations" not in path.parts]
    counts = {path: names_of(path) for path in paths}
    vague = Counter(
        f"{path.relative_to(ROOT)}: {name}"
        for path, names in counts.items()
        for name in names
        if is_vague(name)
    )
    share = vague.total() / sum(map(len, counts.values()))
    assert share <= SHARE, f"{share:.2%} of all names are vague: {', '.join(sorted(vague))}"


def test_a_vague_name_is_seen() -> None:
    tree = ast.parse("def take_found(told, row):\n    own_words: int = 1\n    for one in row: whole = one\n")
    assert [name for name in bound_names(tree) if is_vague(name)] == [
        "take_found", "told", "own_words", "one", "whole",
    ]  # fmt: skip
