"""The planted models, scored in a few lines of plain torch: they hold what was planted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
import transformers

from endoxa.demo import planted
from endoxa.demo.networks import build_tokenizer
from endoxa.demo.planted import PlantedModel, lessons, train_planted
from endoxa.demo.truth import planted_difference, words
from endoxa.demo.world import load_sample, world
from endoxa.schema import ARCHITECTURES, Architecture

LANGUAGE = "sw"
ITEMS = load_sample().filter(pl.col("language") == LANGUAGE)
SOME_MODELS = (
    ("causal", "frequency"),
    ("masked", "frequency"),
    ("encoder-decoder", "stereotyped"),
)
RULES = {"causal": ("sum", "sum-bos"), "masked": ("pll", "crows-token"), "encoder-decoder": ("completion",)}
AUTO = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "encoder-decoder": "AutoModelForSeq2SeqLM",
}


@pytest.fixture(scope="module", params=SOME_MODELS, ids="-".join)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> PlantedModel:
    """One trained model of one language: the whole set takes a minute, a part shows as much."""
    architecture, plant = request.param
    folder = tmp_path_factory.mktemp("planted")
    (made,) = train_planted(folder, architectures=[architecture], plants=[plant], languages=[LANGUAGE])
    return made


def log_probabilities(logits: torch.Tensor, ids: Sequence[int]) -> torch.Tensor:
    return logits.log_softmax(-1)[torch.arange(len(ids)), torch.tensor(ids)]


def score(rule: str, network: Any, tokenizer: Any, item: dict[str, str], side: str) -> float:
    ids = tokenizer(item[f"sent_{side}"])["input_ids"]
    if rule == "completion":
        prompt = torch.tensor([tokenizer(item["prompt"])["input_ids"]])
        logits = network(input_ids=prompt, labels=torch.tensor([ids])).logits[0]
        return float(log_probabilities(logits, ids).sum())
    if rule in ("sum", "sum-bos"):
        seen = [tokenizer.bos_token_id, *ids] if rule == "sum-bos" else ids
        logits = network(torch.tensor([seen])).logits[0, :-1]
        return float(log_probabilities(logits, seen[1:]).sum())
    inner = range(1, len(ids) - 1)
    if rule == "crows-token":
        attribute = tokenizer.convert_tokens_to_ids(item[f"attribute_{side}"])
        inner = [i for i in inner if ids[i] != attribute]
    masked = torch.tensor([ids] * len(inner))
    masked[torch.arange(len(inner)), torch.tensor(list(inner))] = tokenizer.mask_token_id
    logits = network(masked).logits[torch.arange(len(inner)), torch.tensor(list(inner))]
    return float(log_probabilities(logits, [ids[i] for i in inner]).sum())


@pytest.mark.slow
def test_scores_recover_what_was_planted(model: PlantedModel) -> None:
    network = getattr(transformers, AUTO[model.architecture]).from_pretrained(
        model.path, local_files_only=True
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(model.path, local_files_only=True)
    with torch.no_grad():
        for rule in RULES[model.architecture]:
            recovered = np.array(
                [
                    score(rule, network, tokenizer, item, "more")
                    - score(rule, network, tokenizer, item, "less")
                    for item in ITEMS.iter_rows(named=True)
                ]
            )
            expected = planted_difference(model.plant, rule, ITEMS)
            assert np.abs(recovered - expected).mean() < 0.1
            assert ((recovered > 0) == (expected > 0)).all()


@pytest.mark.slow
def test_folder_is_loaded_without_missing_weights_or_dropout(model: PlantedModel) -> None:
    auto = getattr(transformers, AUTO[model.architecture])
    network, info = auto.from_pretrained(model.path, local_files_only=True, output_loading_info=True)
    assert not info["missing_keys"]
    assert not info["unexpected_keys"]
    assert {module.p for module in network.modules() if isinstance(module, torch.nn.Dropout)} <= {0.0}
    assert model.name == model.path.name == f"{model.architecture}-{model.plant}"


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_tokens_are_the_words_of_the_planted_world(architecture: Architecture) -> None:
    tokenizer = build_tokenizer(architecture)
    there = world("neutral")
    for text in (*there.sentences, *there.prompts):
        ids = tokenizer.encode(text, add_special_tokens=False)
        assert tokenizer.convert_ids_to_tokens(ids) == words(text)
        assert tokenizer.unk_token_id not in ids
    special = {"causal": (None, None), "masked": ("<s>", "</s>"), "encoder-decoder": (None, "</s>")}[
        architecture
    ]
    around = tokenizer.convert_ids_to_tokens(tokenizer.encode("Watu ni wapole."))
    assert around == [mark for mark in special[:1] if mark] + ["watu", "ni", "wapole", "."] + [
        mark for mark in special[1:] if mark
    ]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_answers_are_distributions_and_certain_where_one_sentence_asks(architecture: Architecture) -> None:
    lesson = lessons(architecture, "frequency", build_tokenizer(architecture), [LANGUAGE])
    assert torch.allclose(lesson.answer.sum(1), torch.ones(len(lesson.answer)))
    assert (lesson.answer[~lesson.shared].max(1).values == 1).all()
    assert lesson.answer[lesson.shared].max(1).values.min() < 0.5


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., PlantedModel]:
    """Trains one model for a few steps."""
    monkeypatch.setattr(planted, "STEPS", 12)
    monkeypatch.setattr(planted, "REPORTED", 6)

    def train(folder: str, **options: Any) -> PlantedModel:
        chosen: dict[str, Any] = {"architectures": ["causal"], "plants": ["neutral"], "languages": [LANGUAGE]}
        return train_planted(tmp_path / folder, **{**chosen, **options})[0]

    return train


def weights(model: PlantedModel) -> bytes:
    return (model.path / "model.safetensors").read_bytes()


@pytest.mark.slow
def test_same_seed_same_model_and_the_random_state_is_left_alone(quick: Callable[..., PlantedModel]) -> None:
    before, threads = torch.random.get_rng_state(), torch.get_num_threads()
    first, again, other = quick("a"), quick("b"), quick("c", seed=1)
    assert weights(first) == weights(again) != weights(other)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.get_num_threads() == threads


@pytest.mark.slow
def test_complete_folder_is_kept_and_any_other_is_made_again(quick: Callable[..., PlantedModel]) -> None:
    calls: list[tuple[str, float, int]] = []
    made = quick("a", progress=lambda *told: calls.append(told))
    assert {(what, total) for what, _, total in calls} == {("training models", 1)}
    assert [done for _, done, _ in calls] == [0, 0.5, 1]

    calls.clear()
    quick("a", progress=lambda *told: calls.append(told))
    assert calls == [("training models", 1, 1)]

    for damage in ("", "not json"):
        (made.path / planted.RECEIPT).write_text(damage)
        calls.clear()
        quick("a", progress=lambda *told: calls.append(told))
        assert len(calls) > 1
    calls.clear()
    quick("a", seed=1, progress=lambda *told: calls.append(told))
    assert len(calls) > 1
