"""`endoxa probe qa`: what is asked, in which order, and what the run folder keeps."""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from collect_support import commands
from endoxa.errors import UserError
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.jobs import (
    ORDERS,
    order_of,
    prompts_for,
    question,
    read_prompts,
    turns_of,
)
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.instruments.questions.probe.work import plan, plan_qa
from endoxa.models.chat.spec import ChatOptions
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import data_notes
from endoxa.runs.run import measure, run
from endoxa.schema import OUTCOMES, PROTOCOLS, QA_RECORD_COLUMNS, QaItem, Sampling
from endoxa.testing.chat_server import Refusal, running
from endoxa.testing.chat_server import Settings as ServerSettings
from support import tiny
from support.qa_questions import questions, write

pytestmark = pytest.mark.slow

OPTIONS = ("The person from the harbour", "The person from the hill", "Not known")
CONTEXT = "A person from the harbour met a person from the hill."
ABOUT = ("Quarters-0", "Quarters", "0", "", "Quarters-1", "neg", "ambig", "en", CONTEXT, "Who came late?")
ITEM = QaItem(*ABOUT, OPTIONS, 2, 0, 2)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path / "questions.jsonl", questions(40))


def settings(data: Path, **given: Any) -> QaSettings:
    return QaSettings(**{"data": str(data), "models": ("sim/biased",)} | given)


def records(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(folder / "records.parquet")


# ------------------------------------------------------------------ order and words


def test_each_order_is_equally_likely_and_decided_by_seed_item_and_repeat() -> None:
    drawn = Counter(order_of(f"item-{k}", 1, 0) for k in range(6000))
    assert set(drawn) == set(ORDERS)
    assert all(abs(count - 1000) < 5 * (6000 * 1 / 6 * 5 / 6) ** 0.5 for count in drawn.values())
    assert order_of("a", 1, 0) == order_of("a", 1, 0)
    assert len({order_of("a", repeat, 0) for repeat in range(50)}) == 6


def test_protocols_have_the_published_turns_and_languages_all_instructions() -> None:
    found = read_prompts()
    words = found["en"]
    asked = f"{words.letters}\n\n{question(ITEM, (0, 1, 2))}"
    turns = {name: turns_of(ITEM, (0, 1, 2), words, "letters", name) for name in PROTOCOLS}
    assert turns["baseline"] == (asked,)
    assert turns["explanation"][1] == asked
    assert turns["explanation"][0].startswith(words.explanation)
    assert turns["reprompting"] == (asked, words.again)
    assert {"en", "es", "pt", "fr"} <= set(found)
    assert all(text.strip() for each in found.values() for text in each.model_dump().values())
    assert prompts_for(found, "es") is found["es"]
    assert prompts_for(found, "xx") is words


# ------------------------------------------------------------------ the run


def test_a_run_keeps_every_answer_of_every_protocol_once_per_repeat(data: Path, tmp_path: Path) -> None:
    chosen = settings(data, repeats=2, protocols=PROTOCOLS)
    summary = measure(QUESTIONS, chosen, tmp_path / "run")
    table = records(tmp_path / "run")
    assert (summary.counts["items"], summary.counts["records"], len(table)) == (40, 240, 240)
    assert table.columns == list(QA_RECORD_COLUMNS)
    assert table.select("item_id", "protocol", "repeat").n_unique() == 240
    assert set(table["outcome"]) <= set(OUTCOMES)
    # Protocols share the order of the options; repeats do not.
    assert (table.group_by("item_id", "repeat").agg(pl.col("order").n_unique())["order"] == 1).all()
    assert table.group_by("item_id").agg(pl.col("order").n_unique())["order"].max() == 2
    turns = dict(table.group_by("protocol").agg(pl.col("turns").first()).iter_rows())
    counted = {name: len(json.loads(text)) for name, text in turns.items()}
    assert counted == {"baseline": 1, "explanation": 2, "reprompting": 2}
    facts = json.loads((tmp_path / "run/run.json").read_text(encoding="utf-8"))
    assert (facts["kind"], facts["data"]["label"], facts["counts"]["records"]) == ("qa", "Quarters", 240)
    assert facts["usage"]["sim/biased"]["calls"] == 40 * 2 * (1 + 2 + 2)
    assert (tmp_path / "run/journal.sqlite").exists()  # so that a model can be added
    measure(QUESTIONS, settings(data, shuffle=False), tmp_path / "published")
    assert set(records(tmp_path / "published")["order"]) == {"012"}


def test_another_confidence_makes_the_estimates_again_and_options_of_the_way_there_nothing(
    data: Path, tmp_path: Path
) -> None:
    for confidence in (0.95, 0.9):
        run(QUESTIONS, settings(data, confidence=confidence), tmp_path / "run")
        assert set(pl.read_csv(tmp_path / "run" / "estimates.csv")["confidence"]) == {confidence}
    again = settings(data, options=ChatOptions(concurrency=2), max_cost=3.0)
    assert measure(QUESTIONS, again, tmp_path / "run").was_complete


# ------------------------------------------------------------------ log-likelihood


@pytest.mark.parametrize("kind", ["causal", "encoder_decoder"])
def test_options_are_scored_as_continuations(data: Path, tmp_path: Path, kind: str) -> None:
    """The likeliest option equals the one found by transformers' own loss on the same texts."""
    make = {"causal": tiny.causal, "encoder_decoder": tiny.encoder_decoder}[kind]
    model = make(tmp_path / "model", **({"n_positions": 512} if kind == "causal" else {}))
    chosen = settings(data, models=(f"hf/{model}",), ask="loglik", limit=6, shuffle=False)
    measure(QUESTIONS, chosen, tmp_path / "run")
    for row in records(tmp_path / "run").iter_rows(named=True):
        scores = [total for total, tokens in json.loads(row["answer"]) if tokens > 0]
        assert len(scores) == 3
        assert all(score < 0 for score in scores)
        assert row["choice"] == scores.index(max(scores))
    first = [total for total, _ in json.loads(records(tmp_path / "run")["answer"][0])]
    if kind == "causal":
        assert first == pytest.approx(_causal_reference(model, data), abs=1e-3)


def _causal_reference(model: Path, data: Path) -> list[float]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    network = AutoModelForCausalLM.from_pretrained(model).eval()
    row = json.loads(data.read_text(encoding="utf-8").splitlines()[0])
    options = [row[f"ans{k}"] for k in range(3)]
    shown = "\n".join(f"({letter}) {text}" for letter, text in zip("ABC", options, strict=True))
    prompt = f"{row['context']}\n{row['question']}\n{shown}\n\nAnswer:"

    def total(text: str) -> float:
        ids = tokenizer(text, return_tensors="pt").input_ids
        with torch.no_grad():
            return -float(network(ids, labels=ids).loss) * (ids.shape[1] - 1)

    return [total(f"{prompt} {option}") - total(prompt) for option in options]


# ------------------------------------------------------------------ planning, stopping, keys


def test_the_plan_counts_calls_and_money_and_goes_up_to_the_most(data: Path) -> None:
    priced = settings(data, models=("openai/gpt-4o-mini",), repeats=2, price="1,10")

    def planned(**chosen: Any) -> Any:
        (row,) = plan_qa(priced.model_copy(update=chosen))
        return row

    row = planned(protocols=("baseline", "explanation"), sampling=Sampling(max_tokens=50))
    assert row.expected.calls == 40 * 2 * 3
    used = row.expected.usage
    assert used.completion_tokens == 40 * 2 * (4 + 50 + 4)
    assert row.dollars == pytest.approx((used.prompt_tokens * 1 + used.completion_tokens * 10) / 1e6)
    assert planned().most == planned().expected
    reasoning = planned(sampling=Sampling(reasoning="low"))
    assert reasoning.expected.usage.completion_tokens == 40 * 2 * 4
    assert reasoning.most.usage.completion_tokens == 40 * 2 * 512
    assert [(free.dollars, free.price) for free in plan_qa(settings(data))] == [(0.0, None)]


def test_a_limit_of_money_needs_one_of_tokens(data: Path, tmp_path: Path) -> None:
    endless = settings(data, models=("openai/gpt-4o-mini",), max_cost=1.0, sampling=Sampling(max_tokens=None))
    with pytest.raises(UserError, match="needs a maximum number of tokens"):
        measure(QUESTIONS, endless, tmp_path / "run")


def test_missing_targets_are_said_by_the_plan_and_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rows = questions(8)
    for row in rows[:3]:
        row["additional_metadata"] = {}
    chosen = settings(write(tmp_path / "questions.jsonl", rows))
    sentence = "3 of 8 questions have no stereotype target"
    assert sentence in plan(chosen).note

    def refuse(*_: Any) -> None:
        raise UserError("asked")

    with monkeypatch.context() as patched:
        patched.setattr("endoxa.instruments.questions.probe.work.jobs", refuse)
        with pytest.raises(UserError, match="asked"):
            measure(QUESTIONS, chosen, tmp_path / "refused")
    assert sentence in caplog.text
    run = measure(QUESTIONS, chosen, tmp_path / "run")
    assert any(sentence in note for note in data_notes(run.facts))
    assert records(tmp_path / "run")["target"].null_count() == 3


def test_data_that_changes_during_a_run_is_not_written_down(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = data.read_bytes()

    def change(what: str, *_: Any) -> None:
        if what.startswith("asking"):
            data.write_bytes(before.replace(b"harbour", b"station"))

    with pytest.raises(UserError, match="was changed during the run"):
        measure(QUESTIONS, settings(data), tmp_path / "run", progress=change)
    assert not (tmp_path / "run/records.parquet").exists()
    data.write_bytes(before)
    measure(QUESTIONS, settings(data), tmp_path / "run")
    assert len(records(tmp_path / "run")) == 40


def test_a_model_that_is_dead_does_not_stop_the_others(data: Path, tmp_path: Path) -> None:
    models = ("http://127.0.0.1:9/v1#dead", "sim/biased")
    chosen = settings(data, models=models, options=ChatOptions(patience=0.1))
    with pytest.raises(UserError, match=r"1 of 2 models did not finish.*does not answer"):
        measure(QUESTIONS, chosen, tmp_path / "run")
    with closing(AnswerJournal(tmp_path / "run/journal.sqlite")) as journal:
        assert [journal.count(0), journal.count(1)] == [0, 40]


def test_errors_are_counted_and_asked_again_on_demand(data: Path, tmp_path: Path) -> None:
    broken = True

    def reply(body: Any) -> Any:
        odd = "day 3" in body["messages"][-1]["content"]
        return Refusal(400, "cannot read this") if odd and broken else "A"

    with running(ServerSettings(reply=reply)) as server:
        name = f"{server.url}#small"
        chosen = settings(data, models=(name,))
        assert measure(QUESTIONS, chosen, tmp_path / "run").errors == {name: 4}
        assert measure(QUESTIONS, chosen, tmp_path / "run").errors == {name: 4}
        table = records(tmp_path / "run")
        assert set(table.filter(pl.col("error") != "")["error"]) == {"cannot read this"}
        broken, asked = False, server.requests["POST /v1/chat/completions"]
        again = measure(QUESTIONS, settings(data, models=(name,), retry_errors=True), tmp_path / "run")
        assert server.requests["POST /v1/chat/completions"] == asked + 4
    assert again.errors == {name: 0}
    assert {"openai", "genai-prices"} <= set(again.facts["versions"])
    assert (records(tmp_path / "run")["error"] == "").all()


def test_calls_cut_off_by_a_kill_are_counted_and_said(data: Path, tmp_path: Path) -> None:
    """Answered and lost calls together are those that the server saw, and --max-cost counts both."""
    secret = "sk-planted-secret-key"
    environment = {**os.environ, "ENDOXA_SERVER_KEY": secret}
    with running(ServerSettings(stall_after=13)) as server:
        name = f"{server.url}#small"
        words = [
            *("probe", "qa", "--data", str(data), "--model", name, "--set", "concurrency=8"),
            *("--set", "price=1,10", "--max-cost", "1", "--out", str(tmp_path / "run")),
        ]
        begun = commands.start(commands.COMMAND, *words, env=environment, log=tmp_path / "log")
        while server.replies < 13 + 8:
            time.sleep(0.02)
        begun.kill()
        with closing(AnswerJournal(tmp_path / "run/journal.sqlite")) as journal:
            answered, lost = journal.count(0), sum(one.calls for one in journal.totals(0) if not one.counted)
        assert answered + lost == server.replies == 21
        assert lost >= 8
        server.stall_after = None
        finished = commands.run(commands.COMMAND, *words, env=environment, timeout=300)
        seen = server.replies
    assert finished.returncode == 0, finished.stderr
    sentence = (
        f"{name}: {lost} calls were under way when the run was stopped; they may have been billed: at most "
    )
    assert re.search(rf"{re.escape(sentence)}\$0\.\d+\.", finished.stderr)
    used = json.loads((tmp_path / "run/run.json").read_text(encoding="utf-8"))["usage"][name]
    assert (used["calls"], used["lost_calls"]) == (40, lost)
    assert used["calls"] + used["lost_calls"] == seen
    assert used["cost_usd"] < used["most_cost_usd"] < 1
    assert f"{lost} calls without an answer may have been billed" in finished.stdout
    table = records(tmp_path / "run")
    assert len(table) == table["item_id"].n_unique() == 40
    files = [path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not any(secret.encode() in text for text in (*files, finished.stdout.encode()))


def test_a_model_that_is_not_there_is_found_before_anything_is_asked(data: Path, tmp_path: Path) -> None:
    def reply(body: Any) -> Any:
        return Refusal(404, "no such model") if body["model"] == "smal" else "A"

    with running(ServerSettings(reply=reply)) as server:
        models = (f"{server.url}#small", f"{server.url}#smal")
        with pytest.raises(UserError, match="has no model 'smal'"):
            measure(QUESTIONS, settings(data, models=models), tmp_path / "run")
        assert server.requests["POST /v1/chat/completions"] == 1


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise pl.exceptions.ComputeError("No space left on device (os error 28)")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with (
        pytest.raises(UserError, match="No space left on device"),
        parquet_in_parts(tmp_path / "x.parquet") as add,
    ):
        add(pl.DataFrame({"a": [1]}))
