"""Adapters of local weights: the weights that come of them, what a run says of them, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from endoxa.errors import UserError
from endoxa.instruments.pairs.instrument import PAIRS
from endoxa.models.local import adapter_folder, load_checkpoint
from endoxa.models.scoring import parse_model
from endoxa.models.spec import ModelOptions
from endoxa.runs.conditions import read_conditions, run_conditions
from endoxa.runs.run import run
from endoxa.study.compare.gate import gate
from support import tiny as models

peft = pytest.importorskip("peft")
# peft asks transformers for a property of an older name.
pytestmark = pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning")

RANK, ALPHA = 4, 8
LAYER = "transformer.h.0.attn.c_attn"


def lora(home: Path, model: Path, size: float = 1.0, seed: int = 5) -> Path:
    """An adapter of the first attention of a tiny GPT-2 with random numbers of this size."""
    torch.manual_seed(seed)
    network = AutoModelForCausalLM.from_pretrained(model)
    config = peft.LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules=[LAYER], fan_in_fan_out=True)
    adapted = peft.get_peft_model(network, config)
    for name, weights in adapted.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(weights, std=size)
    adapted.save_pretrained(home)
    return home


@pytest.fixture(scope="module")
def causal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return models.causal(tmp_path_factory.mktemp("model") / "causal")


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory, causal: Path) -> Path:
    return lora(tmp_path_factory.mktemp("adapters") / "lora", causal)


def options(adapter: Path | str, **more: Any) -> ModelOptions:
    return ModelOptions(adapter=str(adapter), packed_weights=False, **more)


def weights(model: Path, how: ModelOptions) -> np.ndarray:
    network = load_checkpoint(parse_model(f"hf/{model}"), how).network
    return network.get_submodule(LAYER).weight.detach().numpy()


def test_weights_are_those_of_the_formula(causal: Path, adapter: Path) -> None:
    """W + (alpha / r) B A (Hu et al. 2021, 4.1); GPT-2 keeps W transposed."""
    from safetensors.numpy import load_file

    parts = load_file(adapter / "adapter_model.safetensors")
    (a,), (b,) = ([value for name, value in parts.items() if f"lora_{part}" in name] for part in "AB")
    before = weights(causal, ModelOptions(packed_weights=False))
    expected = before + ALPHA / RANK * (b @ a).T
    assert np.abs(expected - before).max() > 1
    assert weights(causal, options(adapter)) == pytest.approx(expected, abs=1e-5)


@pytest.mark.slow
def test_adapters_are_conditions_of_pairs(causal: Path, adapter: Path, tmp_path: Path) -> None:
    import polars as pl

    rows = [f"{pair.sent_more},{pair.sent_less},stereo,age" for pair in models.PAIRS]
    data = tmp_path / "pairs.csv"
    data.write_text("\n".join(["sent_more,sent_less,direction,axis", *rows]) + "\n")
    nothing = lora(tmp_path / "nothing", causal, size=0.0)
    shutil.copytree(adapter, tmp_path / "tuned")
    file = tmp_path / "conditions.toml"
    file.write_text('[baseline]\n[tuned]\nadapter = "tuned"\n[nothing]\nadapter = "nothing"\n')
    typed = {("data",): str(data), ("models",): (f"hf/{causal}",), ("languages",): ("en",)}
    runs = run_conditions(PAIRS, read_conditions(str(file), PAIRS, typed), tmp_path / "c")
    scores = {
        name: pl.read_parquet(done.folder / "records.parquet")["score_more"].to_numpy()
        for name, done in runs.items()
    }
    assert scores["nothing"] == pytest.approx(scores["baseline"], abs=1e-5)
    assert np.abs(scores["tuned"] - scores["baseline"]).max() > 0.01
    assert nothing.is_dir()
    assert "adapter" in gate(tmp_path / "c/baseline", tmp_path / "c/tuned", margin=0.9, axis="all").notes[0]
    lora(tmp_path / "tuned", causal, seed=7)
    changed = read_conditions(str(file), PAIRS, typed)
    with pytest.raises(UserError, match=r"Condition 'tuned': .* different run \(models fingerprint"):
        run_conditions(PAIRS, changed, tmp_path / "c")
    settings = next(iter(changed.each.values()))
    assert run(PAIRS, settings, tmp_path / "c/baseline").was_complete


def test_what_is_no_adapter_is_refused(causal: Path, adapter: Path, tmp_path: Path) -> None:
    def copy(name: str) -> Path:
        return Path(shutil.copytree(adapter, tmp_path / name))

    with pytest.raises(UserError, match="does not exist"):
        adapter_folder(str(tmp_path / "none"))
    with pytest.raises(UserError, match=r"no adapter_config\.json"):
        adapter_folder(str(causal))
    pickled = copy("pickled")
    (pickled / "adapter_model.safetensors").rename(pickled / "adapter_model.bin")
    with pytest.raises(UserError, match=r"no adapter_model\.safetensors"):
        adapter_folder(str(pickled))
    code = copy("code")
    config = json.loads((code / "adapter_config.json").read_text())
    named = {**config, "megatron_config": {"x": 1}, "megatron_core": "evil"}
    (code / "adapter_config.json").write_text(json.dumps(named))
    with pytest.raises(UserError, match="names Python code"):
        load_checkpoint(parse_model(f"hf/{causal}"), options(code))
    wide = models.causal(tmp_path / "wide", n_embd=64)
    with pytest.raises(UserError, match="Cannot load the adapter"):
        load_checkpoint(parse_model(f"hf/{wide}"), options(adapter))
