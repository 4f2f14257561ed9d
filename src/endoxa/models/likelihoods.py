"""How servers return the log-probabilities of a prompt: three ways to ask, and what comes back.

- "echo": completions that repeat the prompt with its log-probabilities (vLLM, SGLang).
- "prompt_logprobs": completions with vLLM's own list beside the answer, one entry for each token of the prompt.
- "generate": SGLang's own interface, beside `/v1`, with `[log-probability, token id, text]` for each token.

Every way asks for one token, because not every server takes 0. Servers that leave the prompt out answer all the same,
so every answer is checked: as many log-probabilities as the server counted tokens, none for the first token.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from endoxa.schema import Score, Unscorable

C = TypeVar("C")
T = TypeVar("T")

IMPOSSIBLE = -9999.0
"""vLLM writes this for a token without probability, for which JSON has no number; other servers write less, or null."""
TOKEN_ID = "token_id:"  # noqa: S105 - how vLLM begins a token that it was started to show as a number
_SPACES = str.maketrans({"▁": " ", "Ġ": " ", "Ċ": " "})
"""How tokenizers write spaces and line breaks, where a server shows tokens as the tokenizer has them."""
BYTES = ("bytes:", "\ufffd")
"""How a token is shown that is a part of a character: it can only come from the text."""


def plain(token: str) -> str:
    """A token as it stands in the text, without spaces at its ends."""
    return token.translate(_SPACES).strip()


Row = tuple[Sequence[str | None], Sequence[float | None]]
"""Texts and log-probabilities of the tokens of one prompt."""


class LeftOutError(ValueError):
    """The log-probabilities of the prompt are not in the answer, or not those of every token."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """The tokens of one prompt as a server returns them.

    Attributes:
        first: text of the first token, which has no log-probability; None where the server does not show it.
        texts: the other tokens.
        values: their log-probabilities (nats); None where the server gives none.
    """

    first: str | None
    texts: tuple[str, ...]
    values: tuple[float | None, ...]

    def score(self) -> Score | Unscorable:
        """The sum over all tokens but the first."""
        if not self.values:
            return Unscorable("it has a single token, so nothing is left to score after the first")
        for text, value in zip(self.texts, self.values, strict=True):
            if value is None or not math.isfinite(value) or value <= IMPOSSIBLE:
                return Unscorable(f"the server gives its token '{text}' no probability ({value})")
        scored = [value for value in self.values if value is not None]
        return Score(sum(scored), len(scored))


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask.

    Attributes:
        name: what `run.json` calls it.
        description: what is asked for, in words for a message.
        url: where, of a server's base address.
        body: the request for a model and prompts; the last argument asks for special tokens around the prompt.
        read: the prompts' tokens, of the body of an answer and the number of prompts. Raises `LeftOutError`.
    """

    name: str
    description: str
    url: Callable[[str], str]
    body: Callable[[str, Sequence[str], bool], dict[str, Any]]
    read: Callable[[str, int], list[Prompted]]


class _Tokens(BaseModel):
    tokens: list[str | None]
    token_logprobs: list[float | None]


class _Echoed(BaseModel):
    index: int
    logprobs: _Tokens


class _Token(BaseModel):
    logprob: float | None
    rank: int | None = None
    decoded_token: str | None = None


class _Listed(BaseModel):
    index: int
    prompt_logprobs: list[dict[int, _Token] | None]
    prompt_token_ids: list[int] | None = None


class _Used(BaseModel):
    prompt_tokens: int
    completion_tokens: int = 0


class _Completion(BaseModel, Generic[C]):
    choices: list[C]
    usage: _Used | None = None


class _Meta(BaseModel):
    prompt_tokens: int
    input_token_logprobs: list[tuple[float | None, int, str | None]]


class _Generated(BaseModel):
    meta_info: _Meta


_ECHO = TypeAdapter(_Completion[_Echoed])
_LIST = TypeAdapter(_Completion[_Listed])
_GENERATE = TypeAdapter(list[_Generated] | _Generated)


def _completions(_base: str) -> str:
    return "/completions"


def _native(base: str) -> str:
    return f"{base.removesuffix('/v1')}/generate"


def _echo_body(model: str, prompts: Sequence[str], special: bool) -> dict[str, Any]:
    return {
        **_common_body(model, prompts, special),
        "echo": True,
        "logprobs": 1,
        "return_tokens_as_token_ids": False,
    }


def _list_body(model: str, prompts: Sequence[str], special: bool) -> dict[str, Any]:
    return {**_common_body(model, prompts, special), "prompt_logprobs": 1, "return_token_ids": True}


def _common_body(model: str, prompts: Sequence[str], special: bool) -> dict[str, Any]:
    return {
        "model": model,
        "prompt": list(prompts),
        "max_tokens": 1,
        "temperature": 0,
        "add_special_tokens": special,
    }


def _generate_body(_model: str, prompts: Sequence[str], _special: bool) -> dict[str, Any]:
    """The server has one model, and adds its tokenizer's special tokens whatever it is asked."""
    return {
        "text": list(prompts),
        "sampling_params": {"max_new_tokens": 1, "temperature": 0},
        "return_logprob": True,
        "logprob_start_len": 0,
        "return_text_in_logprobs": True,
    }


def _read_echo(body: str, prompts: int) -> list[Prompted]:
    """The generated token stands behind those of the prompt, where one was generated."""
    answer = _read(_ECHO, body)
    made = answer.usage.completion_tokens if answer.usage else prompts
    if made not in (0, prompts):
        raise LeftOutError(f"{made} tokens were generated for {prompts} prompts")
    rows: list[Row] = []
    for choice in sorted(answer.choices, key=lambda choice: choice.index):
        tokens, values = choice.logprobs.tokens, choice.logprobs.token_logprobs
        if len(tokens) != len(values):
            raise LeftOutError(f"{len(tokens)} tokens have {len(values)} log-probabilities")
        end = len(tokens) - (made > 0)
        rows.append((tokens[:end], values[:end]))
    return _prompted(rows, prompts, answer.usage)


def _read_list(body: str, prompts: int) -> list[Prompted]:
    answer = _read(_LIST, body)
    rows: list[Row] = []
    for choice in sorted(answer.choices, key=lambda choice: choice.index):
        entries = choice.prompt_logprobs
        ids: Sequence[int | None] = choice.prompt_token_ids or [None] * len(entries)
        if len(ids) != len(entries):
            raise LeftOutError(f"{len(ids)} tokens have {len(entries)} entries")
        tokens = [_of_prompt(entry or {}, token_id) for entry, token_id in zip(entries, ids, strict=True)]
        rows.append(([token.decoded_token for token in tokens], [token.logprob for token in tokens]))
    return _prompted(rows, prompts, answer.usage)


def _of_prompt(entry: Mapping[int, _Token], token_id: int | None) -> _Token:
    """The prompt's own token among those of a position, the likeliest of which has rank 1; it may be the same."""
    if token_id is not None and token_id in entry:
        return entry[token_id]
    others = [token for token in entry.values() if token.rank != 1]
    return next(iter([*others, *entry.values()]), _Token(logprob=None))


def _read_generate(body: str, prompts: int) -> list[Prompted]:
    read = _read(_GENERATE, body)
    several = [answer.meta_info for answer in (read if isinstance(read, list) else [read])]
    rows: list[Row] = [
        (
            [text for _, _, text in meta.input_token_logprobs],
            [value for value, _, _ in meta.input_token_logprobs],
        )
        for meta in several
    ]
    return _prompted(rows, prompts, _Used(prompt_tokens=sum(meta.prompt_tokens for meta in several)))


def _read(form: TypeAdapter[T], body: str) -> T:
    try:
        return form.validate_json(body)
    except ValidationError as problem:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if not str(part).startswith(("list[", "_")))
        raise LeftOutError(f"{where or 'the answer'}: {first['msg'].lower()}") from None


def _prompted(rows: Sequence[Row], prompts: int, used: _Used | None) -> list[Prompted]:
    """The tokens of each prompt; some servers leave out the first, which has no log-probability.

    Raises:
        LeftOutError: not every prompt and every token that the server counted is there.
    """
    tokens = sum(len(values) for _, values in rows)
    numbered = all(values and values[0] is not None for _, values in rows)
    if used and numbered and tokens + len(rows) == used.prompt_tokens:
        rows = [([None, *texts], [None, *values]) for texts, values in rows]
    elif used and tokens != used.prompt_tokens:
        raise LeftOutError(f"log-probabilities of {tokens} of {used.prompt_tokens} tokens came")
    if len(rows) != prompts:
        raise LeftOutError(f"log-probabilities of {len(rows)} of {prompts} prompts came")
    return [_split(texts, values) for texts, values in rows]


def _split(texts: Sequence[str | None], values: Sequence[float | None]) -> Prompted:
    if not values or values[0] is not None:
        raise LeftOutError("the first token of a prompt has a log-probability" if values else "it is empty")
    first = texts[0]
    hidden = first is None or first.startswith(TOKEN_ID)
    return Prompted(None if hidden else first, tuple(text or "" for text in texts[1:]), tuple(values[1:]))


WAYS = (
    Way("echo", "echo=true with logprobs=1 (vLLM, SGLang)", _completions, _echo_body, _read_echo),
    Way("prompt_logprobs", "prompt_logprobs=1 (vLLM)", _completions, _list_body, _read_list),
    Way("generate", "/generate with return_logprob=true (SGLang)", _native, _generate_body, _read_generate),
)
"""In the order in which a server is asked for them."""
