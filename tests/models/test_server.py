"""A completions server, real over HTTP: a tiny model answers as vLLM does, and as servers that get it wrong do."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from endoxa.errors import UserError
from endoxa.instruments.pairs.rules import RULES
from endoxa.models import retrying, server
from endoxa.models.scoring import open_model, parse_model
from endoxa.models.spec import ModelOptions
from endoxa.models.transport import server_client
from endoxa.schema import CausalRequest, Unscorable
from endoxa.testing.plugins import score_pairs
from support.http_server import serving
from support.server_answers import llamacpp
from support.tiny import PAIRS

pytestmark = pytest.mark.slow


class Answers:
    """What the server makes of a request; flaws are switched on by name."""

    def __init__(self, folder, *flaws):
        self.model = AutoModelForCausalLM.from_pretrained(folder).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.flaws = flaws
        self.bodies = []

    def choice(self, index, text, special):
        ids = self.tokenizer(text, add_special_tokens=False).input_ids
        if ("ignores add_special_tokens" in self.flaws or special) and "never adds bos" not in self.flaws:
            ids = [self.tokenizer.bos_token_id, *ids]
        with torch.no_grad():
            logp = self.model(torch.tensor([ids])).logits[0].log_softmax(-1)
        values = [None, *(logp[k, token].item() for k, token in enumerate(ids[1:]))]
        tokens = [self.tokenizer.decode([token]) for token in ids]
        self.first, self.rest = ids[0], list(zip(ids, values, tokens, strict=True))[1:]
        values, tokens = [*values, logp[-1].max().item()], [*tokens, " next"]
        if "leaves the prompt out" in self.flaws:
            values, tokens = values[-1:], tokens[-1:]
        logprobs = {"tokens": tokens, "token_logprobs": values, "text_offset": [], "top_logprobs": None}
        listed = [None, *({str(n): {"logprob": v, "rank": 2, "decoded_token": t}} for n, v, t in self.rest)]
        if "leaves the prompt out" in self.flaws:
            listed = None
        choice = {"index": index, "text": text, "finish_reason": "length", "prompt_logprobs": listed}
        return {**choice, "logprobs": logprobs}, len(ids)

    def generate(self, body):
        """SGLang's own interface, which always adds the tokenizer's special tokens."""
        if {"no generate", "leaves the prompt out"} & set(self.flaws):
            return 404, {"detail": "Not Found"}
        found = []
        for text in body["text"]:
            _, count = self.choice(0, text, special=True)
            first = [[None, self.first, self.tokenizer.decode([self.first])]]
            triples = [*first, *([v, n, t] for n, v, t in self.rest)]
            found.append({"meta_info": {"prompt_tokens": count, "input_token_logprobs": triples}})
        return 200, found

    def complete(self, body, _key):
        self.bodies.append(body)
        if "text" in body:
            return self.generate(body)
        if "echo" in body and "no echo" in self.flaws:
            return 200, llamacpp()
        if "prompt_logprobs" in body and "no prompt_logprobs" in self.flaws:
            return 400, {"error": {"message": "Unrecognized request argument: prompt_logprobs"}}
        if any(len(text) > 200 for text in body["prompt"]):
            return 400, {"error": {"message": "the prompt is longer than the model's context"}}
        made = [self.choice(k, text, body["add_special_tokens"]) for k, text in enumerate(body["prompt"])]
        count = sum(n for _, n in made)
        usage = {"prompt_tokens": count, "completion_tokens": len(made), "total_tokens": count + len(made)}
        choices = [choice for choice, _ in made][::-1]  # a server may answer in any order
        return 200, {
            "id": "x",
            "object": "text_completion",
            "created": 0,
            "model": "m",
            "choices": choices,
            "usage": usage,
        }


@pytest.fixture
def serve(tiny, monkeypatch):
    monkeypatch.setattr(server, "SENTENCE", PAIRS[0].sent_more)  # the tiny tokenizer knows few letters
    with ExitStack() as servers:

        def start(*flaws):
            answers = Answers(tiny["causal"], *flaws)
            return servers.enter_context(serving(lambda *request: answers.complete(*request))), answers

        yield start


def connected(url, name="small"):
    return open_model(parse_model(f"{url}#{name}"), ModelOptions())


@pytest.mark.parametrize(
    ("flaws", "way", "rules"),
    [
        ((), "echo", ["sum", "mean", "sum-bos"]),
        (("no echo",), "prompt_logprobs", ["sum", "mean-bos"]),
        (("no echo", "no prompt_logprobs", "never adds bos"), "generate", ["sum", "mean"]),
    ],
)
def test_every_way_gives_the_scores_of_the_same_weights_loaded_here(serve, tiny_models, flaws, way, rules):
    url, _ = serve(*flaws)
    model = connected(url)
    assert model.describe()["log_probabilities"] == way
    for rule in map(RULES.get, rules):
        served, local = score_pairs(rule, model, PAIRS), score_pairs(rule, tiny_models["causal"], PAIRS)
        assert [x for both in served for x in both] == pytest.approx(
            [x for both in local for x in both], abs=1e-4
        )


@pytest.mark.parametrize(
    ("flaws", "rule", "message"),
    [
        (("ignores add_special_tokens",), "sum", "although it was asked not to"),
        (("never adds bos",), "sum-bos", "puts no beginning-of-sequence token"),
        (("no echo", "ignores add_special_tokens"), "sum", "puts a special token in front of every sentence"),
        (("no echo", "no prompt_logprobs"), "sum", "in front of every sentence although it was asked not to"),
    ],
)
def test_what_stands_in_front_is_seen_in_every_way(serve, flaws, rule, message):
    url, _ = serve(*flaws)
    with pytest.raises(UserError, match=message):
        score_pairs(RULES.get(rule), connected(url), PAIRS)


def test_a_server_without_any_way_is_refused_with_all_that_was_tried(serve):
    url, answers = serve("no echo", "no prompt_logprobs", "no generate")
    with pytest.raises(UserError) as caught:
        connected(url)
    said = str(caught.value)
    assert "does not return the log-probabilities of the prompt, so a sentence cannot be scored there" in said
    assert "echo=true with logprobs=1 (vLLM, SGLang): choices.0.logprobs.tokens: field required" in said
    assert "prompt_logprobs=1 (vLLM): status 400" in said
    assert "/generate with return_logprob=true (SGLang): status 404" in said
    assert len(answers.bodies) == 3


def test_prompt_that_the_server_refuses_is_unscorable_and_the_others_are_scored(serve):
    url, _ = serve()
    requests = [CausalRequest("The bakers are patient", "nothing"), CausalRequest("long " * 60, "nothing")]
    found = dict(connected(url).score(requests))
    assert found[0].n_tokens > 1
    assert isinstance(found[1], Unscorable)
    assert "longer than the model's context" in found[1].reason


def test_busy_server_is_asked_again_and_a_silent_one_given_up(serve, monkeypatch):
    monkeypatch.setattr(retrying, "FIRST_BOUND", 0)
    url, answers = serve()
    model, whole, left = connected(url), answers.complete, [503, 429, 500]
    answers.complete = lambda *request: (left.pop(), {"error": "busy"}) if left else whole(*request)
    request = CausalRequest("The bakers are patient", "nothing")
    assert dict(model.score([request]))[0].n_tokens > 1
    monkeypatch.setattr(retrying, "PATIENCE", 0)
    model, left = connected(url), [503] * 1000
    with pytest.raises(UserError, match=r"for 0 seconds every call failed .*busy.* Check that it runs"):
        list(model.score([request]))
    assert len(left) == 999


def test_model_that_is_not_served_and_dead_server_are_named(serve, monkeypatch):
    url, _ = serve()
    with pytest.raises(UserError, match=r"does not serve 'large'\. It has: small"):
        connected(url, "large")
    monkeypatch.setattr(retrying, "CHECK_PATIENCE", 0.1)
    with pytest.raises(UserError, match="does not answer as expected"):
        connected("http://127.0.0.1:9/v1")


def test_a_key_that_the_server_quotes_is_not_shown(monkeypatch):
    key = "planted-secret-0zzz"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("ENDOXA_SERVER_KEY", key)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-planted")
    sent = []

    def refuse(_body, authorization):
        sent.append(authorization)
        return 400, {"error": {"message": f"no: {authorization} and {key[:4]}****{key[-4:]}"}}

    with serving(refuse) as url:
        assert server_client("The model", url, key).organization is None
        with pytest.raises(UserError) as caught:
            connected(url)
        said = f"{caught.value} {caught.value.__cause__}"
    assert set(sent) == {f"Bearer {key}"}
    assert "(key)" in said
    assert not {"planted", "plan", "0zzz"} & set(said.replace("*", " ").replace("-", " ").split())
