"""Story prompts: every language complete and clean, the table of prompts, names of prompts."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.stories.options import Selection
from endoxa.instruments.stories.prompt_language import (
    IN_THEME,
    THEMES,
    bundled_languages,
    bundled_tree,
    check_language,
    parse_language,
)
from endoxa.instruments.stories.prompts import (
    SCENARIOS,
    build_prompts,
    excluded,
    load_languages,
    sample_id,
)
from endoxa.schema.stories import STORY_PROMPT_COLUMNS
from endoxa.sources.stereotales.profiles import SPELLINGS
from endoxa.sources.stereotales.vocabulary import read_vocabulary

STEREOTALES = ("en", "fr", "es", "it", "pt", "nl", "uk", "ar", "hi", "zh")
CELL = ["language", "target_attribute", "target_attribute_value"]


@pytest.fixture(scope="module")
def prompts() -> pl.DataFrame:
    return build_prompts(load_languages(bundled_languages(), ()))


def test_the_ten_languages_of_the_article_are_there():
    assert set(STEREOTALES) <= set(bundled_languages())


@pytest.mark.slow
@pytest.mark.parametrize("code", bundled_languages())
def test_a_language_is_complete_and_clean(code):
    tree = bundled_tree(code)
    assert tree is not None
    language = parse_language(tree)
    assert check_language(language, read_vocabulary()) == []
    assert language.language == code
    assert sum(len(values) for values in language.persons.values()) == 79
    assert [len(language.scenarios[theme]) for theme in THEMES] == [IN_THEME] * 9


@pytest.mark.slow
def test_every_language_has_every_value_in_every_scenario_that_makes_sense(prompts):
    each = 79 * 36 - len(excluded())
    assert each == 2836
    counts = prompts["language"].value_counts().sort("language")
    assert counts.rows() == [(code, each) for code in bundled_languages()]
    assert prompts.columns == list(STORY_PROMPT_COLUMNS)
    assert not any(prompts[name].null_count() for name in prompts.columns)


def test_no_two_prompts_have_one_name_or_one_text(prompts):
    assert prompts["sample_id"].n_unique() == prompts.height
    assert prompts.select("language", "prompt").n_unique() == prompts.height


def test_no_prompt_has_a_placeholder_left(prompts):
    assert prompts.filter(pl.col("prompt").str.contains(r"[{}]|  |\n")).is_empty()


def test_names_are_hashes_of_four_parts(prompts):
    row = prompts.filter(language="en", target_attribute="religion", scenario="family 2").row(1, named=True)
    text = f"en|religion|{row['target_attribute_value']}|family 2"
    assert row["sample_id"] == hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    assert sample_id("en", "age", "child (0-12)", "misconduct 1") == "9bb759910fff093300882b91d2c64969"


def test_values_are_those_of_published_associations(prompts, shared: Path):
    published = json.loads((shared / "data/stereotales/published_associations.json").read_text("utf-8"))
    rows = published if isinstance(published, list) else published["associations"]
    base = {(row["base_attribute"], SPELLINGS.get(row["base_value"], row["base_value"])) for row in rows}
    ours = set(prompts.select(CELL[1:]).iter_rows())
    assert len(ours) == 79
    assert base <= ours


def test_values_are_those_of_published_stories(prompts, shared: Path):
    stories = pl.read_parquet(shared / "data/stereotales/stories.parquet").with_columns(
        pl.col("target_attribute_value").replace(SPELLINGS)
    )
    assert set(stories.select(CELL[1:]).iter_rows()) <= set(prompts.select(CELL[1:]).iter_rows())


def test_exclusions_name_what_there_is():
    vocabulary = {attribute.name: attribute.values for attribute in read_vocabulary()}
    for attribute, value, scenario in excluded():
        assert value in vocabulary[attribute]
        assert scenario in SCENARIOS


def test_a_beginning_of_the_table_can_be_analyzed():
    first = build_prompts(load_languages(("en", "es"), ()), Selection(limit=500))
    counts = first.group_by("target_attribute", "target_attribute_value").len()
    assert set(counts["target_attribute"]) == {"age", "gender"}
    assert counts["len"].min() >= 20
    for _, of_one in first.group_by(*CELL[:2]):
        several = of_one.group_by(CELL).len()["len"]
        assert several.max() - several.min() <= 5  # exclusions, and the last scenario
    assert first["theme"].n_unique() == len(THEMES)


def test_scenarios_of_a_cell_go_over_all_themes():
    few = build_prompts(load_languages(("en",), ()), Selection(per_cell=9))
    assert set(few.group_by(CELL).len()["len"]) == {9}
    cell = few.filter(target_attribute_value="woman")
    assert sorted(cell["theme"]) == sorted(THEMES)


def test_a_selection_takes_attributes_and_scenarios():
    asked = Selection(attributes=("religion", "gender"), scenarios=("family", "money 2"))
    chosen = build_prompts(load_languages(("en",), ()), asked)
    assert chosen.height == (6 + 3) * 5
    assert set(chosen["scenario"]) == {"family 1", "family 2", "family 3", "family 4", "money 2"}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (Selection(attributes=("religon",)), "Did you mean: religion"),
        (Selection(scenarios=("famly 2",)), "Did you mean: family 2"),
        (Selection(scenarios=("zzz",)), "Did you mean: misconduct"),
        (Selection(attributes=("housing_status",), scenarios=("conflict 1",), limit=0), "No prompt left"),
    ],
)
def test_a_selection_of_nothing_is_said(asked, words):
    with pytest.raises(UserError, match=words):
        build_prompts(load_languages(("en",), ()), asked)


def test_an_unknown_language_is_said():
    with pytest.raises(UserError, match=r"no story prompts in 'xx'\. Available: ar,"):
        load_languages(("xx",), ())


def test_the_gender_of_the_main_character_is_left_to_the_model(prompts):
    """In languages with a feminine or masculine head, only prompts that name a gender may have another head."""
    for code, head in {"es": "una persona", "fr": "une personne", "it": "una persona"}.items():
        here = prompts.filter(language=code).filter(~pl.col("prompt").str.contains(head))
        assert set(here.select("target_attribute", "target_attribute_value").iter_rows()) == {
            ("gender", "man"),
            ("gender", "woman"),
        }
