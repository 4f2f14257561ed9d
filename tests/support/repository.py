"""Where the repository lies: its manual, its benchmarks and its sources are read by tests."""

from os import pathsep
from pathlib import Path

ROOT = Path(__file__).parents[2]
SITE_TESTS = ROOT / "packages" / "endoxa-collect" / "tests"
"""Tests of the campaign site, whose `collect_support` others use."""
SUPPORT_PATH = f"{ROOT / 'tests'}{pathsep}{SITE_TESTS}"
"""For `PYTHONPATH` of processes that import `support` or `collect_support`."""
