"""An embeddings server, real over HTTP, that answers right, and ones that get it wrong."""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack

import numpy as np
import pytest

from endoxa.errors import UserError
from endoxa.models import retrying
from endoxa.models.encoders import open_encoders, parse_encoder
from endoxa.models.encoders.encoder import EncoderOptions
from support.http_server import serving

pytestmark = pytest.mark.slow

PLAIN = EncoderOptions()
NAN = float("nan")


def vector_for(text):
    return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:8]]


@pytest.fixture
def serve():
    with ExitStack() as servers:

        def start(*flaws):
            seen = []

            def answer(body, key):
                seen.append((body, key))
                if "no JSON" in flaws:
                    return 200, b"<html>"
                if "wants a key" in flaws:
                    return 401, {"error": {"message": "Incorrect API key provided: topsecret."}}
                if body["model"] != "small":
                    return 404, {"error": {"message": "no such model"}}
                if any(len(text) > 100 for text in body["input"]):
                    return 400, {"error": {"message": "input is too long"}}
                vectors = [vector_for(text) for text in body["input"]]
                if "leaves one out" in flaws:
                    vectors = vectors[:-1]
                if "other widths" in flaws:
                    vectors = [vector[: 8 - k % 2] for k, vector in enumerate(vectors)]
                if "not a number" in flaws:
                    vectors = [[NAN, *vector[1:]] for vector in vectors]
                data = [{"object": "embedding", "index": k, "embedding": v} for k, v in enumerate(vectors)]
                usage = {"prompt_tokens": 1, "total_tokens": 1}
                return 200, {"object": "list", "model": "small", "data": data[::-1], "usage": usage}

            return servers.enter_context(serving(answer)), seen

        yield start


def opened(url, texts, name="small"):
    [encoder] = open_encoders(parse_encoder(f"{url}#{name}"), PLAIN, ("model",), texts)
    return encoder


@pytest.fixture
def _no_waiting(monkeypatch):
    monkeypatch.setattr(retrying, "FIRST_BOUND", 0)
    monkeypatch.setattr(retrying, "CHECK_PATIENCE", 0.1)


def test_vectors_come_back_to_their_texts_and_equal_texts_are_sent_once(serve):
    url, seen = serve()
    texts = [f"sentence {k % 100}" for k in range(150)]
    encoder = opened(url, texts)
    found = {one.index: one.vectors["model"] for one in encoder.encode(texts)}
    assert sorted(found) == list(range(150))
    for index, vector in found.items():
        np.testing.assert_allclose(vector, vector_for(texts[index]), rtol=1e-6)
    assert [len(body["input"]) for body, _ in seen] == [1, 64, 36]
    assert encoder.describe()["width"] == 8


def test_refused_text_is_found_among_the_others(serve):
    url, seen = serve()
    texts = [*(f"sentence {k}" for k in range(20)), "long " * 30]
    with pytest.raises(UserError, match=r"refused the text 'long long .*input is too long"):
        list(opened(url, texts).encode(texts))
    assert len(seen) < 15


@pytest.mark.parametrize(
    ("flaw", "message"),
    [
        ("other widths", "returned for 'snow' no vector of 8 finite numbers"),
        ("leaves one out", "returned 0 vectors for 1 texts"),
        ("not a number", "no vector of 8 finite numbers"),
    ],
)
def test_answer_that_is_no_vector_is_one_sentence(serve, flaw, message):
    with pytest.raises(UserError, match=message):
        list(opened(serve(flaw)[0], ["rain"]).encode(["rain", "snow"]))


@pytest.mark.usefixtures("_no_waiting")
def test_missing_model_dead_server_and_no_json_are_one_sentence(serve):
    url, _ = serve()
    with pytest.raises(UserError, match=r"has no embeddings of 'large' .*no such model"):
        opened(url, ["rain"], "large")
    with pytest.raises(UserError, match="does not answer as expected"):
        opened("http://127.0.0.1:9/v1", ["rain"])
    with pytest.raises(UserError, match="does not answer as expected"):
        opened(serve("no JSON")[0], ["rain"])


def test_keys_go_where_they_belong_and_nowhere_else(serve, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("ENDOXA_SERVER_KEY", "topsecret")
    url, seen = serve()
    encoder = opened(url, ["rain"])
    assert seen[0][1] == "Bearer topsecret"
    assert "topsecret" not in json.dumps(encoder.describe())
    with pytest.raises(UserError) as caught:
        opened(serve("wants a key")[0], ["rain"])
    assert "topsecret" not in str(caught.value)
    assert "(key)" in str(caught.value)
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UserError, match="set the environment variable OPENAI_API_KEY"):
        open_encoders(parse_encoder("openai/text-embedding-3-small"), PLAIN, ("model",), ["rain"])
