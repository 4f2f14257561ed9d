"""Vocabularies, prompts and stories as files: what is read, and every way in which a file can be unusable."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.schema.stories import STORY_COLUMNS
from endoxa.sources.stereotales.profiles import OTHER, UNKNOWN, read_profiles
from endoxa.sources.stereotales.stories import read_prompts, read_stories, story_names
from endoxa.sources.stereotales.vocabulary import read_vocabulary
from support.story_runs import prompt, write


def test_stereotales_has_19_attributes_and_79_values() -> None:
    vocabulary = read_vocabulary()
    assert len(vocabulary) == 19
    assert sum(len(one.values) for one in vocabulary) == 79
    with_other = {one.name for one in vocabulary if one.other}
    assert "gender" in with_other
    assert "age" not in with_other
    assert all(one.answers[-1] == UNKNOWN and (OTHER in one.answers) == one.other for one in vocabulary)


def test_every_value_of_the_published_form_is_in_the_vocabulary(shared: Path) -> None:
    profiles = read_profiles(shared / "data/stereotales/stories.parquet")
    answers = {one.name: set(one.answers) for one in read_vocabulary()}
    assert set(profiles.attributes) == set(answers)
    for attribute, values in zip(profiles.attributes, profiles.values, strict=True):
        assert set(values) <= answers[attribute]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[colour]\nvalues = [", "not valid TOML"),
        ("# nothing yet", "contains no attributes"),
        ("[colour]\nvalues = ['red', 'blue']\nothers = true", "colour.others"),
        ("[colour]\nvalues = ['red', 'Red']", "the value 'Red', which is empty or already used"),
    ],
)
def test_an_unusable_vocabulary_has_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "colours.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"colours\.toml") as caught:
        read_vocabulary(path)
    assert words in str(caught.value)


def test_prompts_are_read_in_order_need_no_theme_and_name_a_row_that_lacks_a_cell(tmp_path: Path) -> None:
    rows = [prompt(2), {name: text for name, text in prompt(1).items() if name != "theme"}]
    read = list(read_prompts(write(tmp_path / "prompts.jsonl", rows)))
    assert [one.sample_id for one in read] == ["p2", "p1"]
    assert [one.theme for one in read] == ["hobby", ""]

    path = write(tmp_path / "prompts.jsonl", [prompt(1), prompt(2, value=" ")])
    with pytest.raises(UserError, match=r"row 2 \(line 2\): the column 'target_attribute_value' is empty"):
        list(read_prompts(path))


def story(**cells: object) -> dict[str, object]:
    return {
        "sample_id": "p1",
        "generator_model": "m",
        "language": "en",
        "target_attribute": "age",
        "target_attribute_value": "child (0-12)",
        "story": "A walk by the sea.",
    } | cells


def test_stories_need_no_more_than_the_published_columns(tmp_path: Path) -> None:
    path = tmp_path / "stories.parquet"
    pl.DataFrame([story(), story(sample_id="p2", story=None)]).write_parquet(path)
    first, second = read_stories(path)
    assert (first.text, second.text) == ("A walk by the sea.", "")
    assert first.name == "p1|m|en|1"
    assert set(first.cells) == set(STORY_COLUMNS)
    assert first.cells["finish"] is None
    assert story_names(pl.read_parquet(path)).to_list() == [first.name, second.name]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"sample_id": "p1"}, "has no column 'story'"),
        (story(language=""), "'language' is empty"),
        (story(repeat="often"), "'often'. Expected a whole number"),
    ],
)
def test_unusable_stories_have_a_sentence(tmp_path: Path, row: dict[str, object], words: str) -> None:
    with pytest.raises(UserError) as caught:
        list(read_stories(write(tmp_path / "stories.jsonl", [row])))
    assert words in str(caught.value)
