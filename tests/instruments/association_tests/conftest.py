"""An encoder and tests, for what is refused of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from endoxa.instruments.association_tests.items import write_tests
from endoxa.schema import AssociationTest, TermSet


@pytest.fixture(scope="session")
def an_encoder(tiny: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the encoder `models/masked` and `tests.json`, whose only test is in English."""
    home = tmp_path_factory.mktemp("encoder")
    shutil.copytree(tiny["masked"], home / "models" / "masked")
    sets = [TermSet(name, tuple(f"{name} {k}." for k in range(3))) for name in ("x", "y", "a", "b")]
    write_tests([AssociationTest("t", *sets, language="en")], home / "tests.json")
    return home
