"""The demonstration from end to end, with one of its nine models: found is what was planted."""

from __future__ import annotations

from functools import partial

import pytest

from endoxa.demo import run
from endoxa.demo.planted import train_planted

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    only = partial(train_planted, architectures=("causal",), plants=("frequency",))
    patch = pytest.MonkeyPatch()
    patch.setattr(run, "train_planted", only)
    out = tmp_path_factory.mktemp("demo")
    said = []
    yield run.run_demo(out, progress=lambda what, *_: said.append(what)), out, said
    patch.undo()


def test_frequency_fools_the_raw_preference_and_not_the_calibrated_one(finished):
    result, _, _ = finished
    row = result.recovery.filter(rule="sum").row(0, named=True)
    assert row["raw_preference"] > 0.95
    assert row["calibrated_preference"] == pytest.approx(0.5, abs=0.05)
    assert row["recovered_difference"] == pytest.approx(row["planted_difference"], abs=0.15)


def test_every_language_has_neutral_identities_for_the_sample(finished):
    import polars as pl

    result, _, _ = finished
    assert pl.read_parquet(result.run / "records.parquet")["n_neutral"].min() >= 2


def test_page_figure_and_table_are_there_and_say_that_models_are_planted(finished):
    result, out, said = finished
    page = result.report.read_text(encoding="utf-8")
    assert "preference planted in them" in page
    assert page.index("Models that only know which words are frequent") < page.rindex(
        ">How often each model prefers"
    )
    assert result.figure.read_bytes().startswith(b"\x89PNG")
    assert (out / "recovery.csv").read_text().count("\n") == len(result.recovery) + 1
    assert any(what == "training models" for what in said)


def test_started_again_it_keeps_what_is_complete(finished):
    result, out, _ = finished
    records = result.run / "records.parquet"
    before = records.stat().st_mtime_ns
    run.run_demo(out)
    assert records.stat().st_mtime_ns == before
