"""What else may explain an effect size: few words in a set, unknown tokens, and a run with neither."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.instruments.association_tests.report.quoting import diagnostics
from endoxa.instruments.association_tests.report.results import read_associations
from endoxa.instruments.reports import write_report
from endoxa.report.inputs import Run
from endoxa.report.quoting import ordered
from endoxa.runs.run import read_run
from endoxa.testing.sentences import check_finding
from support.report_test_samples import estimates, run_folder

pytestmark = pytest.mark.slow

WORDS, UNKNOWN = "words in a set", "words the encoder does not know"


def found(folder):
    run = Run(folder, read_run(folder))
    made = list(diagnostics([run], read_associations([run])))
    for diagnostic in made:
        check_finding(diagnostic.finding, ["one"])
    return {each.name: each for each in made}, [each.name for each in ordered(made) if each.concerning]


def models(share, **facts):
    return [{"name": "hf/one", "unknown_tokens": {"en": share}, **facts}]


def test_where_sets_are_large_and_every_token_is_known_nothing_concerns_the_tests(tmp_path):
    table = estimates().with_columns(clusters=pl.lit(13, pl.Int64))
    looked_at, concerning = found(run_folder(tmp_path / "run", table, models=models(0.0)))
    assert concerning == []
    assert set(looked_at) == {WORDS, UNKNOWN}


def test_few_words_unknown_tokens_and_half_precision_concern_them(tmp_path):
    few = pl.when(pl.int_range(pl.len()) % 3 == 0).then(13).otherwise(4).cast(pl.Int64)
    table = estimates().with_columns(clusters=few)
    folder = run_folder(tmp_path / "run", table, models=models(0.3, dtype="float16"))
    looked_at, concerning = found(folder)
    assert concerning == [WORDS, UNKNOWN, "precision of the numbers"]
    assert looked_at[WORDS].numbers["few"] == (table["clusters"] == 4).sum()
    assert "30.0\u00a0% of the tokens of its English texts" in looked_at[UNKNOWN].sentence
    page = write_report([folder], tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Before you quote this number" in page
