"""A row on the whole road: what a person said, in each language, to the items and the tables of results.

Two people say what stands in a table; ids, language, country, region, axis and the names that join languages are the
same at every step.
"""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.curate.group import group_attributes, read_attributes
from endoxa.curate.opposites import languages, load_lexicon
from endoxa.schema.stories import STORY_MAP_COLUMNS
from endoxa.sources.frames import read_table, write_table
from endoxa.words.packs import languages_with
from support import tiny

SAID = {
    "en": ["Nurses are patient.", "Farmers are strong.", "Teachers are honest.", "Kenyans are generous."],
    "hi": ["नर्सें दयालु होती हैं।", "किसान मेहनती होते हैं।", "शिक्षक ईमानदार होते हैं।", "केन्याई उदार होते हैं।"],
}
AXES = ["profession", "profession", "profession", "nationality"]
PEOPLE = {"p-1": ("Kenya", "Nairobi", [0, 1, 2, 3, 1]), "p-2": ("Uganda", "Kampala", [1, 2, 1])}
SUPPORT = ["1", "2", "2", "1"]
"""Planted: who says a thing twice counts once."""


def endoxa(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.output


def apart(texts):
    """Vectors by which no two texts are alike, so that only what is written alike is grouped."""
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    return np.eye(len(places), dtype=np.float32)[[places[text] for text in texts]]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny.causal(tmp_path_factory.mktemp("model"))


@pytest.mark.slow
@pytest.mark.parametrize("language", SAID)
def test_a_row_keeps_its_ids_and_columns_to_the_results(tmp_path, model, language):
    survey = tmp_path / "survey.csv"
    rows = [
        (who, country, region, language, AXES[place], SAID[language][place])
        for who, (country, region, places) in PEOPLE.items()
        for place in places
    ]
    names = ["participant id", "country", "region", "language", "axis", "statement"]
    pl.DataFrame(rows, schema=names, orient="row").write_csv(survey)

    endoxa("curate", "extract", survey, "-o", tmp_path / "statements.csv")
    statements = read_table(tmp_path / "statements.csv")
    assert statements.height == len(rows)
    kept = ["respondent", "country", "region", "language", "axis", "original_statement"]
    assert statements.select(kept).rows() == rows
    assert statements.filter(pl.col("attribute") == "").is_empty()

    lexicon = load_lexicon(language) if language in languages() else load_lexicon("en")
    write_table(
        group_attributes(read_attributes(tmp_path / "statements.csv"), apart, lexicon),
        tmp_path / "groups.csv",
    )
    endoxa(
        *("curate", "associations", tmp_path / "statements.csv", "--groups", tmp_path / "groups.csv"),
        *("--source", "village", "-o", tmp_path / "associations.csv"),
    )
    associations = read_table(tmp_path / "associations.csv")
    assert associations.height == len(SUPPORT)
    expected = {row["association_id"]: row for row in associations.iter_rows(named=True)}
    for place, support in enumerate(SUPPORT):
        (row,) = (row for row in expected.values() if f"row-{place + 1}" in row["statement_ids"].split())
        said_by = [PEOPLE[who][:2] for who in sorted(PEOPLE) if place in PEOPLE[who][2]]
        countries, regions = (sorted(names) for names in zip(*said_by, strict=True))
        assert (row["support"], row["axis"], row["language"]) == (support, AXES[place], language)
        assert (row["country"], row["region"]) == ("; ".join(countries), "; ".join(regions))
        assert row["identity"].lower() in SAID[language][place].lower()

    def same(row, *names):
        return [row[name] for name in names] == [expected[row["association_id"]][name] for name in names]

    names = ["language", "axis", "source", "region", "country", "support"]
    names += [name for name in ("identity_key",) if name in associations.columns]
    endoxa(
        *("build", "pairs", tmp_path / "associations.csv", "-o", tmp_path / "pairs.csv", "--keep-region"),
        *("--framings", 1),
    )
    pairs = read_table(tmp_path / "pairs.csv")
    assert set(pairs["association_id"]) == expected.keys()
    assert all(same(row, *names) for row in pairs.iter_rows(named=True))
    words = "" if language == "en" else f"statement words:{language}"
    assert all(words in row for row in pairs["words"])

    if language in languages_with("questions.toml"):
        made = tmp_path / "questions.jsonl"
        endoxa("build", "qa", tmp_path / "associations.csv", "--language", language, "-o", made)
        questions = [json.loads(line) for line in made.read_text("utf-8").splitlines()]
        facts = [question["additional_metadata"] for question in questions]
        assert facts
        assert {row["association_id"] for row in facts} <= expected.keys()
        assert all(row["support"] == expected[row["association_id"]]["support"] for row in facts)
        assert all(words in question["words"] for question in questions)
    if language in languages_with("tests.toml"):
        made = tmp_path / "tests.json"
        endoxa(
            *("build", "tests", "--associations", tmp_path / "associations.csv", "--language", language),
            *("--each", "-o", made),
        )
        tests = json.loads(made.read_text("utf-8"))["tests"]
        assert {row["association_id"] for row in tests} <= expected.keys()
        assert all(row["axis"] == expected[row["association_id"]]["axis"] for row in tests)
        assert all(words in row["words"] for row in tests)
    if language in languages_with("stories.yaml"):
        (name, *_) = expected
        cell = (name, "gender", "woman", "professional_field", "healthcare and medicine")
        pl.DataFrame([cell], schema=list(STORY_MAP_COLUMNS), orient="row").write_csv(tmp_path / "map.csv")
        made = tmp_path / "prompts.csv"
        endoxa("build", "stories", "--language", language, "--map", tmp_path / "map.csv", "-o", made)
        prompts = read_table(made)
        assert {row[0] for cell in prompts["associations"] if cell for row in json.loads(cell)} == {name}
        assert set(prompts["language"]) == {language}

    run = tmp_path / "run"
    endoxa(
        *("probe", "pairs", "--data", tmp_path / "pairs.csv", "--model", f"hf/{model}", "--rule", "sum"),
        *("--out", run),
    )
    records = pl.read_parquet(run / "records.parquet")
    assert set(records["association_id"]) == expected.keys()
    measured = [name for name in names if name in records.columns]
    assert set(measured) >= {"language", "axis", "region"}
    assert all(same(row, *measured) for row in records.iter_rows(named=True))
    estimates = read_table(run / "estimates.csv")
    assert {*AXES} <= set(estimates["axis"])
