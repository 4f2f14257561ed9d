"""Laws of comparisons and of the gate that hold whatever the runs hold."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import endoxa as ex
from endoxa.instruments.questions.estimates.answers import load_answers
from support.gate_runs import pairs, write_run
from support.report_qa_samples import Lean, qa_folder, questions, records

ITEMS = pairs(8, 4, ("work", "age"))
MIRRORED = {"above": "below", "below": "above"}


SIDES = st.lists(st.sampled_from([-1, 0, 1, 1]), min_size=ITEMS.height, max_size=ITEMS.height)
"""For each pair whether the stereotypical sentence wins, or neither."""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def write(tmp_path_factory):
    """Writes two runs of the same pairs into a new folder, and returns the folders of the runs."""

    def written(first: list[int], second: list[int]) -> tuple[Path, Path]:
        folder = tmp_path_factory.mktemp("laws")
        return (
            write_run(folder / "a", ITEMS, np.array(first), model="hf/a", seed=1),
            write_run(folder / "b", ITEMS, np.array(second), model="hf/b", seed=2),
        )

    return written


def changes(*folders: Path) -> pl.DataFrame:
    table = ex.compare(*folders).changes
    return table.sort([name for name in ("measure", "axis", "identity") if name in table.columns])


@settings(max_examples=12, deadline=None)
@given(SIDES, SIDES)
def test_the_other_way_round_every_change_has_the_other_sign(write, first, second):
    a, b = write(first, second)
    there, back = changes(a, b), changes(b, a)
    assert there["difference"].to_list() == pytest.approx(
        [-value for value in back["difference"]], nan_ok=True
    )
    assert there["low"].to_list() == pytest.approx([value and -value for value in back["high"]], nan_ok=True)
    assert there["p_value"].to_list() == pytest.approx(back["p_value"].to_list(), nan_ok=True)
    assert there["verdict"].to_list() == [MIRRORED.get(verdict, verdict) for verdict in back["verdict"]]


@settings(max_examples=8, deadline=None)
@given(SIDES, SIDES, st.integers(0, 99))
def test_the_order_of_records_changes_nothing(write, first, second, seed):
    a, b = write(first, second)
    before = changes(a, b), ex.gate(a, b, margin=0.1)
    records_of_b = pl.read_parquet(b / "records.parquet")
    records_of_b.sample(fraction=1, shuffle=True, seed=seed).write_parquet(b / "records.parquet")
    assert changes(a, b).equals(before[0], null_equal=True)
    assert ex.gate(a, b, margin=0.1).to_dict() == before[1].to_dict()


@settings(max_examples=8, deadline=None)
@given(SIDES, st.sampled_from([0, 0.02, 0.3]), st.sampled_from([1, 8]))
def test_the_same_scores_pass_at_any_margin_and_whatever_the_number_of_identities(
    tmp_path_factory, sides, margin, identities
):
    folder, items = tmp_path_factory.mktemp("same"), pairs(identities, 32 // identities, ("work", "age"))
    a = write_run(folder / "a", items, np.array(sides))
    again = shutil.copytree(a, folder / "again")
    found = ex.gate(a, again, margin=margin)
    assert found.verdict == "pass"
    assert {(test.low, test.high) for test in found.tests} == {(0, 0)}


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 99), st.floats(0, 0.02), st.sampled_from([0, 0.1]))
def test_the_same_answers_pass(tmp_path_factory, seed, refused, margin):
    """Few refuse: of a test in which more than a tenth of the items has no value the gate decides nothing."""
    folder, asked = tmp_path_factory.mktemp("answers"), questions()
    table = records(asked, {"sim/a": Lean(refused=refused)}, seed=seed)
    a = qa_folder(folder / "a", asked, table, "Town")
    assert ex.gate(a, shutil.copytree(a, folder / "again"), margin=margin).passed


HASHED = """
import sys
import endoxa as ex
a, b = sys.argv[1:]
print(ex.compare(a, b).changes.write_json(), ex.compare(a, b).items.write_json(), ex.gate(a, b, margin=0.1).to_dict())
"""


def test_the_hash_seed_changes_nothing(write):
    sides = np.random.default_rng(0).choice([-1, 0, 1], (2, ITEMS.height))
    folders = [str(folder) for folder in write(*sides.tolist())]
    printed = {
        subprocess.run(
            [sys.executable, "-c", HASHED, *folders],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


@pytest.mark.parametrize("lean", [0.55, 0.7, 0.95])
def test_answers_that_were_not_read_make_no_p_value_smaller(tmp_path, lean):
    """Each question is asked once more, and the answer cannot be read."""
    asked = questions()
    table = records(asked, {"sim/a": Lean(lean, 0.8, 0.1)}, seed=3)
    unread = table.with_columns(
        repeat=pl.lit(2, table["repeat"].dtype), outcome=pl.lit("unparsed"), choice=None
    )
    estimates = []
    for name, answers in (("read", table), ("more", pl.concat([table, unread], how="vertical_relaxed"))):
        folder = qa_folder(tmp_path / name, asked, answers, "Town")
        rows = ex.analyze("qa", load_answers([folder])).estimates.filter(pl.col("name") == "lean")
        estimates.append(rows.sort("category", "context_condition")["p_value"].to_list())
    assert all(more is None or more >= p - 1e-12 for p, more in zip(*estimates, strict=True))
