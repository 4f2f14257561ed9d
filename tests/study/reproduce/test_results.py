"""Results whose data are at hand, with real figures; in each a planted error must be found."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.study.reproduce import RESULTS, reproduce
from endoxa.study.reproduce.run import papers


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "data", "counts"),
    [
        ("arithmetic", None, (54, 11, 0, 0)),
        ("bbq-unifiedqa", "bbq", (4, 0, 0, 0)),
        ("stereotales-associations", "stereotales", (3, 0, 1, 9)),
        ("afristereo-composition", "afristereo", (0, 3, 10, 12)),
        ("indibias-composition", "indibias", (0, 0, 12, 0)),
    ],
)
def test_cells_agree_differ_cannot_be_compared_and_were_not_computed(shared, tmp_path, name, data, counts):
    found = reproduce(RESULTS.get(name), data and shared / "data" / data, tmp_path / "out")
    told = found.facts["counts"]
    assert tuple(told[each] for each in ("agrees", "differs", "not-comparable", "not-computed")) == counts
    assert all(len(why) > 2 for why in found.cells.filter(pl.col("verdict") != "agrees")["why"])
    assert all(len(each["sha256"]) == 64 for each in found.facts["files"])
    assert (found.folder / "cells.csv").is_file()
    assert found.finding in (found.folder / "report.html").read_text(encoding="utf-8")


def test_arithmetic_by_hand(tmp_path):
    """Two known slips of Pelosio et al.'s table 3; StereoTales' 784 is a sum; IndiBias' mean of MuRIL in English."""
    found = reproduce(RESULTS.get("arithmetic"), None, tmp_path / "out")
    cells = {(row["table"], row["cell"]): row for row in found.cells.to_dicts()}
    slips = [
        cell
        for (table, cell), row in cells.items()
        if table == "Name-based BBQ, table 3" and row["verdict"] == "differs"
    ]
    assert slips == ["GPT-4o, Nationality", "GPT-4o-mini, Name"]
    assert all(
        row["verdict"] == "agrees" for (table, _), row in cells.items() if table == "Name-based BBQ, table 6"
    )
    assert cells["Name-based BBQ, table 6", "GPT-4o, Ambiguous"]["ours"] == pytest.approx(0.034 / 0.050)
    assert cells["StereoTales, associations", "global associations"]["ours"] == 784
    for share in ("Gender", "Religion"):  # 542 + 163 pairs, not 542 + 258
        row = cells["IndiBias, 4.2", f"pairs from tuples, by the share of {share}"]
        assert (row["verdict"], round(row["ours"])) == ("differs", 163)
    assert cells["AfriStereo, 6.1.1", "largest p-value of the nine significant models"]["ours"] == 0.0053
    shares = (0.3503, 0.1914, 0.1446, 0.1106, 0.0865, 0.0737, 0.0425)
    weighted = np.average([52.55, 61.12, 61.25, 49.69, 44.07, 51.82, 75.69], weights=shares)
    muril = cells["IndiBias, table 2", "ICS (mean), English, Muril"]
    assert muril["ours"] == pytest.approx(weighted, abs=1e-9)
    assert cells["LACES, 5.3", "reduction by explanation, LACES, percent"]["ours"] == pytest.approx(
        100 * (30 / 53 + 16 / 68 + 17 / 55) / 3
    )


def test_a_folder_of_another_result_is_left_alone(tmp_path):
    for _ in range(2):  # the same result again
        reproduce(RESULTS.get("arithmetic"), None, tmp_path / "out")
    with pytest.raises(UserError, match="than a reproduction of 'bbq-unifiedqa'"):
        reproduce(RESULTS.get("bbq-unifiedqa"), tmp_path, tmp_path / "out")


def test_finished_reproductions_are_counted(shared, tmp_path):
    before = {paper.name: paper for paper in papers(tmp_path)}
    data = shared / "data" / "afristereo"
    reproduce(RESULTS.get("afristereo-composition"), data, tmp_path / "afristereo-composition")
    after = {paper.name: paper for paper in papers(tmp_path)}
    assert before["LACES"] == after["LACES"]
    assert after["AfriStereo"].printed == before["AfriStereo"].printed
    assert after["AfriStereo"].differ == before["AfriStereo"].differ + 3
    # Gender, Age and Religion of table 5; the countries and genders of table 2: what arithmetic implies counts already.
    assert after["AfriStereo"].reasons["the file holds 59 of the 107 respondents"] == 3 + 5
    assert not any("afristereo-composition was not run" in why for why in after["AfriStereo"].reasons)
