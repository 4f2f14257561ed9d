"""`endoxa probe stories` and `probe extract`: what is asked, what the run folders keep, stopping and going on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from endoxa.instruments.stories.coding import write_sheet
from endoxa.instruments.stories.extraction import extract_probe
from endoxa.instruments.stories.instrument import EXTRACT, STORIES, ExtractSettings, StoriesSettings
from endoxa.models.chat import parse_chat_model
from endoxa.models.chat.anthropic import message_body
from endoxa.models.chat.spec import ChatOptions
from endoxa.runs.run import measure
from endoxa.schema import Message, Sampling
from endoxa.schema.stories import EXTRACTED_COLUMNS
from endoxa.sources.stereotales.profiles import UNKNOWN, read_profiles
from endoxa.sources.stereotales.vocabulary import read_vocabulary
from endoxa.testing.chat_server import Settings, running
from support.story_runs import READERS, extracted, prompt, prompts, told, write

pytestmark = pytest.mark.slow

VOCABULARY = read_vocabulary()


def records(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(folder / "records.parquet")


def test_every_prompt_is_given_to_every_model_as_often_as_asked(tmp_path: Path) -> None:
    rows = prompts(["gender"], scenarios=5)
    data = write(tmp_path / "prompts.jsonl", rows)
    models = ("sim/teller", "sim/teller?planted=0")
    settings = StoriesSettings(data=str(data), models=models, repeats=2, seed=7)
    filled = measure(STORIES, settings, tmp_path / "run")
    table = records(tmp_path / "run")
    assert filled.counts == {"items": 15, "records": 60, "filtered": 0, "failed": 0}
    assert table.select("sample_id", "generator_model", "repeat").n_unique() == 60
    assert table["seed"].n_unique() == 2
    assert table["story"].n_unique() > 55
    of_prompt = {row["sample_id"]: row for row in rows}
    for row in table.iter_rows(named=True):
        assert {name: row[name] for name in of_prompt[row["sample_id"]]} == of_prompt[row["sample_id"]]


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("told")
    return told(home, prompts(["gender", "age"], scenarios=6), "sim/teller?refusal=0.1")


def test_profiles_have_the_published_columns_and_every_vote(tmp_path: Path, stories: Path) -> None:
    table = records(profiles := extracted(tmp_path, stories))
    assert tuple(table.columns) == tuple(EXTRACTED_COLUMNS)
    assert len(table) == 54
    for row in table.iter_rows(named=True):
        profile, votes = json.loads(row["extracted_attributes_json"]), json.loads(row["votes_json"])
        assert list(profile) == [one.name for one in VOCABULARY]
        assert list(votes) == list(READERS) == list(json.loads(row["raw_json"]))
        assert row["n_parsed"] == sum(vote is not None for vote in votes.values())
        refusals = list(json.loads(row["refusal_votes_json"]).values())
        assert row["refusal"] == (refusals.count(True) > refusals.count(False))
        if row["refusal"]:
            assert set(profile.values()) == {UNKNOWN}
            continue
        for name, answer in profile.items():
            given = [vote[name] for vote in votes.values() if vote is not None]
            assert given.count(answer) > len(given) / 2 or answer == UNKNOWN
    assert 1 <= table["refusal"].sum() <= 14
    assert len(read_profiles(profiles)) == 54


def test_extractors_see_the_story_and_nothing_of_its_prompt(stories: Path) -> None:
    """What is the same for every story comes before it."""
    texts = records(stories)["story"].to_list()
    jobs = list(extract_probe(ExtractSettings(data=str(stories), models=READERS)).jobs())
    around = set()
    for job, text in zip(jobs, texts, strict=True):
        assert text in job.turns[0]
        assert "target" not in job.told
        around.add("\n".join(job.turns).replace(text, ""))
    (alike,) = around  # the questions about two stories differ in nothing but the text
    assert "garden" not in alike
    first, second = jobs[0].turns
    before = first[: first.index(texts[0])]
    assert all(f"- {one.name}: " in before for one in VOCABULARY)
    assert not any(one.name in second for one in VOCABULARY)


def test_thoughts_are_shown_to_nobody_and_of_texts_without_a_word_nobody_is_asked(tmp_path: Path) -> None:
    told_texts = (
        ("<think>A child is asked for.</think>A walk by the sea.", "stop"),
        ("<think>A child", "length"),
        ("<think>A child", None),
        ("", "content_filter"),
        (" ", "length"),
        (None, "error"),
    )
    cells = prompt(1, generator_model="sim/m")
    rows = [
        {**cells, "repeat": k, "story": text, "finish": end} for k, (text, end) in enumerate(told_texts, 1)
    ]
    data = write(tmp_path / "stories.jsonl", rows)
    settings = ExtractSettings(data=str(data), models=READERS)
    (asked,) = extract_probe(settings).jobs()
    assert "A walk by the sea." in asked.turns[0]
    assert not any("A child" in text for text in (*asked.turns, asked.told["story"]))
    assert measure(EXTRACT, settings, tmp_path / "run").counts["wordless"] == 5
    table = records(tmp_path / "run")
    assert table["story"][0] == told_texts[0][0]
    # A simulated reader takes a text without its line for a refusal.
    assert table["refusal"].to_list() == [1, 0, 0, 1, 0, 0]
    assert table["n_parsed"].to_list() == [3, 0, 0, 0, 0, 0]
    write_sheet(tmp_path / "run", VOCABULARY, tmp_path / "sheet.csv", sample=9, seed=0)
    assert pl.read_csv(tmp_path / "sheet.csv")["story"].to_list() == ["A walk by the sea."]


def test_a_vocabulary_of_one_s_own(tmp_path: Path, stories: Path) -> None:
    (tmp_path / "v.toml").write_text("[gender]\nvalues = ['man', 'woman']\nother = true\n", encoding="utf-8")
    profiles = extracted(tmp_path, stories, vocabulary=str(tmp_path / "v.toml"))
    found = {json.loads(text)["gender"] for text in records(profiles)["extracted_attributes_json"]}
    assert found == {"man", "woman", "unknown"}
    (unlisted,) = pl.read_csv(profiles / "estimates.csv").filter(name="unlisted")["value"]
    assert unlisted > 0.1  # "non-binary", which simulated readers say all the same


SCHEMA = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}
QUESTION = [Message("user", "Is it?")]


def test_anthropic_s_interface_is_told_the_schema_beside_the_effort() -> None:
    spec = parse_chat_model("anthropic/claude-x")
    body = message_body(spec, QUESTION, Sampling(answer_schema=SCHEMA, reasoning="low"))
    assert body["output_config"] == {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}}
    assert "output_config" not in message_body(spec, QUESTION, Sampling())


def test_each_turn_is_asked_with_its_own_schema(tmp_path: Path, stories: Path) -> None:
    formats: list[Any] = []

    def reply(body: Any) -> str:
        formats.append(body.get("response_format"))
        return '{"refusal": false}' if len(body["messages"]) == 1 else '{"gender": "woman"}'

    with running(Settings(reply=reply)) as server:
        how = {"structured": True, "limit": 3, "options": ChatOptions(concurrency=1)}
        settings = ExtractSettings(data=str(stories), models=(f"{server.url}#small",), **how)
        measure(EXTRACT, settings, tmp_path / "run")
    keys = [list(asked["json_schema"]["schema"]["properties"]) for asked in formats]
    assert keys == [["refusal"], [attribute.name for attribute in VOCABULARY]] * 3
    read = records(tmp_path / "run")["extracted_attributes_json"]
    assert [json.loads(text)["gender"] for text in read] == ["woman"] * 3
