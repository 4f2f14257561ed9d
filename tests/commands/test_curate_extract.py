"""`endoxa curate extract` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from endoxa.schema import STATEMENT_COLUMNS
from endoxa.testing.chat_server import Settings, running

pytestmark = pytest.mark.slow

EXPORT = """code,What is said about bakers?,Telephone
1,"Bakers are kind, hardworking",0803 555 0101
2,"Les boulangers sont gentils, bavards",
"""
MAP = """
respondent = "code"
languages = ["en", "fr"]
[[question]]
column = "What is said about bakers"
name = "bakers"
axis = "profession"
"""


@pytest.fixture
def extract(endoxa, monkeypatch, tmp_path):
    """Run the command in a folder with an export and its map: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "export.csv").write_text(EXPORT)
    (tmp_path / "map.toml").write_text(MAP)

    def run(*words):
        ran = endoxa("curate", "extract", *words)
        return ran.returncode, ran.stdout, ran.stderr

    return run


def read(path):
    return pl.read_csv(path, infer_schema=False)


def test_survey_through_its_map(extract, tmp_path):
    code, out, err = extract("export.csv", "--map", "map.toml", "-o", "out/s.csv")
    assert code == 0
    assert "4 statements of 2 respondents" in out
    assert "languages: en 2, fr 2" in out
    assert "4 rows written to out/s.csv" in out
    assert "Columns that may hold private data (not read): 'Telephone' (phone number)" in err
    frame = read("out/s.csv")
    assert frame.columns == [
        *STATEMENT_COLUMNS,
        "identity_key",
        "built_by",
        "words",
    ]  # French was read by our words
    assert "0803" not in (tmp_path / "out/s.csv").read_text()
    assert frame["original_statement"].to_list() == [
        "Bakers are kind",
        "hardworking",
        "Les boulangers sont gentils",
        "bavards",
    ]
    assert frame["statement"].to_list() == frame["original_statement"].to_list()  # nothing translated unasked


def test_a_chat_model_reads_first_and_the_rules_second(extract, tmp_path):
    """Answers in `recorded_readings.jsonl` are ours: they test the path, and say nothing of any model."""
    recorded = Path(__file__).parents[1] / "curate/recorded_readings.jsonl"
    answers = {row["statement"]: row["answer"] for row in map(json.loads, recorded.read_text().splitlines())}

    def reply(body):
        asked = body["messages"][-1]["content"]
        return next(
            (said for statement, said in answers.items() if f"Statement: {statement}\n" in asked), "A"
        )

    pl.DataFrame({"text": list(answers)}).write_csv(tmp_path / "rows.csv")
    words = ["rows.csv", "--statement-column", "text", "--language", "en", "-o", "read.csv"]
    with running(Settings(reply=reply)) as server:
        assert extract(*words, "--reader", f"{server.url}#small")[0] == 0
        requests = server.requests.total()
        assert extract(*words, "--reader", f"{server.url}#small")[0] == 0
        assert server.requests["POST /v1/chat/completions"] <= requests
    table = pl.read_csv(tmp_path / "read.csv").fill_null("")
    read = dict(zip(table["statement"], table.iter_rows(named=True), strict=False))
    assert (read["Bakers are calm"]["flag"], read["Bakers are calm"]["attribute"]) == ("", "calm")
    marry = read["If you marry a baker you will never sleep"]
    assert (marry["identity"], marry["rule"], marry["flag"]) == ("bakers", "model", "readers-differ")
    assert marry["other_reading"].startswith("omit")
    other = read["Plumbers are rude to cooks"]
    assert (other["attribute"], other["other_reading"]) == ("rude", "plumbers | rude to cooks")
    assert (read["Cooks sing"]["rule"], read["Cooks sing"]["attribute"]) == ("verb", "sing")
    assert read["The road is long"]["omit"] is True


def test_pairs_that_a_table_holds_are_taken_in_any_language(extract, tmp_path):
    (tmp_path / "native.csv").write_text(
        "who,says,lang,identity_native,attribute_native\n"
        "1,Women cook,Kiswahili,Wanawake,wanapika\n"
        "1,Bakers are calm,Quux,ʋɔnudrɔ̃lawo,calmo\n"
        "2,Bakers are calm,English,The bakers,Are calm\n"
        "2,Nothing,Quux,,calmo\n"
    )
    columns = "--identity-column identity_native --attribute-column attribute_native --language-column lang"
    words = f"native.csv --statement-column says {columns} -o statements.csv"
    code, _, err = extract(*words.split())
    assert code == 0, err
    columns = ("language", "identity", "attribute", "rule", "omit_reason", "identity_key")
    table = pl.read_csv(tmp_path / "statements.csv").fill_null("").select(columns)
    assert table.rows() == [
        ("sw", "wanawake", "wanapika", "annotated", "", "women"),
        ("quux", "ʋɔnudrɔ̃lawo", "calmo", "annotated", "", ""),
        ("en", "bakers", "calm", "annotated", "", ""),
        ("quux", "", "calmo", "annotated", "identity or attribute missing", ""),
    ]


def test_translation_from_a_table_is_counted(extract, tmp_path):
    (tmp_path / "t.csv").write_text("original,translation\nLes boulangers sont gentils,Bakers are kind\n")
    code, out, _ = extract("export.csv", "--map", "map.toml", "-o", "s.csv", "--translate", "t.csv")
    assert code == 0
    assert "translated: 1, not translated: 1" in out
    row = read("s.csv").row(2, named=True)
    assert (row["original_statement"], row["statement"]) == ("Les boulangers sont gentils", "Bakers are kind")
    assert read("s.csv").row(3, named=True)["flag"] == "untranslated"
