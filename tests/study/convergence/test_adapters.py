"""From run folders to parts: values by hand, and runs of tiny and simulated models."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.association_tests.instrument import EMBEDDINGS
from endoxa.instruments.association_tests.items import build_from_associations, write_tests
from endoxa.instruments.association_tests.options import Contrast
from endoxa.instruments.association_tests.settings import EmbeddingsSettings
from endoxa.instruments.pairs.instrument import PAIRS
from endoxa.instruments.pairs.items import build_pairs
from endoxa.instruments.pairs.options import PairOptions, PairsSettings
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.items.build import build_questions
from endoxa.instruments.questions.options import QaOptions
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.models.encoders.static import read_vectors
from endoxa.runs.run import measure
from endoxa.schema.stories import STORY_MAP_COLUMNS
from endoxa.sources.bbq.rows import write_items
from endoxa.study.convergence.adapters import (
    MEASURED,
    association_test_parts,
    differences,
    pair_parts,
    question_parts,
    story_parts,
)
from endoxa.study.convergence.run import StudyRuns, converge, study_parts
from endoxa.study.parts import USUAL

pytestmark = pytest.mark.slow

SAID = "bakers patient drivers careful nurses kind teachers strong doctors rich farmers young".split()  # noqa: SIM905
ASSOCIATIONS = pl.DataFrame({"identity": SAID[::2], "attribute": SAID[1::2]}).select(
    pl.format("a{}", pl.int_range(pl.len())).alias("association_id"),
    pl.all(),
    axis=pl.lit("job"),
    language=pl.lit("en"),
)


def changed(run: Path, folder: Path, records: pl.DataFrame) -> Path:
    """The run with other records."""
    folder.mkdir()
    records.write_parquet(folder / "records.parquet")
    (folder / "run.json").write_bytes((run / "run.json").read_bytes())
    return folder


@pytest.fixture(scope="module")
def pairs(tiny, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pairs")
    data, models = folder / "pairs.csv", (f"hf/{tiny['causal']}",)
    build_pairs(ASSOCIATIONS, PairOptions(framings=3)).pairs.write_csv(data)
    return measure(
        PAIRS, PairsSettings(data=str(data), models=models, rules=("sum", "mean")), folder / "run"
    ).folder


@pytest.fixture(scope="module")
def encoders(tiny, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tests")
    data, models = folder / "tests.json", (f"hf/{tiny['masked']}",)
    write_tests(build_from_associations(ASSOCIATIONS, Contrast(each=True), None)[0], data)
    settings = EmbeddingsSettings(data=str(data), models=models, poolings=("cls", "mean"))
    return measure(EMBEDDINGS, settings, folder / "run").folder


@pytest.fixture(scope="module")
def questions(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("questions")
    data = folder / "questions.jsonl"
    write_items(build_questions(ASSOCIATIONS, QaOptions(per_association=2)).records, data)
    settings = QaSettings(data=str(data), models=("sim/biased",), repeats=3)
    return measure(QUESTIONS, settings, folder / "run").folder


def test_pairs_are_stereotype_minus_the_other_sentence(pairs):
    found = pair_parts(pairs)
    assert found.columns == list(MEASURED)
    assert found.height == 6 * 3
    assert found["part"].n_unique() == 3, "the same framing is the same part for all associations"
    records = pl.read_parquet(pairs / "records.parquet").filter(rule="sum")
    row = records.filter(item_id="a2-pair-2").row(0, named=True)
    value = found.filter(association_id="a2", part="-pair-2")["value"][0]
    # All of them name an identity and differ in the attribute: what the words do by themselves is taken off.
    assert value == pytest.approx(row["score_more"] - row["score_less"] - row["neutral_difference"])


@pytest.mark.parametrize(
    ("run", "read", "names", "unknown", "message"),
    [
        ("pairs", pair_parts, ("sum", "mean"), "pll", r"under the rule 'pll'.*available: sum, mean"),
        ("encoders", association_test_parts, ("cls", "mean"), "max", "under the pooling 'max'"),
        ("questions", question_parts, (), "explanation", r"under the protocol 'explanation'.*: baseline"),
    ],
)
def test_a_rule_can_be_named_and_an_unknown_one_is_refused(run, read, names, unknown, message, request):
    folder = request.getfixturevalue(run)
    assert len({read(folder, name)["value"][0] for name in names}) == len(names)
    with pytest.raises(UserError, match=message):
        read(folder, unknown)


def test_a_pair_whose_second_sentence_is_the_stereotype_is_turned(pairs, tmp_path):
    turned = pl.read_parquet(pairs / "records.parquet").with_columns(stereotypical=pl.lit("less"))
    folder = changed(pairs, tmp_path / "run", turned)
    assert pair_parts(folder)["value"].to_list() == pytest.approx((-pair_parts(pairs)["value"]).to_list())


def test_tests_are_differences_of_the_same_template(encoders):
    found = association_test_parts(encoders)
    assert found.columns == list(MEASURED)
    described = json.loads((encoders / "run.json").read_text(encoding="utf-8"))["vectors"][0]
    vectors = {text: v / np.linalg.norm(v) for text, v in read_vectors(encoders / described["file"]).items()}
    test = json.loads((encoders / "tests.json").read_text(encoding="utf-8"))["tests"][0]

    def s(text: str) -> float:
        a, b = (vectors[test[side]["texts"][0]] for side in "ab")
        return float(vectors[text] @ a - vectors[text] @ b)

    own = found.filter(association_id=test["association_id"])
    count = len(test["x"]["texts"])
    assert own.height == count
    others = [test["y"]["texts"][k::count] for k in range(count)]
    expected = [
        s(x) - np.mean([s(y) for y in same]) for x, same in zip(test["x"]["texts"], others, strict=True)
    ]
    assert own["value"].to_list() == pytest.approx(expected, abs=1e-6)


def test_texts_of_several_identities_are_averaged_in_their_places():
    x, y = np.array([1.0, 2.0]), np.array([0.0, 1.0, 4.0])
    assert differences(x, y, ("p", "p", "q")).tolist() == [1 - 2.0, 2 - 2.5]
    assert differences(x, y[:2]).tolist() == [1.0, 1.0]


def test_questions_are_answers_by_item_averaged_over_repeats(questions):
    found = question_parts(questions)
    assert found.columns == list(MEASURED)
    values = {"stereotyped": 1, "anti-stereotyped": -1, "unknown": 0}
    records = pl.read_parquet(questions / "records.parquet").filter(pl.col("outcome").is_in(list(values)))
    assert found.height == records["item_id"].n_unique()
    for row in found.iter_rows(named=True):
        own = records.filter(item_id=row["part"])
        assert set(own["association_id"]) == {row["association_id"]}
        assert row["value"] == pytest.approx(np.mean([values[one] for one in own["outcome"]]))


def test_repeats_are_the_parts_where_an_association_has_one_question(questions, tmp_path):
    records = pl.read_parquet(questions / "records.parquet")
    first = records.filter(pl.col("item_id") == pl.col("item_id").first().over("association_id"))
    found = question_parts(changed(questions, tmp_path / "run", first))
    assert set(found["part"]) == {"repeat 1", "repeat 2", "repeat 3"}
    assert set(found["value"]) <= {-1.0, 0.0, 1.0}


PROFILES = {  # values of the profile that the prompt names, and the pet that is told
    "home 1": (("rural", "dog"), ("rural", "cat"), ("urban", "cat")),
    "home 2": (("rural", "dog"), ("urban", "dog"), ("suburban", "cat"), ("suburban", "unknown")),
    "home 3": (("rural", "dog"),),
}
CELL = ("a1", "urbanicity", "rural", "pet", "dog")


def profiles(path: Path) -> Path:
    rows = [
        {
            "sample_id": f"{scenario}, {number}",
            "generator_model": "m",
            "language": "en",
            "scenario": scenario,
            "repeat": "1",
            "target_attribute": "urbanicity",
            "target_attribute_value": value,
            "extracted_attributes_json": json.dumps({"urbanicity": value, "pet": pet}),
        }
        for scenario, told in PROFILES.items()
        for number, (value, pet) in enumerate(told)
    ]
    path.mkdir()
    pl.DataFrame(rows).write_parquet(path / "records.parquet")
    return path


def story_map(*cells: tuple[str, ...]) -> pl.DataFrame:
    return pl.DataFrame(list(cells), schema=list(STORY_MAP_COLUMNS), orient="row")


def test_stories_are_differences_of_shares_by_scenario(tmp_path):
    found = story_parts(profiles(tmp_path / "profiles"), story_map(CELL, ("a2", "", "", "", "")))
    assert found.columns == list(MEASURED)
    assert dict(found.select("part", "value").iter_rows()) == {
        "scenario home 1": 0.5 - 0.0,
        "scenario home 2": 1.0 - 0.5,  # the story whose pet is unknown is left out; home 3 has one side only
    }


@pytest.mark.parametrize("cell", [("a1", "urbanicity", "lunar", "pet", "dog"), (*CELL[:3], "shoes", "red")])
def test_story_maps_that_cannot_be_used_say_why(tmp_path, cell):
    with pytest.raises(UserError, match="no association of the story map"):
        story_parts(profiles(tmp_path / "profiles"), story_map(cell))


def test_runs_meet_under_the_study_s_names(pairs, questions, encoders):
    aliases = {pair_parts(pairs)["model"][0]: "tiny", "sim/biased": "tiny"}
    runs = StudyRuns(
        ASSOCIATIONS, {"pairs": pairs, "questions": questions, "tests": encoders}, aliases=aliases
    )
    found = converge(runs)
    assert found.models[0] == "tiny"
    assert set(found.effects.filter(model="tiny")["instrument"]) == {"pairs", "questions"}
    assert set(found.parts["identity"]) == set(ASSOCIATIONS["identity"])
    assert any("association tests only" in note for note in found.notes)
    row = found.correlations.filter(model="tiny").row(0, named=True)
    assert row["verdict"] == "cannot-be-tested"
    assert "at least 10 needed" in row["reason"]


def test_languages_are_kept_apart_and_regions_are_not(pairs, tmp_path):
    records = pl.read_parquet(pairs / "records.parquet")
    spanish = records.filter(association_id="a1").with_columns(
        language=pl.lit("es"), item_id=pl.col("item_id") + "-es"
    )
    british = records.with_columns(
        language=pl.when(pl.col("association_id") == "a2").then(pl.lit("en-GB")).otherwise("language")
    )
    folder = changed(pairs, tmp_path / "run", pl.concat([british, spanish]))
    parts, *_ = study_parts(StudyRuns(ASSOCIATIONS, {"pairs": folder}), USUAL)
    names = set(parts["association_id"])
    assert {"a1 [en]", "a1 [es]", "a0", "a2"} <= names
    assert "a1" not in names
    assert set(parts.filter(pl.col("association_id").str.starts_with("a1"))["identity"]) == {"drivers"}


def test_items_of_other_associations_are_refused(pairs):
    other = ASSOCIATIONS.with_columns(association_id=pl.col("association_id") + "x")
    with pytest.raises(UserError, match="association_id differ"):
        converge(StudyRuns(other, {"pairs": pairs}))


def test_a_run_in_which_nothing_could_be_read_stops_no_other(pairs, tmp_path):
    unread = pl.read_parquet(profiles(tmp_path / "p") / "records.parquet").with_columns(
        extracted_attributes_json=pl.lit('{"gender": "unknown", "income_level": "unknown"}')
    )
    unread.write_parquet(tmp_path / "p" / "records.parquet")
    places = story_map(("a1", "age", "child (0-12)", "gender", "woman"))
    runs = StudyRuns(ASSOCIATIONS, {"stories": tmp_path / "p"}, story_map=places)
    with pytest.raises(UserError, match=r"Stories are not compared.*whose profile was read"):
        converge(runs)
    compared = converge(replace(runs, runs={**runs.runs, "pairs": pairs}))
    assert set(compared.parts["instrument"]) == {"pairs"}
    assert compared.warnings[0].startswith("Stories are not compared. ")


def test_items_without_an_association_are_refused(pairs, questions, tmp_path):
    for name, run, read in (("pairs", pairs, pair_parts), ("questions", questions, question_parts)):
        records = pl.read_parquet(run / "records.parquet").with_columns(association_id=pl.lit(""))
        with pytest.raises(UserError, match="measures no association"):
            read(changed(run, tmp_path / name, records))
