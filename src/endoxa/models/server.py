"""Causal models behind servers that return the log-probabilities of a prompt (vLLM, SGLang, and those like them).

How a server is asked for them is found out once, before the work (`endoxa.models.likelihoods`). Many servers accept a
request and leave the prompt out, which turns every score into the same nonsense, so each answer is checked; so is what
stands in front of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from endoxa.errors import UserError
from endoxa.models.keys import server_key
from endoxa.models.likelihoods import BYTES, WAYS, LeftOutError, Prompted, Way, plain
from endoxa.models.retrying import (
    REFUSED_TEXTS,
    Retrier,
    SilentError,
    for_server,
    is_redirect,
    permanent_failure,
    unreachable,
)
from endoxa.models.spec import ModelOptions, ModelSpec
from endoxa.models.special_tokens import reason, written_in
from endoxa.models.transport import server_client
from endoxa.schema import Architecture, CausalRequest, Request, Score, Unscorable

if TYPE_CHECKING:
    from openai import OpenAI

PROMPTS = 64
"""Prompts in one call; the server batches them as it likes."""
SENTENCE = "The sky is blue."
"""Asked for first, to learn how the server answers."""


class RefusedError(Exception):
    """The server refuses a request, for the prompts or for the way they are asked."""

    def __init__(self, words: str, status: int) -> None:
        super().__init__(words)
        self.status = status


@dataclass(frozen=True, slots=True)
class ServerModel:
    """Scores `CausalRequest`s on a server."""

    name: str
    served_name: str
    url: str
    client: OpenAI
    retrier: Retrier
    way: Way
    architecture: Architecture = "causal"
    max_tokens: int | None = None
    _fronts: dict[bool, bool] = field(default_factory=dict)

    @classmethod
    def connect(cls, spec: ModelSpec, _options: ModelOptions) -> ServerModel:
        """Check that the server answers and has the model, and find out how it returns log-probabilities.

        Raises:
            UserError: a package is missing, nobody answers, or the model is not served there or not so.
        """
        what = f"The model '{spec.text}'"
        url, name = spec.target, spec.served_name
        client = server_client(what, url, server_key(what, url, spec.text))
        with ExitStack() as stack:
            stack.callback(client.close)
            served = for_server(url, checking=True).call(partial(_list, client, url))
            if name not in served:
                raise UserError(
                    f"The server {url} does not serve '{name}'. It has: {', '.join(served) or 'none'}."
                )
            way = _find_way(client, url, name)
            stack.pop_all()
        return cls(spec.text, name, url, client, for_server(url), way)

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`; what the server does with the weights is not known here."""
        return {
            "name": self.name,
            "architecture": self.architecture,
            "server": self.url,
            "served_name": self.served_name,
            "log_probabilities": self.way.name,
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
        batches = []
        for _, same in groupby(sorted(wanted, key=lambda r: r.front), key=lambda r: r.front):
            group = list(same)
            batches += [group[start : start + PROMPTS] for start in range(0, len(group), PROMPTS)]
        for batch in batches:
            results = self._ask([request.text for request in batch], special=batch[0].front != "nothing")
            for request, result in zip(batch, results, strict=True):
                score = result if isinstance(result, Unscorable) else self._checked(request, result)
                for index in wanted[request]:
                    yield index, score

    def _ask(self, texts: Sequence[str], *, special: bool) -> list[Prompted | Unscorable]:
        """For each text its tokens and log-probabilities; a call that is refused is cut up, to find the text."""

        def once() -> list[Prompted] | RefusedError:
            try:
                return _request(self.way, self.client, self.url, self.served_name, texts, special=special)
            except RefusedError as problem:
                if problem.status in REFUSED_TEXTS:
                    return problem
                raise unreachable(self.url, str(problem)) from None
            except LeftOutError as problem:
                raise UserError(
                    f"The server {self.url} does not return the log-probabilities of the prompt (asked with "
                    f"{self.way.description}: {problem}), so a sentence cannot be scored there. What was done is kept; "
                    "the same command continues."
                ) from None

        answer = self.retrier.call(once)
        if not isinstance(answer, RefusedError):
            return list(answer)
        if len(texts) > 1:
            return [self._ask([text], special=special)[0] for text in texts]
        return [Unscorable(f"the server refused it ({answer})")]

    def _checked(self, request: CausalRequest, prompted: Prompted) -> Score | Unscorable:
        """The score, if what stands in front of the text is what the rule wants.

        Raises:
            UserError: the server put a special token in front where none belongs, or none where one does.
        """
        from_text = self._begins(request, prompted)
        if request.front == "nothing" and not from_text:
            token = "a special token" if prompted.first is None else f"'{prompted.first}'"
            raise UserError(
                f"The server {self.url} puts {token} in front of every sentence although it was asked not "
                "to: use the rule sum-bos or mean-bos."
            )
        if request.front == "bos" and from_text:
            raise UserError(
                f"The server {self.url} puts no beginning-of-sequence token in front of a sentence, which "
                "sum-bos and mean-bos need: use sum or mean."
            )
        token = written_in(
            prompted.texts if request.front != "nothing" else (prompted.first, *prompted.texts)
        )
        return Unscorable(reason(token)) if token else prompted.score()

    def _begins(self, request: CausalRequest, prompted: Prompted) -> bool:
        """Whether the first token is from the text; where it is not shown, that is learned once from `SENTENCE`."""
        if prompted.first is not None:
            first = plain(prompted.first)
            return request.text.strip().startswith(first) or any(sign in first for sign in BYTES)
        special = request.front != "nothing"
        if special not in self._fronts:
            (sample,) = self._ask([SENTENCE], special=special)
            self._fronts[special] = _rest_is_less(sample, self.url)
        return self._fronts[special]


def _find_way(client: OpenAI, url: str, model: str) -> Way:
    """The first way in which the server returns the log-probabilities of a prompt.

    Raises:
        UserError: in none, or nobody answers.
    """
    problems: list[Exception] = []
    for way in WAYS:
        try:
            for_server(url, checking=True).call(partial(_require_all, way, model, client, url))
        except (LeftOutError, RefusedError, SilentError) as problem:
            problems.append(problem)
        else:
            return way
    if all(isinstance(problem, SilentError) for problem in problems):
        raise problems[0]
    tried = "; ".join(f"{way.description}: {problem}" for way, problem in zip(WAYS, problems, strict=True))
    raise UserError(
        f"The server {url} does not return the log-probabilities of the prompt, so a sentence cannot be "
        f"scored there. Tried: {tried}. vLLM and SGLang return them; or load the model here with hf/..."
    )


def _require_all(way: Way, model: str, client: OpenAI, url: str) -> None:
    """Ask for `SENTENCE`, every token of which must have a log-probability but the first."""
    (prompted,) = _request(way, client, url, model, [SENTENCE], special=True)
    if not prompted.values or None in prompted.values:
        raise LeftOutError("the tokens of a prompt have no log-probabilities")


def _request(
    way: Way, client: OpenAI, url: str, model: str, texts: Sequence[str], *, special: bool
) -> list[Prompted]:
    """What comes of one call.

    Raises:
        LeftOutError: an answer without the prompt's log-probabilities.
        RefusedError: the server refuses the request.
        TransientError: it did not work this time.
        UserError: the server refuses the key.
    """
    import openai

    try:
        body = client.post(way.url(url), cast_to=str, body=way.body(model, texts, special))
    except openai.OpenAIError as problem:
        failure = permanent_failure(problem, client.api_key)
        if failure.status not in {401, 403} and not is_redirect(failure):
            raise RefusedError(f"status {failure.status}: {failure.words}", failure.status) from None
        raise unreachable(url, failure.words) from None
    return way.read(body, len(texts))


def _rest_is_less(sample: Prompted | Unscorable, where: str) -> bool:
    """Whether the tokens after the first are less than the whole `SENTENCE`: then the first is a part of it.

    Raises:
        UserError: they are neither the sentence nor its end.
    """
    sentence = "".join(SENTENCE.split())
    rest = "" if isinstance(sample, Unscorable) else "".join(map(plain, sample.texts))
    if not rest or not sentence.endswith(rest):
        raise UserError(
            f"The server {where} does not show its tokens as text, so it cannot be seen what it puts in front of a "
            "sentence. Start vLLM without --return-tokens-as-token-ids."
        )
    return len(rest) < len(sentence)


def _list(client: OpenAI, url: str) -> list[str]:
    """Names of the models that a server has.

    Raises:
        TransientError: it did not work this time.
        UserError: the server refuses.
    """
    import openai

    try:
        return [model.id for model in client.models.list().data]
    except openai.OpenAIError as problem:
        raise unreachable(url, permanent_failure(problem, client.api_key).words) from None
