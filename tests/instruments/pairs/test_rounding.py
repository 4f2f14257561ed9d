"""Rounding of half precision: what a run measures, and what estimates, gate and comparison make of it."""

from __future__ import annotations

import shutil

import numpy as np
import polars as pl
import pytest

from endoxa.instruments.pairs.estimates import analyze_pairs
from endoxa.instruments.pairs.estimates.records import load_records
from endoxa.instruments.pairs.instrument import PAIRS
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.instruments.pairs.report.preference import headline_of
from endoxa.models import live
from endoxa.runs.run import measure
from endoxa.schema import Score
from endoxa.study.compare.gate import gate
from endoxa.study.compare.run import compare
from support.report_samples import run_folder, scored

pytestmark = pytest.mark.slow

NOISE = 0.25
PLANTED = {
    "models": [{"name": "m", "dtype": "bfloat16", "rounding": {"sum": {"pairs": 64, "largest": NOISE}}}]
}
COLUMNS = ["precision", "within_rounding", "rounding_low", "rounding_high", "rounding_verdicts"]


class Noisy:
    """A model whose sentences with 'late' score lower by `NOISE` in any batch that holds more than one pair."""

    architecture, max_tokens, name = "causal", None, "live/noisy"

    def __init__(self, dtype="bfloat16", stop_after=None):
        self.dtype, self.batches, self.stop_after = dtype, [], stop_after

    def describe(self):
        return {"name": self.name, "dtype": self.dtype}

    def unknown_share(self, texts):
        return None

    def score(self, requests):
        self.batches.append(len(requests))
        if self.stop_after is not None and len(self.batches) > self.stop_after:
            raise KeyboardInterrupt
        for place, request in enumerate(requests):
            moved = NOISE if len(requests) > 2 and "late" in request.text else 0.0
            yield place, Score(-float(len(request.text)) - moved, 5)


def probed(tmp_path, model, name="run", rules=("sum",)):
    live.offer("noisy", live.Scorer(model, "planted"), again=True)
    rows = [f"i{k},Person {k} rises early.,Person {k} rises late." for k in range(100)]
    data = tmp_path / "pairs.csv"
    data.write_text("item_id,sent_more,sent_less\n" + "\n".join(rows) + "\n", encoding="utf-8")
    settings = PairsSettings(data=str(data), models=("live/noisy",), rules=rules, format="native")
    return measure(PAIRS, settings, tmp_path / name)


def test_planted_noise_is_recovered_from_64_pairs_scored_alone(tmp_path):
    model = Noisy()
    run = probed(tmp_path, model)
    assert run.facts["models"][0]["rounding"] == {"sum": {"pairs": 64, "median": NOISE, "largest": NOISE}}
    assert model.batches == [2, 198, *[2] * 64], "a check of lengths, the run, and pairs alone"


def test_full_precision_is_not_scored_twice(tmp_path):
    model = Noisy("float32")
    run = probed(tmp_path, model)
    assert "rounding" not in run.facts["models"][0]
    assert model.batches == [2, 198]
    columns = estimates_of(tmp_path / "run").select(COLUMNS)
    assert columns.null_count().row(0) == (columns.height,) * len(COLUMNS)


def items(number, **columns):
    """So many pairs, each about an identity of its own unless `columns` say otherwise."""
    named = {"item_id": "i{}", "sent_more": "Sentence {} is one.", "sent_less": "Sentence {} is another."}
    numbers = pl.DataFrame({"k": range(number)})
    texts = {name: pl.format(text, "k") for name, text in (named | {"identity": "group {}"}).items()}
    labels = {"language": "en", "axis": "age", "direction": "stereo", "stereotypical": "more"}
    fixed = {name: pl.lit(text) for name, text in labels.items()}
    return numbers.with_columns(**texts | fixed | columns).drop("k")


def estimates_of(folder):
    return analyze_pairs(load_records([folder])).estimates


def test_bounds_are_those_counted_by_hand(tmp_path):
    """Of 8 pairs 3 win and 2 lose by more than 0.25; 1 wins and 1 loses by less, 1 is a tie: 3/8 to 6/8."""
    differences = pl.Series([1.0, 0.5, 0.3, -1.0, -0.26, 0.2, -0.25, 0.0])
    table = scored(items(8), "m", "sum", 0.5).with_columns(score_more=-20 + differences)
    folder = run_folder(tmp_path / "run", table, **PLANTED)
    rows = estimates_of(folder).filter(name="preference_ratio", axis="all")
    assert rows.height == 2
    for row in rows.iter_rows(named=True):
        assert (row["precision"], row["within_rounding"]) == ("bfloat16", 3)
        assert (row["rounding_low"], row["rounding_high"]) == (3 / 8, 6 / 8)


def planted_run(folder, near, far):
    """240 pairs of 40 identities, of which `near` win by less than the rounding and `far` by more; the others lose."""
    sides = np.repeat([0.1, 2.0, -2.0], [near, far, 240 - near - far])
    difference = pl.Series(np.random.default_rng(0).permutation(sides))
    table = scored(items(240, identity=pl.format("group {}", pl.col("k") % 40)), "m", "sum", 0.5)
    return run_folder(folder, table.with_columns(score_more=-20 + difference), **PLANTED)


def test_it_is_said_where_the_verdict_could_be_another_one_and_only_there(tmp_path):
    doubtful = planted_run(tmp_path / "doubtful", near=40, far=120)
    estimates = estimates_of(doubtful)
    row = estimates.filter(name="preference_ratio", interval="identities", axis="all").row(0, named=True)
    assert (row["verdict"], row["rounding_verdicts"]) == ("above", "unclear, above")
    notes = [note for note in headline_of(estimates).notes if "rounding" in note]
    assert len(notes) == 1
    assert "40 of 240 pairs lie within the rounding of bfloat16" in notes[0]
    assert "--set dtype=float32" in notes[0]

    certain = planted_run(tmp_path / "certain", near=10, far=200)
    estimates = estimates_of(certain)
    assert estimates["within_rounding"].drop_nulls().unique().to_list() == [10]
    assert estimates["rounding_verdicts"].null_count() == estimates.height
    assert not [note for note in headline_of(estimates).notes if "rounding" in note]


def test_gate_and_comparison_say_it_where_it_could_change_what_is_decided(tmp_path):
    baseline = planted_run(tmp_path / "baseline", near=0, far=125)
    doubtful = planted_run(tmp_path / "doubtful", near=60, far=125)
    same = shutil.copytree(baseline, tmp_path / "same")
    for other, said in ((doubtful, True), (same, False)):
        notes = [note for note in gate(baseline, other, margin=0.1).notes if "bfloat16" in note]
        assert bool(notes) == said
        notes = [note for note in compare(baseline, other).contrasts[0].estimates.notes if "bfloat16" in note]
        assert bool(notes) == said
    text = gate(baseline, doubtful, margin=0.1).notes[-1]
    assert "60 of 240 pairs of the candidate lie within the rounding of bfloat16 (sum, all)" in text
