"""The generation of local weights can be left at any time, and an answer that has ended does not wait for others."""

from __future__ import annotations

import asyncio
import threading

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from endoxa.models.chat.batcher import Batcher
from endoxa.models.chat.generation import Generator
from endoxa.models.chat.templates import Prompt, Settings


class _Tokenizer:
    eos_token_id = 1
    pad_token_id = 0


def _generator() -> Generator:
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=8, n_positions=64, n_embd=8, n_layer=3, n_head=1)
    return Generator(GPT2LMHeadModel(config).eval(), _Tokenizer(), 2)


PROMPT = Prompt((2, 3, 4), Settings(0.0, None, None, 40), seed=0)


def test_an_abandoned_batch_is_left_between_two_layers() -> None:
    generator = _generator()
    layers: list[int] = []
    reached, left = threading.Event(), threading.Event()

    def stop(number: int) -> None:
        layers.append(number)
        if number == 1:
            reached.set()
            left.wait(10)

    for number, layer in enumerate(generator._network.transformer.h):
        layer.register_forward_hook(lambda *_, number=number: stop(number))
    batcher = Batcher(generator.generate, lambda _: None, 2)

    async def ask() -> None:
        caller = asyncio.create_task(batcher.submit(PROMPT))
        await asyncio.to_thread(reached.wait, 10)
        caller.cancel()
        await asyncio.sleep(0)
        left.set()
        await batcher.close()

    asyncio.run(ask())
    assert layers == [0, 1]


def test_an_answer_that_has_ended_is_there_before_the_others() -> None:
    """The first prompt is followed by the end token; the second one never is."""
    generator = _generator()
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
        several = [asyncio.create_task(batcher.submit(PROMPT)) for _ in range(2)]
        await asyncio.to_thread(ended.wait, 10)
        first = await asyncio.wait_for(several[0], 10)
        waiting = not several[1].done()
        looked.set()
        last = await several[1]
        assert (first.ids, first.ended) == ((), True)
        assert (last.ids, last.ended) == ((5,) * 40, False)
        return waiting, generator.written

    assert asyncio.run(ask()) == (True, 1 + 40)
