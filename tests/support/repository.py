"""Where the repository lies: its manual, its benchmarks and its sources are read by tests."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
