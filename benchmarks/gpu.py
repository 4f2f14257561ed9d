"""What matters on one GPU, in under four minutes: scoring and answers beside peers, and how far half precision goes.

    python benchmarks/gpu.py                                 one NVIDIA GPU with 40 GB or more
    python benchmarks/gpu.py --only scoring --only answers   some of the parts: scoring, masked, answers, precision
    python benchmarks/gpu.py --model FOLDER                  real weights for the comparison with 4 bits
    python benchmarks/gpu.py --device cpu --small            tries the script itself, in under a minute

Weights are random, of the shapes of GPT-2 small, BERT base and Llama 3 8B; tokenizers are trained on CrowS-Pairs, whose
sentences are scored. Everybody has the same network in memory, in one process. Contenders take turns: one warm-up, then
`--rounds`, of which medians are printed. Peers run at the best of several batch sizes.

Random weights never end an answer, so each prompt has a limit of its own: all equal, or from a few tokens to the most.
Sides of pairs change more often with random weights than with trained ones, whose sentences differ by more.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import logging
import os
import statistics
import tempfile
import time
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
from scoring import (
    Scores,
    byte_level_tokenizer,
    fastest,
    in_batches,
    read_pairs,
    texts_of,
    word_piece_tokenizer,
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    shared = Path(os.environ.get("ENDOXA_SHARED", Path(__file__).parents[2] / "shared"))
    parser.add_argument("--data", type=Path, default=shared / "data/crows_pairs/crows_pairs_anonymized.csv")
    parser.add_argument("--device", type=torch.device, default=torch.device("cuda"))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", choices=list(PARTS), action="append")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="causal model for the 4-bit comparison")
    parser.add_argument("--small", action="store_true", help="tiny networks, 24 pairs, 24 prompts")
    args = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    everything = read_pairs(args.data)
    tokenizer = byte_level_tokenizer(texts_of(everything))
    # minicons would otherwise enlarge the network that all share.
    tokenizer.add_special_tokens({"pad_token": "<|pad|>"})
    pairs = everything[:24] if args.small else everything
    bench = Bench(args.device, pairs, args.rounds, args.small, tokenizer)
    print(torch.cuda.get_device_name(args.device) if args.device.type == "cuda" else args.device, end=", ")
    print(f"torch {torch.__version__}, transformers {transformers.__version__}")
    if args.small:
        print(
            "Tiny networks stand for those that are named: these figures say nothing but that the script runs."
        )
    start = time.perf_counter()
    for name, part in PARTS.items():
        if not args.only or name in args.only:
            part(bench, args)
            if args.device.type == "cuda":
                torch.cuda.empty_cache()
    print(f"\nall of it took {time.perf_counter() - start:.0f} s")


Contenders = Sequence[tuple[str, Callable[[], Scores]]]


def measure(bench: Bench, title: str, contenders: Contenders, goal: str) -> None:
    """Time scorers in turn; print medians, ratios to the first, and how far their scores are from its scores."""
    seconds: dict[str, list[float]] = {name: [] for name, _ in contenders}
    scores: dict[str, Scores] = {}
    for number in range(bench.rounds + 1):
        for name, run in contenders:
            spent, scores[name] = timed(bench, run)
            if number:
                seconds[name].append(spent)
    ours = contenders[0][0]
    print(f"\n{title} (goal: {goal})")
    for name, times in seconds.items():
        ratio = statistics.median(t / o for t, o in zip(times, seconds[ours], strict=True))
        print(f"  {name:44}{statistics.median(times):8.2f} s   x {ratio:5.2f}   ", end="")
        print(difference(scores[ours], scores[name]) if name != ours else "", flush=True)


def timed(bench: Bench, run: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds until the device has done it, and the result."""
    start = time.perf_counter()
    result = run()
    if bench.device.type == "cuda":
        torch.cuda.synchronize(bench.device)
    return time.perf_counter() - start, result


def difference(a: Scores, b: Scores) -> str:
    """The largest gap between scores of the same sentences, and the pairs whose preferred sentence is another."""
    largest = max(abs(x - y) for x, y in zip(a, b, strict=True))
    sides = sum((a[k] > a[k + 1]) != (b[k] > b[k + 1]) for k in range(0, len(a), 2))
    return f"largest gap {largest:.1e}, {sides} of {len(a) // 2} pairs change sides"


def endoxa(
    network: Any, tokenizer: Any, rule_name: str, pairs: Sequence[Pair], batch_tokens: int | None = None
) -> Callable[[], Scores]:
    """Scoring with endoxa."""
    spec = parse_model(offer(rule_name, Weights(network, tokenizer), again=True))
    model, rule = open_live(spec, ModelOptions(batch_tokens=batch_tokens)), RULES.get(rule_name)

    def run() -> Scores:
        requests = [request for both in rule.requests(pairs, model) for request in both]
        scores = dict(model.score(requests))
        return [rule.value(scores[k]) for k in range(len(requests))]

    return run


# --------------------------------------------------------------------------------------------- scoring


def causal(bench: Bench, _args: argparse.Namespace) -> None:
    """Rule `sum-bos` beside lm-evaluation-harness and minicons."""
    gpt2 = bench.gpt2()
    beside_peers(bench, "GPT-2 small, float32", gpt2, "0.6 s on an H100")
    beside_peers(bench, "GPT-2 small, bfloat16", gpt2.to(torch.bfloat16), "0.25 s")
    del gpt2
    beside_peers(bench, "Llama 3 8B shape, bfloat16", bench.llama(LLAMA_8B), "1.4 s")


def beside_peers(bench: Bench, title: str, network: Any, goal: str) -> None:
    """Endoxa and every peer that is installed, at its best batch size."""
    texts = texts_of(bench.pairs)
    contenders = [("endoxa", endoxa(network, bench.tokenizer, "sum-bos", bench.pairs))]
    for name, module, make in (("lm-eval", "lm_eval", lm_eval), ("minicons", "minicons", minicons)):
        if find_spec(module) is None:
            print(f"{title}: {name} is not installed, so it is left out")
            continue
        runs = {size: make(network, bench, size) for size in (BATCHES[:1] if bench.small else BATCHES)}
        size, best = fastest(runs, texts)
        contenders.append((f"{name}, batch size {size} (its best)", best))
    measure(bench, f"{title}, sum-bos, {len(texts)} sentences", contenders, goal)


def lm_eval(network: Any, bench: Bench, size: int) -> Callable[[Sequence[str]], Scores]:
    """lm-evaluation-harness: log-likelihood of each text after an empty context."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    lm = HFLM(pretrained=network, tokenizer=bench.tokenizer, batch_size=size, backend="causal")

    def run(texts: Sequence[str]) -> Scores:
        requests = [Instance("loglikelihood", {}, ("", text), k) for k, text in enumerate(texts)]
        return [score for score, _ in lm.loglikelihood(requests, disable_tqdm=True)]

    return run


def minicons(network: Any, bench: Bench, size: int) -> Callable[[Sequence[str]], Scores]:
    """minicons: the sum of log-probabilities after the beginning-of-sequence token."""
    from minicons.scorer import IncrementalLMScorer

    scorer = IncrementalLMScorer(network, str(bench.device), tokenizer=bench.tokenizer)

    def scores(batch: list[str]) -> Scores:
        return scorer.sequence_score(batch, reduction=lambda x: x.sum(0).item(), bos_token=True)  # type: ignore[no-any-return]

    return in_batches(scores, size)


def masked(bench: Bench, _args: argparse.Namespace) -> None:
    """Rule `crows-token` beside the published loop, each sentence's masked copies in a batch."""
    pairs = bench.pairs[:8] if bench.small else bench.pairs[::5]
    network = bench.made(
        BertForMaskedLM, BertConfig(**({**TINY, "intermediate_size": 128} if bench.small else {}))
    )
    tokenizer = word_piece_tokenizer(texts_of(pairs))
    contenders = (
        ("endoxa", endoxa(network, tokenizer, "crows-token", pairs)),
        ("published loop, copies of a sentence batched", batched_loop(network, tokenizer, pairs)),
    )
    title = f"BERT base, float32, crows-token, {len(pairs)} pairs"
    measure(bench, title, contenders, "the loop takes 3 times as long")


def batched_loop(network: Any, tokenizer: Any, pairs: Sequence[Pair]) -> Callable[[], Scores]:
    """The loop of CrowS-Pairs' metric.py, but with all masked copies of a sentence at once."""
    model = open_live(parse_model(offer("loop", Weights(network, tokenizer), again=True)), ModelOptions())
    requests = [request for both in RULES.get("crows-token").requests(pairs, model) for request in both]

    def score(request: Any) -> float:
        positions = torch.tensor([position for (position,) in request.groups], device=network.device)
        copies = torch.arange(len(positions), device=network.device)
        ids = torch.tensor(request.ids, device=network.device).repeat(len(positions), 1)
        targets = ids[copies, positions]
        ids[copies, positions] = tokenizer.mask_token_id
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
        rates: dict[str, list[float]] = {"endoxa": [], "plain generate": []}
        for round_number in range(bench.rounds + 1):
            for name, run in (("endoxa", side_by_side), ("plain generate", plain_generate)):
                # The warm-up needs no long answers.
                asked = limits if round_number else [min(limit, 8) for limit in limits]
                spent, tokens = timed(
                    bench, lambda run=run, asked=asked: run(generator, network, prompts, asked)
                )
                if round_number:
                    rates[name].append(tokens / spent)
        ratio = statistics.median(a / b for a, b in zip(*rates.values(), strict=True))
        print(f"\nLlama 3 8B shape, bfloat16, {number} answers {title} (goal: endoxa is 1.2 times as fast)")
        for name, values in rates.items():
            print(f"  {name:24}{statistics.median(values):10,.0f} tokens/s")
        print(f"  ratio {ratio:.2f}", flush=True)


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
    rule = RULES.get("sum")
    for options in (
        ModelOptions(device=str(bench.device), dtype="bfloat16"),
        ModelOptions(device=str(bench.device), dtype="bfloat16", four_bit=True),
    ):
        model = open_model(parse_model(f"hf/{folder}"), options)
        requests = [request for both in rule.requests(bench.pairs, model) for request in both]
        values = dict(model.score(requests))
        scores.append([rule.value(values[k]) for k in range(len(requests))])
    print(f"  {'4 bits and bfloat16, rule sum':58}{difference(*scores)}", flush=True)


PARTS: dict[str, Callable[[Bench, argparse.Namespace], None]] = {
    "scoring": causal,
    "masked": masked,
    "answers": answers,
    "precision": precision,
}

if __name__ == "__main__":
    main()
