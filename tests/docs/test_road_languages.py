"""The whole road in other languages than English: the lines of the manual, in each language."""

from __future__ import annotations

import re
import shutil

import polars as pl
import pytest

from support.repository import ROOT
from support.tutorials import run

PAGE = ROOT / "docs/road-languages.md"
SCRIPT = re.search(r"```bash\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["hi", "sw"])
def test_what_people_say_reaches_every_instrument(language, tmp_path, shared):
    shutil.copytree(ROOT / "examples/surveys", tmp_path / "examples/surveys")
    (tmp_path / language).mkdir()
    printed = ""
    for line in SCRIPT[1].splitlines():
        printed += run(line.replace("$LANGUAGE", language).replace("../shared", str(shared)), tmp_path)
    out = tmp_path / language
    said = pl.read_csv(tmp_path / f"examples/surveys/{language}.csv")
    statements = pl.read_csv(out / "statements.csv")
    associations = pl.read_csv(out / "associations.csv")
    pairs = pl.read_csv(out / "pairs.csv")
    assert statements["attribute"].is_not_null().all()
    assert associations["support"].max() <= said["person"].n_unique()
    assert pairs.height >= 0.9 * associations.height, printed
    questions = len((out / "questions.jsonl").read_text(encoding="utf-8").splitlines())
    assert questions >= 0.65 * associations.height  # an axis with one group only has no second person
    assert set(pairs["association_id"]) <= set(associations["association_id"])
    assert set(pairs["language"]) == {language}
    for run_folder in ("pairs", "questions", "tests", "stories"):
        assert (out / run_folder / "report.html").exists() or run_folder == "stories"
    shutil.rmtree(out)
