"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with published data and reference scores; tests that need it skip where it is absent."""
    named = os.environ.get("ENDOXA_SHARED")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared"
    if not (folder / "data").is_dir():
        pytest.skip(f"shared reference data not found at {folder} (set ENDOXA_SHARED to its folder)")
    return folder
