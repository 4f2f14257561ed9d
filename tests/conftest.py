"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

# Tests run one worker per core: threads of each would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

# No test asserts on time: a busy machine is slow, not wrong. On CI the same commit always sees the same examples;
# `pytest --hypothesis-profile search` looks for new ones.
settings.register_profile("endoxa", deadline=None, derandomize="CI" in os.environ)
settings.register_profile("search", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile("endoxa")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with published data and reference scores; tests that need it skip where it is absent."""
    named = os.environ.get("ENDOXA_SHARED")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared"
    if not (folder / "data").is_dir():
        pytest.skip(f"shared reference data not found at {folder} (set ENDOXA_SHARED to its folder)")
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of tiny random models, one for each architecture."""
    from support import tiny

    home = tmp_path_factory.mktemp("models")
    return {name: make(home / name) for name, make in tiny.MAKERS.items()}


@pytest.fixture(scope="session")
def tiny_models(tiny: dict[str, Path]) -> dict[str, object]:
    """The same models, loaded."""
    from endoxa.models import ModelOptions, open_model, parse_model

    return {name: open_model(parse_model(f"hf/{folder}"), ModelOptions()) for name, folder in tiny.items()}
