"""Benchmarks find what they import: nothing else runs them between two releases."""

from __future__ import annotations

import ast
import importlib
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.repository import ROOT

PEERS = {"lm_eval", "minicons", "locust"}
"""Of the extra `bench`, which the tests do without."""


def imported(path: Path) -> set[tuple[str, str]]:
    """Modules with the names taken from them, also where a function imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {(one.name, "") for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {(node.module or "", one.name) for one in node.names}
    return {(module, name) for module, name in found if module.partition(".")[0] not in PEERS}


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").rglob("*.py")), ids=lambda path: path.stem)
def test_benchmarks_import_what_is_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")  # they import each other
    for module, name in imported(path):
        if module.startswith(("endoxa", "support", "benchmarks")) and not module.startswith("endoxa_collect"):
            loaded = importlib.import_module(module)
            assert not name or hasattr(loaded, name) or find_spec(f"{module}.{name}"), f"{module}: {name}"
        else:
            assert find_spec(module), module
