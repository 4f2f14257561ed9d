"""Speed of association tests on one encoder, beside the published way of encoding one sentence at a time.

    python benchmarks/embeddings.py                   120 tests, BERT base size, a few minutes on two cores
    python benchmarks/embeddings.py --tests 20        the same with fewer tests
    python benchmarks/embeddings.py --rounds 1

The model has the size of BERT base and random weights; its tokenizer is trained on the texts. The tests cross groups
with pairs of attribute sets, every pair of groups against every pair of sets, as IndiBias does (its tables 3, 4 and 9):
groups of 14 names in one sentence each, attribute sets of 8 words. The published way (bias-bench's seat.py, sent-bias)
is written anew: each test encodes its own four sets, sentence by sentence, with the same weights and poolings. endoxa's
time holds everything that `endoxa probe embeddings` does after loading (reading and checking tests, tokenizing,
journal, files of vectors) and reading them back. Loading the network is left out on both sides, drawing of p-values
too. Effect sizes of all tests are compared.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, PreTrainedTokenizerFast

from endoxa.instruments.association_tests.instrument import EMBEDDINGS
from endoxa.instruments.association_tests.items import distinct_texts, read_tests, texts_of, write_tests
from endoxa.instruments.association_tests.settings import EmbeddingsSettings
from endoxa.models.encoders import transformer
from endoxa.runs.run import measure
from endoxa.schema import AssociationTest, TermSet

NAMES, WORDS, GROUPS = 14, 8, 6
POOLINGS = ("cls", "mean")


def main() -> None:
    """Run both ways in turn and print times, ratio and the largest gap."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tests", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--layers", type=int, default=12)
    asked = parser.parse_args()
    tests = make_tests(asked.tests)
    texts = distinct_texts(tests)
    sentences = sum(1 for test in tests for _ in texts_of(test))
    print(f"{len(tests)} tests, {sentences} sentences in their sets, {len(texts)} different", flush=True)
    with tempfile.TemporaryDirectory() as home:
        folder = make_model(Path(home) / "model", texts, asked.layers)
        write_tests(tests, Path(home) / "tests.json")
        times: dict[str, list[float]] = {"one sentence at a time": [], "endoxa": []}
        for number in range(asked.rounds):
            seconds, published = one_at_a_time(folder, tests)
            times["one sentence at a time"].append(seconds)
            seconds, ours = by_endoxa(folder, Path(home), number)
            times["endoxa"].append(seconds)
            slow, fast = (last[-1] for last in times.values())
            print(f"round {number + 1}: {slow:.1f} s, {fast:.2f} s, ratio {slow / fast:.1f}", flush=True)
    gap = max(
        abs(effect_size(test, ours[pooling]) - published[pooling][test.name])
        for test in tests
        for pooling in POOLINGS
    )
    ratios = [slow / fast for slow, fast in zip(*times.values(), strict=True)]
    for name, seconds_of in times.items():
        seconds = statistics.median(seconds_of)
        print(f"{name:24s} {seconds:8.2f} s  {seconds / len(tests) * 1000:8.1f} ms per test")
    print(f"each text stands in {sentences / len(texts):.1f} sets; the rest of the ratio is batching")
    print(f"ratio {statistics.median(ratios):.1f}, largest gap between effect sizes {gap:.1e}")


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


def make_model(folder: Path, texts: Sequence[str], layers: int) -> Path:
    """A BERT of base size with random weights."""
    special = {
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    }
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    names = list(special.values())
    tokenizer.train_from_iterator(
        texts, trainers.WordPieceTrainer(vocab_size=2000, special_tokens=names, show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    torch.manual_seed(0)
    BertModel(BertConfig(vocab_size=30522, num_hidden_layers=layers)).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    return folder


@torch.inference_mode()
def one_at_a_time(
    folder: Path, tests: Sequence[AssociationTest]
) -> tuple[float, dict[str, dict[str, float]]]:
    """The published way: every test encodes its own sets, a sentence at a time."""
    network, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    found: dict[str, dict[str, float]] = {pooling: {} for pooling in POOLINGS}
    started = time.perf_counter()
    for test in tests:
        vectors: dict[str, dict[str, Any]] = {pooling: {} for pooling in POOLINGS}
        for text in texts_of(test):
            hidden = network(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
            vectors["cls"][text], vectors["mean"][text] = hidden[0].numpy(), hidden.mean(0).numpy()
        for pooling in POOLINGS:
            found[pooling][test.name] = effect_size(test, vectors[pooling])
    return time.perf_counter() - started, found


def by_endoxa(folder: Path, home: Path, number: int) -> tuple[float, dict[str, Mapping[str, Any]]]:
    """`probe_embeddings` without the time it takes to load the network; and the effect sizes on top."""
    settings = EmbeddingsSettings(data=str(home / "tests.json"), models=(f"hf/{folder}",), poolings=POOLINGS)
    loading = 0.0
    load = transformer.load_network

    def timed(*words: Any) -> Any:
        nonlocal loading
        begun = time.perf_counter()
        opened = load(*words)
        loading += time.perf_counter() - begun
        return opened

    transformer.load_network = timed
    try:
        started = time.perf_counter()
        measure(EMBEDDINGS, settings, home / f"run{number}")
        vectors = {
            pooling: _read(home / f"run{number}" / "vectors" / f"1-{pooling}.npz") for pooling in POOLINGS
        }
        for test in read_tests(home / "tests.json"):
            for pooling in POOLINGS:
                effect_size(test, vectors[pooling])
        return time.perf_counter() - started - loading, vectors
    finally:
        transformer.load_network = load


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
