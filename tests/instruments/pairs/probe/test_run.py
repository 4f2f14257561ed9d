"""The run: every item exactly once, whatever happens in between."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates import analyze_run
from endoxa.instruments.pairs.instrument import PAIRS
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.instruments.pairs.probe.scoring import Journal, Row, request_key
from endoxa.runs.run import measure
from endoxa.schema import RECORD_COLUMNS, CausalRequest, Score, Unscorable

HEADER = "item_id,sent_more,sent_less,direction,axis,language,identity,attribute_more,attribute_less\n"
ROWS = [
    "a,The bakers are patient.,The bakers are impatient.,stereo,work,en,the bakers,patient,impatient",
    "b,Young drivers are careful.,Old drivers are careful.,antistereo,age,en,,,",
    "c,Grandmothers tell long stories.,Grandmothers tell short stories.,stereo,age,en,,,",
    "d,Les boulangers sont patients.,Les boulangers sont impatients.,stereo,work,fr,les boulangers,patients,impatients",
]


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(HEADER + "\n".join(ROWS) + "\n", encoding="utf-8")
    return path


def settings_for(data, *models, **more):
    return PairsSettings(data=str(data), models=tuple(f"hf/{folder}" for folder in models), **more)


def records(folder):
    return pl.read_parquet(folder / "records.parquet")


def test_one_row_per_item_model_and_rule_with_the_promised_columns(data, tiny, tmp_path):
    rules = ("sum", "mean", "pll", "crows-token", "completion")
    summary = measure(PAIRS, settings_for(data, *tiny.values(), rules=rules), tmp_path / "run")
    found = records(tmp_path / "run")
    assert found.columns == list(RECORD_COLUMNS)
    assert len(found) == summary.counts["records"] == 4 * 5
    assert found.select("item_id", "model", "rule").is_unique().all()
    assert {(skip["rule"], Path(skip["model"]).name) for skip in summary.facts["skipped"]} >= {
        ("sum", "masked"),
        ("pll", "causal"),
    }


@pytest.mark.slow
def test_scores_are_those_of_the_rule(data, tiny, tiny_models, tmp_path):
    from endoxa.instruments.pairs.rules import RULES
    from endoxa.schema import Pair
    from endoxa.testing.plugins import score_pairs

    measure(PAIRS, settings_for(data, tiny["causal"], rules=("sum",)), tmp_path / "run")
    found = records(tmp_path / "run")
    pairs = [Pair(more, less) for more, less in found.select("sent_more", "sent_less").iter_rows()]
    expected = score_pairs(RULES.get("sum"), tiny_models["causal"], pairs)
    for (more, less), row in zip(expected, found.iter_rows(named=True), strict=True):
        assert (row["score_more"], row["score_less"]) == pytest.approx((more, less), abs=1e-4)


def test_neutral_difference_is_the_mean_over_neutral_identities(data, tiny, tiny_models, tmp_path):
    from endoxa.instruments.pairs.rules import RULES
    from endoxa.schema import Pair
    from endoxa.testing.plugins import score_pairs

    measure(PAIRS, settings_for(data, tiny["causal"], rules=("sum",)), tmp_path / "run")
    rows = {row["item_id"]: row for row in records(tmp_path / "run").iter_rows(named=True)}
    neutral = [
        Pair("People are patient.", "People are impatient."),
        Pair("They are patient.", "They are impatient."),
    ]
    scored = score_pairs(RULES.get("sum"), tiny_models["causal"], neutral)
    expected = sum(more - less for more, less in scored) / 2
    assert rows["a"]["neutral_difference"] == pytest.approx(expected, abs=1e-4)
    assert [rows[k]["n_neutral"] for k in "abcd"] == [2, 0, 0, 2]
    assert rows["b"]["neutral_difference"] is None


@pytest.mark.slow
def test_identical_sentences_tie_wherever_they_stand(tiny, tmp_path):
    path = tmp_path / "ties.csv"
    other = [f"x{k},Bakers number {k} are patient.,Bakers number {k} are impatient." for k in range(60)]
    same = [f"t{k},The bakers are patient today.,The bakers are patient today." for k in range(6)]
    rows = other + same
    random.Random(0).shuffle(rows)
    path.write_text("item_id,sent_more,sent_less\n" + "\n".join(rows), encoding="utf-8")
    measure(PAIRS, settings_for(path, *tiny.values(), chunk=7), tmp_path / "run")
    ties = records(tmp_path / "run").filter(pl.col("item_id").str.starts_with("t"))
    assert (ties["score_more"] == ties["score_less"]).all()
    assert ties.group_by("model").agg(pl.col("score_more").n_unique())["score_more"].to_list() == [1, 1, 1]


def test_s_as_completions_equal_the_reference_end_to_end(shared, tmp_path):
    """From a table through reader, prompt and rule: the published evaluation lower-cases what it completes."""
    import csv

    with (shared / "data/reference_scores/lm_scores_afri_first20.csv").open(encoding="utf-8") as file:
        expected = {row["text"]: float(row["t5_prompt_sum"]) for row in csv.DictReader(file)}
    path = tmp_path / "s_as.csv"
    rows = [
        "women,caring,uncaring,women",
        "men,strong,weak,men",
        "Igbo people,business-minded,generous,ethnicity",
    ]
    path.write_text("identity,canonical_attribute,anti_stereotype,type\n" + "\n".join(rows), encoding="utf-8")
    measure(
        PAIRS, settings_for(path, shared / "data/models/tiny-t5", rules=("completion",)), tmp_path / "run"
    )
    for row in records(tmp_path / "run").iter_rows(named=True):
        assert row["score_more"] == pytest.approx(expected[row["sent_more"]], abs=1e-4)
        assert row["score_less"] == pytest.approx(expected[row["sent_less"]], abs=1e-4)


def test_model_that_gives_no_finite_number_is_said(data, tiny, tmp_path):
    from safetensors.torch import load_file, save_file

    model = Path(shutil.copytree(tiny["causal"], tmp_path / "model"))
    weights = load_file(model / "model.safetensors")
    weights["transformer.h.0.mlp.c_fc.weight"].fill_(float("inf"))
    save_file(weights, model / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match=r"(no finite probability|not causal)"):
        measure(PAIRS, settings_for(data, model), tmp_path / "run")


@pytest.mark.slow
def test_chunks_and_row_order_change_nothing(data, tiny, tmp_path):
    measure(PAIRS, settings_for(data, *tiny.values()), tmp_path / "whole")
    measure(PAIRS, settings_for(data, *tiny.values(), chunk=1), tmp_path / "single")
    turned = tmp_path / "turned.csv"
    turned.write_text(HEADER + "\n".join(ROWS[::-1]) + "\n", encoding="utf-8")
    measure(PAIRS, settings_for(turned, *tiny.values()), tmp_path / "turned")
    key, values = ["item_id", "model", "rule"], ["score_more", "score_less", "neutral_difference"]
    first = records(tmp_path / "whole").sort(key)
    for other in ("single", "turned"):
        second = records(tmp_path / other).sort(key)
        assert first.select(key).equals(second.select(key))
        gap = (first.select(values) - second.select(values)).select(pl.all().abs().max())
        assert max(gap.row(0)) < 1e-4


def test_language_that_the_tokenizer_cannot_read_is_recorded_and_said(tiny, tmp_path, caplog):
    path = tmp_path / "hi.csv"
    rows = ["a,The bakers are patient.,The bakers are impatient.,en", "b,नानबाई धैर्यवान हैं।,नानबाई अधीर हैं।,hi"]
    path.write_text("item_id,sent_more,sent_less,language\n" + "\n".join(rows), encoding="utf-8")
    measure(PAIRS, settings_for(path, tiny["masked"]), tmp_path / "run")
    (model,) = json.loads((tmp_path / "run/run.json").read_text())["models"]
    assert model["unknown_tokens"]["en"] == 0
    assert model["unknown_tokens"]["hi"] > 0.9
    assert "of its 'hi' sentences are unknown" in caplog.text
    assert "'en'" not in caplog.text


def test_finished_run_is_left_alone_and_restart_does_it_again(data, tiny, tmp_path):
    asked = settings_for(data, tiny["causal"])
    out = tmp_path / "run"
    assert not measure(PAIRS, asked, out).was_complete
    assert not (out / "journal.sqlite").exists()
    before = (out / "records.parquet").stat().st_mtime_ns
    assert measure(PAIRS, asked, out).was_complete
    assert (out / "records.parquet").stat().st_mtime_ns == before
    assert not measure(PAIRS, asked, out, restart=True).was_complete


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [{"limit": 2}, {"calibrate": False}, {"languages": ("en",)}, {"rules": ("sum", "mean")}],
)
def test_folder_of_a_different_run_is_refused_and_kept(data, tiny, tmp_path, change):
    out = tmp_path / "run"
    measure(PAIRS, settings_for(data, tiny["causal"], rules=("sum",)), out)
    kept = (out / "records.parquet").read_bytes()
    with pytest.raises(UserError, match="holds a different run"):
        measure(PAIRS, settings_for(data, tiny["causal"], **{"rules": ("sum",), **change}), out)
    assert (out / "records.parquet").read_bytes() == kept


def test_other_weights_under_the_same_name_are_a_different_run(data, tiny, tmp_path):
    model = shutil.copytree(tiny["causal"], tmp_path / "model")
    measure(PAIRS, settings_for(data, model), tmp_path / "run")
    with (model / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x00")
    with pytest.raises(UserError, match="models fingerprint was"):
        measure(PAIRS, settings_for(data, model), tmp_path / "run")


def test_foreign_folder_is_refused(data, tiny, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("irreplaceable")
    with pytest.raises(UserError, match="not empty and not a run folder"):
        measure(PAIRS, settings_for(data, tiny["causal"]), tmp_path / "mine")
    with pytest.raises(UserError, match="not empty and not a run folder"):
        measure(PAIRS, settings_for(data, tiny["causal"]), tmp_path / "mine", restart=True)
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_settings_in_run_json_repeat_the_run(data, tiny, tmp_path):
    measure(PAIRS, settings_for(data, tiny["causal"], limit=3, rules=("mean",)), tmp_path / "first")
    kept = json.loads((tmp_path / "first/run.json").read_text())
    measure(PAIRS, PairsSettings.model_validate(kept["settings"]), tmp_path / "second")
    assert records(tmp_path / "first").equals(records(tmp_path / "second"))


def test_groups_of_a_table_are_recorded_and_are_part_of_the_run(data, tiny, tmp_path):
    table = tmp_path / "groups.csv"
    table.write_text("group,words\nTradespeople,bakers\nYouth,old;young\n", encoding="utf-8")
    asked = settings_for(data, tiny["causal"], languages=("en",), identities=table)
    summary = measure(PAIRS, asked, tmp_path / "run")
    assert dict(records(tmp_path / "run").select("item_id", "identity_group").iter_rows()) == {
        "a": "Tradespeople",
        "b": "Youth",
        "c": "",
    }
    (note,) = summary.facts["data"]["notes"]
    assert "2 of 3 pairs name one of 2 groups; 1 name none (age 1)" in note
    assert measure(PAIRS, asked, tmp_path / "run").was_complete
    table.write_text("group,words\nPeople,bakers;old\n", encoding="utf-8")
    with pytest.raises(UserError, match="holds a different run"):
        measure(PAIRS, asked, tmp_path / "run")
    table.write_text("group,words\nPeople,singers\n", encoding="utf-8")
    with pytest.raises(UserError, match="none of its words names the group of a pair"):
        measure(PAIRS, asked, tmp_path / "other")


def test_published_pairs_are_counted_by_group(tiny, tmp_path):
    path = tmp_path / "crows.csv"
    rows = [
        "0,Old people sing.,Young people sing.,stereo,age",
        "1,Tall poets sing.,The elderly sing.,antistereo,age",
    ]
    path.write_text(",sent_more,sent_less,stereo_antistereo,bias_type\n" + "\n".join(rows), encoding="utf-8")
    measure(PAIRS, settings_for(path, tiny["causal"]), tmp_path / "run")
    assert records(tmp_path / "run")["identity_group"].to_list() == ["Older people"] * 2
    assert records(tmp_path / "run")["identity"].to_list() == ["old", "tall poets"]


def test_repeat_of_a_changed_file_is_refused(data, tiny, tmp_path):
    asked = settings_for(data, tiny["causal"])
    measure(PAIRS, asked, tmp_path / "first")
    identity = json.loads((tmp_path / "first/run.json").read_text())["identity"]
    data.write_text(HEADER + "\n".join(ROWS[:2]), encoding="utf-8")
    with pytest.raises(UserError, match="run cannot be repeated: data was"):
        measure(PAIRS, asked, tmp_path / "second", expected=identity)


@pytest.mark.slow
def test_restart_does_not_touch_the_run_of_another_process(data, tiny, tmp_path):
    out = tmp_path / "run"
    measure(PAIRS, settings_for(data, tiny["causal"]), out)
    kept = (out / "run.json").read_bytes()
    working = Journal(out / "journal.sqlite")
    working.add_scores(0, [(b"k", Score(-1.0, 2))])
    with pytest.raises(UserError, match="Another process"):
        measure(PAIRS, settings_for(data, tiny["causal"]), out, restart=True)
    assert working.answered(0, [b"k"])
    assert (out / "run.json").read_bytes() == kept
    working.close()


def test_restart_removes_what_a_run_of_embeddings_left_and_nothing_else(data, tiny, tmp_path):
    out = tmp_path / "run"
    (out / "vectors").mkdir(parents=True)
    for name in ("run.json", "tests.json", "vectors/1-mean.npz", "estimates.csv", "notes.txt"):
        (out / name).write_text('{"kind": "embeddings"}')
    measure(PAIRS, settings_for(data, tiny["causal"]), out, restart=True)
    assert {path.name for path in out.iterdir()} == {"run.json", "records.parquet", "notes.txt"}


def test_unscorable_pair_stops_the_run_before_the_others_or_is_listed(data, tiny, tmp_path):
    rows = [*ROWS, "e," + "patient " * 100 + ",The bakers are patient.,stereo,work,en,,,"]
    data.write_text(HEADER + "\n".join(rows), encoding="utf-8")
    with pytest.raises(UserError, match=r"pair 5 \('e'\): sent_more cannot be scored .* reads at most 64"):
        measure(PAIRS, settings_for(data, tiny["causal"]), tmp_path / "run")
    summary = measure(PAIRS, settings_for(data, tiny["causal"], skip_unscorable=True), tmp_path / "skipping")
    assert (summary.counts["records"], summary.counts["unscored"]) == (4, 1)
    listed = pl.read_csv(tmp_path / "skipping/unscored.csv")
    assert listed["item_id"].to_list() == ["e"]
    assert "reads at most 64" in listed["reason"][0]


def test_what_a_later_model_cannot_score_stops_the_run_before_the_first_is_scored(
    data, tiny, tmp_path, monkeypatch
):
    """T5 reads any length and BERT 64 tokens: the first has loaded no weights when the second says so."""
    long = "patient " * 100
    data.write_text(HEADER + "\n".join([*ROWS, f"e,{long},{long} now,stereo,work,en,,,"]), encoding="utf-8")
    monkeypatch.setattr("endoxa.instruments.pairs.probe.run.scoring_model", None)
    with pytest.raises(UserError, match=r"pair 5 \('e'\): sent_more cannot be scored .* reads at most 64"):
        measure(PAIRS, settings_for(data, tiny["encoder-decoder"], tiny["masked"]), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": ()}, "No model was given"),
        ({"rules": ("sums",)}, "Did you mean: sum"),
        ({"rules": ("sum", "sum")}, "given twice"),
        ({"rules": ("pll",)}, "none was given"),
        ({"languages": ("sw",)}, "contains no pair in the language sw"),
        ({"data": "nowhere.csv"}, "nowhere.csv"),
    ],
)
def test_bad_input_is_one_sentence(data, tiny, tmp_path, change, message):
    good = {"data": str(data), "models": (f"hf/{tiny['causal']}",)}
    with pytest.raises(UserError, match=message):
        measure(PAIRS, PairsSettings(**{**good, **change}), tmp_path / "run")


def test_model_given_twice_and_duplicate_ids_are_named(data, tiny, tmp_path):
    with pytest.raises(UserError, match="given twice"):
        measure(PAIRS, settings_for(data, tiny["causal"], tiny["causal"]), tmp_path / "run")
    data.write_text(HEADER + "\n".join([*ROWS, ROWS[1]]), encoding="utf-8")
    with pytest.raises(UserError, match=r"pairs 2 and 5 have the same item id 'b'"):
        measure(PAIRS, settings_for(data, tiny["causal"]), tmp_path / "run")


@pytest.mark.slow
def test_two_processes_cannot_share_a_run(tmp_path):
    first = Journal(tmp_path / "journal.sqlite")
    first.add_scores(0, [(b"k", Score(-1.0, 2))])
    with pytest.raises(UserError, match="Another process"):
        Journal(tmp_path / "journal.sqlite")
    first.close()


def test_journal_gives_back_what_it_was_told(tmp_path):
    journal = Journal(tmp_path / "journal.sqlite")
    keys = [request_key(CausalRequest(str(k), "nothing")) for k in range(1500)]
    journal.add_scores(0, [(key, Score(-float(k), k)) for k, key in enumerate(keys[:-1])])
    journal.add_scores(0, [(keys[-1], Unscorable("it is too long"))])
    known = journal.answered(0, keys)
    assert known[keys[7]] == Score(-7.0, 7)
    assert known[keys[-1]] == Unscorable("it is too long")
    assert journal.answered(1, keys) == {}
    row = Row(0, 0, 3, -1.0, -2.0, 4, 4, None, 0, None)
    journal.add_records([row, row])
    assert journal.records(0, 9) == [row]
    journal.close()


def test_damaged_journal_is_one_sentence(tmp_path):
    (tmp_path / "journal.sqlite").write_bytes(b"SQLite format 3\x00" + b"\x99" * 5000)
    with pytest.raises(UserError, match=r"damaged|cannot be written"):
        Journal(tmp_path / "journal.sqlite")


# --------------------------------------------------------------------------- killed runs

SLOW = """
import os, sys, time
from endoxa import commands
from endoxa.models.causal import CausalModel
inner = CausalModel._score_batch
def slow(self, batch):
    time.sleep(float(os.environ["SECONDS_A_BATCH"]))
    return inner(self, batch)
CausalModel._score_batch = slow
from endoxa.instruments.pairs.probe import scoring
scoring.COMMIT_SECONDS = 0.05
sys.argv = ["endoxa", *sys.argv[1:]]
commands.main()
"""


@pytest.fixture
def long_run(tiny, tmp_path):
    """A function that starts a run; slowed down so that it is not over when it is interrupted."""
    path = tmp_path / "many.csv"
    rows = [f"i{k},Baker {k} is patient.,Baker {k} is impatient." for k in range(60)]
    path.write_text("item_id,sent_more,sent_less\n" + "\n".join(rows), encoding="utf-8")
    words = ["probe", "pairs", "--data", path, "--model", f"hf/{tiny['causal']}", "--set", "batch_tokens=20"]
    command = [sys.executable, "-c", SLOW, *map(str, words), "--out", str(tmp_path / "run")]

    def start(seconds_a_batch):
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "SECONDS_A_BATCH": str(seconds_a_batch)}
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    return start


def wait_for_journal(out, process):
    """Until this process has written to the journal (or is over)."""
    wal = out / "journal.sqlite-wal"
    before = wal.stat().st_mtime_ns if wal.exists() else 0
    for _ in range(600):
        if process.poll() is not None or (wal.exists() and wal.stat().st_mtime_ns > before):
            return
        time.sleep(0.05)


@pytest.mark.slow
def test_killed_and_interrupted_run_continues_with_every_item_once(long_run, tmp_path, tiny):
    out = tmp_path / "run"
    process = long_run(0.3)
    wait_for_journal(out, process)
    time.sleep(0.3)
    process.kill()
    process.communicate()
    assert not (out / "records.parquet").exists()
    process = long_run(0.3)
    wait_for_journal(out, process)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 2, errors.decode()
    assert b"Finished work is kept" in errors
    assert b"Traceback" not in errors
    process = long_run(0)
    _, errors = process.communicate()
    assert process.returncode == 0, errors.decode()
    found = records(out)
    assert sorted(found["item_id"]) == sorted(f"i{k}" for k in range(60))
    measure(PAIRS, settings_for(tmp_path / "many.csv", tiny["causal"]), tmp_path / "undisturbed")
    undisturbed = records(tmp_path / "undisturbed")
    assert (found["score_more"] - undisturbed["score_more"]).abs().max() < 1e-4


def test_a_random_model_prefers_nothing_where_every_pair_is_a_denial(tiny, tmp_path):
    """It scores longer sentences lower, so that raw scores favour whatever is not denied."""
    groups = [
        "السعوديون",
        "المصريون",
        "المغاربة",
        "العراقيون",
        "السوريون",
        "التونسيون",
        "الليبيون",
        "اليمنيون",
    ]
    attributes = [("طيبون", "طيبين"), ("صبورون", "صبورين"), ("منظمون", "منظمين")]
    rows = [
        f"{n}-{k},{group} {said}.,{group} ليسوا {denied}.,stereo,nationality,ar,{group},{said},ليسوا {denied}"
        for n, group in enumerate(groups)
        for k, (said, denied) in enumerate(attributes)
    ]
    path = tmp_path / "denials.csv"
    path.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
    summary = measure(PAIRS, settings_for(path, tiny["causal"], calibrate=False), tmp_path / "run")
    assert "24 of 24 pairs set a sentence against its denial" in summary.facts["data"]["notes"][0]
    ratio = analyze_run(tmp_path / "run", resamples=100).estimates.filter(name="preference_ratio")
    assert ratio["value"].min() > 0.8
    assert set(ratio["verdict"]) == {"cannot-be-tested"}
