"""What commands of this room refuse: the table `refusals.toml` beside this file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.gate_runs import pairs, write_run
from support.refusals import Refusal, assert_refused, refusals


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two small runs of the same pairs: `base` and `alike`."""
    home, items = tmp_path_factory.mktemp("refused"), pairs(6, 2, ("work", "age"))
    for seed, name in enumerate(("base", "alike")):
        write_run(home / name, items, np.ones(len(items)), model=f"hf/{name}", seed=seed)
    return home


@pytest.mark.parametrize("row", refusals(__file__))
def test_a_refusal_is_one_sentence_and_loses_nothing(row: Refusal, request: pytest.FixtureRequest) -> None:
    assert_refused(row, request)
