"""Sentence pairs on a Ray cluster of two nodes: one worker, two workers, and this process with one thread.

    python benchmarks/ray_workers.py --pairs 600 --rounds 3

A random-weight GPT-2 of 6 layers scores pairs of random words. What is timed is the scoring: from the first chunk to
the last, without starting workers and loading weights, which are printed apart. The ways take turns; printed are
min, median and max in seconds, the speed-up of two workers over one, and what one worker costs beside this process
with one thread.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path

import ray
import torch
from ray.cluster_utils import Cluster
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from endoxa.instruments.pairs.options import PairsSettings
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.options import EngineOptions
from endoxa.runs.run import measure

WORDS = [f"w{k}" for k in range(5_000)]
LENGTH = 16
"""Words of a sentence."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=600)
    parser.add_argument("--chunk", type=int, default=30, help="pairs of a chunk")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(1)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        settings = PairsSettings(
            data=str(write_pairs(home / "pairs.csv", args.pairs)),
            models=(f"hf/{write_model(home / 'model')}",),
            chunk=args.chunk,
            calibrate=False,
        )
        compare(settings, home, args.rounds)
    ray.shutdown()
    cluster.shutdown()


def compare(settings: PairsSettings, home: Path, rounds: int) -> None:
    """Every way in turn."""
    ways = {
        "this process, one thread": EngineOptions(),
        "one worker": EngineOptions("ray", workers=1),
        "two workers": EngineOptions("ray", workers=2),
    }
    scoring: dict[str, list[float]] = {way: [] for way in ways}
    starting: dict[str, list[float]] = {way: [] for way in ways}
    for round_ in range(rounds):
        for number, (way, engine) in enumerate(ways.items()):
            began, at = time.perf_counter(), []
            measure(
                INSTRUMENTS.get("pairs"),
                settings.model_copy(update={"engine": engine}),
                home / f"{round_}-{number}",
                progress=lambda what, _done, _all, at=at: (
                    at.append(time.perf_counter()) if what.startswith("scoring") else None
                ),
            )
            starting[way].append(at[0] - began)
            scoring[way].append(at[-1] - at[0])
    for way, seconds in scoring.items():
        print(
            f"{way}: scoring {min(seconds):.2f} / {statistics.median(seconds):.2f} / {max(seconds):.2f} s, before it "
            f"{statistics.median(starting[way]):.1f} s"
        )
    here, one, two = (statistics.median(seconds) for seconds in scoring.values())
    print(f"two workers over one: {one / two:.2f} x")
    print(f"one worker beside this process: {100 * (one / here - 1):+.1f} %")


def write_pairs(path: Path, count: int) -> Path:
    """Pairs of random words that differ in one."""
    draw = random.Random(1)
    lines = ["item_id,sent_more,sent_less,direction,axis,language"]
    for k in range(count):
        words = draw.choices(WORDS, k=LENGTH)
        other = [*words[:-1], draw.choice(WORDS)]
        lines.append(f"p{k},{' '.join(words)},{' '.join(other)},stereo,a,en")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_model(folder: Path) -> Path:
    """A random-weight GPT-2 with a tokenizer of whole words."""
    tokenizer = Tokenizer(
        models.WordLevel({word: k for k, word in enumerate(["<s>", *WORDS])}, unk_token="<s>")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    torch.manual_seed(1)
    size = {"n_layer": 6, "n_embd": 512, "n_head": 8, "n_positions": 512}
    network = GPT2LMHeadModel(GPT2Config(vocab_size=len(WORDS) + 1, bos_token_id=0, eos_token_id=0, **size))
    network.save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="<s>").save_pretrained(
        folder
    )
    return folder


if __name__ == "__main__":
    main()
