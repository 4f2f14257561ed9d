"""Published values beside one's own: only for the published file, and never called comparable when they are not."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.instruments.pairs.report.overview import published_values, references
from endoxa.instruments.pairs.report.results import gather
from endoxa.report.inputs import Run, read_runs
from endoxa.schema import ALL
from endoxa.sources.sources import sources
from support.report_samples import pairs, run_folder, scored

pytestmark = pytest.mark.slow

CROWS = sources()["crows-pairs"].sha256


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    english = pairs().filter(language="en")
    records = pl.concat(
        [
            scored(english, "hf/a", "crows-token", 0.75, neutral=False),
            scored(english, "hf/b", "sum", 0.5, neutral=False),
        ]
    )
    (made,) = read_runs([run_folder(tmp_path_factory.mktemp("runs") / "one", records)])
    return made


def of_file(run: Run, sha256: str) -> Run:
    return Run(run.folder, {**run.facts, "data": {**run.facts.get("data", {}), "sha256": sha256}})


def test_pairs_of_ones_own_in_a_published_format_have_no_published_values(run: Run) -> None:
    (results, _), *_ = gather([run], 0.95, 0)
    assert published_values(results, [run]) is None
    assert published_values(results, [of_file(run, "")]) is None


def test_of_the_published_file_the_papers_values_stand_below_ones_own(run: Run) -> None:
    """60.48 for BERT by the authors' program; a part of the pairs is another set."""
    (results, _), *_ = gather([run], 0.95, 0)
    section = published_values(results, [of_file(run, CROWS)])
    assert section is not None
    (table,) = section.tables
    own, *published = table.rows
    value = results.estimates.filter(model="hf/a", name="crows_metric_score_rounded", language=ALL, axis=ALL)[
        "value"
    ][0]
    scored_pairs = results.records.filter(model="hf/a").height
    assert own == ("a", "crows-token", f"{value:.1f}\u00a0%", str(scored_pairs), "this page")
    assert [row[2] for row in published] == ["60.48\u00a0%"]
    (note,) = section.notes
    assert note.endswith(
        f"rest on 1,508 pairs; here {scored_pairs} were scored, so they are of other sets of pairs."
    )


def test_hindi_has_its_own_values() -> None:
    """XLM-R in Table 2 of IndiBias, ICS (mean): 55.64 in English, 52.36 in Hindi."""
    found = {one.language: one.values["XLM-R"] for one in references() if one.data == "indibias"}
    assert found == {"en": "55.64", "hi": "52.36"}
