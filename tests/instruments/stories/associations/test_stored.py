"""Associations are discovered once, with settings that pages, tables and commands keep."""

from __future__ import annotations

import json
import shutil
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.instruments.stories.associations import Discovery, discover
from endoxa.instruments.stories.associations.discover import (
    Companion,
    companion_of,
    discover_in,
    no_tally,
    read_companion,
    settings_of,
    types_of,
    write_companion,
)
from endoxa.instruments.stories.report.page import story_sections
from endoxa.instruments.stories.report.results import StoryResults, read_results
from endoxa.report.inputs import read_runs
from endoxa.report.words import plural
from endoxa.schema.stories import DISCOVERED_COLUMNS
from endoxa.sources.stereotales.profiles import read_profiles
from support.report_story_samples import write_run
from support.story_samples import stories

discovery = import_module(discover.__module__)
FAST = Discovery(draws=2000, jobs=1)


def endoxa(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A strong association, and one that is found at 5 % but not at 1 %."""
    told = stories(
        60,
        languages=("en", "hi"),
        planted={("hill", "pet", "cat"): 9.0, ("black", "town", "hill"): 2.2},
        seed=3,
    )
    return write_run(tmp_path_factory.mktemp("stored") / "s2", "extract", told)


@pytest.fixture
def run(extracted: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(extracted, tmp_path / "s2"))


def results_of(path: Path) -> StoryResults:
    return read_results(read_runs([path]), confidence=0.95, seed=0)


def said_by(results: StoryResults, path: Path) -> str:
    sections = story_sections(read_runs([path]), results)
    return " ".join(str(finding) for section in sections for finding in section.findings)


@pytest.mark.slow
def test_command_table_page_and_run_count_the_same_at_any_rate(run: Path, tmp_path: Path) -> None:
    heights = []
    for alpha in (0.05, 0.01):
        table = tmp_path / f"{alpha}.csv"
        printed = endoxa("analyze", "associations", run, "--alpha", alpha, "--draws", 2000, "-o", table)
        found = pl.read_csv(table)
        claimed = found.filter(verdict="above").height
        assert f"{found.height} association" in printed
        both = results_of(table), results_of(run)
        for source, results in zip((table, run), both, strict=True):
            text = said_by(results, source)
            assert text.startswith(f"{plural(claimed, 'association')} in the stories of 1 model")
            assert f"false-discovery rate {100 * alpha:g}\u00a0%, at most 2,000 random tables" in text
        assert both[0].claimed.height == both[1].claimed.filter(aggregation="all").height == claimed
        assert both[0].tested.equals(both[1].tested.filter(aggregation="all"))
        heights.append(found.height)
    assert heights[0] > heights[1] > 0


@pytest.mark.slow
def test_the_rule_and_the_test_are_kept_by_the_run_and_the_table(run: Path, tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    endoxa("analyze", "associations", run, "--rule", "paper", "--draws", 2000, "-o", table)
    results = results_of(run)
    assert (results.discovered["paper_rule"] == 1).all()
    assert "only medium and large effects with a lift of at least 2 are kept" in said_by(results, run)
    endoxa("analyze", "associations", run, "--pooled", "published", "--draws", 2000, "-o", table)
    assert results_of(run).discovered.height > results.discovered.height
    assert settings_of(run) == Discovery(draws=2000, pooled="published")
    assert set(pl.read_csv(table)["verdict"]) == {"above"}
    assert "claimed by the published pooled test alone" in said_by(results_of(table), table)


def test_what_was_discovered_is_not_discovered_again(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = read_profiles(run)
    first = discover_in(run, profiles, FAST)
    monkeypatch.setattr(discovery, "discover", lambda *_: pytest.fail("discovered again"))
    again = discover_in(run, profiles, FAST)
    assert again.associations.equals(first.associations, null_equal=True)
    assert again.tables.drop("chi_square", "cramer_v").equals(first.tables.drop("chi_square", "cramer_v"))
    with pytest.raises(pytest.fail.Exception):
        discover_in(run, profiles, Discovery(alpha=0.01, draws=2000, jobs=1))


def test_other_settings_or_records_leave_nothing_of_before(run: Path) -> None:
    profiles = read_profiles(run)
    discover_in(run, profiles, Discovery(by_language=True, draws=2000, jobs=1))
    discover_in(run, profiles, Discovery(alpha=0.01, draws=2000, jobs=1))
    assert not (run / "associations_by_language.csv").exists()
    before = discover_in(run, profiles, FAST)
    shorter = pl.read_parquet(run / "records.parquet").head(300)
    shorter.write_parquet(run / "records.parquet")
    after = discover_in(run, read_profiles(run), FAST)
    assert after.tables["n"].sum() < before.tables["n"].sum()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of associations without rows, with its settings beside it."""
    path = tmp_path / "a.csv"
    pl.DataFrame(schema=types_of(DISCOVERED_COLUMNS)).write_csv(path)
    write_companion(path, Companion(FAST, "stories.parquet", 0, no_tally()))
    assert read_companion(path) is not None
    return path


@pytest.mark.parametrize(
    ("name", "value"), [("alpha", "x"), ("alpha", -3.0), ("pooled", "odd"), ("seed", -1)]
)
def test_odd_settings_count_for_nothing(name: str, value: object, run: Path, table: Path) -> None:
    told = json.loads(companion_of(table).read_text(encoding="utf-8"))
    told["settings"][name] = value
    companion_of(table).write_text(json.dumps(told), encoding="utf-8")
    assert read_companion(table) is None
    facts = json.loads((run / "run.json").read_text(encoding="utf-8"))
    odd = {"settings": {**FAST.recorded, name: value}, "endoxa": "0"}
    (run / "run.json").write_text(json.dumps({**facts, "discovery": odd}), encoding="utf-8")
    assert settings_of(run) == Discovery()


def test_a_broken_companion_counts_for_nothing(table: Path) -> None:
    for broken in ("", "[]", '{"sha256": 3}', "{}"):
        companion_of(table).write_text(broken, encoding="utf-8")
        assert read_companion(table) is None
    assert "are not recorded" in said_by(results_of(table), table)
