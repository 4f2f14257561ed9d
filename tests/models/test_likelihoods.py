"""Each way in which servers return the log-probabilities of a prompt, against answers in their documented shapes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from endoxa.models.likelihoods import WAYS, LeftOutError, Prompted, Way
from endoxa.schema import Score, Unscorable
from support.server_answers import (
    TOKENS,
    VALUES,
    llamacpp,
    sglang_echo,
    sglang_generate,
    vllm_echo,
    vllm_list,
)

ECHO, LIST, GENERATE = WAYS


def read(way: Way, answer: Any, prompts: int = 2) -> list[Prompted]:
    return way.read(json.dumps(answer), prompts)


def test_echo_of_vllm_and_sglang() -> None:
    """vLLM 0.15's page of `CompletionLogProbs` (docs.vllm.ai, entrypoints/openai/completion/protocol); values as in an
    answer of vLLM 0.16.0 shown in llama.cpp's pull request 15189: null first, the generated token last. SGLang's
    `to_openai_style_logprobs` of serving_completions: the same lists, with text offsets of -1."""
    found = read(ECHO, vllm_echo())
    assert [one.first for one in found] == ["The", "Is"]
    assert [one.values for one in found] == list(VALUES)
    assert [one.texts for one in found] == [tokens[1:] for tokens in TOKENS]
    assert found[0].score() == Score(-9.25, 4)
    (bos, _) = read(ECHO, vllm_echo(bos="<s>"))
    assert (bos.first, bos.values) == ("<s>", (-7.0, *VALUES[0]))
    turned = vllm_echo()
    turned["choices"].reverse()
    others = (turned, vllm_echo(made=0), {**vllm_echo(), "usage": None}, sglang_echo())
    assert all(read(ECHO, other) == found for other in others)


@pytest.mark.parametrize("ids", [True, False])
def test_prompt_logprobs_of_vllm(ids: bool) -> None:
    """`CompletionResponseChoice.prompt_logprobs` of vLLM 0.15 (list of `dict[token id, Logprob]`, null first); the
    prompt's token is found by its id, and by its rank where an older version returns no ids."""
    found = read(LIST, vllm_list(ids=ids))
    assert [one.values for one in found] == list(VALUES)
    assert [one.texts for one in found] == [tokens[1:] for tokens in TOKENS]
    assert [one.first for one in found] == [None, None]  # the first entry shows nothing


@pytest.mark.parametrize("texts", [True, False])
def test_generate_of_sglang(texts: bool) -> None:
    """SGLang's page on sampling parameters of `/generate` (`return_logprob`, `logprob_start_len`,
    `return_text_in_logprobs`) and `detokenize_logprob_tokens`: triples, the first without a log-probability."""
    found = read(GENERATE, sglang_generate(texts=texts))
    assert [one.values for one in found] == list(VALUES)
    assert [one.first for one in found] == (["The", "Is"] if texts else [None, None])
    assert read(GENERATE, sglang_generate()[0], 1) == read(GENERATE, sglang_generate())[:1]


def test_a_first_token_that_is_left_out_is_counted() -> None:
    """Some servers return nothing for the first token, in the place of null."""
    native = sglang_generate()
    for one in native:
        del one["meta_info"]["input_token_logprobs"][0]
    echoed = vllm_echo()
    for choice in echoed["choices"]:
        for name in ("tokens", "token_logprobs"):
            del choice["logprobs"][name][0]
    for found in (read(GENERATE, native), read(ECHO, echoed)):
        assert [one.values for one in found] == list(VALUES)
        assert [one.first for one in found] == [None, None]


def changed(make: Callable[[], Any], change: Callable[[Any], None]) -> Any:
    answer = make()
    change(answer)
    return answer


def one_token_less(answer: Any) -> None:
    answer[1]["meta_info"]["input_token_logprobs"].pop()


def only_generated(answer: Any) -> None:
    for choice in answer["choices"]:
        for name in ("tokens", "token_logprobs"):
            choice["logprobs"][name] = choice["logprobs"][name][-1:]


def another_count(answer: Any) -> None:
    answer["usage"]["prompt_tokens"] += 1


@pytest.mark.parametrize(
    ("way", "answer", "said"),
    [
        (ECHO, llamacpp(), "tokens: field required"),
        (ECHO, changed(vllm_echo, only_generated), "0 of 8 tokens"),
        (ECHO, changed(vllm_echo, another_count), "8 of 9 tokens"),
        (ECHO, [], "the answer"),
        (LIST, vllm_echo(), "prompt_logprobs"),
        (LIST, changed(vllm_list, another_count), "8 of 9 tokens"),
        (GENERATE, {"error": {"message": "no"}}, "the answer: "),
        (GENERATE, sglang_generate()[:1], "1 of 2 prompts"),
        (GENERATE, changed(sglang_generate, one_token_less), "7 of 8 tokens"),
    ],
)
def test_an_answer_without_all_of_the_prompt_is_none(way: Way, answer: Any, said: str) -> None:
    with pytest.raises(LeftOutError, match=said):
        read(way, answer)
    with pytest.raises(LeftOutError):
        way.read("<html>", 2)


@pytest.mark.parametrize("value", [-9999.0, float("-inf"), None])
def test_a_token_without_probability_makes_a_sentence_unscorable(value: float | None) -> None:
    """vLLM writes -9999 for minus infinity, SGLang's ports less, JSON writers null or -Infinity."""
    answer = sglang_generate()
    answer[0]["meta_info"]["input_token_logprobs"][2][0] = value
    bad, good = read(GENERATE, answer)
    score = bad.score()
    assert isinstance(score, Unscorable)
    assert score.reason.startswith("the server gives its token ' is' no probability")
    assert good.score() == Score(-2.75, 2)


def test_a_single_token_is_unscorable_and_a_number_for_a_token_is_no_text() -> None:
    single = Prompted("a", (), ()).score()
    assert isinstance(single, Unscorable)
    assert "single token" in single.reason
    numbered = vllm_echo()
    numbered["choices"][0]["logprobs"]["tokens"][0] = "token_id:464"  # --return-tokens-as-token-ids
    assert [one.first for one in read(ECHO, numbered)] == [None, "Is"]
