"""Which model stands for which published one, and what is said of files that are missing."""

from __future__ import annotations

import pytest

from endoxa.errors import UserError
from endoxa.study.reproduce import PublishedResult
from endoxa.study.reproduce.run import Inputs, ModelMatch, match_models, spelled

PUBLISHED = {"MuRIL": ("hf/google/muril-base-cased",), "GPT": ("GPT", "openai/gpt-x")}


@pytest.mark.parametrize(
    "word",
    [
        *("google/muril-base-cased", "muril", "MuRIL", "muril-base-cased", "MuRIL=google/muril-base-cased"),
        *("hf/google/muril-base-cased", "muril=hf/google/muril-base-cased"),
    ],
)
def test_a_published_model_is_known_by_every_spelling(word):
    assert match_models([word], PUBLISHED, "x") == (
        ModelMatch("MuRIL", "hf/google/muril-base-cased", genuine=True),
    )


def test_a_folder_is_a_model_with_and_without_hf(tmp_path, monkeypatch):
    (tmp_path / "models" / "mine").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert match_models(["MuRIL=models/mine"], PUBLISHED, "x")[0].model == "hf/models/mine"
    assert spelled("mine", ["hf/models/mine", "hf/models/other"]) == "hf/models/mine"
    assert spelled(str(tmp_path / "models/mine"), ["hf/models/mine"]) == "hf/models/mine"


def test_neither_a_folder_nor_the_name_alone_is_taken_for_the_published_model():
    for word in ("evil/muril-base-cased", "hf/evil/muril-base-cased"):
        assert not match_models([word], PUBLISHED, "x")[0].genuine
    for word in ("MuRIL=hf//models/muril-base-cased", "MuRIL=hf/my/muril-base-cased", "MuRIL=sim/biased"):
        (match,) = match_models([word], PUBLISHED, "x")
        assert (match.label, match.genuine) == ("MuRIL", False)
        assert match.why == f"computed with {word.partition('=')[2]}, not with the published model MuRIL"


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["BERT=hf/x/y"], "x has no model 'BERT'. Its models: MuRIL, GPT"),
        (["MuRIL=sim/a", "muril=sim/b"], "MuRIL already stands for sim/a"),
    ],
)
def test_labels_that_make_no_sense_are_refused(words, match):
    with pytest.raises(UserError, match=match):
        match_models(words, PUBLISHED, "x")


def test_a_missing_file_is_one_sentence_with_where_to_get_it(tmp_path):
    demo = PublishedResult(name="demo", title="", citation="", needs=(), settings={"where": "example.org"})
    inputs = Inputs(tmp_path, (), tmp_path / "out")
    with pytest.raises(
        UserError, match=r"demo needs the file a\.csv or b\.csv, but .* has none\. Get it from example\.org\."
    ):
        demo.need(inputs, "a.csv", "b.csv")
    (tmp_path / "b.csv").write_text("x\n")
    assert demo.need(inputs, "a.csv", "b.csv") == tmp_path / "b.csv"
    assert inputs.find("b.csv") == tmp_path / "b.csv"
    assert inputs.read == [tmp_path / "b.csv"]
    with pytest.raises(UserError, match="no --data FOLDER was given"):
        demo.need(Inputs(None, (), tmp_path), "a.csv")
