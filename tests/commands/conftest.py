"""The program as a user meets it, and files that several commands are given."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from endoxa import commands
from endoxa.instruments.association_tests.items import write_tests
from endoxa.sources.bbq.rows import write_items
from support.association_samples import random_test
from support.name_samples import NAMES, question

CONTEXT = "A Veldish friend met a Tamori friend."
FRIENDS = ("The Veldish friend", "The Tamori friend")


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def endoxa(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run the program as a user does, in this process (a new one takes seconds to load torch)."""

    def run(*words: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["endoxa", *map(str, words)])
        terminated = signal.getsignal(signal.SIGTERM)
        code = 0
        try:
            commands.main()
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            signal.signal(signal.SIGTERM, terminated)
        return Ran(code, *capsys.readouterr())

    return run


@pytest.fixture
def tests_and_vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tests and their vectors, as files."""
    folder = tmp_path_factory.mktemp("tests")
    rng = np.random.default_rng(0)
    pairs = [random_test(rng, name) for name in ("weavers", "potters", "smiths")]
    vectors = {text: vector for _, of_test in pairs for text, vector in of_test.items()}
    write_tests([test for test, _ in pairs], folder / "tests.json")
    rows = np.stack(list(vectors.values())).astype("f4")
    np.savez(folder / "v.npz", texts=np.array(list(vectors)), vectors=rows)
    return folder


@pytest.fixture
def questions_and_bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions of which the second cannot be written with names, and a bank with the words for their groups."""
    folder = tmp_path_factory.mktemp("names")
    whole_groups = question(
        "Veldish people met Tamori people.", ("Veldish people", "Tamori people"), number=1
    )
    write_items([question(CONTEXT, FRIENDS), whole_groups], folder / "items.jsonl")
    entries = [
        {"group": group, "gender": gender, "name": name}
        for group, of_group in NAMES.items()
        for gender, names in zip(("female", "male"), of_group, strict=True)
        for name in names
    ]
    pl.DataFrame(entries).write_csv(folder / "bank.csv")
    return folder
