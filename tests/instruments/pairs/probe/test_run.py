"""The run: every item exactly once, whatever happens in between."""

from __future__ import annotations

import csv
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates import analyze_run
from endoxa.instruments.pairs.instrument import PAIRS
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.instruments.pairs.probe.scoring import Journal
from endoxa.instruments.pairs.rules import RULES
from endoxa.models.causal import CausalModel
from endoxa.runs.run import measure
from endoxa.schema import RECORD_COLUMNS, Pair, Score
from endoxa.testing.plugins import score_pairs

pytestmark = pytest.mark.slow

HEADER = "item_id,sent_more,sent_less,direction,axis,language,identity,attribute_more,attribute_less\n"
ROWS = [
    "a,The bakers are patient.,The bakers are impatient.,stereo,work,en,the bakers,patient,impatient",
    "b,Young drivers are careful.,Old drivers are careful.,antistereo,age,en,,,",
    "c,Grandmothers tell long stories.,Grandmothers tell short stories.,stereo,age,en,,,",
    "d,Les boulangers sont patients.,Les boulangers sont impatients.,stereo,work,fr,les boulangers,patients,impatients",
]
LONG = "patient " * 100


@pytest.fixture
def data(tmp_path):
    return write(tmp_path / "pairs.csv", ROWS)


def write(path, rows, header=HEADER):
    path.write_text(header + "\n".join(rows) + "\n", encoding="utf-8")
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


def test_scores_are_those_of_the_rule_and_neutral_ones_the_mean_over_neutral_identities(
    data, tiny, tiny_models, tmp_path
):
    measure(PAIRS, settings_for(data, tiny["causal"], rules=("sum",)), tmp_path / "run")
    found = records(tmp_path / "run")
    pairs = [Pair(more, less) for more, less in found.select("sent_more", "sent_less").iter_rows()]
    expected = score_pairs(RULES.get("sum"), tiny_models["causal"], pairs)
    for (more, less), row in zip(expected, found.iter_rows(named=True), strict=True):
        assert (row["score_more"], row["score_less"]) == pytest.approx((more, less), abs=1e-4)
    neutral = [Pair(f"{who} are patient.", f"{who} are impatient.") for who in ("People", "They")]
    scored = score_pairs(RULES.get("sum"), tiny_models["causal"], neutral)
    rows = {row["item_id"]: row for row in found.iter_rows(named=True)}
    assert rows["a"]["neutral_difference"] == pytest.approx(
        sum(more - less for more, less in scored) / 2, abs=1e-4
    )
    assert [rows[k]["n_neutral"] for k in "abcd"] == [2, 0, 0, 2]
    assert rows["b"]["neutral_difference"] is None


def test_neither_chunks_nor_the_order_of_rows_change_a_score_and_alike_sentences_tie(tiny, tmp_path):
    same = [f"t{k},The bakers are patient today.,The bakers are patient today.,,,en,,," for k in range(4)]
    rows = [
        *ROWS,
        *same,
        *(f"x{k},Bakers number {k} sing.,Bakers number {k} shout.,,,en,,," for k in range(12)),
    ]
    turned = rows.copy()
    random.Random(0).shuffle(turned)
    tables = []
    for name, order, chunk in (("whole", rows, 1024), ("parts", turned, 7), ("single", turned[:6], 1)):
        asked = settings_for(write(tmp_path / f"{name}.csv", order), *tiny.values(), chunk=chunk)
        measure(PAIRS, asked, tmp_path / name)
        tables.append(records(tmp_path / name))
    whole, *others = tables
    for other in others:
        joined = whole.join(other, on=("item_id", "model", "rule"))
        assert joined.height == other.height
        for name in ("score_more", "score_less", "neutral_difference"):
            assert (joined[name] - joined[f"{name}_right"]).abs().fill_null(0).max() < 1e-4
    ties = others[0].filter(pl.col("item_id").str.starts_with("t"))
    assert (ties["score_more"] == ties["score_less"]).all()
    assert ties.group_by("model").agg(pl.col("score_more").n_unique())["score_more"].to_list() == [1, 1, 1]


def test_s_as_completions_equal_the_reference_end_to_end(shared, tmp_path):
    """From a table through reader, prompt and rule: the published evaluation lower-cases what it completes."""
    with (shared / "data/reference_scores/lm_scores_afri_first20.csv").open(encoding="utf-8") as file:
        expected = {row["text"]: float(row["t5_prompt_sum"]) for row in csv.DictReader(file)}
    rows = ["women,caring,uncaring,women", "men,strong,weak,men", "Igbo people,business-minded,generous,e"]
    path = write(tmp_path / "s_as.csv", rows, "identity,canonical_attribute,anti_stereotype,type\n")
    model = shared / "data/models/tiny-t5"
    measure(PAIRS, settings_for(path, model, rules=("completion",)), tmp_path / "run")
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


def test_language_that_the_tokenizer_cannot_read_is_recorded_and_said(tiny, tmp_path, caplog):
    rows = ["a,The bakers are patient.,The bakers are impatient.,en", "b,नानबाई धैर्यवान हैं।,नानबाई अधीर हैं।,hi"]
    path = write(tmp_path / "hi.csv", rows, "item_id,sent_more,sent_less,language\n")
    (model,) = measure(PAIRS, settings_for(path, tiny["masked"]), tmp_path / "run").facts["models"]
    assert model["unknown_tokens"]["en"] == 0
    assert model["unknown_tokens"]["hi"] > 0.9
    assert "of its 'hi' sentences are unknown" in caplog.text
    assert "'en'" not in caplog.text


def test_other_weights_under_the_same_name_are_a_different_run(data, tiny, tmp_path):
    model = shutil.copytree(tiny["causal"], tmp_path / "model")
    measure(PAIRS, settings_for(data, model), tmp_path / "run")
    with (model / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x00")
    with pytest.raises(UserError, match="models fingerprint was"):
        measure(PAIRS, settings_for(data, model), tmp_path / "run")


def test_groups_of_a_table_are_recorded_and_are_part_of_the_run(data, tiny, tmp_path):
    table = tmp_path / "groups.csv"
    table.write_text("group,words\nTradespeople,bakers\nYouth,old;young\n", encoding="utf-8")
    asked = settings_for(data, tiny["causal"], languages=("en",), identities=table)
    summary = measure(PAIRS, asked, tmp_path / "run")
    groups = dict(records(tmp_path / "run").select("item_id", "identity_group").iter_rows())
    assert groups == {"a": "Tradespeople", "b": "Youth", "c": ""}
    (note,) = summary.facts["data"]["notes"]
    assert "2 of 3 pairs name one of 2 groups; 1 name none (age 1)" in note
    assert measure(PAIRS, asked, tmp_path / "run").was_complete
    table.write_text("group,words\nPeople,bakers;old\n", encoding="utf-8")
    with pytest.raises(UserError, match="holds a different run"):
        measure(PAIRS, asked, tmp_path / "run")


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


def test_unscorable_pair_stops_the_run_before_the_others_or_is_listed(data, tiny, tmp_path):
    write(data, [*ROWS, f"e,{LONG},The bakers are patient.,stereo,work,en,,,"])
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
    write(data, [*ROWS, f"e,{LONG},{LONG} now,stereo,work,en,,,"])
    monkeypatch.setattr("endoxa.instruments.pairs.probe.run.scoring_model", None)
    with pytest.raises(UserError, match=r"pair 5 \('e'\): sent_more cannot be scored .* reads at most 64"):
        measure(PAIRS, settings_for(data, tiny["encoder-decoder"], tiny["masked"]), tmp_path / "run")
    assert not (tmp_path / "run").exists()


KILLED = """
import sys, time
from endoxa import commands
from endoxa.instruments.pairs.probe import scoring
from endoxa.models.causal import CausalModel
scoring.COMMIT_SECONDS = -1
score = CausalModel.score
def slow(self, requests):
    for k, answer in enumerate(score(self, requests)):
        if k == 8 and len(requests) > 8:
            print("half", flush=True)
            time.sleep(60)
        yield answer
CausalModel.score = slow
sys.argv = ["endoxa", *sys.argv[1:]]
commands.main()
"""


def test_a_killed_run_continues_with_every_item_once(tiny, tmp_path, monkeypatch):
    rows = [f"i{k},Baker {k} is patient.,Baker {k} is impatient." for k in range(12)]
    data, out = write(tmp_path / "many.csv", rows, "item_id,sent_more,sent_less\n"), tmp_path / "run"
    words = ("probe", "pairs", "--data", data, "--model", f"hf/{tiny['causal']}", "--out", out)
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, *map(str, words)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "half\n"
        process.kill()
    assert not (out / "records.parquet").exists()
    facts = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert facts["finished"] is None
    requested, score = [], CausalModel.score
    monkeypatch.setattr(
        CausalModel, "score", lambda self, texts: requested.append(len(texts)) or score(self, texts)
    )
    measure(PAIRS, PAIRS.settings.model_validate(facts["settings"]), out)
    assert requested[-1] == 24 - 8, "what was scored before the kill is not scored again"
    measure(PAIRS, settings_for(data, tiny["causal"]), tmp_path / "undisturbed")
    found, undisturbed = records(out), records(tmp_path / "undisturbed")
    assert found["item_id"].to_list() == undisturbed["item_id"].to_list()
    assert (found["score_more"] - undisturbed["score_more"]).abs().max() < 1e-4


def test_a_random_model_prefers_nothing_where_every_pair_is_a_denial(tiny, tmp_path):
    """It scores longer sentences lower, so that raw scores favour whatever is not denied."""
    groups = ("bakers", "drivers", "walkers", "farmers", "tailors", "miners", "pilots", "clerks")
    rows = [
        f"{group}-{said},{group} are {said}.,{group} are not {said}.,stereo,work,en,{group},{said},not {said}"
        for group in groups
        for said in ("patient", "careful", "tall")
    ]
    path = write(tmp_path / "denials.csv", rows)
    summary = measure(PAIRS, settings_for(path, tiny["causal"], calibrate=False), tmp_path / "run")
    assert "24 of 24 pairs set a sentence against its denial" in summary.facts["data"]["notes"][0]
    ratio = analyze_run(tmp_path / "run", resamples=100).estimates.filter(name="preference_ratio")
    assert ratio["value"].min() > 0.8
    assert set(ratio["verdict"]) == {"cannot-be-tested"}


def test_a_damaged_journal_is_one_sentence(tmp_path):
    (tmp_path / "damaged.sqlite").write_bytes(b"SQLite format 3\x00" + b"\x99" * 5000)
    with pytest.raises(UserError, match=r"damaged|cannot be written"):
        Journal(tmp_path / "damaged.sqlite")
