"""A task directory: lm-evaluation-harness loads it, and gets the numbers that `endoxa probe pairs` gets."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from endoxa.demo.planted import SAMPLE
from endoxa.export.harnesses import METRICS, export_lm_eval, tasks
from endoxa.export.material import read_pairs_material
from endoxa.export.payload import lm_eval_utils
from endoxa.instruments.logs import write_runs
from endoxa.instruments.pairs.estimates import analyze_pairs
from endoxa.instruments.pairs.estimates.records import load_records
from endoxa.instruments.pairs.instrument import PAIRS
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.runs.run import measure


def evaluate(folder, group, model):
    """What `lm_eval --include_path FOLDER --tasks GROUP --model hf ...` computes, in this process."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    return simple_evaluate(
        model="hf",
        model_args={"pretrained": str(model), "device": "cpu", "dtype": "float32"},
        tasks=[group],
        task_manager=TaskManager(include_path=str(folder), include_defaults=False),
        bootstrap_iters=0,
    )


def logged(found, folder):
    """What `--log_samples --output_path FOLDER` leaves, written by the harness itself."""
    from lm_eval.loggers import EvaluationTracker

    tracker = EvaluationTracker(output_path=str(folder))
    tracker.general_config_tracker.model_name = "tiny"
    tracker.general_config_tracker.model_name_sanitized = "tiny"
    samples = found.pop("samples")
    tracker.save_results_aggregated(results=found, samples=samples)
    for task, own in samples.items():
        tracker.save_results_samples(task_name=task, samples=own)
    return sorted(folder.rglob("samples_*.jsonl"))


def estimates_of(folder):
    named = ("preference_ratio", "mean_difference")
    shown = ("rule", "language", "axis", "name", "interval", "value", "low", "high", "n", "verdict")
    estimates = analyze_pairs(load_records([folder]), resamples=200).estimates
    return estimates.filter(pl.col("name").is_in(named)).select(shown)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the harness's own
def test_the_harness_agrees_with_our_rule_pair_by_pair_and_its_logs_give_our_estimates(
    tmp_path, shared, monkeypatch
):
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    model = shared / "data" / "models" / "tiny-gpt2"
    group = export_lm_eval(read_pairs_material(SAMPLE), tmp_path / "task")
    found = evaluate(tmp_path / "task", group, model)
    settings = PairsSettings(data=str(SAMPLE), models=(f"hf/{model}",), rules=("sum-bos",), calibrate=False)
    measure(PAIRS, settings, tmp_path / "run")
    differences = pl.col("score_more") - pl.col("score_less")
    ours = dict(load_records([tmp_path / "run"]).select("item_id", differences).iter_rows())
    theirs = {
        sample["doc"]["item_id"]: sample["difference"]
        for task in found["samples"].values()
        for sample in task
    }
    assert theirs == pytest.approx(ours, abs=1e-4)
    estimates = estimates_of(tmp_path / "run")
    ratios = estimates.filter(name="preference_ratio", axis="all")
    values = dict(ratios.select("language", "value").iter_rows())
    for task, language in ((group, "all"), (f"{group}_en", "en"), (f"{group}_hi", "hi")):
        share = found["results"][task]["pct_stereotype,none"]
        assert share == pytest.approx(values[language], abs=1e-9)
    logs = logged(found, tmp_path / "logs")
    assert len(logs) == 5
    (as_run,) = write_runs(logs, tmp_path / "logged")
    assert_frame_equal(estimates_of(as_run), estimates, abs_tol=1e-4)


def test_every_pair_is_in_one_task_of_each_kind():
    by_language, by_axis = tasks(read_pairs_material(SAMPLE), "g")
    assert [task.name for task in by_language] == ["g_en", "g_es", "g_fr", "g_hi", "g_sw"]
    assert len({task.name for task in by_axis}) == len(by_axis) == 25
    assert sum(task.pairs for task in by_language) == sum(task.pairs for task in by_axis) == 150


@pytest.mark.parametrize(
    ("stereotypical", "first", "expected"),
    [("more", "abcd", 1.0), ("less", "ab", 0.0)],
)
def test_the_stereotypical_sentence_comes_first(stereotypical, first, expected):
    doc = {"sent_more": "abcd", "sent_less": "ab", "stereotypical": stereotypical}
    assert lm_eval_utils.choices(doc)[0] == first
    totals = {"abcd": -4.0, "ab": -6.0}
    results = [(totals[text], False) for text in lm_eval_utils.choices(doc)]
    found = lm_eval_utils.process_results(doc, results)
    sign = 1 if expected else -1
    assert found == {
        "pct_stereotype": expected,
        "pct_stereotype_per_byte": expected,
        "pct_tie": 0.0,
        "difference": sign * 2.0,
        "difference_per_byte": sign * 2.0,
    }
    assert list(found) == list(METRICS)


def test_a_tie_counts_one_half_and_bytes_are_those_of_utf8():
    doc = {"sent_more": "éé", "sent_less": "ee", "stereotypical": "more"}
    found = lm_eval_utils.process_results(doc, [(-4.0, False), (-4.0, True)])
    assert (found["pct_stereotype"], found["pct_tie"]) == (0.5, 1.0)
    assert found["difference_per_byte"] == pytest.approx(-4 / 4 + 4 / 2)
