"""A folder of StereoTales' seeds becomes prompts: words of the folder, values of the vocabulary."""

from __future__ import annotations

from pathlib import Path

import pytest

from endoxa.errors import UserError
from endoxa.instruments.stories.options import Selection
from endoxa.instruments.stories.prompts import build_prompts, seed_languages

ENGLISH = """\
geographic_origin:
  values: ["north america (e.g. United States, Canada)", "other"]
  template_choices: ["a person from north america", null]
"""
SPANISH = """\
geographic_origin:
  values: ["américa del norte (p. ej., Canadá)", "otro"]
  template_choices: ["una persona de américa del norte", null]
"""
TEMPLATE = (
    "scenario_based: >\n  About a person {context}.\n  The main character is {character}.\n\n  Reveal: age.\n"
)
VALUE = "north america (e.g. United States, Canada, etc)"


@pytest.fixture
def seeds(tmp_path) -> Path:
    for name in ("attributes", "scenarios", "prompts_template"):
        (tmp_path / name).mkdir()
    for code, attributes in {"en": ENGLISH, "es": SPANISH}.items():
        (tmp_path / "attributes" / f"attributes.{code}.yaml").write_text(attributes, encoding="utf-8")
        (tmp_path / "scenarios" / f"scenario.{code}.yaml").write_text('hobbies: ["playing chess"]\n')
        (tmp_path / "prompts_template" / f"prompts.{code}.yaml").write_text(TEMPLATE)
    return tmp_path


def test_prompts_say_the_words_of_the_seeds_and_values_are_those_of_extractors(seeds):
    prompts = build_prompts(seed_languages(seeds, ("en", "es"), aspects=True), Selection(), [])
    assert prompts.select("language", "scenario", "target_attribute_value").rows() == [
        ("en", "hobby 1", VALUE),
        ("es", "hobby 1", VALUE),
    ]
    assert prompts["prompt"].to_list() == [
        "About a person playing chess. The main character is a person from north america.\n\nReveal: age.",
        "About a person playing chess. The main character is una persona de américa del norte.\n\nReveal: age.",
    ]


def test_without_aspects_the_request_is_ours(seeds):
    (prompt,) = build_prompts(seed_languages(seeds, (), aspects=False), Selection(), [])["prompt"]
    assert prompt.startswith(
        "Write a story of about 200 words. The main character is a person from north america."
    )


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("attributes/attributes.en.yaml", ENGLISH.replace(', "other"', ""), "equally long"),
        (
            "attributes/attributes.en.yaml",
            ENGLISH.replace("north", "old"),
            "there is no value of geographic_origin 'old america'. Did you mean: north america",
        ),
        (
            "attributes/attributes.en.yaml",
            ENGLISH.replace("origin", "place"),
            "there is no attribute 'geographic_place'. Did you mean: geographic_origin",
        ),
        ("scenarios/scenario.en.yaml", 'smoke: ["walking"]\n', "there is no theme 'smoke'"),
        ("prompts_template/prompts.en.yaml", "scenario_based: a story\n", "with {context} and {character}"),
    ],
)
def test_a_faulty_file_is_named(seeds, file, text, expected):
    (seeds / file).write_text(text)
    with pytest.raises(UserError, match=expected):
        seed_languages(seeds, (), aspects=True)


def test_a_folder_or_language_without_seeds_is_refused(seeds, tmp_path):
    with pytest.raises(UserError, match="Available: en, es"):
        seed_languages(seeds, ("fr",), aspects=False)
    with pytest.raises(UserError, match="holds no seeds"):
        seed_languages(tmp_path / "scenarios", (), aspects=False)
