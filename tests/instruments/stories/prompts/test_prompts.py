"""Story prompts: the table of prompts, names of prompts, selections, associations and seeds of others."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.stories.options import Selection
from endoxa.instruments.stories.prompt_language import THEMES, bundled_languages
from endoxa.instruments.stories.prompts import (
    Cell,
    build_prompts,
    excluded,
    load_languages,
    read_map,
    sample_id,
    seed_languages,
)
from endoxa.sources.stereotales.profiles import SPELLINGS
from endoxa.sources.stereotales.vocabulary import read_vocabulary

STEREOTALES = ("en", "fr", "es", "it", "pt", "nl", "uk", "ar", "hi", "zh")
CELL = ["language", "target_attribute", "target_attribute_value"]


@pytest.fixture(scope="module")
def prompts() -> pl.DataFrame:
    return build_prompts(load_languages(bundled_languages(), ()))


def english(chosen: Selection | None = None, cells: tuple[Cell, ...] = ()) -> pl.DataFrame:
    return build_prompts(load_languages(("en",), ()), chosen, cells)


@pytest.mark.slow
def test_every_language_has_every_value_in_every_scenario_that_makes_sense_once(prompts):
    assert set(STEREOTALES) <= set(bundled_languages())
    each = 79 * 36 - len(excluded())
    assert each == 2836
    counts = prompts["language"].value_counts().sort("language")
    assert counts.rows() == [(code, each) for code in bundled_languages()]
    assert not any(prompts[name].null_count() for name in prompts.columns)
    assert prompts["sample_id"].n_unique() == prompts.height
    assert prompts.select("language", "prompt").n_unique() == prompts.height
    assert prompts.filter(pl.col("prompt").str.contains(r"[{}]|  |\n")).is_empty()


def test_names_are_hashes_of_four_parts(prompts):
    row = prompts.filter(language="en", target_attribute="religion", scenario="family 2").row(1, named=True)
    text = f"en|religion|{row['target_attribute_value']}|family 2"
    assert row["sample_id"] == hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    assert sample_id("en", "age", "child (0-12)", "misconduct 1") == "9bb759910fff093300882b91d2c64969"


def test_values_are_those_that_were_published(prompts, shared: Path):
    folder = shared / "data" / "stereotales"
    published = json.loads((folder / "published_associations.json").read_text("utf-8"))
    base = {(row["base_attribute"], SPELLINGS.get(row["base_value"], row["base_value"])) for row in published}
    ours = set(prompts.select(CELL[1:]).iter_rows())
    assert len(ours) == 79
    assert base <= ours


def test_a_beginning_of_the_table_can_be_analyzed():
    first = build_prompts(load_languages(("en", "es"), ()), Selection(limit=500))
    counts = first.group_by("target_attribute", "target_attribute_value").len()
    assert set(counts["target_attribute"]) == {"age", "gender"}
    assert counts["len"].min() >= 20
    for _, of_one in first.group_by(*CELL[:2]):
        several = of_one.group_by(CELL).len()["len"]
        assert several.max() - several.min() <= 5  # exclusions, and the last scenario
    assert first["theme"].n_unique() == len(THEMES)


def test_a_selection_takes_attributes_and_scenarios_and_goes_over_all_themes():
    few = english(Selection(per_cell=9))
    assert set(few.group_by(CELL).len()["len"]) == {9}
    assert sorted(few.filter(target_attribute_value="woman")["theme"]) == sorted(THEMES)
    chosen = english(Selection(attributes=("religion", "gender"), scenarios=("family", "money 2")))
    assert chosen.height == (6 + 3) * 5
    assert set(chosen["scenario"]) == {"family 1", "family 2", "family 3", "family 4", "money 2"}
    with pytest.raises(UserError, match="No prompt left"):
        english(Selection(attributes=("housing_status",), scenarios=("conflict 1",), limit=0))


def test_the_gender_of_the_main_character_is_left_to_the_model(prompts):
    """In languages with a feminine or masculine head, only prompts that name a gender may have another head."""
    for code, head in {"es": "una persona", "fr": "une personne", "it": "una persona"}.items():
        here = prompts.filter(language=code).filter(~pl.col("prompt").str.contains(head))
        assert set(here.select(CELL[1:]).iter_rows()) == {("gender", "man"), ("gender", "woman")}


def test_prompts_of_an_identity_carry_its_associations_and_the_others_are_there_to_compare(tmp_path: Path):
    path = tmp_path / "map.csv"
    head = "association_id,base_attribute,base_value,compared_attribute,compared_value"
    rows = ("a1,gender,woman,health_status,poor", "a2,gender,woman,urbanicity,rural", "a3,,,,")
    path.write_text("\n".join((head, *rows)), encoding="utf-8")
    cells = read_map(path, read_vocabulary())
    assert [cell.association_id for cell in cells] == ["a1", "a2"]
    prompts = english(None, cells)
    assert set(prompts["target_attribute"]) == {"gender"}
    carried = dict(prompts.select("target_attribute_value", "associations").unique().iter_rows())
    assert json.loads(carried["woman"]) == [["a1", "health_status", "poor"], ["a2", "urbanicity", "rural"]]
    assert carried["man"] == ""
    more = english(Selection(attributes=("gender", "religion")), cells)
    assert set(more["target_attribute"]) == {"gender", "religion"}


ENGLISH = '["north america (e.g. United States, Canada)", "other"]', "a person from north america"
SPANISH = '["américa del norte (p. ej., Canadá)", "otro"]', "una persona de américa del norte"
TEMPLATE = (
    "scenario_based: >\n  About a person {context}.\n  The main character is {character}.\n\n  Reveal: age.\n"
)
VALUE = "north america (e.g. United States, Canada, etc)"


def test_prompts_say_the_words_of_the_seeds_and_values_are_those_of_extractors(tmp_path: Path):
    for code, (values, person) in {"en": ENGLISH, "es": SPANISH}.items():
        attributes = f'geographic_origin:\n  values: {values}\n  template_choices: ["{person}", null]\n'
        texts = {
            f"attributes/attributes.{code}.yaml": attributes,
            f"scenarios/scenario.{code}.yaml": 'hobbies: ["playing chess"]\n',
            f"prompts_template/prompts.{code}.yaml": TEMPLATE,
        }
        for name, text in texts.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
    prompts = build_prompts(seed_languages(tmp_path, ("en", "es"), aspects=True), Selection(), [])
    assert prompts.select("language", "scenario", "target_attribute_value").rows() == [
        ("en", "hobby 1", VALUE),
        ("es", "hobby 1", VALUE),
    ]
    about = "About a person playing chess. The main character is"
    assert prompts["prompt"].to_list() == [
        f"{about} a person from north america.\n\nReveal: age.",
        f"{about} una persona de américa del norte.\n\nReveal: age.",
    ]
    (ours,) = build_prompts(seed_languages(tmp_path, ("en",), aspects=False), Selection(), [])["prompt"]
    assert ours.startswith(
        "Write a story of about 200 words. The main character is a person from north america."
    )
