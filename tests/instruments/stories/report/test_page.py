"""The report of stories: its numbers are those of the records, nothing is dropped, and what hurts stays covered."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.reports import write_report
from endoxa.instruments.stories.associations import Discovery, discover
from endoxa.instruments.stories.associations.permutations import PROMPT, TRAIT, differences
from endoxa.instruments.stories.report.results import StoryResults, read_results
from endoxa.instruments.stories.report.sources import MOST_CHARACTERS, read_samples, shares
from endoxa.report.inputs import read_runs
from endoxa.sources.stereotales.associations import PARTS
from endoxa.sources.stereotales.profiles import read_profiles
from support.html_pages import Page
from support.report_story_samples import HOSTILE, HOSTILE_END, LANGUAGES, MODELS, PLANTED, stories, write_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("stories") / "s2", "extract", stories())


@pytest.fixture(scope="module")
def results(run: Path) -> StoryResults:
    return read_results(read_runs([run]), confidence=0.95, seed=0)


@pytest.fixture(scope="module")
def output(run: Path) -> Path:
    return write_report([run], run.parent / "page" / "stories.html")


@pytest.fixture(scope="module")
def page(output: Path) -> Page:
    return Page(output.read_text(encoding="utf-8"))


def test_the_page_loads_nothing_and_every_link_has_its_target(page: Page) -> None:
    assert not [tag for tag, _ in page.elements if tag in ("link", "img", "iframe", "object")]
    for tag, own in page.elements:
        assert not {"src", "srcset", "action", "xlink:href", "onerror"} & own.keys(), tag
        assert str(own.get("href") or "#").startswith(("#", "data:text/csv;")), own
    policy = next(own["content"] for tag, own in page.elements if own.get("http-equiv"))
    assert "default-src 'none'" in str(policy)
    assert not any(word in page.scripts[-1] for word in ("innerHTML", "fetch("))
    ids = [own["id"] for _, own in page.elements if "id" in own]
    assert len(ids) == len(set(ids))
    links = [str(own["href"]) for _, own in page.elements if "href" in own]
    targets = {link[1:] for link in links if link.startswith("#")}
    labels = {name for _, own in page.elements for name in str(own.get("aria-labelledby") or "").split()}
    fields = {str(own["for"]) for tag, own in page.elements if tag == "label"}
    assert targets | labels | fields <= set(ids)


def test_what_models_wrote_stays_text_is_blurred_and_in_no_figure(page: Page, output: Path) -> None:
    text = output.read_text(encoding="utf-8")
    assert HOSTILE not in text
    assert HOSTILE_END not in text
    shown = " ".join(page.sentences)
    assert HOSTILE in shown
    data = page.unpacked("stories")
    assert any(HOSTILE_END in text for side in data["answers"] for text in side["texts"] if text)
    assert "story without a usable profile" in data["outcomes"]
    assert "Day " in shown
    assert "urbanicity: rural" in shown
    assert "Day " not in page.text
    boxes = [own for tag, own in page.elements if tag == "input" and own.get("class") == "unveil"]
    assert boxes
    assert not any("checked" in box for box in boxes)
    for path in output.with_name("stories_figures").glob("*.svg"):
        assert ElementTree.parse(path).getroot().findtext("{http://www.w3.org/2000/svg}desc")
        assert "rural →" not in path.read_text(encoding="utf-8")


def test_every_row_is_accounted_for(page: Page) -> None:
    records = stories()
    told = page.table("Stories of each model and language")
    assert sum(int(row["stories"].replace(",", "")) for row in told) == records.height
    assert sum(int(row["refusals"]) for row in told) == records["refusal"].sum()
    assert sum(int(row["nothing known"]) for row in told) >= records["refusal"].sum()
    assert sum(int(row["unusable"]) for row in told) == (records["extracted_attributes_json"] == "").sum()
    assert len(told) == len(MODELS) * len(LANGUAGES)


def test_distributions_are_those_counted_by_hand(results: StoryResults, page: Page) -> None:
    own = stories().filter(
        (pl.col("generator_model") == "openai/plain")
        & (pl.col("target_attribute") != "pet")
        & (pl.col("extracted_attributes_json") != "")
    )
    profiles = [json.loads(text)["pet"] for text in own["extracted_attributes_json"]]
    row = shares(results.counts, "model").filter(model="openai/plain", attribute="pet", value="dog")
    assert row["n"].item() == profiles.count("dog")
    assert row["total"].item() == len(profiles)
    lines = page.table("Share of every value")
    (printed,) = (line["plain"] for line in lines if (line["attribute"], line["value"]) == ("pet", "dog"))
    assert printed == f"{100 * profiles.count('dog') / len(profiles):.1f}\u00a0%"


def invented(rng: np.random.Generator, models: str, traits: list[str] | np.ndarray, **attributes: np.ndarray):
    """Stories of a prompt each: their models, the trait that each prompt names, and what is told."""
    number = len(models)
    alike = {"theme": pl.Series(rng.choice(["x", "y"], number)), TRAIT[0]: pl.lit("origin")}
    columns = {
        "model": list(models),
        "language": rng.choice(["en", "hi"], number),
        TRAIT[1]: traits,
        **attributes,
    }
    return pl.DataFrame(columns | {PROMPT: [f"prompt {k}" for k in range(number)]}).with_columns(**alike)


def test_a_planted_difference_is_found_and_nothing_else() -> None:
    """Attributes owe nothing to model or language, but for the taste of model a, mostly sweet."""
    rng = np.random.default_rng(0)
    models = rng.choice(["a", "b", "c"], 240)
    told = {f"trait {k}": rng.choice([f"v{j}" for j in range(2 + k)], 240) for k in range(6)}
    moved = (models == "a") & (rng.random(240) < 0.8)
    told["taste"] = np.where(moved, "sweet", rng.choice(["sweet", "sour", "salty"], 240))
    stories = invented(rng, "".join(models), rng.choice(["p", "q"], 240), **told)
    found = differences(stories, "model", seed=0)
    assert found.filter(verdict="above")["attribute"].to_list() == ["taste"]
    taste = found.filter(attribute="taste").row(0, named=True)
    assert taste["distance"] > 2 * taste["by_chance"]
    assert set(differences(stories, "language", seed=0)["verdict"]) == {"unclear"}


def test_a_difference_that_the_prompts_make_is_none_of_models() -> None:
    """Each model was mostly asked for another trait, and the trait decides the value."""
    rng = np.random.default_rng(7)
    models = rng.choice(["a", "b"], 400)
    trait = np.where((models == "a") == (rng.random(400) < 0.9), "p", "q")
    value = np.where(rng.random(400) < 0.8, trait, "other")
    row = differences(invented(rng, "".join(models), trait, trait=value), "model", seed=0).row(0, named=True)
    assert row["distance"] > 0.5
    assert row["verdict"] == "unclear"


def test_associations_are_those_of_the_analysis_in_every_format(
    run: Path, results: StoryResults, page: Page, tmp_path: Path
) -> None:
    planted = {"model": "openai/plain", **dict(zip(PARTS, PLANTED, strict=True))}
    same = discover(read_profiles(run), Discovery()).associations.filter(**planted).row(0, named=True)
    assert results.discovered.filter(aggregation="all", **planted).row(0, named=True) == same
    data = page.unpacked("associations")
    rows = {(data["words"][row[0][1]], data["words"][row[0][3]]): row for row in data["rows"]}
    shown = rows["urbanicity: rural", "pet: dog"]
    own = next(values for values in shown[5] if data["models"][values[0]] == "plain")
    numbers = [same[name] for name in ("value", "low", "high", "fraction", "count")]
    assert own[1:] == pytest.approx(numbers, rel=1e-3)
    assert {data["languages"][place] for place in shown[1]} == {"English", "Hindi"}
    assert len(page.table("Associations")) == results.associations.height
    written = pl.read_csv(write_report([run], tmp_path / "found.csv"))
    assert written.height == results.discovered.height
    assert set(PARTS) < set(written.columns)


def test_long_stories_are_cut_and_thoughts_are_not_shown(tmp_path: Path) -> None:
    few = stories(MODELS[:1], ("en",), each=3)
    for name, text, shown in (
        ("thinking", "<think>Who is it?</think>\n\nOne day.", len("One day.")),
        ("long", "word " * MOST_CHARACTERS, len("word " * (MOST_CHARACTERS // 5)) - 1 + len(" […]")),
    ):
        read = read_samples([write_run(tmp_path / name, "extract", few.with_columns(story=pl.lit(text)))])
        assert {len(sample.story) for sample in read} == {shown}


def test_runs_that_do_not_go_together(run: Path, tmp_path: Path) -> None:
    again = write_run(tmp_path / "again", "extract", stories(MODELS[:1], ("en",), each=11))
    pairs = write_run(tmp_path / "pairs", "pairs", pl.DataFrame({"a": [1]}))
    for other, words in ((again, "both hold stories of 'sim/teller'"), (pairs, "write one report for each")):
        with pytest.raises(UserError, match=words):
            write_report([run, other], tmp_path / "page.html")
