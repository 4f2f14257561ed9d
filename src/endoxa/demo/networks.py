"""Tokenizers and untrained networks of the planted models, one kind for each architecture.

The tokenizer cuts at white space and punctuation and knows every word of the planted world, so that one word
is one token and neither length nor word pieces can matter. Networks are small, without dropout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endoxa.demo.truth import PUNCTUATION, words
from endoxa.demo.world import world
from endoxa.schema import Architecture

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

PAD, UNKNOWN, START, END, MASK = "<pad>", "<unk>", "<s>", "</s>", "<mask>"
SPECIAL_TOKENS = (PAD, UNKNOWN, START, END, MASK)

WIDTH = 48
LAYERS = 2
HEADS = 2
INNER = 96
LONGEST = 32


def build_tokenizer(architecture: Architecture) -> PreTrainedTokenizerFast:
    """A fast tokenizer that adds the special tokens usual for the architecture (none for causal models)."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    there = world("neutral")
    lexicon = dict.fromkeys(word for text in (*there.prompts, *there.sentences) for word in words(text))
    vocabulary = {word: number for number, word in enumerate((*SPECIAL_TOKENS, *lexicon))}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    core.normalizer = normalizers.Lowercase()
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(Regex(PUNCTUATION), "isolated")]
    )
    around = {"masked": f"{START} $A {END}", "encoder-decoder": f"$A {END}"}
    if architecture in around:
        marks = [(mark, vocabulary[mark]) for mark in (START, END)]
        core.post_processor = processors.TemplateProcessing(single=around[architecture], special_tokens=marks)
    roles = {
        "causal": {"bos_token": START, "eos_token": END},
        "masked": {"cls_token": START, "sep_token": END, "mask_token": MASK},
        "encoder-decoder": {"eos_token": END},
    }
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=PAD,
        unk_token=UNKNOWN,
        model_max_length=LONGEST,
        **roles[architecture],
    )


def build_network(architecture: Architecture, tokenizer: PreTrainedTokenizerFast) -> PreTrainedModel:
    """A network with random weights, from torch's current random state: GPT-2, BERT or T5 in small."""
    return {"causal": _gpt2, "masked": _bert, "encoder-decoder": _t5}[architecture](tokenizer)


def _gpt2(tokenizer: PreTrainedTokenizerFast) -> PreTrainedModel:
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=len(tokenizer),
            n_positions=LONGEST,
            n_embd=WIDTH,
            n_layer=LAYERS,
            n_head=HEADS,
            n_inner=INNER,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
            initializer_range=0.1,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def _bert(tokenizer: PreTrainedTokenizerFast) -> PreTrainedModel:
    from transformers import BertConfig, BertForMaskedLM

    return BertForMaskedLM(
        BertConfig(
            vocab_size=len(tokenizer),
            max_position_embeddings=LONGEST,
            hidden_size=WIDTH,
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            intermediate_size=INNER,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            initializer_range=0.1,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def _t5(tokenizer: PreTrainedTokenizerFast) -> PreTrainedModel:
    from transformers import T5Config, T5ForConditionalGeneration

    return T5ForConditionalGeneration(
        T5Config(  # type: ignore[call-arg]  # any generation setting is accepted
            vocab_size=len(tokenizer),
            d_model=WIDTH,
            d_kv=WIDTH // HEADS,
            d_ff=INNER,
            num_layers=1,
            num_decoder_layers=LAYERS,
            num_heads=HEADS,
            relative_attention_num_buckets=8,
            relative_attention_max_distance=16,
            dropout_rate=0.0,
            initializer_factor=0.5,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
            decoder_start_token_id=tokenizer.pad_token_id,
        )
    )
