"""Special tokens in a text, and codes of languages around it: against transformers' own loss, on tiny random models."""

from __future__ import annotations

import pytest
import torch
from tokenizers import Tokenizer, pre_tokenizers, processors
from tokenizers import models as kinds
from transformers import (
    MBart50Tokenizer,
    MBartConfig,
    MBartForConditionalGeneration,
    PreTrainedTokenizerFast,
)

from endoxa.errors import UserError
from endoxa.instruments.pairs.rules import RULES
from endoxa.models.likelihoods import Prompted
from endoxa.models.scoring import open_model, parse_model
from endoxa.models.server import ServerModel
from endoxa.models.spec import ModelOptions
from endoxa.models.special_tokens import SpecialTokens, code_for, codes_of, written_in
from endoxa.schema import CausalRequest, CompletionRequest, Pair, Unscorable
from support import tiny

RULE = {"causal": "sum", "masked": "pll", "encoder-decoder": "completion"}
SPECIAL = {"causal": "<s>", "masked": "[SEP]", "encoder-decoder": "</s>"}


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    home = tmp_path_factory.mktemp("tiny")
    return {
        kind: open_model(parse_model(f"hf/{make(home / kind)}"), ModelOptions())
        for kind, make in tiny.MAKERS.items()
    }


def requests_of(model, text):
    (asked,) = RULES.get(RULE[model.architecture]).requests([Pair(text, "The bakers are patient.")], model)
    return asked


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(RULE))
def test_a_special_token_in_a_text_is_read_as_characters(opened, kind):
    """The tokenizer, asked for the characters, gives no special token; so the token counts are those of plain text."""
    model, sign = opened[kind], SPECIAL[kind]
    text = f"The bakers are {sign} patient."
    tokenizer = model._checkpoint.tokenizer
    plain = tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    assert tokenizer.convert_tokens_to_ids(sign) not in plain
    (_, found), _ = sorted(model.score(requests_of(model, text)), key=lambda one: one[0])
    assert found.n_tokens == len(plain) - (kind == "causal") + (kind == "encoder-decoder")


def test_a_tokenizer_whose_words_are_special_tokens_refuses_the_text():
    """As those made from SentencePiece: '</s>' is one of the pieces, whatever the tokenizer is told."""
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((sign, -3.0) for sign in "▁ab</s>")]
    tokenizer = Tokenizer(kinds.Unigram(pieces, unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>", unk_token="<unk>")
    ids = tokenizer("a</s>b", add_special_tokens=False, split_special_tokens=True)["input_ids"]
    assert SpecialTokens.of(tokenizer).problem(ids).startswith("it holds '</s>'")
    assert SpecialTokens.of(tokenizer).problem(ids[:1]) == ""


@pytest.mark.parametrize("sign", ["<|endoftext|>", "</s>", "[SEP]"])
def test_a_server_that_reads_a_special_token_in_a_text_gives_no_score(sign):
    model = ServerModel("m", "m", "http://server/v1", client=None, retrier=None, way=None)
    request = CausalRequest(f"Old {sign} drivers", "nothing")
    found = model._checked(request, Prompted("Old", (f" {sign}", " drivers"), (-1.0, -2.0)))
    assert isinstance(found, Unscorable)
    assert sign in found.reason
    assert written_in(["Old", " <", "b", ">", " [", "1", "]", None]) == ""


# ------------------------------------------------------------------ codes of languages

SIZES = {
    "d_model": 16,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "max_position_embeddings": 64,
}
WORDS = sorted(set("womenarecaringmenstrongwhatmahilayenhain"))
SIGNS = ("<s>", "<pad>", "</s>", "<unk>")
PIECES = [*((sign, 0.0) for sign in SIGNS), ("▁", -2.0), *((word, -3.0) for word in WORDS)]


def mbart50(home):
    tokenizer = MBart50Tokenizer(vocab=PIECES)
    torch.manual_seed(4)
    config = MBartConfig(vocab_size=len(tokenizer), decoder_start_token_id=2, **SIZES)
    MBartForConditionalGeneration(config).save_pretrained(home)
    tokenizer.save_pretrained(home)
    return home


def test_tagged_models_are_told_the_language(tmp_path):
    """Expected: ids written out by hand, and the loss of transformers over the tokens of the sentence."""
    model = open_model(parse_model(f"hf/{mbart50(tmp_path)}"), ModelOptions())
    prompt, text = "what are women", "women are caring"
    found = dict(model.score([CompletionRequest(prompt, text, "hi"), CompletionRequest(prompt, text, "xx")]))
    tokenizer, network = model._checkpoint.tokenizer, model._checkpoint.network
    code = tokenizer.convert_tokens_to_ids("hi_IN")
    source, target = (tokenizer(one, add_special_tokens=False)["input_ids"] for one in (prompt, text))
    labels = torch.tensor([[code, *target, 2]])
    with torch.inference_mode():
        logits = network(
            input_ids=torch.tensor([[code, *source, 2]]), decoder_input_ids=torch.tensor([[2, code, *target]])
        ).logits
    each = logits.log_softmax(-1).gather(-1, labels[..., None])[0, :, 0]
    assert found[0].total == pytest.approx(float(each[1:].sum()), abs=1e-4)
    assert found[0].n_tokens == len(target) + 1
    assert "no single code for 'xx'" in found[1].reason


@pytest.mark.parametrize(
    ("codes", "special"),
    [(("en_XX", "hi_IN"), True), ((">>hin<<", ">>tam<<"), False)],
)
def test_codes_that_a_tokenizer_cannot_be_told_are_refused(codes, special):
    """A code that a fast tokenizer always adds; and those of Marian's, which it never adds."""
    words = {word: number for number, word in enumerate(["<unk>", *codes])}
    tokenizer = Tokenizer(kinds.WordLevel(words, unk_token="<unk>"))
    if special:
        around = [(codes[0], 1)]
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{codes[0]} $A", special_tokens=around
        )
    more = {"additional_special_tokens": list(codes)} if special else {}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", **more)
    with pytest.raises(UserError, match="every sentence would be read as one language"):
        codes_of(fast, "m")


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("hi", "hin_Deva"),
        ("zh", "zho_Hans"),
        ("zh-TW", "zho_Hant"),
        ("en-NG", "eng_Latn"),
        ("xx", None),
    ],
)
def test_items_and_models_name_languages_differently(language, code):
    codes = ("eng_Latn", "hin_Deva", "zho_Hans", "zho_Hant", "arb_Arab", "swh_Latn")
    assert code_for(language, codes) == code
    assert code_for("hi", ("en_XX", "hi_IN", "__fr__")) == "hi_IN"
    assert code_for("fr", ("__en__", "__fr__")) == "__fr__"
