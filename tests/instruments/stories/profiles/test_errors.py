"""People against extractors: the sheet, and error rates."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from openpyxl import load_workbook
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.instruments.stories.coding import Coding, draw, error_table, read_sheet, story_key, write_sheet
from endoxa.models.chat.simulated.stories import read_profile_line
from endoxa.schema.stories import CONFUSION_COLUMNS, EXTRACTION_ERROR_COLUMNS
from endoxa.sources.stereotales.profiles import UNKNOWN
from endoxa.sources.stereotales.stories import story_names
from endoxa.sources.stereotales.vocabulary import read_vocabulary
from support.story_runs import extracted, prompts, told

VOCABULARY = read_vocabulary()
TELLER = "sim/teller?refusal=0.05"
ONE_BAD = ("sim/reader-a?error=0.2&unknown=0.1&noise=0&refusal_error=0.02",)


def test_error_rates_of_a_worked_example() -> None:
    # Person: red 6 (4 right, 1 blue, 1 unknown), blue 2 (right), unknown 4 (3 right, 1 red).
    pairs = [(0, 0)] * 4 + [(0, 1), (0, 2)] + [(1, 1)] * 2 + [(2, 2)] * 3 + [(2, 0)]
    answers = ("red", "blue", UNKNOWN)
    named = [(answers[person], answers[ours]) for person, ours in pairs]
    (row,) = error_table({"colour": named}, 0.95).to_dicts()
    assert tuple(row) == tuple(EXTRACTION_ERROR_COLUMNS)
    assert (row["n"], row["errors"], row["n_known"], row["n_unknown"]) == (12, 3, 8, 4)
    rates = {"error_rate": 0.25, "missed": 0.125, "swapped": 0.125, "invented": 0.25}
    assert {name: row[name] for name in rates} == rates
    # Wilson for 3 of 12 at 95 %: statsmodels gives 0.0889 to 0.5323.
    assert (row["low"], row["high"]) == pytest.approx((0.0889, 0.5323), abs=5e-5)
    assert row["kappa"] == pytest.approx((9 / 12 - 52 / 144) / (1 - 52 / 144))


def test_every_model_and_language_gives_as_many_stories_and_none_without_words() -> None:
    """Of three models in two languages; of the first there are five times as many."""
    rows = [
        (f"p{k}", f"m{m}", f"l{n}", 1, " " if k == 3 else f"S{k}")
        for m, n in product(range(3), range(2))
        for k in range(100 if m == 0 else 20)
    ]
    names = ("sample_id", "generator_model", "language", "repeat", "story")
    records = pl.DataFrame(rows, schema=names, orient="row")
    every = draw(records, 1000, 0)
    assert len(every) == len(records) - 6 == every["story_key"].n_unique()
    drawn, other = draw(records, 32, 0), draw(records, 32, 1)
    assert drawn.equals(draw(records.sample(fraction=1, shuffle=True, seed=9), 32, 0))
    assert set(drawn["story_key"]) != set(other["story_key"])
    keys = pl.Series("story_key", [story_key(name) for name in story_names(records)])
    keyed = drawn.join(records.with_columns(keys), on="story_key")
    counts = keyed.group_by("generator_model", "language").len()["len"]
    assert counts.sort().to_list() == [5, 5, 5, 5, 6, 6]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    stories = told(folder, prompts(["age", "gender"], 16), TELLER)
    return extracted(folder, stories, ONE_BAD)


def coded_by_hand(sheet: Path, filled: Path) -> None:
    """What a person who never errs writes into the sheet."""
    book = load_workbook(sheet)
    page = book["Coding"]
    header = [cell.value for cell in page[1]]
    for row in page.iter_rows(min_row=2):
        profile = read_profile_line(row[header.index("story")].value)
        answers = {"refusal": "yes"} if profile is None else {"refusal": "No ", **profile}
        for place, name in enumerate(header[3:], start=3):
            row[place].value = answers.get(name, "" if profile is None else UNKNOWN)
    book.save(filled)


@pytest.mark.slow
def test_a_workbook_goes_out_and_comes_back_and_planted_errors_are_found(tmp_path: Path, run: Path) -> None:
    sheet, filled = tmp_path / "check.xlsx", tmp_path / "filled.xlsx"
    number = write_sheet(run, VOCABULARY, sheet, sample=1000, seed=0)
    assert number == pl.read_parquet(run / "records.parquet").height == 144
    book = load_workbook(sheet)
    assert book.active.title == "Read this first"
    assert "Content notice" in book.active["A1"].value
    choices = {str(cells.sqref): cells.formula1 for cells in book["Coding"].data_validations.dataValidation}
    assert (len(choices), choices["E2:E145"]) == (20, "Lists!$B$2:$B$8")
    # Neither the model nor the prompt nor what extractors read is on the sheet.
    text = json.dumps([[cell.value for cell in row] for row in book["Coding"].iter_rows(max_col=3)])
    assert "sim/" not in text
    coded_by_hand(sheet, filled)
    words = ["analyze", "run", str(run), "--human", str(filled), "-o", str(tmp_path / "tables")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "144 stories coded by hand" in result.output
    confusion, errors = (pl.read_csv(tmp_path / f"tables/{name}.csv") for name in ("confusion", "errors"))
    assert tuple(confusion.columns) == tuple(CONFUSION_COLUMNS)
    assert errors.filter(attribute="refusal")["n"].item() == 144
    assert confusion.filter(attribute="refusal", human="yes")["count"].sum() > 0
    total = errors.filter(pl.col("attribute") != "refusal")
    assert total.height == 19
    known = total["n_known"].sum()
    swapped, missed = ((total[name] * total["n_known"]).sum() / known for name in ("swapped", "missed"))
    assert swapped == pytest.approx(0.2, abs=0.03)
    assert missed == pytest.approx(0.1, abs=0.03)
    assert total["invented"].sum() == 0


def test_a_sheet_with_semicolons_and_the_mark_of_a_spreadsheet(tmp_path: Path) -> None:
    names = ["story_key", "language", "story", "refusal", *(one.name for one in VOCABULARY)]
    cells = {"story_key": "k", "story": '"A walk; by ""the"" sea."', "gender": "woman"}
    row = ";".join(cells.get(name, "") for name in names)
    path = tmp_path / "sheet.csv"
    path.write_text(f"\ufeff{';'.join(names)}\r\n{row}\r\n", encoding="utf-8", newline="")
    assert read_sheet(path, VOCABULARY) == {"k": Coding(False, {"gender": "woman"})}
