"""Speed of association tests on one encoder, beside the published way of encoding one sentence at a time.

    python benchmarks/embeddings.py                   120 tests, BERT base size, a few minutes on two cores
    python benchmarks/embeddings.py --tests 20        the same with fewer tests
    python benchmarks/embeddings.py --rounds 1

Random weights of the size of BERT base. Tests cross groups of 14 names with pairs of sets of 8 words, as IndiBias does.
The published way (bias-bench's seat.py, sent-bias) is written anew: each test encodes its own four sets, sentence by
sentence. endoxa's time holds all that `endoxa probe embeddings` does after loading, and reading vectors back.
"""

from __future__ import annotations

import itertools
import random
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel

from endoxa.instruments.association_tests.instrument import EMBEDDINGS
from endoxa.instruments.association_tests.items import distinct_texts, read_tests, texts_of, write_tests
from endoxa.instruments.association_tests.settings import EmbeddingsSettings
from endoxa.models.encoders import transformer
from endoxa.runs.run import measure
from endoxa.schema import AssociationTest, TermSet
from frame import in_turn, options, save, seconds_of, show, tokenizer

NAMES, WORDS, GROUPS = 14, 8, 6
POOLINGS = ("cls", "mean")


def main() -> None:
    """Run both ways in turn and print times, ratio and the largest gap."""
    args = options(__doc__, tests=120, rounds=3, layers=12).parse_args()
    tests = make_tests(args.tests)
    texts = distinct_texts(tests)
    sentences = sum(1 for test in tests for _ in texts_of(test))
    print(f"{len(tests)} tests, {sentences} sentences in their sets, {len(texts)} different", flush=True)
    with tempfile.TemporaryDirectory() as home:
        torch.manual_seed(0)
        network = BertModel(BertConfig(vocab_size=30522, num_hidden_layers=args.layers))
        folder = save(network, tokenizer("word-piece", texts, 2000), Path(home) / "model")
        write_tests(tests, Path(home) / "tests.json")
        ways = {
            "endoxa": lambda: by_endoxa(folder, Path(tempfile.mkdtemp(dir=home))),
            "one sentence at a time": lambda: one_at_a_time(folder, tests),
        }
        times, results = in_turn(ways, args.rounds, time_of=lambda result: result[0])
    ours, published = (results[name][1] for name in ways)
    show(times)
    gap = max(np.abs(np.subtract(ours[name], published[name])).max() for name in published)
    print(f"largest gap between effect sizes {gap:.1e}")


def make_tests(count: int) -> list[AssociationTest]:
    """Every pair of groups against pairs of attribute sets, until there are `count` tests."""
    draw = random.Random(0)
    used: set[str] = set()

    def word() -> str:
        while True:
            made = "".join(draw.choice("bdfgklmnprstv") + draw.choice("aeiou") for _ in range(3))
            if made not in used:
                used.add(made)
                return made

    groups = [
        TermSet(f"group {k}", tuple(f"{word().title()} is here." for _ in range(NAMES)))
        for k in range(GROUPS)
    ]
    pairs = list(itertools.combinations(groups, 2))
    concepts = [
        tuple(
            TermSet(f"{side}{k}", tuple(f"This is a {word()} thing." for _ in range(WORDS))) for side in "ab"
        )
        for k in range(-(-count // len(pairs)))
    ]
    crossed = itertools.product(concepts, pairs)
    return [
        AssociationTest(f"{x.name}-{y.name}-{a.name}", x, y, a, b, language="en")
        for (a, b), (x, y) in itertools.islice(crossed, count)
    ]


Effects = dict[str, list[float]]
"""Effect size of each test under each pooling."""


@torch.inference_mode()
def one_at_a_time(folder: Path, tests: Sequence[AssociationTest]) -> tuple[float, Effects]:
    """The published way: every test encodes its own sets, a sentence at a time."""
    network, words = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    effects: Effects = {}
    started = time.perf_counter()
    for test in tests:
        vectors: dict[str, dict[str, Any]] = {pooling: {} for pooling in POOLINGS}
        for text in texts_of(test):
            hidden = network(**words(text, return_tensors="pt")).last_hidden_state[0]
            vectors["cls"][text], vectors["mean"][text] = hidden[0].numpy(), hidden.mean(0).numpy()
        effects[test.name] = [effect_size(test, vectors[pooling]) for pooling in POOLINGS]
    return time.perf_counter() - started, effects


def by_endoxa(folder: Path, home: Path) -> tuple[float, Effects]:
    """`endoxa probe embeddings` without the time it takes to load the network; and the effect sizes on top."""
    data = home.parent / "tests.json"
    settings = EmbeddingsSettings(data=str(data), models=(f"hf/{folder}",), poolings=POOLINGS)
    loading: list[float] = []
    load = transformer.load_network

    def timed(*words: Any) -> Any:
        seconds, network = seconds_of(lambda: load(*words))
        loading.append(seconds)
        return network

    with patch.object(transformer, "load_network", timed):
        started = time.perf_counter()
        measure(EMBEDDINGS, settings, home / "run")
        vectors = [_read(home / "run" / "vectors" / f"1-{pooling}.npz") for pooling in POOLINGS]
        effects = {test.name: [effect_size(test, side) for side in vectors] for test in read_tests(data)}
        return time.perf_counter() - started - sum(loading), effects


def _read(path: Path) -> Mapping[str, Any]:
    with np.load(path) as arrays:
        return dict(zip(arrays["texts"].tolist(), arrays["vectors"], strict=True))


def effect_size(test: AssociationTest, vectors: Mapping[str, Any]) -> float:
    """Caliskan et al. 2017, ddof 1."""

    def unit(terms: TermSet) -> Any:
        rows = np.array([vectors[text] for text in terms.texts], dtype=float)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    x, y, a, b = map(unit, (test.x, test.y, test.a, test.b))
    s, t = ((w @ a.T).mean(1) - (w @ b.T).mean(1) for w in (x, y))
    return float((s.mean() - t.mean()) / np.concatenate([s, t]).std(ddof=1))


if __name__ == "__main__":
    main()
