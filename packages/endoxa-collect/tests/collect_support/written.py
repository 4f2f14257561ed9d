"""What people write, by language: the tables of entry/written.toml, which the tests of several rooms read."""

from __future__ import annotations

import tomllib
from pathlib import Path

TABLES = tomllib.loads((Path(__file__).parents[1] / "entry" / "written.toml").read_text(encoding="utf-8"))


def rows(name: str) -> list[tuple[str, list[object]]]:
    """Each language of a table, "name" or "name.part", with what stands there."""
    table = TABLES
    for part in name.split("."):
        table = table[part]
    return list(table.items())
