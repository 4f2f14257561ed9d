"""People against extractors: the sheet, and error rates."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from openpyxl import load_workbook
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.instruments.stories.coding import (
    Coding,
    analyze_extraction,
    draw,
    error_table,
    load_extraction,
    read_sheet,
    write_sheet,
)
from endoxa.models.chat.simulated.stories import read_profile_line
from endoxa.schema.stories import CONFUSION_COLUMNS, EXTRACTION_ERROR_COLUMNS
from endoxa.sources.stereotales.profiles import UNKNOWN
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
    assert [row[name] for name in ("error_rate", "missed", "swapped", "invented")] == [
        0.25,
        0.125,
        0.125,
        0.25,
    ]
    # Wilson for 3 of 12 at 95 %: statsmodels gives 0.0889 to 0.5323.
    assert (row["low"], row["high"]) == pytest.approx((0.0889, 0.5323), abs=5e-5)
    assert row["kappa"] == pytest.approx((9 / 12 - 52 / 144) / (1 - 52 / 144))


# ------------------------------------------------------------------ the sheet


def some(models: int = 3, languages: int = 2, each: int = 20) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "sample_id": f"p{k}",
                "generator_model": f"m{m}",
                "language": f"l{n}",
                "repeat": 1,
                "story": f"S{k}",
            }
            for m in range(models)
            for n in range(languages)
            for k in range(each * (1 + 4 * (m == 0)))
        ]
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_every_model_and_language_gives_as_many_stories(seed: int) -> None:
    records = some()
    keyed = draw(records, 1000, 0)
    assert len(keyed) == len(records) == keyed["story_key"].n_unique()
    drawn = draw(records, 32, seed)
    assert len(drawn) == 32
    assert drawn.equals(draw(records.sample(fraction=1, shuffle=True, seed=9), 32, seed))
    of_key = {
        key: (model, language)
        for key, model, language in keyed.join(records.with_columns(draw_key(records)), on="story_key")
        .select("story_key", "generator_model", "language")
        .iter_rows()
    }
    counts = Counter(of_key[key] for key in drawn["story_key"])
    assert sorted(counts.values()) == [5, 5, 5, 5, 6, 6]


def draw_key(records: pl.DataFrame) -> pl.Series:
    from endoxa.instruments.stories.coding import story_key
    from endoxa.sources.stereotales.stories import story_names

    return pl.Series("story_key", [story_key(name) for name in story_names(records)])


def test_another_seed_draws_others_and_wordless_texts_are_never_drawn() -> None:
    records = some().with_columns(
        pl.when(pl.col("sample_id") == "p3").then(pl.lit(" ")).otherwise("story").alias("story")
    )
    first, second = draw(records, 60, 0), draw(records, 60, 1)
    assert set(first["story_key"]) != set(second["story_key"])
    assert len(draw(records, 1000, 0)) == len(records) - 6


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    stories = told(folder, prompts(["age", "gender"], 36), TELLER)
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
def test_a_workbook_goes_out_and_comes_back(tmp_path: Path, run: Path) -> None:
    sheet, filled = tmp_path / "check.xlsx", tmp_path / "filled.xlsx"
    assert write_sheet(run, VOCABULARY, sheet, sample=150, seed=0) == 150
    book = load_workbook(sheet)
    assert book.sheetnames == ["Coding", "Read this first", "Lists"]
    assert book.active.title == "Read this first"
    assert "Content notice" in book.active["A1"].value
    page, lists = book["Coding"], book["Lists"]
    choices = {str(one.sqref): one.formula1 for one in page.data_validations.dataValidation}
    assert len(choices) == 20
    assert choices["E2:E151"] == "Lists!$B$2:$B$8"
    ages = next(one for one in VOCABULARY if one.name == "age")
    assert tuple(cell.value for cell in lists["B"][1:8]) == ages.answers
    # Neither the model nor the prompt nor what extractors read is on the sheet.
    text = json.dumps([[cell.value for cell in row] for row in page.iter_rows(max_col=3)])
    assert "sim/" not in text
    coded_by_hand(sheet, filled)
    codings = read_sheet(filled, VOCABULARY)
    assert len(codings) == 150
    assert any(coding.refusal for coding in codings.values())


@pytest.mark.parametrize(("mark", "extra"), [("", ""), ("\ufeff", ""), ("", ";one;too;many")])
def test_a_sheet_with_semicolons(tmp_path: Path, mark: str, extra: str) -> None:
    names = ["story_key", "language", "story", "refusal", *(one.name for one in VOCABULARY)]
    cells = {"story_key": "k", "story": '"A walk; by ""the"" sea."', "gender": "woman"}
    row = ";".join(cells.get(name, "") for name in names)
    path = tmp_path / "sheet.csv"
    path.write_text(f"{mark}{';'.join(names)}\r\n{row}{extra}\r\n", encoding="utf-8", newline="")
    if extra:
        with pytest.raises(UserError, match="26 cells where there are 23 columns"):
            read_sheet(path, VOCABULARY)
    else:
        assert read_sheet(path, VOCABULARY) == {"k": Coding(False, {"gender": "woman"})}


def test_a_sheet_as_csv(tmp_path: Path, run: Path) -> None:
    sheet = tmp_path / "check.csv"
    write_sheet(run, VOCABULARY, sheet, sample=5, seed=0)
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    rows[0] |= {"gender": "Woman", "age": "adult (30–44)"}
    rows[1] |= {"refusal": "YES"}
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    codings = read_sheet(sheet, VOCABULARY)
    assert codings == {
        rows[0]["story_key"]: Coding(refusal=False, profile={"gender": "woman", "age": "adult (30-44)"}),
        rows[1]["story_key"]: Coding(refusal=True, profile={one.name: UNKNOWN for one in VOCABULARY}),
    }
    with pytest.raises(UserError, match="already exists and may contain answers"):
        write_sheet(run, VOCABULARY, sheet, sample=5, seed=0)
    with pytest.raises(UserError, match=r"not as '\.ods'"):
        write_sheet(run, VOCABULARY, tmp_path / "check.ods", sample=5, seed=0)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (
            {"gender": "lady"},
            "row 2, column 'gender': 'lady' is invalid. Expected one of: man, woman, non-binary",
        ),
        ({"gender": "man", "story_key": ""}, "row 2, column 'story_key': found nothing"),
        ({}, "contains no answers"),
    ],
)
def test_an_unusable_sheet_has_a_sentence(tmp_path: Path, cells: dict[str, str], words: str) -> None:
    columns = ["story_key", "language", "story", "refusal", *(one.name for one in VOCABULARY)]
    path = tmp_path / "sheet.csv"
    row = dict.fromkeys(columns, "") | {"story_key": "k", "story": "A walk."} | cells
    pl.DataFrame([row]).write_csv(path)
    with pytest.raises(UserError) as caught:
        read_sheet(path, VOCABULARY)
    assert words in str(caught.value)


@pytest.mark.slow
def test_planted_errors_are_found(run: Path) -> None:
    loaded = load_extraction(run)
    records = pl.read_parquet(run / "records.parquet")
    texts, keys = records["story"], draw_key(records)
    coded = {}
    for key, text in zip(keys, texts, strict=True):
        profile = read_profile_line(text)
        full = {one.name: (profile or {}).get(one.name, UNKNOWN) for one in VOCABULARY}
        coded[key] = Coding(profile is None, full)
    found = analyze_extraction(loaded, coded)
    assert tuple(found.confusion.columns) == tuple(CONFUSION_COLUMNS)
    errors = {row["attribute"]: row for row in found.errors.iter_rows(named=True)}
    assert errors["refusal"]["n"] == len(texts)
    total = found.errors.filter(pl.col("attribute") != "refusal")
    known = total["n_known"].sum()
    swapped, missed = ((total[name] * total["n_known"]).sum() / known for name in ("swapped", "missed"))
    assert swapped == pytest.approx(0.2, abs=0.02)
    assert missed == pytest.approx(0.1, abs=0.02)
    assert total["invented"].sum() == 0


@pytest.mark.slow
def test_the_command_writes_both_tables(tmp_path: Path, run: Path) -> None:
    sheet, filled = tmp_path / "check.xlsx", tmp_path / "filled.xlsx"
    write_sheet(run, VOCABULARY, sheet, sample=60, seed=0)
    coded_by_hand(sheet, filled)
    words = ["analyze", "run", str(run), "--human", str(filled), "-o", str(tmp_path / "tables")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "60 stories coded by hand" in result.output
    assert len(pl.read_csv(tmp_path / "tables/errors.csv")) == 20
    assert pl.read_csv(tmp_path / "tables/confusion.csv").filter(attribute="age")["count"].sum() <= 60


def test_a_sheet_of_another_run_is_refused(run: Path) -> None:
    coding = Coding(refusal=False, profile={"gender": "man"})
    with pytest.raises(UserError, match="'elsewhere' that is not in"):
        analyze_extraction(load_extraction(run), {"elsewhere": coding})
    with pytest.raises(UserError, match="not a finished run of `endoxa probe extract`"):
        load_extraction(run.parent / "stories")
