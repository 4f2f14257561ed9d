"""Languages and models compared in the report of stories: what is shared, what is alone, whom harm is about."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.reports import write_report
from endoxa.instruments.stories.report.results import StoryResults, read_results
from endoxa.report.inputs import read_runs
from endoxa.report.words import language_name
from endoxa.sources.stereotales.associations import PARTS
from support.html_pages import Page
from support.report_story_samples import ratings

LANGUAGES = ("en", "fr", "hi", "pt")
MODELS = ("maker/one", "maker/two", "other/three")


@pytest.fixture(scope="module")
def found() -> pl.DataFrame:
    """Forty associations, some with groups that are marked somewhere; the harmful half reaches fewer languages."""
    rng = np.random.default_rng(5)
    values = ("Hindu", "Muslim", "Christian", "Buddhist")
    rows = []
    for k in range(40):
        parts = ("religion", values[k % 4], "pet" if k % 2 else "drink", f"kind {k // 4}")
        reached = LANGUAGES if k == 1 else rng.choice(LANGUAGES, size=3 if k % 2 else 1, replace=False)
        for model in MODELS[: 1 + k % 3]:
            rows += [(model, place, *parts, 2.0 + k / 10) for place in ("all", *map(str, reached))]
    return pl.DataFrame(rows, schema=("model", "aggregation", *PARTS, "value"), orient="row")


@pytest.fixture(scope="module")
def sources(found: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    home = tmp_path_factory.mktemp("languages")
    found.write_csv(home / "found.csv")
    drinks = found.filter(compared_attribute="drink")
    people = {f"p{k}": 4.6 for k in range(7)}, {f"p{k}": 1.6 for k in range(7)}
    judged = [
        ratings(drinks, people[0], "human", 1),
        ratings(found.filter(compared_attribute="pet"), people[1], "human", 1),
    ]
    pl.concat(judged).write_csv(home / "people.csv")
    return [home / "found.csv", home / "people.csv"]


@pytest.fixture(scope="module")
def results(sources: list[Path]) -> StoryResults:
    return read_results(read_runs(sources), confidence=0.95, seed=0)


@pytest.fixture(scope="module")
def page(sources: list[Path]) -> Page:
    return Page(
        write_report(sources, sources[0].parent / "page" / "languages.html").read_text(encoding="utf-8")
    )


def languages_of(found: pl.DataFrame) -> dict[tuple[str, ...], set[str]]:
    alone = found.filter(pl.col("aggregation") != "all")
    sets: dict[tuple[str, ...], set[str]] = {}
    for *parts, language in alone.select(*PARTS, "aggregation").iter_rows():
        sets.setdefault(tuple(parts), set()).add(language)
    return sets


@pytest.mark.slow
def test_languages_are_those_counted_by_hand(found: pl.DataFrame, results: StoryResults, page: Page) -> None:
    """Reach, the most alike, and what each has alone."""
    sets = languages_of(found)
    harmful, benign = (
        np.mean([len(members) for parts, members in sets.items() if parts[2] == what])
        for what in ("drink", "pet")
    )
    expected = f"found in {harmful:.1f} languages on average, a benign one in {benign:.1f}"
    assert expected in page.text
    assert "; that cannot be tested (2 values of harmful associations, at least 6 needed)." in page.text
    rows = {row["language"]: row for row in page.table("Languages one by one")}
    own = {
        language: {parts for parts, members in sets.items() if language in members} for language in LANGUAGES
    }
    for language, parts in own.items():
        row = rows[language_name(language)]
        assert int(row["associations"]) == len(parts)
        assert int(row["only here"]) == sum(sets[one] == {language} for one in parts)
    pairs = [(len(own[a] & own[b]), len(own[a] | own[b])) for a, b in combinations(LANGUAGES, 2)]
    shared, either = max(pairs, key=lambda pair: pair[0] / pair[1])
    assert (
        f"share {shared} of {either} associations that either has ({100 * shared / either:.0f} %)"
        in page.text
    )
    shift = results.by_language.shift
    assert len(page.table("Harmful associations with every group")) == shift.height
    assert "(marked)" in page.text
    assert "Which models are alike" in page.text
