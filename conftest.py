"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import os
import ssl
from collections import Counter
from functools import cache
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

# Each client of a server would read all certificates anew: 0.04 seconds, hundreds of times.
ssl.create_default_context = cache(ssl.create_default_context)

# Thousands of tests and their libraries are a large heap: looking through it for garbage again and again takes a good
# part of the time. It is looked through once, after the collection, and from then on only what is newer.
gc.disable()


def pytest_collection_finish() -> None:
    """From here on garbage is collected again, but for what is there for good.

    And seldom: most of what a test makes is gone before it has made fifty thousand objects more.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    gc.enable()


MARKED_BY_FIXTURE = {"shared": "reference", "browser": "browser", "smollm2": "real"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures they use, and let files with slow tests begin first.

    With `--dist loadfile --no-loadscope-reorder` a long file that began last would keep one worker busy alone.
    """
    for item in items:
        for fixture in set(getattr(item, "fixturenames", ())) & MARKED_BY_FIXTURE.keys():
            item.add_marker(MARKED_BY_FIXTURE[fixture])
    weights = Counter(
        item.path for item in items if item.get_closest_marker("slow") or item.get_closest_marker("browser")
    )
    items.sort(key=lambda item: -weights[item.path])


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with published data and reference scores.

    Where it is absent, tests that need it skip; on CI, and where `ENDOXA_SHARED` names a folder, they fail. GitHub's
    own machines cannot have it: published files are not ours to store there.
    """
    named = os.environ.get("ENDOXA_SHARED")
    folder = Path(named) if named else Path(__file__).parents[1] / "shared"
    if (folder / "data").is_dir():
        return folder
    missing = (
        f"There is no reference data at {folder / 'data'}. Set ENDOXA_SHARED to the folder that holds 'data'."
    )
    if named or ("CI" in os.environ and "GITHUB_ACTIONS" not in os.environ):
        pytest.fail(missing, pytrace=False)
    pytest.skip(missing)


@pytest.fixture(scope="session")
def smollm2() -> str:
    """SmolLM2-135M-Instruct as the command line names it, where its package is installed."""
    from endoxa.models.spec import PACKAGED, SMOLLM2

    if PACKAGED[SMOLLM2].file is None:
        pytest.skip(f"There is no real model: {PACKAGED[SMOLLM2].install}.")
    return SMOLLM2


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of tiny random models, one for each architecture."""
    from support import tiny

    home = tmp_path_factory.mktemp("models")
    return {name: make(home / name) for name, make in tiny.MAKERS.items()}


@pytest.fixture(scope="session")
def tiny_models(tiny: dict[str, Path]) -> dict[str, object]:
    """The same models, loaded."""
    from endoxa.models.scoring import open_model, parse_model
    from endoxa.models.spec import ModelOptions

    return {name: open_model(parse_model(f"hf/{folder}"), ModelOptions()) for name, folder in tiny.items()}


@pytest.fixture
def nothing_reviewed(monkeypatch):
    """The language files as if no speaker had checked one of them, whatever reviews are on record."""
    from endoxa.words import state

    monkeypatch.setattr(state, "read_reviews", lambda: ())
