"""What else may explain associations in stories: refusals, extractors, lost stories."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.instruments.stories.outcomes import diagnostics
from endoxa.report.inputs import EXTRACTED, read_runs
from endoxa.report.quoting import ordered
from endoxa.testing.sentences import check_finding
from support.report_story_samples import stories, write_run

REFUSALS, ERRORS, LOST = "refusals", "errors of extraction", "stories not read"
READERS = [{"name": "reader/a"}, {"name": "reader/b"}]
MODEL = "openai/plain"


def found(folder, table, alphas=(0.9, 0.8), models=READERS):
    run = write_run(folder / "run", EXTRACTED, table, models=models, counts={"records": 9})
    agreement = {"attribute": ["pet", "drink"], "name": "alpha", "value": alphas, "low": None, "high": None}
    pl.DataFrame(agreement).write_csv(run / "estimates.csv")
    made = list(diagnostics(read_runs([run]), {MODEL: "plain"}))
    for diagnostic in made:
        check_finding(diagnostic.finding, ["plain", "2/3"])
    return {each.name: each for each in made}, [each.name for each in ordered(made) if each.concerning]


def told() -> pl.DataFrame:
    """Stories of one model, each its own, none a refusal."""
    unique = pl.format("{} {}", "story", "sample_id")
    return stories([MODEL], ["en"], each=20).with_columns(refusal=pl.lit(0, pl.Int64), story=unique)


def test_a_tenth_of_refusals_and_of_stories_that_were_cut_off(tmp_path):
    tenth = pl.int_range(pl.len()) % 10 == 0
    refused = told().with_columns(refusal=tenth.cast(pl.Int64))
    cut_off = told().with_columns(finish=pl.when(tenth).then(pl.lit("length")).otherwise(pl.lit("stop")))
    looked_at, concerning = found(tmp_path / "refused", refused)
    assert (concerning, looked_at[REFUSALS].value) == ([REFUSALS], pytest.approx(0.1))
    looked_at, concerning = found(tmp_path / "cut off", cut_off)
    assert (concerning, looked_at[LOST].numbers["cut_off"]) == ([LOST], pytest.approx(0.1))


def test_readers_who_disagree_and_a_single_reader_concern_and_those_who_agree_do_not(tmp_path):
    looked_at, concerning = found(tmp_path / "agreed", told())
    assert (concerning, {REFUSALS, ERRORS} <= set(looked_at)) == ([], True)
    looked_at, concerning = found(tmp_path, told(), alphas=(0.9, 0.6))
    assert concerning == [ERRORS]
    assert "below 2/3 for 1 of 2 attributes (least: 0.60, drink)" in looked_at[ERRORS].sentence
    _, single = found(tmp_path / "single", told(), models=READERS[:1])
    assert single == [ERRORS]
