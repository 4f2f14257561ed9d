"""Conversations with chat models: what is sent, what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, Protocol, runtime_checkable

from annotated_types import Ge, Le

from endoxa.schema.finish import STOP
from endoxa.schema.options import SAMPLING, Option, Setting, finite, json_object

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is drawn; part of a run's identity. None leaves a setting to the provider.

    Attributes:
        temperature: Sampling temperature; 0 takes the most probable token.
        top_p: Nucleus sampling: share of the probability mass to draw from.
        max_tokens: Maximum tokens per answer, reasoning included.
        seed: seed of the draw; each repeat adds its own number. Providers honour it as well as they can.
        reasoning: Reasoning effort of a reasoning model: low, medium, high ...
        extra: Additional fields of the request, as the provider names them.
        answer_schema: JSON schema of the answer (an object). Providers that can hold a model to one are told; weights
            in this process and simulated respondents are not, so the reader of answers must not rely on it.
    """

    temperature: Annotated[float | None, Ge(0), Option(group=SAMPLING, parse=finite)] = 1.0
    top_p: Annotated[float | None, Ge(0), Le(1), Setting(group=SAMPLING, parse=finite)] = None
    max_tokens: Annotated[int | None, Ge(1), Setting(group=SAMPLING)] = 512
    seed: int | None = None
    reasoning: Annotated[str | None, Setting(group=SAMPLING, metavar="EFFORT")] = None
    extra: Annotated[
        Mapping[str, Any], Setting(group=SAMPLING, metavar="JSON", default="none", parse=json_object)
    ] = field(default_factory=dict)
    answer_schema: Mapping[str, Any] | None = None

    def with_seed(self, seed: int) -> Sampling:
        """The same with another seed."""
        return replace(self, seed=seed)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call as the provider counts them; 0 where it does not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """What a model said, as it said it.

    Attributes:
        text: the answer, never altered but for thoughts, which are kept apart; empty where the model said nothing.
        finish: why it stopped: "stop", "thoughts-only", "length", "content_filter", "refusal", or the provider's word.
        refused: the provider itself marked it as refused or filtered.
        usage: tokens.
        served_model: the model's exact name as the provider reports it, or empty.
        reasoning: the thoughts before the answer, returned beside it or marked in it, or empty.
        error: the provider's message where it refused this one request for good (too long, filtered), else empty.
        system_fingerprint: what the server calls its configuration, where it has OpenAI's interface, or empty.
    """

    text: str
    finish: str = STOP
    refused: bool = False
    usage: Usage = Usage()
    served_model: str = ""
    reasoning: str = ""
    error: str = ""
    system_fingerprint: str = ""


class ChatModel(Protocol):
    """A model that answers a conversation. Implementations: `endoxa.models.chat`."""

    @property
    def name(self) -> str:
        """The model as written on the command line."""
        ...

    def describe(self) -> Mapping[str, Any]:
        """What `run.json` records: provider, address without secrets, served name, revision; never a key."""
        ...

    async def check(self) -> None:
        """Find out whether the model can be had, before a run begins.

        Raises:
            UserError: wrong key, unknown model, nobody answers.
        """
        ...

    async def ask(
        self, messages: Sequence[Message], sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        """The answer to a conversation that ends with a user message.

        Args:
            messages: the conversation so far.
            sampling: how to draw.
            told: what only a simulated respondent is told of the item; every other model ignores it.

        Raises:
            UserError: no answer will come from here (key, model or request refused for good, or silence
                longer than the caller's patience).
        """
        ...

    async def close(self) -> None:
        """Give connections and memory back."""
        ...


def answer_object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """JSON schema of an object; every key is required and no other allowed, as strict interfaces want it."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


@runtime_checkable
class CountsTokens(Protocol):
    """A model that knows how much it has written before an answer is complete."""

    @property
    def tokens_written(self) -> int:
        """Tokens of all answers so far, those under way included."""
        ...
