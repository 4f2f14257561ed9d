"""Review of texts by the digest of components, and the line about those that nobody has reviewed.

Runs, pages and data cards say it; nothing where the words are English or the user's own.
"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.run import run
from endoxa.words.components import COMPONENTS, texts_of
from endoxa.words.state import digest, states, unreviewed

pytestmark = pytest.mark.usefixtures("nothing_reviewed")

MILD_ASSOCIATIONS = Path(__file__).parent.parent / "support" / "mild_associations.csv"
LINE = "Not yet checked by native speakers: endoxa's own"
CLI = CliRunner()


def endoxa(*words):
    done = CLI.invoke(app, list(map(str, words)))
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def words_of(kind, **settings):
    instrument = INSTRUMENTS.get(kind)
    return instrument.words(instrument.settings(**{name: str(one) for name, one in settings.items()}))


@pytest.fixture(scope="module")
def prompts(tmp_path_factory):
    """Prompts in Hindi and English, two to three values each."""
    path = tmp_path_factory.mktemp("prompts") / "prompts.jsonl"
    endoxa("build", "stories", "--language", "hi", "--language", "en", "--attribute", "gender",
           "--scenario", "family 2", "-o", path)  # fmt: skip
    return path


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """One pair in Hindi with an antonym, one with a negation; one in English."""
    folder = tmp_path_factory.mktemp("pairs")
    rows = {
        "association_id": ["a", "b", "c"],
        "identity": ["किसान", "किसान", "bakers"],
        "attribute": ["मेहनती", "गायक", "lazy"],
        "language": ["hi", "hi", "en"],
        "axis": ["profession"] * 3,
    }
    pl.DataFrame(rows).write_csv(folder / "a.csv")
    endoxa("build", "pairs", folder / "a.csv", "-o", folder / "pairs.csv")
    return folder / "pairs.csv"


@pytest.mark.slow
def test_plan_and_page_of_a_run_in_hindi_say_it_and_those_in_english_do_not(prompts, tmp_path):
    asked = ["probe", "stories", "--data", prompts, "--model", "sim/teller"]
    assert f"{LINE} story prompts in Hindi." in endoxa(*asked, "--plan")
    assert LINE not in endoxa(*asked, "--language", "en", "--plan")
    for language, said in (("hi", True), ("en", False)):
        stories, extract = (INSTRUMENTS.get(name) for name in ("stories", "extract"))
        told = stories.settings(data=str(prompts), models=("sim/teller",), languages=(language,))
        run(stories, told, tmp_path / f"{language}-1")
        facts = json.loads((tmp_path / f"{language}-1" / "run.json").read_text(encoding="utf-8"))
        assert facts.get("own_words") == ({"story prompts": ["hi"]} if said else None)
        read = extract.settings(data=str(tmp_path / f"{language}-1"), models=("sim/reader-a",))
        run(extract, read, tmp_path / f"{language}-2")
        endoxa("report", tmp_path / f"{language}-2", "-o", tmp_path / f"{language}.html")
        page = (tmp_path / f"{language}.html").read_text(encoding="utf-8")
        assert ("own story prompts in Hindi." in page) is said


BOTH = {"opposites": ["hi"], "pair templates": ["hi"]}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_pairs_rest_on_templates_and_opposites_in_every_file(pairs, tmp_path, suffix):
    converted = tmp_path / f"converted.{suffix}"
    endoxa("datasets", "convert", pairs, "-o", converted)
    assert words_of("pairs", data=converted) == {"neutral identities": ["hi"], **BOTH}
    assert words_of("pairs", data=converted, calibrate="false") == BOTH
    assert f"{LINE} " in endoxa("probe", "pairs", "--data", converted, "--plan")


def test_negations_rest_on_templates_only_and_what_is_the_users_on_nothing(prompts, pairs, tmp_path):
    pl.read_ndjson(prompts).drop("built_by", "words").write_ndjson(tmp_path / "prompts.jsonl")
    assert words_of("stories", data=tmp_path / "prompts.jsonl") == {}
    pl.read_csv(pairs).filter(how="negation").write_csv(tmp_path / "negated.csv")
    assert words_of("pairs", data=tmp_path / "negated.csv", calibrate="false") == {"pair templates": ["hi"]}
    table = pl.read_csv(pairs).with_columns(item_id=pl.Series([f"x-pair-{n}" for n in range(3)]))
    for name, mine in (
        ("without", table.drop("built_by", "words")),
        ("other", table.with_columns(built_by=pl.lit("me"))),  # columns of their own under these names
        ("numbers", table.drop("built_by").with_columns(words=pl.lit(3))),
    ):
        mine.write_csv(tmp_path / f"{name}.csv")
        assert words_of("pairs", data=tmp_path / f"{name}.csv", calibrate="false") == {}


def test_data_cards_say_it(pairs, tmp_path):
    for language, said in (("hi", True), ("en", False)):
        table = pl.read_csv(pairs).filter(language=language)
        table.write_csv(tmp_path / f"{language}.csv")
        endoxa("export", "hub", tmp_path / f"{language}.csv", "-o", tmp_path / language)
        card = (tmp_path / language / "README.md").read_text(encoding="utf-8")
        assert (f"{LINE} opposites and pair templates in Hindi." in card) is said


def test_questions_tests_and_harm(tmp_path):
    endoxa("build", "qa", MILD_ASSOCIATIONS, "--language", "es", "-o", tmp_path / "q.jsonl")
    every = ["answer patterns", "answer words", "names of peoples", "question prompts", "question templates"]
    every.append("person question templates")
    assert words_of("qa", data=tmp_path / "q.jsonl") == {name: ["es"] for name in every}
    own = words_of("qa", data=tmp_path / "q.jsonl", prompts="mine.toml")
    assert "question prompts" not in own
    endoxa("build", "tests", "--axes", "gender,caste", "--attributes", "pleasant-unpleasant", "--language", "hi",
           "-o", tmp_path / "tests.json")  # fmt: skip
    assert words_of("embeddings", data=tmp_path / "tests.json") == {
        "association templates": ["hi"], "word lists": ["hi"]
    }  # fmt: skip
    assert words_of("harm", data="a.csv", language="ar") == {
        "answer patterns": ["ar"], "harm study questions": ["ar"]
    }  # fmt: skip
    assert words_of("harm", data="a.csv", language="ar", prompts="mine.toml") == {}
    assert words_of("harm", data="a.csv", language="en") == {}


def test_without_a_review_on_record_nothing_is_reviewed():
    rows = states()
    assert {row.word for row in rows if row.language != "en"} == {"unreviewed"}
    assert {row.word for row in rows if row.language == "en"} == {"source"}


def test_the_line_names_components_and_languages():
    used = [("story prompts", ["hi", "en"]), ("answer words", ["bn", "hi"]), ("page texts", [])]
    assert unreviewed(used) == (
        "Not yet checked by native speakers: endoxa's own story prompts and answer words in Hindi."
    )
    assert unreviewed([("story prompts", ["en"]), ("answer words", ["tlh"])]) == ""
    with pytest.raises(UserError, match="Unknown component"):
        unreviewed([("stories", ["hi"])])


def test_the_digest_changes_with_a_letter_and_not_with_the_order():
    texts = texts_of(COMPONENTS["examples"], "hi")
    assert digest(texts) == digest(reversed(texts))
    assert digest(texts) != digest(texts[1:])
