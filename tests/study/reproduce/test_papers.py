"""What five papers print: every number of their tables once, and what became of it."""

from __future__ import annotations

from endoxa.study.reproduce import RESULTS, reproduce
from endoxa.study.reproduce.run import papers


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
