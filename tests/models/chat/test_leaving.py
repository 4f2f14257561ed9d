"""The generation of local weights can be left while a long prompt is read, before any token is written."""

from __future__ import annotations

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from endoxa.models.chat.generation import Generated, Generator, Prompt, Settings


class _Tokenizer:
    eos_token_id = 1
    pad_token_id = 0


def test_an_abandoned_batch_is_left_between_two_layers() -> None:
    torch.manual_seed(0)
    network = GPT2LMHeadModel(GPT2Config(vocab_size=8, n_positions=16, n_embd=8, n_layer=3, n_head=1)).eval()
    generator = Generator(network, _Tokenizer())
    prompt = Prompt((2, 3, 4), Settings(0.0, None, None, 4), seed=0)
    layers: list[int] = []
    for number, layer in enumerate(network.transformer.h):
        layer.register_forward_hook(lambda *_, number=number: layers.append(number))
    left = generator.generate([prompt, prompt], lambda: len(layers) == 2)
    assert layers == [0, 1]
    assert left == [Generated((), ended=False)] * 2
    layers.clear()
    (whole,) = generator.generate([prompt], lambda: False)
    assert whole.ids
    assert set(layers) == {0, 1, 2}
