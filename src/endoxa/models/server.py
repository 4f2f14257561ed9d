"""Causal models behind an OpenAI-compatible completions server that echoes prompt log-probabilities (vLLM's way).

A request asks for one token and for the prompt to be echoed with its log-probabilities. Many servers accept the
request and leave the prompt out, which turns every score into the same nonsense, so each answer is checked: one
log-probability per prompt token and one for the generated token, none for the first, and the prompt's own text
at the front.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from endoxa.errors import UserError
from endoxa.models.clients import key_in, server_client, shown
from endoxa.models.retrying import Retrier, for_server, raise_if_transient
from endoxa.models.spec import KEY_VARIABLE, ModelOptions, ModelSpec
from endoxa.schema import Architecture, CausalRequest, Request, Score, Unscorable

PROMPTS = 64
"""Prompts in one call; the server batches them as it likes."""


@dataclass(frozen=True, slots=True)
class ServerModel:
    """Scores `CausalRequest`s on a server."""

    name: str
    served_name: str
    url: str
    client: Any
    retrier: Retrier
    architecture: Architecture = "causal"
    max_tokens: int | None = None

    @classmethod
    def connect(cls, spec: ModelSpec, _options: ModelOptions) -> ServerModel:
        """Check that the server answers and has the model.

        Raises:
            UserError: a package is missing, nobody answers, or the model is not served there.
        """
        key = key_in(KEY_VARIABLE)
        client = server_client(f"The model '{spec.text}'", spec.target, key)
        served = for_server(spec.target, checking=True).call(lambda: _list(client, spec.target))
        if spec.served_name not in served:
            raise UserError(
                f"The server {spec.target} does not serve '{spec.served_name}'. It has: {', '.join(served) or 'none'}."
            )
        return cls(spec.text, spec.served_name, spec.target, client, for_server(spec.target))

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`; what the server does with the weights is not known here."""
        return {
            "name": self.name,
            "architecture": self.architecture,
            "server": self.url,
            "served_name": self.served_name,
            "revision": None,
            "dtype": "not told by the server",
            "device": "server",
        }

    def unknown_share(self, _texts: Sequence[str]) -> float | None:
        """None: the server keeps its tokenizer to itself."""
        return None

    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """See `endoxa.schema.Model.score`; identical texts are sent once."""
        wanted: dict[CausalRequest, list[int]] = {}
        for index, request in enumerate(requests):
            if not isinstance(request, CausalRequest):
                raise TypeError(f"a completions server cannot score a {type(request).__name__}")
            wanted.setdefault(request, []).append(index)
        for front, same in groupby(sorted(wanted, key=lambda r: r.front), key=lambda r: r.front):
            group = list(same)
            for start in range(0, len(group), PROMPTS):
                batch = group[start : start + PROMPTS]
                results = self._ask([request.text for request in batch], special_tokens=front != "nothing")
                for request, result in zip(batch, results, strict=True):
                    checked = _refuse_other_front(request, result, self.url)
                    for index in wanted[request]:
                        yield index, checked

    def _ask(self, texts: list[str], *, special_tokens: bool) -> list[Any]:
        """For each text its echoed tokens and log-probabilities, or an `Unscorable`."""
        import openai

        def once() -> Any:
            try:
                return self.client.completions.create(
                    model=self.served_name,
                    prompt=texts,
                    echo=True,
                    logprobs=1,
                    max_tokens=1,
                    temperature=0,
                    extra_body={"add_special_tokens": special_tokens},
                )
            except openai.BadRequestError as problem:
                return problem
            except openai.OpenAIError as problem:
                raise_if_transient(problem, self.client.api_key)
                raise _unreachable(self.url, problem, self.client.api_key) from None

        answer = self.retrier.call(once)
        if isinstance(answer, openai.BadRequestError):
            if len(texts) > 1:
                return [self._ask([text], special_tokens=special_tokens)[0] for text in texts]
            return [Unscorable(f"the server refused it ({shown(str(answer), self.client.api_key)})")]
        echoed = [choice.logprobs for choice in sorted(answer.choices, key=lambda choice: choice.index)]
        _require_echo(echoed, answer.usage, texts, self.url)
        return echoed


def _list(client: Any, url: str) -> list[str]:
    """Names of the models that a server has.

    Raises:
        TransientError: it did not work this time.
        UserError: the server refuses.
    """
    import openai

    try:
        return [model.id for model in client.models.list().data]
    except openai.OpenAIError as problem:
        raise_if_transient(problem, client.api_key)
        raise _unreachable(url, problem, client.api_key) from None


def _require_echo(echoed: Sequence[Any], usage: Any, texts: Sequence[str], url: str) -> None:
    """Refuse answers that do not hold the prompt's own log-probabilities.

    Raises:
        UserError: the server leaves them out.
    """
    values = [one.token_logprobs if one and one.token_logprobs else [] for one in echoed]
    right_number = len(values) == len(texts) and all(
        len(v) >= 2 and v[0] is None and None not in v[1:] for v in values
    )
    counted = usage is None or sum(map(len, values)) == usage.prompt_tokens + usage.completion_tokens
    if not (right_number and counted):
        raise UserError(
            f"The server {url} does not return the log-probabilities of the prompt (asked with echo=true, "
            "logprobs=1), so a sentence cannot be scored there. vLLM does; or load the model here with hf/..."
        )


def _refuse_other_front(request: CausalRequest, echoed: Any, url: str) -> Score | Unscorable:
    """The score, if what stands in front of the text is what the rule wants; the generated token is left out.

    Raises:
        UserError: the server put a special token in front where none belongs, or none where one does.
    """
    if isinstance(echoed, Unscorable):
        return echoed
    first = echoed.tokens[0].replace("▁", " ").strip()
    # Half a character of a byte-level token shows as U+FFFD and can only come from the text.
    from_text = request.text.strip().startswith(first) or "\ufffd" in first
    if request.front == "nothing" and not from_text:
        raise UserError(
            f"The server {url} puts '{echoed.tokens[0]}' in front of every sentence although it was asked not to: "
            "use the rule sum-bos or mean-bos."
        )
    if request.front == "bos" and from_text:
        raise UserError(
            f"The server {url} puts no beginning-of-sequence token in front of a sentence, which sum-bos and "
            "mean-bos need: use sum or mean."
        )
    scored = echoed.token_logprobs[1:-1]
    if not scored:
        return Unscorable("it has a single token, so nothing is left to score after the first")
    return Score(sum(scored), len(scored))


def _unreachable(url: str, problem: Exception, key: str) -> UserError:
    return UserError(
        f"The server {url} does not answer as expected ({shown(str(problem), key) or type(problem).__name__}): check "
        "that it runs and its address ends in /v1. What was done is kept; the same command continues."
    )
