"""What commands of this room refuse: the table `refusals.toml` beside this file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    T5Config,
    T5EncoderModel,
    ViTConfig,
    ViTModel,
    XLNetConfig,
    XLNetLMHeadModel,
)

from support import tiny as make
from support.refusals import Refusal, assert_refused, refusals

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def weights(tiny: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of tiny models: `whole` and `masked`, and others that cannot score sentences for a reason each."""
    home = tmp_path_factory.mktemp("weights")
    for name, kind in (("whole", "causal"), ("masked", "masked")):
        shutil.copytree(tiny[kind], home / name)
    make.masked(home / "maskless", mask_token=False)
    make.causal(home / "narrow", vocab_size=20)
    small = {"num_hidden_layers": 1, "hidden_size": 32, "num_attention_heads": 2}
    make.masked(home / "classifier")
    config = BertConfig(**make.SMALL, **small, intermediate_size=64)
    BertForSequenceClassification(config).save_pretrained(home / "classifier")
    make.encoder_decoder(home / "headless")
    sizes = T5Config(**make.SMALL, num_layers=1, d_model=32, d_ff=64, num_heads=2)
    T5EncoderModel(sizes).save_pretrained(home / "headless")
    ViTModel(ViTConfig(**small | {"hidden_size": 16})).save_pretrained(home / "images")
    torch.manual_seed(8)
    AutoTokenizer.from_pretrained(tiny["causal"]).save_pretrained(home / "ahead")
    ahead = XLNetConfig(**make.SMALL, d_model=32, n_layer=2, n_head=2, d_inner=64)
    XLNetLMHeadModel(ahead).save_pretrained(home / "ahead")
    return home


@pytest.mark.parametrize("row", refusals(__file__))
def test_a_refusal_is_one_sentence_and_loses_nothing(row: Refusal, request: pytest.FixtureRequest) -> None:
    assert_refused(row, request)
