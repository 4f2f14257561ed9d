"""One finished run of sentence pairs, for what is refused afterwards."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from endoxa.instruments.pairs.instrument import PAIRS
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.runs.run import measure


@pytest.fixture(scope="session")
def finished_run(tiny: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `pairs.csv`, the model `models/causal`, and `run`, the finished run of them."""
    home = tmp_path_factory.mktemp("finished")
    shutil.copytree(tiny["causal"], home / "models" / "causal")
    text = "item_id,sent_more,sent_less\na,Bakers are patient.,Bakers are loud.\nb,Men sing.,Women sing.\n"
    (home / "pairs.csv").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(home)
        asked = PairsSettings(data="pairs.csv", models=("hf/models/causal",), rules=("sum",))
        measure(PAIRS, asked, Path("run"))
    return home
