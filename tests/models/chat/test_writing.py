"""Rows come and go while a local model writes, and no answer notices."""

from __future__ import annotations

import asyncio
import threading
from functools import wraps
from typing import Any

import pytest
import torch
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MambaConfig,
    MambaForCausalLM,
)

from endoxa.models.chat import slots
from endoxa.models.chat.batcher import Batcher
from endoxa.models.chat.generation import Generator
from endoxa.models.chat.slots import Slots
from endoxa.models.chat.templates import Generated, Prompt, Settings

SIZES = {"vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 2}
DRAWN = Settings(1.0, None, None, 40)
BEGINNING = tuple(range(2, 26))


class Tokenizer:
    eos_token_id = 1
    pad_token_id = 0


def network(kind: str) -> Any:
    torch.manual_seed(1)
    if kind == "gpt2":
        return GPT2LMHeadModel(
            GPT2Config(
                vocab_size=40, bos_token_id=1, eos_token_id=1, n_positions=96, n_embd=16, n_layer=2, n_head=2
            )
        ).eval()
    if kind == "mamba":
        return MambaForCausalLM(MambaConfig(**SIZES, state_size=4)).eval()
    config = LlamaConfig(**SIZES, intermediate_size=32, num_attention_heads=4, num_key_value_heads=2)
    return LlamaForCausalLM(config).eval()


class Watched:
    """A network whose tokens read, rows and steps are counted."""

    def __init__(self, kind: str) -> None:
        self.network = network(kind)
        self.read: list[tuple[int, int]] = []
        forward = self.network.forward

        @wraps(forward)
        def counted(**inputs: Any) -> Any:
            self.read.append(tuple(inputs["input_ids"].shape))
            return forward(**inputs)

        self.network.forward = counted


def answers(
    watched: Watched, prompts: list[Prompt], size: int, fixed_places: bool = False
) -> list[Generated]:
    generator = Generator(watched.network, Tokenizer(), size)
    assert generator._refills
    generator._slots.replays = fixed_places
    watched.read.clear()
    batcher = Batcher(generator.generate, lambda prompt: prompt.settings, size)

    async def ask() -> list[Generated]:
        return await asyncio.gather(*map(batcher.submit, prompts))

    written = asyncio.run(ask())
    assert generator.written == sum(len(answer.ids) + answer.ended for answer in written)
    return written


@pytest.mark.slow
def test_a_place_is_given_on_and_no_answer_changes() -> None:
    prompts = [Prompt(tuple(range(2, 4 + k % 7)), DRAWN, seed=k) for k in range(16)]
    alone = answers(Watched("llama"), prompts, 1)
    watched = Watched("llama")
    # With 16 places rows that have ended stay for a while, and are not written on.
    assert answers(Watched("llama"), prompts, 16) == answers(watched, prompts, 4) == alone
    lengths = [len(answer.ids) + answer.ended for answer in alone]
    assert len(set(lengths)) > 8
    steps = sum(tokens == 1 for _, tokens in watched.read)
    # As soon as places are free they are taken: no schedule is shorter than the first term.
    assert steps <= sum(lengths) / 4 + max(lengths) < sum(max(lengths[k : k + 4]) for k in range(0, 16, 4))


@pytest.mark.slow
def test_places_of_fixed_size_change_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    # As a GPU replays them; here the same steps run as they are.
    monkeypatch.setattr(slots, "LEAST_ROWS", 2)
    monkeypatch.setattr(slots, "LEAST_LENGTH", 8)
    prompts = [Prompt((*BEGINNING[: k % 3 * 9], 2 + k % 7, 3), DRAWN, seed=k) for k in range(12)]
    alone = answers(Watched("gpt2"), prompts, 1)
    assert len({len(answer.ids) for answer in alone}) > 4
    watched = Watched("gpt2")
    assert answers(watched, prompts, 5, fixed_places=True) == alone
    assert {rows for rows, tokens in watched.read if tokens == 1} <= {2, 4, 8, 16, 32}


@pytest.mark.parametrize("kind", ["llama", "mamba"])
def test_only_caches_that_can_be_joined_are(kind: str) -> None:
    slots = Slots(network(kind))
    assert slots.joins_exactly() == (kind != "mamba")
    slots.replays = True
    with torch.inference_mode():
        assert slots._agrees() == (kind != "mamba")


def test_a_network_that_does_not_hide_padding_is_not_joined() -> None:
    seeing = network("llama")
    forward = seeing.forward

    @wraps(forward)
    def sees_padding(**inputs: Any) -> Any:
        return forward(**{**inputs, "attention_mask": torch.ones_like(inputs["attention_mask"])})

    seeing.forward = sees_padding
    assert not Slots(seeing).joins_exactly()


def test_an_answer_that_has_ended_is_there_before_the_others() -> None:
    """The first prompt is followed by the end token; the second one never is."""
    generator = Generator(network("gpt2"), Tokenizer(), 2)
    prompt = Prompt((2, 3, 4), Settings(0.0, None, None, 40), seed=0)
    ended, looked = threading.Event(), threading.Event()

    def force(_module: object, _inputs: object, output: torch.Tensor) -> torch.Tensor:
        output = torch.zeros_like(output)
        output[0, -1, 1] = output[1, -1, 5] = 9.0
        if generator.written > 4:
            ended.set()
            looked.wait(10)
        return output

    generator._network.lm_head.register_forward_hook(force)
    batcher = Batcher(generator.generate, lambda _: None, 2)

    async def ask() -> tuple[bool, int]:
        several = [asyncio.create_task(batcher.submit(prompt)) for _ in range(2)]
        await asyncio.to_thread(ended.wait, 10)
        first = await asyncio.wait_for(several[0], 10)
        waiting = not several[1].done()
        looked.set()
        last = await several[1]
        assert (first.ids, first.ended) == ((), True)
        assert (last.ids, last.ended) == ((5,) * 40, False)
        return waiting, generator.written

    assert asyncio.run(ask()) == (True, 1 + 40)
