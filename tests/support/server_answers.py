"""Answers of servers that return the log-probabilities of a prompt, in the shapes that their documentation and sources
show; the numbers are ours. The prompts are "The sky is blue." and "Is it?"."""

from __future__ import annotations

from typing import Any

PROMPTS = ("The sky is blue.", "Is it?")
VALUES = ((-4.5, -1.25, -3.0, -0.5), (-2.0, -0.75))
"""Log-probabilities of the tokens after the first."""
TOKENS = (("The", " sky", " is", " blue", "."), ("Is", " it", "?"))
IDS = ((464, 6766, 318, 4171, 13), (1148, 340, 30))


def usage(bos: bool = False, made: int = 2) -> dict[str, Any]:
    prompt = sum(map(len, TOKENS)) + 2 * bos
    return {
        "prompt_tokens": prompt,
        "total_tokens": prompt + made,
        "completion_tokens": made,
        "prompt_tokens_details": None,
    }


def completion(choices: list[dict[str, Any]], used: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "cmpl-8c16",
        "object": "text_completion",
        "created": 1772367069,
        "model": "small",
        "choices": choices,
        "service_tier": None,
        "system_fingerprint": None,
        "usage": used,
        "kv_transfer_params": None,
    }


def vllm_echo(*, bos: str = "", made: int = 1) -> dict[str, Any]:
    """`echo=true, logprobs=1`: the generated token stands last (`made` 0: none was generated)."""
    choices = []
    for index, (tokens, values) in enumerate(zip(TOKENS, VALUES, strict=True)):
        shown = [*([bos] if bos else []), *tokens, *([" 1"] * made)]
        numbers = [None, *([-7.0] if bos else []), *values, *([-0.41] * made)]
        offsets = [sum(map(len, shown[:k])) for k in range(len(shown))]
        top = [None if value is None else {token: value} for token, value in zip(shown, numbers, strict=True)]
        logprobs = {
            "text_offset": offsets,
            "token_logprobs": numbers,
            "tokens": shown,
            "top_logprobs": top,
        }
        choices.append(
            {
                "index": index,
                "text": PROMPTS[index] + " 1" * made,
                "logprobs": logprobs,
                "finish_reason": "length",
                "stop_reason": None,
                "token_ids": None,
                "prompt_logprobs": None,
                "prompt_token_ids": None,
            }
        )
    return completion(choices, usage(bool(bos), 2 * made))


def vllm_list(*, ids: bool = True) -> dict[str, Any]:
    """`prompt_logprobs=1`: by position the prompt's token and the likeliest one, which may be the same."""
    choices = []
    for index, (tokens, values, numbers) in enumerate(zip(TOKENS, VALUES, IDS, strict=True)):
        entries: list[Any] = [None]
        for place, value in enumerate(values, 1):
            own = {"logprob": value, "rank": 1 if value == -0.5 else 9, "decoded_token": tokens[place]}
            entry = {str(numbers[place]): own}
            if own["rank"] != 1:
                entry["11"] = {"logprob": -0.3, "rank": 1, "decoded_token": ","}
            entries.append(entry)
        choices.append(
            {
                "index": index,
                "text": " 1",
                "logprobs": None,
                "finish_reason": "length",
                "stop_reason": None,
                "token_ids": [352] if ids else None,
                "prompt_logprobs": entries,
                "prompt_token_ids": list(numbers) if ids else None,
            }
        )
    return completion(choices, usage())


def sglang_echo() -> dict[str, Any]:
    """The same interface at SGLang: no text offsets, and its own fields."""
    answer = vllm_echo()
    for choice in answer["choices"]:
        choice["logprobs"]["text_offset"] = [-1] * len(choice["logprobs"]["tokens"])
        for name in ("stop_reason", "token_ids", "prompt_logprobs", "prompt_token_ids"):
            del choice[name]
        choice |= {"matched_stop": None, "hidden_states": None}
    return {**answer, "metadata": {"weight_version": "default"}}


def sglang_generate(*, texts: bool = True) -> list[dict[str, Any]]:
    """`/generate` with `return_logprob`: `[log-probability, token id, text]` for each token of the prompt."""
    return [
        {
            "text": " 1",
            "output_ids": [352],
            "meta_info": {
                "id": f"id-{index}",
                "finish_reason": {"type": "length", "length": 1},
                "prompt_tokens": len(tokens),
                "weight_version": "default",
                "input_token_logprobs": [
                    [value, number, token if texts else None]
                    for value, number, token in zip([None, *values], numbers, tokens, strict=True)
                ],
                "output_token_logprobs": [[-0.41, 352, " 1" if texts else None]],
                "completion_tokens": 1,
                "cached_tokens": 0,
                "e2e_latency": 0.01,
            },
        }
        for index, (tokens, values, numbers) in enumerate(zip(TOKENS, VALUES, IDS, strict=True))
    ]


def llamacpp() -> dict[str, Any]:
    """llama.cpp's server takes `echo` and `logprobs` and returns those of the generated token only."""
    content = [{"id": 352, "token": " 1", "bytes": [32, 49], "logprob": -0.41, "top_logprobs": []}]
    choices = [
        {"text": " 1", "index": index, "logprobs": {"content": content}, "finish_reason": "length"}
        for index in range(2)
    ]
    return completion(choices, usage())
