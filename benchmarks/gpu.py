"""What matters on one GPU, in under four minutes: scoring and answers beside peers, and how far half precision goes.

    python benchmarks/gpu.py                                 one NVIDIA GPU with 40 GB or more
    python benchmarks/gpu.py --only scoring --only answers   some of the parts: scoring, masked, answers, precision
    python benchmarks/gpu.py --model FOLDER                  real weights for the comparison with 4 bits
    python benchmarks/gpu.py --device cpu --small            tries the script itself, in under a minute

Weights are random, tokenizers are trained on CrowS-Pairs, whose sentences are scored. Everybody has the same network in
memory. Contenders take turns after a warm-up; peers run at the best of several batch sizes.

Random weights never end an answer, so each prompt has a limit of its own: all equal, or from a few tokens to the most.
Sides of pairs change more often with random weights than with trained ones, whose sentences differ by more.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
)

from endoxa.instruments.pairs.rules import RULES
from endoxa.models.chat.batcher import Batcher
from endoxa.models.chat.generation import Generator
from endoxa.models.chat.templates import Prompt, Settings
from endoxa.models.live import Weights, offer, open_live
from endoxa.models.scoring import open_model, parse_model
from endoxa.models.spec import ModelOptions
from endoxa.schema import Pair
from frame import CROWS_PAIRS, in_turn, options, seconds_of, show, tokenizer
from scoring import (
    DEVICE,
    Scores,
    fastest,
    is_installed,
    lm_eval,
    minicons,
    quiet,
    read_pairs,
    scorer,
    texts_of,
)

BATCHES = (64, 128, 256)
"""Batch sizes tried for the peers."""
TINY = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4}
LLAMA_8B = {
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}
LLAMA_1B = {**LLAMA_8B, "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16}
SMALL_LLAMA = {**TINY, "intermediate_size": 128, "num_key_value_heads": 2, "vocab_size": 24000}
BEGINNING = (
    "Read the sentence, then say in a few words whether it is about a person, a group or a thing, and why: "
)


@dataclass(frozen=True)
class Bench:
    """What all parts share.

    Attributes:
        device: where everybody computes.
        pairs: what is scored.
        rounds: after the warm-up.
        small: tiny networks.
        tokenizer: of the causal networks.
    """

    device: torch.device
    pairs: Sequence[Pair]
    rounds: int
    small: bool
    tokenizer: Any

    def llama(self, shape: dict[str, int]) -> Any:
        """Random weights of this shape in bfloat16; with --small of a tiny one."""
        torch.set_default_dtype(torch.bfloat16)
        try:
            return self.made(LlamaForCausalLM, LlamaConfig(**(SMALL_LLAMA if self.small else shape)))
        finally:
            torch.set_default_dtype(torch.float32)

    def gpt2(self) -> Any:
        """Random weights of GPT-2 small in float32."""
        return self.made(GPT2LMHeadModel, GPT2Config(**(TINY if self.small else {})))

    def made(self, kind: Any, config: Any) -> Any:
        """A network with random weights, on the device."""
        torch.manual_seed(0)
        with self.device:
            return kind(config).eval()


def main() -> None:
    """Measure the parts that were asked for."""
    parser = options(__doc__, rounds=2)
    parser.add_argument("--data", type=Path, default=CROWS_PAIRS)
    parser.add_argument("--device", type=torch.device, default=torch.device("cuda"))
    parser.add_argument("--only", choices=list(PARTS), action="append")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="causal model for the 4-bit comparison")
    parser.add_argument("--small", action="store_true", help="tiny networks, 24 pairs, 24 prompts")
    args = parser.parse_args()
    DEVICE[0] = args.device
    quiet()
    everything = read_pairs(args.data)
    words = tokenizer("byte-level", texts_of(everything))
    # minicons would otherwise enlarge the network that all share.
    words.add_special_tokens({"pad_token": "<|pad|>"})
    pairs = everything[:24] if args.small else everything
    bench = Bench(args.device, pairs, args.rounds, args.small, words)
    print(torch.cuda.get_device_name(args.device) if args.device.type == "cuda" else args.device, end=", ")
    print(f"torch {torch.__version__}, transformers {transformers.__version__}")
    if args.small:
        print(
            "Tiny networks stand for those that are named: these figures say nothing but that the script runs."
        )
    for name, part in PARTS.items():
        if not args.only or name in args.only:
            part(bench, args)
            if args.device.type == "cuda":
                torch.cuda.empty_cache()


def measure(bench: Bench, title: str, ways: dict[str, Callable[[], Scores]]) -> None:
    """Time scorers in turn; print ratios to the first, and how far their scores are from its scores."""
    finished = {name: lambda run=run: done(bench, run) for name, run in ways.items()}
    in_turn(finished, 1)  # a warm-up
    times, scores = in_turn(finished, bench.rounds)
    print(f"\n{title}")
    ours = next(iter(scores.values()))
    show(times, {name: difference(ours, other) for name, other in scores.items()})


def done(bench: Bench, run: Callable[[], Any]) -> Any:
    """The result, once the device has computed it."""
    result = run()
    if bench.device.type == "cuda":
        torch.cuda.synchronize(bench.device)
    return result


def difference(a: Scores, b: Scores) -> str:
    """The largest gap between scores of the same sentences, and the pairs whose preferred sentence is another."""
    largest = max(abs(x - y) for x, y in zip(a, b, strict=True))
    sides = sum((a[k] > a[k + 1]) != (b[k] > b[k + 1]) for k in range(0, len(a), 2))
    return f"largest gap {largest:.1e}, {sides} of {len(a) // 2} pairs change sides"


def endoxa(
    network: Any, words: Any, rule_name: str, pairs: Sequence[Pair], batch_tokens: int | None = None
) -> Callable[[], Scores]:
    """Scoring with endoxa."""
    spec = parse_model(offer(rule_name, Weights(network, words), again=True))
    return scorer(open_live(spec, ModelOptions(batch_tokens=batch_tokens)), rule_name, pairs)


# --------------------------------------------------------------------------------------------- scoring


def causal(bench: Bench, _args: argparse.Namespace) -> None:
    """Rule `sum-bos` beside lm-evaluation-harness and minicons."""
    gpt2 = bench.gpt2()
    beside_peers(bench, "GPT-2 small, float32", gpt2)
    beside_peers(bench, "GPT-2 small, bfloat16", gpt2.to(torch.bfloat16))
    del gpt2
    beside_peers(bench, "Llama 3 8B shape, bfloat16", bench.llama(LLAMA_8B))


def beside_peers(bench: Bench, title: str, network: Any) -> None:
    """Endoxa and every peer that is installed, at its best batch size."""
    texts, words = texts_of(bench.pairs), bench.tokenizer
    ways = {"endoxa": endoxa(network, words, "sum-bos", bench.pairs)}
    for name, make in (
        ("lm_eval", lambda size: lm_eval(network, size, tokenizer=words, backend="causal")),
        ("minicons", lambda size: minicons(network, size, words=words)),
    ):
        if not is_installed(name):
            continue
        size, best = fastest({size: make(size) for size in BATCHES[: 1 if bench.small else None]}, texts)
        ways[f"{name}, batch size {size} (its best)"] = best
    measure(bench, f"{title}, sum-bos, {len(texts)} sentences", ways)


def masked(bench: Bench, _args: argparse.Namespace) -> None:
    """Rule `crows-token` beside the published loop, each sentence's masked copies in a batch."""
    pairs = bench.pairs[:8] if bench.small else bench.pairs[::5]
    size = {**TINY, "intermediate_size": 128} if bench.small else {}
    network, words = bench.made(BertForMaskedLM, BertConfig(**size)), tokenizer("word-piece", texts_of(pairs))
    ways = {
        "endoxa": endoxa(network, words, "crows-token", pairs),
        "published loop, copies of a sentence batched": batched_loop(network, words, pairs),
    }
    measure(bench, f"BERT base, float32, crows-token, {len(pairs)} pairs", ways)


def batched_loop(network: Any, words: Any, pairs: Sequence[Pair]) -> Callable[[], Scores]:
    """The loop of CrowS-Pairs' metric.py, but with all masked copies of a sentence at once."""
    model = open_live(parse_model(offer("loop", Weights(network, words), again=True)), ModelOptions())
    requests = [request for pair in RULES.get("crows-token").requests(pairs, model) for request in pair]

    def score(request: Any) -> float:
        positions = torch.tensor([position for (position,) in request.groups], device=network.device)
        copies = torch.arange(len(positions), device=network.device)
        ids = torch.tensor(request.ids, device=network.device).repeat(len(positions), 1)
        targets = ids[copies, positions]
        ids[copies, positions] = words.mask_token_id
        logits = network(ids).logits[copies, positions]
        return float(logits.log_softmax(1)[copies, targets].sum())

    @torch.inference_mode()
    def run() -> Scores:
        return [score(request) for request in requests]

    return run


# --------------------------------------------------------------------------------------------- answers


def answers(bench: Bench, _args: argparse.Namespace) -> None:
    """Likeliest answers to 256 prompts beside `generate` of transformers, all prompts in one batch."""
    network = bench.llama(LLAMA_8B)
    number, most = (24, 12) if bench.small else (256, 128)
    texts = [BEGINNING + text for text in texts_of(bench.pairs)[:number]]
    prompts = [tuple(ids) for ids in bench.tokenizer(texts)["input_ids"]]
    generator = Generator(network, bench.tokenizer, number)
    for title, limits in (
        (f"all of {most} tokens", [most] * number),
        (
            f"of {most // 8} to {most} tokens",
            [most // 8 + k * 37 % (most - most // 8 + 1) for k in range(number)],
        ),
    ):
        ways = {
            name: lambda run=run, limits=limits: rate(bench, lambda: run(generator, network, prompts, limits))
            for name, run in (("endoxa", side_by_side), ("plain generate", plain_generate))
        }
        for run in (side_by_side, plain_generate):  # the warm-up needs no long answers
            run(generator, network, prompts, [min(limit, 8) for limit in limits])
        rates, _ = in_turn(ways, bench.rounds, time_of=float)
        print(f"\nLlama 3 8B shape, bfloat16, {number} answers {title}")
        for name, values in rates.items():
            print(f"  {name:24}{1 / statistics.median(values):10,.0f} tokens/s", flush=True)


def rate(bench: Bench, write: Callable[[], int]) -> float:
    """Seconds of a token."""
    seconds, tokens = seconds_of(lambda: done(bench, write))
    return seconds / tokens


def side_by_side(generator: Generator, _network: Any, prompts: Sequence[Any], limits: Sequence[int]) -> int:
    """Tokens that endoxa wrote."""

    async def ask() -> int:
        batcher = Batcher(generator.generate, lambda _: None, len(prompts))
        written = await asyncio.gather(
            *(
                batcher.submit(Prompt(ids, Settings(0.0, None, None, limit), 0))
                for ids, limit in zip(prompts, limits, strict=True)
            )
        )
        return sum(len(answer.ids) + answer.ended for answer in written)

    return asyncio.run(ask())


@torch.inference_mode()
def plain_generate(generator: Generator, network: Any, prompts: Sequence[Any], limits: Sequence[int]) -> int:
    """Tokens within the limits that `generate` wrote, padded on the left; it goes on to the largest limit."""
    longest = max(map(len, prompts))
    ids = torch.tensor([[generator.padding] * (longest - len(p)) + list(p) for p in prompts])
    mask = torch.tensor([[0] * (longest - len(p)) + [1] * len(p) for p in prompts])
    output = network.generate(
        input_ids=ids.to(network.device),
        attention_mask=mask.to(network.device),
        max_new_tokens=max(limits),
        do_sample=False,
    )
    tokens = 0
    for row, limit in zip(output[:, longest:].tolist(), limits, strict=True):
        end = next((place + 1 for place, token in enumerate(row) if token in generator.ends), len(row))
        tokens += min(end, limit)
    return tokens


# --------------------------------------------------------------------------------------------- precision


def precision(bench: Bench, args: argparse.Namespace) -> None:
    """What another batch size, bfloat16 and 4 bits change of the scores of the same weights."""
    full = bench.gpt2()
    half = copy.deepcopy(full).to(torch.bfloat16)
    print("\nHalf precision, rule sum-bos")
    scores = {}
    for title, network in (("GPT-2 small, float32", full), ("GPT-2 small, bfloat16", half)):
        scores[title] = batch_sizes(bench, title, network)
    print(f"  {'bfloat16 and float32, GPT-2 small':58}{difference(*scores.values())}", flush=True)
    batch_sizes(bench, "Llama 3 1B shape, bfloat16", bench.llama(LLAMA_1B))
    if bench.device.type != "cuda" or find_spec("bitsandbytes") is None:
        print("  4 bits: left out, they need an NVIDIA GPU and bitsandbytes")
        return
    with tempfile.TemporaryDirectory() as folder:
        if args.model is None:
            bench.llama(LLAMA_1B).save_pretrained(folder)
            bench.tokenizer.save_pretrained(folder)
        four_bits(bench, args.model or Path(folder))


def batch_sizes(bench: Bench, title: str, network: Any) -> Scores:
    """Print what small and large batches change; returns the scores of large ones."""
    few, many = (endoxa(network, bench.tokenizer, "sum-bos", bench.pairs, tokens)() for tokens in (256, 4096))
    print(f"  {title + ', 256 and 4,096 tokens a batch':58}{difference(many, few)}", flush=True)
    return many


def four_bits(bench: Bench, folder: Path) -> None:
    """Print what 4 bits change against bfloat16."""
    scores = []
    for four_bit in (False, True):
        selected = ModelOptions(device=str(bench.device), dtype="bfloat16", four_bit=four_bit)
        scores.append(scorer(open_model(parse_model(f"hf/{folder}"), selected), "sum", bench.pairs)())
    print(f"  {'4 bits and bfloat16, rule sum':58}{difference(*scores)}", flush=True)


PARTS: dict[str, Callable[[Bench, argparse.Namespace], None]] = {
    "scoring": causal,
    "masked": masked,
    "answers": answers,
    "precision": precision,
}

if __name__ == "__main__":
    main()
