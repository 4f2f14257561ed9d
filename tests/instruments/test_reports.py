"""Tables for papers: CSV of all estimates, Markdown and LaTeX escaped."""

from __future__ import annotations

import math
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.instruments.pairs.estimates import analyze_pairs
from endoxa.instruments.pairs.estimates.records import load_records
from endoxa.instruments.reports import write_report
from endoxa.report.tables import escape_latex, escape_markdown
from endoxa.schema import ESTIMATE_COLUMNS
from support.report_samples import pairs, run_folder, scored

pytestmark = pytest.mark.slow

MODEL = "hf/we_like/50%_of|a&b"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    records = pl.concat([scored(pairs(30), MODEL, "pll", 0.9), scored(pairs(30), "hf/plain", "pll", 0.5)])
    return run_folder(tmp_path_factory.mktemp("runs") / "one", records)


def test_csv_holds_every_estimate_or_the_table_that_matters(run: Path, tmp_path: Path) -> None:
    """A row for each model and table of the paper, with the shares of its axes: 0.9 was planted."""
    every = write_report([run], tmp_path / "e.csv", format="estimates", confidence=0.99)
    read = pl.read_csv(every, infer_schema_length=None)
    expected = analyze_pairs(load_records([run]), confidence=0.99).estimates
    assert read.columns == ["data", *ESTIMATE_COLUMNS]
    assert (read["data"].unique().to_list(), read["confidence"].unique().to_list()) == (["sample"], [0.99])
    assert read["name"].to_list() == expected["name"].to_list()
    for ours, theirs in zip(read["value"], expected["value"], strict=True):
        assert math.isclose(float(ours), theirs, rel_tol=1e-12) or math.isnan(theirs)
    table = pl.read_csv(write_report([run], tmp_path / "t.csv"), infer_schema_length=None)
    assert table.height == 3 * 2
    assert any(share.startswith("90.0") for share in table["all axes"])


@given(st.text())
def test_latex_escape_leaves_no_active_character(text: str) -> None:
    escaped = escape_latex(text)
    plain = re.sub(r"\\(?:text[a-z]+|dots|dag)\{\}|\$(?:-|\\leq|\\pm|\\times)\$|\\[&%$#_{}]", "", escaped)
    assert not set(plain) & set("\\&%$#_{}^<>|\n")


@given(st.text())
def test_markdown_escape_keeps_a_cell_a_cell(text: str) -> None:
    escaped = escape_markdown(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*\|", escaped)
    assert "\n" not in escaped
    assert re.sub(r"\\([\\`*_{}\[\]<>|~#])", r"\1", escaped) == text.replace("\n", " ")
