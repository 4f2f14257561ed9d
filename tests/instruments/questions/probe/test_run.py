"""`endoxa probe qa`: what is asked, in which order, and what the run folder keeps."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.jobs import (
    ORDERS,
    order_of,
    prompts_for,
    question,
    read_prompts,
    turns_of,
    written,
)
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.instruments.questions.probe.work import plan, plan_qa, questions_work
from endoxa.models import retrying
from endoxa.models.chat.spec import ChatOptions
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.estimates import parquet_in_parts
from endoxa.runs.folder import data_notes
from endoxa.runs.run import measure, run
from endoxa.schema import OUTCOMES, QA_RECORD_COLUMNS, QaItem, Sampling
from endoxa.testing.chat_server import Refusal, running
from endoxa.testing.chat_server import Settings as ServerSettings
from support import tiny
from support.qa_questions import questions, write

ITEM = QaItem(
    item_id="Quarters-0",
    category="Quarters",
    example_id="0",
    variant="",
    template="Quarters-1",
    polarity="neg",
    condition="ambig",
    language="en",
    context="A person from the harbour met a person from the hill.",
    question="Who came late?",
    options=("The person from the harbour", "The person from the hill", "Not known"),
    label=2,
    target=0,
    unknown=2,
)


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


@given(st.sampled_from(ORDERS))
def test_options_stand_behind_their_letters_in_the_order_written(order: tuple[int, int, int]) -> None:
    lines = question(ITEM, order).splitlines()
    assert lines[:2] == [ITEM.context, ITEM.question]
    assert lines[2:] == [
        f"({letter}) {ITEM.options[int(place)]}" for letter, place in zip("ABC", written(order), strict=True)
    ]


def test_protocols_have_the_published_turns() -> None:
    words = read_prompts()["en"]
    asked = f"{words.letters}\n\n{question(ITEM, (0, 1, 2))}"
    assert turns_of(ITEM, (0, 1, 2), words, "letters", "baseline") == (asked,)
    explained = turns_of(ITEM, (0, 1, 2), words, "letters", "explanation")
    assert explained[1] == asked
    assert explained[0].startswith(words.explanation)
    assert turns_of(ITEM, (0, 1, 2), words, "letters", "reprompting") == (asked, words.again)


def test_every_language_of_ours_has_all_instructions() -> None:
    found = read_prompts()
    assert {"en", "es", "pt", "fr"} <= set(found)
    assert all(text.strip() for one in found.values() for text in one.model_dump().values())
    assert prompts_for(found, "es") is found["es"]
    assert prompts_for(found, "xx") is found["en"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[en]\nletters = 'x'", r"\[en\]: text: it is missing"),
        ("[en", "not valid TOML"),
        ("# nothing yet", "no instructions"),
    ],
)
def test_a_file_of_instructions_is_checked(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "prompts.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        read_prompts(str(path))


# ------------------------------------------------------------------ the run


def test_a_run_keeps_every_answer_once_per_repeat(data: Path, tmp_path: Path) -> None:
    summary = measure(QUESTIONS, settings(data, repeats=3), tmp_path / "run")
    table = records(tmp_path / "run")
    assert (summary.counts["items"], summary.counts["records"], len(table)) == (40, 120, 120)
    assert table.columns == list(QA_RECORD_COLUMNS)
    assert table.select("item_id", "repeat").n_unique() == 120
    assert set(table["outcome"]) <= set(OUTCOMES)
    assert table["order"].n_unique() > 1
    run = json.loads((tmp_path / "run/run.json").read_text(encoding="utf-8"))
    assert (run["kind"], run["data"]["label"], run["counts"]["records"]) == ("qa", "Quarters", 120)
    assert run["usage"]["sim/biased"]["calls"] == 120
    assert (tmp_path / "run/journal.sqlite").exists()  # so that a model can be added


def test_the_same_settings_give_the_same_records(data: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        measure(QUESTIONS, settings(data), tmp_path / name)
    assert records(tmp_path / "one").equals(records(tmp_path / "two"))


def test_a_finished_run_is_left_alone_and_another_one_is_refused(data: Path, tmp_path: Path) -> None:
    measure(QUESTIONS, settings(data), tmp_path / "run")
    assert measure(QUESTIONS, settings(data), tmp_path / "run").was_complete
    with pytest.raises(UserError, match=r"different run.*repeats"):
        measure(QUESTIONS, settings(data, repeats=2), tmp_path / "run")


def test_protocols_share_the_order_of_options(data: Path, tmp_path: Path) -> None:
    chosen = settings(data, protocols=("baseline", "explanation", "reprompting"))
    measure(QUESTIONS, chosen, tmp_path / "run")
    table = records(tmp_path / "run")
    assert len(table) == 120
    assert (table.group_by("item_id").agg(pl.col("order").n_unique())["order"] == 1).all()
    turns = dict(table.group_by("protocol").agg(pl.col("turns").first()).iter_rows())
    assert {name: len(json.loads(text)) for name, text in turns.items()} == {
        "baseline": 1,
        "explanation": 2,
        "reprompting": 2,
    }


def test_options_can_stay_as_published(data: Path, tmp_path: Path) -> None:
    measure(QUESTIONS, settings(data, shuffle=False), tmp_path / "run")
    assert set(records(tmp_path / "run")["order"]) == {"012"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"models": ()}, "No model was given"),
        ({"models": ("sim/biased", "sim/biased")}, "twice"),
        ({"ask": "loglik"}, "does not return probabilities"),
        ({"models": ("groq/x",), "ask": "loglik"}, "does not return probabilities"),
        ({"ask": "loglik", "protocols": ("baseline", "explanation")}, "--debias would have no effect"),
        ({"ask": "loglik", "system": "x", "batch": True}, "--set system, --batch would have no effect"),
        ({"batch": True}, "no batch interface"),
        (
            {"models": ("openai/gpt-4o-mini",), "max_cost": 1.0, "sampling": Sampling(max_tokens=None)},
            "needs a maximum number of tokens",
        ),
        ({"languages": ("sw", "ha")}, "contains no question in the language sw, ha"),
        ({"models": ("http://127.0.0.1:1/v1#x",), "max_cost": 1.0}, "--set price"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(
    data: Path, tmp_path: Path, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        measure(QUESTIONS, settings(data, **given), tmp_path / "run")


def test_an_item_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    rows = questions(8)
    data = write(tmp_path / "twice.jsonl", [*rows, rows[3]])
    with pytest.raises(UserError, match="twice"):
        measure(QUESTIONS, settings(data), tmp_path / "run")


def test_letters_of_weights_that_run_here_have_a_small_limit_of_their_own(data: Path, tmp_path: Path) -> None:
    """It is part of the identity of the run."""
    here = settings(data, models=(f"hf/{tiny.causal(tmp_path / 'model')}",))

    def limit(chosen: QaSettings) -> Any:
        return questions_work(chosen, tmp_path).identity.get("letter_tokens")

    assert limit(here) == 64
    others = (
        settings(data),
        *(here.model_copy(update={"sampling": Sampling(max_tokens=n)}) for n in (40, 900)),
    )
    assert [limit(other) for other in others] == [None] * 3
    assert limit(here.model_copy(update={"ask": "text"})) is None


def test_another_confidence_makes_the_estimates_again(data: Path, tmp_path: Path) -> None:
    for confidence in (0.95, 0.9):
        run(QUESTIONS, settings(data, confidence=confidence), tmp_path / "run")
        assert set(pl.read_csv(tmp_path / "run" / "estimates.csv")["confidence"]) == {confidence}


# ------------------------------------------------------------------ log-likelihood


@pytest.mark.slow
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


@pytest.mark.slow
def test_questions_too_long_for_a_later_model_cost_nothing_of_the_first(data: Path, tmp_path: Path) -> None:
    long, short = (
        tiny.causal(tmp_path / name, n_positions=number) for name, number in (("long", 512), ("short", 16))
    )
    chosen = settings(data, models=(f"hf/{long}", f"hf/{short}"), ask="loglik", limit=6)
    with pytest.raises(UserError, match=r"1 of 2 models .*short cannot score the item .* reads at most 16"):
        measure(QUESTIONS, chosen, tmp_path / "run")
    with closing(AnswerJournal(tmp_path / "run/journal.sqlite")) as journal:
        assert [journal.count(number) for number in (0, 1)] == [6, 0]


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
            logits = network(ids).logits.log_softmax(-1)
        return float(logits[0, :-1].gather(1, ids[0, 1:, None]).sum())

    return [total(f"{prompt} {option}") - total(prompt) for option in options]


# ------------------------------------------------------------------ planning, stopping, keys


def test_the_plan_counts_calls_and_money(data: Path) -> None:
    chosen = settings(
        data,
        models=("openai/gpt-4o-mini",),
        protocols=("baseline", "explanation"),
        repeats=2,
        price="1,10",
        sampling=Sampling(max_tokens=50),
    )
    (row,) = plan_qa(chosen)
    assert row.expected.calls == 40 * 2 * 3
    assert row.expected.usage.completion_tokens == 40 * 2 * (4 + 50 + 4)
    assert row.dollars == pytest.approx(
        (row.expected.usage.prompt_tokens * 1 + row.expected.usage.completion_tokens * 10) / 1e6
    )


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


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_ends_complete(tmp_path: Path) -> None:
    """A server that breaks a third of its answers, a run killed (-9) at three moments: every item once per repeat."""
    data = write(tmp_path / "questions.jsonl", questions(160))
    key = "sk-planted-secret-key"
    with running(ServerSettings(faults=0.3, latency=0.01, seed=3)) as server:
        command = [
            *(sys.executable, "-c", "from endoxa.commands import main; main()"),
            *("probe", "qa", "--data", str(data), "--repeats", "2"),
            *("--model", f"{server.url}#small", "--set", "concurrency=16", "--set", "timeout=1"),
            *("--out", str(tmp_path / "run")),
        ]
        environment = {**os.environ, "ENDOXA_SERVER_KEY": key}
        output = b""
        for wait in (1.6, 2.0, 2.4):
            with subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            ) as process:
                time.sleep(wait)
                process.send_signal(signal.SIGKILL)
                output += process.communicate()[0]
        finished = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert finished.returncode == 0, finished.stderr.decode()
    table = records(tmp_path / "run")
    assert len(table) == 320
    assert table.select("item_id", "repeat").n_unique() == 320
    everything = output + finished.stdout + finished.stderr
    for path in (tmp_path / "run").rglob("*"):
        if path.is_file():
            everything += path.read_bytes()
    assert key.encode() not in everything


def test_options_of_the_way_there_are_not_part_of_the_run(data: Path, tmp_path: Path) -> None:
    measure(QUESTIONS, settings(data), tmp_path / "run")
    again = settings(data, options=ChatOptions(concurrency=2), max_cost=3.0)
    assert measure(QUESTIONS, again, tmp_path / "run").was_complete


def test_a_plan_refuses_what_the_run_refuses(data: Path) -> None:
    with pytest.raises(UserError, match="no batch interface"):
        plan_qa(settings(data, batch=True))
    (row,) = plan_qa(settings(data))
    assert (row.dollars, row.price) == (0.0, None)


def test_a_plan_of_a_reasoning_model_goes_up_to_the_most(data: Path) -> None:
    given = {"models": ("openai/gpt-4o-mini",), "price": "1,10", "repeats": 2}
    (row,) = plan_qa(settings(data, sampling=Sampling(reasoning="low"), **given))
    assert row.expected.usage.completion_tokens == 40 * 2 * 4
    assert row.most.usage.completion_tokens == 40 * 2 * 512
    (plain,) = plan_qa(settings(data, **given))
    assert plain.most == plain.expected


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


@pytest.mark.slow
def test_a_model_that_is_dead_does_not_stop_the_others(data: Path, tmp_path: Path) -> None:
    models = ("http://127.0.0.1:9/v1#dead", "sim/biased")
    chosen = settings(data, models=models, options=ChatOptions(patience=0.1))
    with pytest.raises(UserError, match=r"1 of 2 models did not finish.*does not answer"):
        measure(QUESTIONS, chosen, tmp_path / "run")
    with closing(AnswerJournal(tmp_path / "run/journal.sqlite")) as journal:
        assert [journal.count(0), journal.count(1)] == [0, 40]


def test_a_model_that_is_not_there_is_found_before_anything_is_asked(data: Path, tmp_path: Path) -> None:
    def reply(body: Any) -> Any:
        return Refusal(404, "no such model") if body["model"] == "smal" else "A"

    with running(ServerSettings(reply=reply)) as server:
        models = (f"{server.url}#small", f"{server.url}#smal")
        with pytest.raises(UserError, match="has no model 'smal'"):
            measure(QUESTIONS, settings(data, models=models), tmp_path / "run")
        assert server.requests["POST /v1/chat/completions"] == 1


@pytest.mark.slow
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
    assert (records(tmp_path / "run")["error"] == "").all()


def test_empty_answers_are_paid_and_counted(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying, "FIRST_BOUND", 0.01)
    monkeypatch.setattr(retrying, "LAST_BOUND", 0.02)
    with running(ServerSettings(reply=lambda _: "")) as server:
        name = f"{server.url}#small"
        chosen = settings(data, models=(name,), price="1,10", max_cost=0.008)
        with pytest.raises(UserError, match="--max-cost"):
            measure(QUESTIONS, chosen, tmp_path / "run")
        billed = server.requests["POST /v1/chat/completions"]
    with closing(AnswerJournal(tmp_path / "run/journal.sqlite")) as journal:
        assert sum(one.calls for one in journal.totals(0)) == billed > 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("--max-cost", "0"),
        ("--max-cost", "nan"),
        ("--max-cost=-1",),
        ("--set", 'extra={"a": NaN}'),
        ("--set", 'extra={"a": "\\ud800"}'),
        ("--set", 'extra={"api_key": "x"}'),
        ("--set", "rpm=few"),
        ("--set", "rqm=3"),
        ("--set", "rpm"),
        ("--settings", "none.toml"),
        ("--seed", "9223372036854775807"),
        ("--set", "timeout=nan"),
        ("--temperature", "inf"),
        ("--model", "http://127.0.0.1:99999/v1#x"),
    ],
)
def test_words_of_the_command_line_that_are_wrong(data: Path, words: tuple[str, ...]) -> None:
    outcome = CliRunner().invoke(app, ["probe", "qa", "--data", str(data), *words, "--plan"])
    assert isinstance(outcome.exception, (UserError, SystemExit))
    assert isinstance(outcome.exception, UserError) or outcome.exit_code == 2


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise pl.exceptions.ComputeError("No space left on device (os error 28)")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with (
        pytest.raises(UserError, match="No space left on device"),
        parquet_in_parts(tmp_path / "x.parquet") as add,
    ):
        add(pl.DataFrame({"a": [1]}))


def test_a_run_says_which_libraries_reached_its_models(data: Path, tmp_path: Path) -> None:
    with running(ServerSettings()) as server:
        measure(QUESTIONS, settings(data, models=(f"{server.url}#small",), limit=1), tmp_path / "run")
    used = json.loads((tmp_path / "run/run.json").read_text(encoding="utf-8"))["versions"]
    assert {"openai", "genai-prices"} <= set(used)


@pytest.mark.slow
def test_calls_cut_off_by_a_kill_are_counted_and_said(data: Path, tmp_path: Path) -> None:
    """Answered and lost calls together are those that the server saw, and --max-cost counts both."""
    with running(ServerSettings(stall_after=13)) as server:
        name = f"{server.url}#small"
        command = [
            *(sys.executable, "-c", "from endoxa.commands import main; main()"),
            *("probe", "qa", "--data", str(data), "--model", name, "--set", "concurrency=8"),
            *("--set", "price=1,10", "--max-cost", "1", "--out", str(tmp_path / "run")),
        ]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            while server.replies < 13 + 8:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
        with closing(AnswerJournal(tmp_path / "run/journal.sqlite")) as journal:
            answered, lost = journal.count(0), sum(one.calls for one in journal.totals(0) if not one.counted)
        assert answered + lost == server.replies == 21
        assert lost >= 8
        server.stall_after = None
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        seen = server.replies
    assert finished.returncode == 0, finished.stderr
    said = (
        f"{name}: {lost} calls were under way when the run was stopped; they may have been billed: at most "
    )
    assert re.search(f"{re.escape(said)}\\$0\\.\\d+\\.", finished.stderr)
    used = json.loads((tmp_path / "run/run.json").read_text(encoding="utf-8"))["usage"][name]
    assert (used["calls"], used["lost_calls"]) == (40, lost)
    assert used["calls"] + used["lost_calls"] == seen
    assert used["cost_usd"] < used["most_cost_usd"] < 1
    assert f"{lost} calls without an answer may have been billed" in finished.stdout
