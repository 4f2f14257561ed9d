"""Chat models in this process: batches change nothing, draws are exact, and what fails is said."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from dataclasses import replace

import pytest
import torch
from scipy.stats import chisquare
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

from endoxa.errors import UserError
from endoxa.models.chat import open_chat, parse_chat_model
from endoxa.models.chat.batcher import Batcher
from endoxa.models.chat.generation import next_tokens
from endoxa.models.chat.spec import ChatOptions
from endoxa.models.chat.templates import Generated, Prompt, Settings, Stops, Template, next_turn_of
from endoxa.schema.chat import Message, Sampling

pytestmark = pytest.mark.slow

TEMPLATE = (
    "{% for message in messages %}{% if message.role == 'system' %}{{ raise_exception('No system here') }}{% endif %}"
    "{{ message.content }} {% endfor %}{% if loud is defined %}Rain{% endif %}"
)
TEXTS = [
    "The bakers are patient today.",
    "City people walk fast in the rain.",
    "Grandmothers tell long stories. What do they tell?",
    "Young drivers",
    "Old drivers are careful at night.",
    "Rain",
]
GREEDY = Sampling(temperature=0, max_tokens=8)
DRAWN = Sampling(temperature=1.5, max_tokens=8, seed=5)


@pytest.fixture(scope="module")
def folders(tiny, tmp_path_factory):
    """Tiny models with a chat template."""
    home = tmp_path_factory.mktemp("chat")
    for name in ("causal", "encoder-decoder"):
        shutil.copytree(tiny[name], home / name)
        tokenizer = AutoTokenizer.from_pretrained(home / name)
        tokenizer.chat_template = TEMPLATE
        tokenizer.save_pretrained(home / name)
    return home


def opened(folder, **options):
    return open_chat(parse_chat_model(f"hf/{folder}"), ChatOptions(device="cpu", **options))


def conversation(text: str) -> list[Message]:
    return [Message("user", text)]


def all_answers(model, texts, sampling):
    async def ask():
        return await asyncio.gather(*(model.ask(conversation(text), sampling) for text in texts))

    return asyncio.run(ask())


@pytest.mark.parametrize("architecture", ["causal", "encoder-decoder"])
def test_greedy_answers_are_those_of_transformers(folders, architecture):
    """Each prompt alone through `generate`, against all of them in padded batches."""
    loader = AutoModelForCausalLM if architecture == "causal" else AutoModelForSeq2SeqLM
    network = loader.from_pretrained(folders / architecture).eval()
    tokenizer = AutoTokenizer.from_pretrained(folders / architecture)
    model = opened(folders / architecture, batch_size=4)
    for text, answer in zip(TEXTS, all_answers(model, TEXTS, GREEDY), strict=True):
        ids = tokenizer(f"{text} ", return_tensors="pt", add_special_tokens=architecture != "causal")
        out = network.generate(
            input_ids=ids["input_ids"],
            attention_mask=ids["attention_mask"],
            max_new_tokens=8,
            do_sample=False,
        )[0]
        begin = ids["input_ids"].shape[1] if architecture == "causal" else 1
        assert answer.text == tokenizer.decode(out[begin:], skip_special_tokens=True)
        assert answer.usage.prompt_tokens == ids["input_ids"].shape[1]
        assert answer.usage.completion_tokens == len(out) - begin


@pytest.mark.parametrize("architecture", ["causal", "encoder-decoder"])
def test_batches_change_nothing(folders, architecture):
    sampling = replace(DRAWN, top_p=0.9, extra={"top_k": 50})
    alone, together = (opened(folders / architecture, batch_size=size) for size in (1, 4))
    one_by_one = all_answers(alone, TEXTS, sampling)
    assert all_answers(together, TEXTS, replace(sampling, seed=6)) != one_by_one
    drawn_anew = [all_answers(together, TEXTS, replace(sampling, seed=None)) for _ in range(2)]
    assert drawn_anew[0] != drawn_anew[1]
    assert all_answers(together, TEXTS, sampling) == one_by_one
    assert all_answers(together, TEXTS[::-1], sampling) == one_by_one[::-1]


def prompt(seed: int, **settings) -> Prompt:
    usual = {"temperature": 1.0, "top_p": None, "top_k": None, "max_tokens": 4}
    return Prompt((1, 2, 3), Settings(**{**usual, **settings}), seed)


def drawn(batch, scores, step=0):
    return next_tokens(batch, [step] * len(batch), scores)


def same(weights, count):
    """How often two independent draws differ and agree."""
    agree = sum((weight / sum(weights)) ** 2 for weight in weights)
    return [count * (1 - agree), count * agree]


@pytest.mark.parametrize(
    ("settings", "support"),
    [
        ({"temperature": 2.0, "top_k": 3}, (1, 3, 5)),
        ({"temperature": 1.0, "top_p": 0.75}, (1, 3)),
    ],
)
def test_draws_follow_the_distribution(settings, support):
    """Chi-square of 5,000 seeds against the softmax, computed here, over what top-k and top-p leave."""
    logits = torch.tensor([0.0, 2.0, -torch.inf, 1.5, -1.0, 0.5])
    count = 5_000
    found = drawn([prompt(seed, **settings) for seed in range(count)], logits.repeat(count, 1))
    weights = [
        torch.exp(logits[token] / settings["temperature"]).item() if token in support else 0.0
        for token in range(6)
    ]
    expected = [count * weight / sum(weights) for weight in weights]
    observed = torch.bincount(found, minlength=6).tolist()
    again = drawn([prompt(seed, **settings) for seed in range(count)], logits.repeat(count, 1), step=1)
    assert chisquare(torch.bincount((again == found).long(), minlength=2), same(weights, count)).pvalue > 1e-6
    cells = [(o, e) for o, e in zip(observed, expected, strict=True) if e > 0]
    assert sum(o for o, _ in cells) == count
    assert chisquare(*zip(*cells, strict=True)).pvalue > 1e-6


def test_output_that_is_no_number_is_refused():
    with pytest.raises(UserError, match=r"not a number .*--set dtype=float32"):
        drawn([prompt(1)], torch.full((1, 4), torch.nan))


def test_long_conversations_are_cut_or_refused_one_by_one(folders):
    """The tiny model has 64 positions; what leaves no room is refused, without harm to what waits beside it."""
    model = opened(folders / "causal")
    sampling = replace(GREEDY, max_tokens=60)
    short, middle, long = all_answers(model, ["Rain", "Rain " * 12, "Rain " * 60], sampling)
    assert short.error == middle.error == ""
    assert middle.usage.prompt_tokens + middle.usage.completion_tokens <= 64
    assert "tokens and the model reads at most 64, the answer included" in long.error
    assert (long.text, long.finish) == ("", "error")
    assert short == all_answers(model, ["Rain"], sampling)[0]


def test_the_checkpoints_own_settings_hold_where_none_are_asked_for(folders, tmp_path):
    folder = tmp_path / "own"
    shutil.copytree(folders / "causal", folder)
    own = {
        "do_sample": True,
        "temperature": 0.7,
        "top_k": 5,
        "repetition_penalty": 1.3,
        "eos_token_id": [0, 3],
    }
    (folder / "generation_config.json").write_text(json.dumps(own))
    model = opened(folder)
    assert model.describe()["own_sampling"] == {"temperature": 0.7, "top_p": None, "top_k": 5}
    as_its_own = all_answers(model, TEXTS, Sampling(temperature=None, max_tokens=8, seed=1))
    named = Sampling(temperature=0.7, max_tokens=8, seed=1, extra={"top_k": 5})
    assert [answer.text for answer in as_its_own] == [
        answer.text for answer in all_answers(model, TEXTS, named)
    ]


def test_a_template_of_ones_own_is_described_and_its_arguments_reach_it(folders, tmp_path):
    file = tmp_path / "mine.jinja"
    file.write_text("{{ messages[-1].content }}:")
    facts = opened(folders / "causal", chat_template=str(file)).describe()
    assert facts["chat_template"]["source"] == "mine.jinja"
    assert len(facts["fingerprint"]) == 64
    assert json.loads(json.dumps(facts))["provider"] == "hf"
    ways = ({}, {"chat_template_kwargs": {"loud": True}})
    model = opened(folders / "causal")
    plain, loud = (all_answers(model, ["Rain"], replace(GREEDY, extra=extra))[0] for extra in ways)
    assert loud.usage.prompt_tokens > plain.usage.prompt_tokens


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reasoning": "high"}, "no effort of reasoning can be set"),
        ({"extra": {"logit_bias": {}}}, "does not understand the setting 'logit_bias'"),
    ],
)
def test_settings_are_never_left_out_silently(folders, change, message):
    with pytest.raises(UserError, match=message):
        all_answers(opened(folders / "causal"), ["Rain"], replace(GREEDY, **change))


def test_thoughts_between_special_tokens_are_parted(folders):
    model = opened(folders / "causal")
    tokenizer = model._checkpoint.tokenizer
    tokenizer.add_special_tokens({"additional_special_tokens": ["[THINK]", "[/THINK]"]})
    ids = tokenizer("[THINK]Old drivers[/THINK]Young drivers", add_special_tokens=False)["input_ids"]
    inside, after = ids[1 : ids.index(tokenizer.convert_tokens_to_ids("[/THINK]"))], ids[-2:]
    spoken, stopped = model._spoken(ids, "", Stops())
    assert spoken.text.endswith(tokenizer.decode(after, skip_special_tokens=True))
    assert spoken.reasoning == tokenizer.decode(inside, skip_special_tokens=True).strip()
    assert "THINK" not in spoken.text
    assert not stopped


def test_an_answer_ends_before_a_text_at_which_it_is_to_end(folders):
    model = opened(folders / "causal", batch_size=4)
    whole = all_answers(model, TEXTS, GREEDY)
    stop = next(answer.text for answer in whole if len(answer.text) > 3)[2:4]
    ended = all_answers(model, TEXTS, replace(GREEDY, extra={"stop": [stop]}))
    assert [answer.text for answer in ended] == [answer.text.split(stop)[0] for answer in whole]
    assert all(
        after.finish == "stop" for before, after in zip(whole, ended, strict=True) if stop in before.text
    )
    with pytest.raises(UserError, match="Expected a text or a list of texts"):
        all_answers(model, ["Rain"], replace(GREEDY, extra={"stop": 3}))


TURNS = "{% for m in messages %}{{ 'Question: ' if m.role == 'user' else '' }}{{ m.content }}\n{% endfor %}"


@pytest.mark.parametrize(
    ("template", "own", "expected"),
    [
        (TURNS, False, "\nQuestion:"),
        (TURNS, True, ""),
        ("{% for m in messages %}{{ '\n### ' + m.role }}\n{{ m.content }}{% endfor %}", False, "\n### user"),
        ("{{ messages[0].content }}{{ raise_exception('one only') if messages | length > 1 }}", False, ""),
    ],
)
def test_answers_of_base_models_end_where_their_template_begins_a_next_message(
    folders, tiny, template, own, expected
):
    tokenizer = AutoTokenizer.from_pretrained(folders / "causal" if own else tiny["causal"])
    assert next_turn_of("hf/base", tokenizer, Template(template, "mine")) == expected


def test_a_next_message_ends_an_answer_only_after_something_was_said():
    stops = Stops(("###",), "\nQuestion:")
    assert stops.find("C\nQuestion: Who?") == 1
    assert stops.find("\nQuestion: Who?\nAnswer: B") is None
    assert stops.find("\nQuestion: Who?\nAnswer: B\n\nQuestion: When?") == 26
    assert stops.find("###") == 0


def test_out_of_memory_halves_the_batch(folders, monkeypatch):
    model = opened(folders / "causal", batch_size=4)
    before = all_answers(model, TEXTS, DRAWN)
    network, sizes = model._checkpoint.network, []
    forward = network.forward

    def limited(**kwargs):
        sizes.append(len(kwargs["attention_mask"]))
        if sizes[-1] > 1:
            raise torch.OutOfMemoryError
        return forward(**kwargs)

    monkeypatch.setattr(network, "forward", limited)
    assert all_answers(model, TEXTS, DRAWN) == before
    assert sizes[:3] == [4, 2, 1]


class Counting:
    """Doubles numbers, one batch at a time, and remembers the batches."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.busy = threading.Lock()

    def __call__(self, batch):
        numbers = batch.requests
        assert self.busy.acquire(blocking=False), "two batches at once"
        try:
            self.batches.append(list(numbers))
            if 13 in numbers:
                raise ValueError("thirteen")
            return [2 * number for number in numbers]
        finally:
            self.busy.release()


def test_one_failing_batch_and_a_caller_who_leaves_change_nothing_for_others():
    counting = Counting()
    batcher = Batcher(counting, lambda number: number // 10, 4)

    async def submit():
        leaving, *staying = (asyncio.create_task(batcher.submit(number)) for number in (3, 1, 12, 13, 2, 21))
        await asyncio.sleep(0)
        leaving.cancel()
        return await asyncio.gather(*staying, return_exceptions=True)

    found = asyncio.run(submit())
    assert [found[0], found[3], found[4]] == [2, 4, 42]
    assert [str(found[1]), str(found[2])] == ["thirteen", "thirteen"]
    assert counting.batches[0] == [1, 2]


def test_a_batch_that_nobody_waits_for_is_told_to_stop():
    started, stopped = threading.Event(), threading.Event()

    def compute(batch):
        started.set()
        while not batch.abandoned():
            stopped.wait(0.001)
        stopped.set()
        return [Generated((), ended=False) for _ in batch.requests]

    batcher = Batcher(compute, lambda _number: None, 2)

    async def submit():
        callers = [asyncio.create_task(batcher.submit(number)) for number in range(3)]
        await asyncio.to_thread(started.wait)
        for caller in callers:
            caller.cancel()
        return await asyncio.gather(*callers, return_exceptions=True)

    found = asyncio.run(submit())
    assert all(isinstance(one, asyncio.CancelledError) for one in found)
    assert stopped.is_set()


@pytest.mark.parametrize(("architecture", "sign"), [("causal", "<s>"), ("encoder-decoder", "</s>")])
def test_a_message_cannot_write_special_tokens(folders, architecture, sign):
    """Only the template may end a turn: what a message holds stays text."""
    model = opened(folders / architecture)
    tokenizer = model._checkpoint.tokenizer
    special = tokenizer.convert_tokens_to_ids(sign)
    clean, told = (
        model._ids(model._written(conversation(text), {})) for text in ("Rain", f"Rain {sign}Rain")
    )
    assert told.count(special) == clean.count(special)
    assert len(told) > len(clean)
