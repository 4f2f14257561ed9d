"""No table that people open in a spreadsheet holds a formula of somebody else, and none loses a text."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.sources.frames import read_table, write_table
from endoxa.sources.spreadsheets import csv_text, neutralised, read_csv, restored

NASTY = (
    "=1+1",
    "+41 79",
    "-2+3",
    "@sum",
    "\t=1",
    " =1",
    "'=1",
    "''=1",
    "\r=x",
    "\n=1",
    "＝1",
    '"=1',
    "-1.5;=1",
)
"""What spreadsheet programs run, as OWASP lists it, also behind what they leave out."""
PLAIN = ("mate", "'tis", "1-2", "", "'", "a=b", "’=1", "AR; CL", "a;b;'c")
NUMBERS = ("-1.5", "+0.3", "-3,5 %", "-1e-05", "-0.3 to -0.1")


@pytest.mark.parametrize("text", NASTY)
def test_formulas_are_neutralised_also_behind_semicolons(text: str) -> None:
    assert neutralised(text)[:1] == "'" or text.startswith("-1.5")
    assert "=1" not in (neutralised(text), *neutralised(text).split(";"))
    assert neutralised(f"mate;{text};tea").startswith("mate;'") or text.startswith("-1.5")
    for whole in (text, f"mate;{text};tea"):
        assert restored(neutralised(whole)) == whole


@pytest.mark.parametrize("text", [*PLAIN, *NUMBERS])
def test_numbers_and_other_words_stay_as_they_are(text: str) -> None:
    assert neutralised(text) == text == restored(text)


@pytest.mark.slow
@given(st.text(alphabet=st.sampled_from("'\";=+-@\t\r ax1.\x1c")) | st.text())
def test_every_text_survives(text: str) -> None:
    written = neutralised(text)
    assert restored(written) == text
    for cell in written.split(";"):
        if not cell.lstrip("+-").replace(".", "", 1).replace("%", "").strip().isdecimal():
            assert not cell.lstrip(' \t\r\n"').startswith(("=", "+", "-", "@"))


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
@pytest.mark.parametrize("kind", [pl.String, pl.Enum(NASTY)])
def test_tables_are_safe_in_a_spreadsheet_and_come_back(
    tmp_path: Path, suffix: str, kind: pl.DataType
) -> None:
    table = pl.DataFrame({"=HYPERLINK(1)": pl.Series(NASTY, dtype=kind), "value": [-1.5] * len(NASTY)})
    path = tmp_path / f"table.{suffix}"
    write_table(table, path)
    separator = "\t" if suffix == "tsv" else ","
    with path.open(encoding="utf-8", newline="") as stream:
        written = list(csv.reader(stream, delimiter=separator))
    assert all(
        cell[0] == "'" or cell == "-1.5" or cell.startswith("-1.5;'") for row in written[1:] for cell in row
    )
    assert written[0] == ["'=HYPERLINK(1)", "value"]
    again = read_csv(path, separator=separator)
    assert again["=HYPERLINK(1)"].to_list() == list(NASTY)
    assert again["value"].to_list() == [-1.5] * len(NASTY)
    assert read_table(path)["=HYPERLINK(1)"].to_list() == list(NASTY)
    assert list(csv.reader(io.StringIO(csv_text(table), newline=""))) == written
