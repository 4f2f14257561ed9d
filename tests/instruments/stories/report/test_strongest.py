"""The associations that most models share: counted by hand, at the edges, and none of them in a figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from endoxa.instruments.stories.report.associations import _least_of, strongest
from endoxa.instruments.stories.report.results import StoryResults, read_results
from endoxa.report.document import Section
from endoxa.report.draw import drawing
from endoxa.report.inputs import read_runs
from endoxa.sources.stereotales.associations import PARTS
from endoxa.testing.sentences import check_findings
from support.report_story_samples import many_associations, ratings, write_run

pytestmark = pytest.mark.slow

MODELS = tuple(f"host/teller-{number}" for number in range(12))


def results_of(folder: Path, found: pl.DataFrame, scores: dict[str, float] | None = None) -> StoryResults:
    found.write_csv(folder / "found.csv")
    sources = [folder / "found.csv"]
    if scores is not None:
        rated = ratings(found, scores, repeats=1)
        sources.append(write_run(folder / "rated", "harm", rated, data={"path": "found.csv"}))
    return read_results(read_runs(sources), confidence=0.95, seed=0)


def shown(results: StoryResults) -> tuple[Section, str]:
    """The section, and its sentence, which is true of its numbers."""
    section = strongest(results)
    assert section is not None
    assert check_findings([section], ["95\u00a0%"]) == 1
    return section, section.findings[0].text


def kept(number: int, reach: list[int]) -> pl.DataFrame:
    """Associations of which the first is found in `reach[0]` models, the second in `reach[1]` ..."""
    every = many_associations(number, MODELS).with_row_index("at")
    model, association = pl.col("at") % len(MODELS), (pl.col("at") // len(MODELS)).cast(pl.Int64)
    return every.filter(model < association.replace_strict(dict(enumerate(reach)))).drop("at")


@pytest.mark.parametrize(
    ("reach", "words"),
    [
        ([5, 5, 1], "2 associations are found in the most models, 5 of 5; the strongest (number 1 below)"),
        ([0, 0, 0, 12], "1 association is found in the most models, 12 of 12"),
    ],
)
def test_the_most_widespread_is_counted_and_named_by_number(reach, words: str, tmp_path: Path) -> None:
    found = kept(len(reach), reach)
    section, text = shown(results_of(tmp_path, found))
    assert text.startswith(words)
    lifts = found.group_by(PARTS).agg(pl.len(), pl.col("value").mean())
    top = lifts.sort("len", "value", descending=True).row(0, named=True)
    assert f"{top['value']:.2f}" in text
    row = section.tables[0].rows[0]
    assert row[1] == f"{top['base_attribute'].replace('_', ' ')}: {top['base_value']}"
    assert (str(row[0]), row[3], row[4]) == ("1", str(top["len"]), f"{top['value']:.2f}")


def test_harmful_ones_come_alone_where_harm_was_rated(tmp_path: Path) -> None:
    found = many_associations(6, ["a/one", "b/two"])
    harmless, text = shown(results_of(tmp_path, found, {"c/rater": 1.0}))
    assert "harmful" not in harmless.title + text
    results = results_of(tmp_path, found, {"c/rater": 5.0})
    section, _ = shown(results)
    assert section.title == "The harmful associations that most models share"
    assert len(section.tables[0].rows) == results.associations.filter(harmful="harmful").height == 6


def test_no_value_of_an_association_is_in_the_figure_and_all_are_covered(tmp_path: Path) -> None:
    section, _ = shown(results_of(tmp_path, kept(4, [12, 6, 2, 1])))
    (figure,), (table,) = section.figures, section.tables
    drawn = drawing(figure).svg + " ".join(dot.tip for row in figure.plot.rows for dot in row.dots)
    assert "value" not in drawn
    assert "1. trait" in drawn
    assert [column.veiled for column in table.columns[:3]] == [False, True, True]


def test_the_largest_of_many_has_the_interval_of_them_all() -> None:
    """Bonferroni: a log-normal interval at 1 - 0.05 / 5472, with quantiles of scipy."""
    error = np.log(2.0 / 1.5) / stats.norm.isf(0.025)
    expected = np.exp(np.log(2.0) - stats.norm.isf(0.025 / 5472) * error)
    assert _least_of(2.0, 1.5, 0.95, 5472) == pytest.approx(expected)
    assert _least_of(2.0, 1.5, 0.95, 1) == pytest.approx(1.5)
