"""Tiny random models of each architecture, made in a moment: for tests of arithmetic, not of meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from endoxa.schema import Pair

PAIRS = [
    Pair("The bakers are patient today.", "The bakers are impatient today."),
    Pair("City people walk fast in the rain.", "Country people walk fast in the rain.", "antistereo"),
    Pair(
        "Grandmothers tell long stories.", "Grandmothers tell short stories.", "stereo", "What do they tell?"
    ),
    Pair("Young drivers are careful at night.", "Old drivers are careful at night.", "antistereo"),
]
CORPUS = [text for pair in PAIRS for text in (pair.sent_more, pair.sent_less, pair.prompt)]
SMALL = {"vocab_size": 200}


def causal(home: Path, **config: Any) -> Path:
    """A two-layer GPT-2 with a beginning-of-sequence token."""
    tokenizer = _byte_pairs(["<s>"])
    torch.manual_seed(1)
    size = {"n_layer": 2, "n_embd": 32, "n_head": 2, "n_positions": 64, "bos_token_id": 0, "eos_token_id": 0}
    network = GPT2LMHeadModel(GPT2Config(**{**SMALL, **size, **config}))
    return _save(
        home, network, PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="<s>")
    )


def masked(home: Path, *, mask_token: bool = True, **config: Any) -> Path:
    """A two-layer BERT; without a mask token if asked."""
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    if mask_token:
        special["mask_token"] = "[MASK]"
    names = list(special.values())
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=200, special_tokens=names, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    torch.manual_seed(2)
    size = {
        "num_hidden_layers": 2,
        "hidden_size": 32,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 64,
    }
    network = BertForMaskedLM(BertConfig(**{**SMALL, **size, **config}))
    return _save(home, network, PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special))


def encoder_decoder(home: Path, **config: Any) -> Path:
    """A two-layer T5."""
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    tokenizer = _byte_pairs(list(special.values()))
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    torch.manual_seed(3)
    size = {
        "num_layers": 2,
        "d_model": 32,
        "d_ff": 64,
        "d_kv": 16,
        "num_heads": 2,
        "decoder_start_token_id": 0,
    }
    network = T5ForConditionalGeneration(T5Config(**{**SMALL, **size, **config}))
    return _save(home, network, PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special))


MAKERS = {"causal": causal, "masked": masked, "encoder-decoder": encoder_decoder}


def _byte_pairs(special: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(vocab_size=200, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def _save(home: Path, network: Any, tokenizer: Any) -> Path:
    network.save_pretrained(home)
    tokenizer.save_pretrained(home)
    return home
