"""Sentence pairs on a Ray cluster of two nodes: one worker, two workers, and this process with one thread.

    python benchmarks/ray_workers.py --pairs 600 --rounds 3

A random-weight GPT-2 of 6 layers scores pairs of random words. What is timed is the scoring: from the first chunk to
the last, without starting workers and loading weights, which are printed apart.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path

import ray
import torch
from ray.cluster_utils import Cluster
from transformers import GPT2Config, GPT2LMHeadModel

from endoxa.instruments.pairs.options import PairsSettings
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.options import EngineOptions
from endoxa.runs.run import measure
from frame import in_turn, options, save, show, tokenizer

WORDS = [f"w{k}" for k in range(5_000)]
LENGTH = 16
"""Words of a sentence."""


def main() -> None:
    """Measure and print."""
    args = options(__doc__, pairs=600, chunk=30, rounds=3).parse_args()
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
            models=(f"hf/{make_model(home / 'model')}",),
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
    times, results = in_turn(
        {way: lambda engine=engine: scored(settings, engine, home) for way, engine in ways.items()},
        rounds,
        time_of=lambda result: result[0],
    )
    show(times, {way: f"before it {starting:.1f} s" for way, (_, starting) in results.items()})
    one, two = (statistics.median(times[way]) for way in ("one worker", "two workers"))
    print(f"two workers over one: {one / two:.2f} x")


def scored(settings: PairsSettings, engine: EngineOptions, home: Path) -> tuple[float, float]:
    """Seconds of scoring, and those before it."""
    began, moments = time.perf_counter(), []
    measure(
        INSTRUMENTS.get("pairs"),
        settings.model_copy(update={"engine": engine}),
        Path(tempfile.mkdtemp(dir=home)) / "run",
        progress=lambda what, _done, _all: (
            moments.append(time.perf_counter()) if what.startswith("scoring") else None
        ),
    )
    return moments[-1] - moments[0], moments[0] - began


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


def make_model(folder: Path) -> Path:
    """A random-weight GPT-2 with a tokenizer of whole words."""
    torch.manual_seed(1)
    size = {"n_layer": 6, "n_embd": 512, "n_head": 8, "n_positions": 512}
    config = GPT2Config(vocab_size=len(WORDS) + 1, bos_token_id=0, eos_token_id=0, **size)
    return save(GPT2LMHeadModel(config), tokenizer("words", WORDS), folder)


if __name__ == "__main__":
    main()
