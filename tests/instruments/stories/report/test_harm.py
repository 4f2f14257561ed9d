"""Ratings of harm in the report of stories: the numbers of the analysis, and nothing that was not rated."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from endoxa.instruments.reports import write_report
from endoxa.instruments.stories.report.associations import class_counts
from endoxa.instruments.stories.report.results import read_results
from endoxa.report.inputs import read_runs
from endoxa.report.words import percent
from endoxa.sources.stereotales.associations import PARTS
from support.html_pages import Page
from support.report_story_samples import MODELS, PLANTED, many_associations, ratings, write_run

RATERS = {MODELS[0]: 4.4, MODELS[1]: 3.2, "maker/third": 2.6}
PEOPLE = {f"p{k}": 3.4 for k in range(9)}


@pytest.fixture(scope="module")
def found() -> pl.DataFrame:
    planted = pl.DataFrame([dict(zip(PARTS, PLANTED, strict=True))]).join(
        pl.DataFrame({"model": MODELS[:2], "aggregation": "all", "value": 1.7}), how="cross"
    )
    return pl.concat([many_associations(30, MODELS[:2]), planted], how="diagonal")


@pytest.fixture(scope="module")
def sources(found: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    home = tmp_path_factory.mktemp("harm")
    found.write_csv(home / "found.csv")
    ratings(found, PEOPLE, kind="human", repeats=1).write_csv(home / "people.csv")
    return [
        home / "found.csv",
        write_run(home / "s3", "harm", ratings(found, RATERS)),
        home / "people.csv",
    ]


@pytest.mark.slow
def test_people_decide_what_is_harmful(sources: list[Path], found: pl.DataFrame, tmp_path: Path) -> None:
    results = read_results(read_runs(sources), confidence=0.95, seed=0)
    page = Page(write_report(sources, tmp_path / "harm.html").read_text(encoding="utf-8"))
    assert results.harm is not None
    assert results.harm.judges == "people"
    rows = results.harm.analysis.associations
    harmful = rows.filter(people_harmful=1)
    assert results.associations.filter(harmful="harmful").height == harmful.height
    assert set(harmful.select(PARTS).rows()) >= {PLANTED}
    share = percent(harmful.height / rows.height).replace("\u00a0", " ")
    called = f"{rows.height} associations that people rated, {harmful.height} ({share}) are called harmful"
    assert called in page.text
    counted = class_counts(results)
    for row in counted.iter_rows(named=True):
        assert row["harmful"] + row["benign"] + row["not rated"] == found.filter(model=row["model"]).height
    bars = counted.filter(label="plain")["harmful"].item()
    assert re.search(rf"Harmful associations per model: .*\b{bars} \(", page.text)


@pytest.mark.slow
def test_ratings_alone_make_a_page_without_an_empty_table(sources: list[Path], tmp_path: Path) -> None:
    page = Page(write_report(sources[1:2], tmp_path / "harm.html").read_text(encoding="utf-8"))
    anchors = {own.get("id") for _, own in page.elements}
    assert "raters" in anchors
    assert [row["holds"] for row in page.table("Runs")] == ["ratings of harm"]
    assert page.table("Rated, but not shown by stories here")
    assert not anchors & {"associations", "by-model", "stories", "blind-spots"}
    assert not re.search(r"\bnan\b|None", page.text)
    assert all(table.rows for table in page.tables)
