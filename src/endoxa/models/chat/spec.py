"""A chat model as written, the provider that it is asked at and what that gives, and how it is reached."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le

from endoxa.errors import UserError, installation
from endoxa.models.keys import required_key, server_key
from endoxa.models.spec import KEY_VARIABLE, Adapter, Device, Dtype, Revision, Tokenizer, TrustRemoteCode
from endoxa.schema import ChatModel, Message, Sampling, Usage
from endoxa.schema.options import LOCAL, MODELS, NETWORK, Setting, finite

Lost = Callable[[Sequence[Message], Sampling, Usage | None], None]
"""Told of every call that may be billed and whose answer is not kept: what was asked, how it was to be drawn, and the
tokens, None where they are not known. What it raises ends that call; a UserError ends all calls."""


class UnusableError(ValueError):
    """What came is no answer: cut, malformed, of another kind, or empty of choices."""


BatchRequest = tuple[str, Sequence[Message], Sampling]
"""Name of a request (letters, digits, - and _; at most 64), the conversation, how to draw."""


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """How far a batch is.

    Attributes:
        state: "working", "ended" (results can be fetched, perhaps not of all requests) or "failed" (there are none).
        done: requests dealt with.
        total: requests handed in.
        message: why it failed, or empty.
    """

    state: Literal["working", "ended", "failed"]
    done: int
    total: int
    message: str = ""


@dataclass(frozen=True, slots=True)
class Submission:
    """A batch as we know it before the provider does, so that it is found again whatever happens meanwhile.

    Attributes:
        tag: our name of it: `endoxa-` and 24 hexadecimal digits.
        requests: how many it holds.
        mark: what `BatchClient.mark` gave before it was handed in.
    """

    tag: str
    requests: int
    mark: str


@dataclass(frozen=True, slots=True)
class SubmissionStatus:
    """What became of a submission whose answer did not reach us.

    Attributes:
        state: "found", "absent" (it did not arrive), "unfinished" (a batch may be it, which shows when it has ended)
            or "unknown" (nobody can tell).
        batch_id: of the batch that it is or may be, or empty.
    """

    state: Literal["found", "absent", "unfinished", "unknown"]
    batch_id: str = ""


@dataclass(frozen=True, slots=True)
class Price:
    """What tokens cost, in US dollars.

    Attributes:
        input_per_million: a million tokens sent.
        output_per_million: a million tokens received.
        source: where the price is from.
    """

    input_per_million: float
    output_per_million: float
    source: str


@dataclass(frozen=True, slots=True)
class ChatSpec:
    """A chat model as written.

    Attributes:
        text: the words themselves; they name the model in every record.
        served_name: the model's name at the provider; hub id or folder for hf; the rest of the words for sim.
        host: the provider, which is asked for everything that differs between providers.
        base_url: address of the provider's interface, or empty.
    """

    text: str
    served_name: str
    host: Provider
    base_url: str = ""


def named(text: str, provider: Provider) -> ChatSpec:
    """Read `PROVIDER/NAME`.

    Raises:
        UserError: there is no name.
    """
    name = text.partition("/")[2]
    if not name:
        raise UserError(f"The model '{text}' has no name: write {provider.name}/NAME.")
    return ChatSpec(text, name, provider, provider.base_url)


def name_alone(spec: ChatSpec, _options: ChatOptions) -> Mapping[str, Any]:
    """What decides the answers of a model that is known by its name only."""
    return {"name": spec.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Where chat models are, and everything that is particular about asking there.

    One is added by an entry point of the group `endoxa.providers`; ours are listed in
    `endoxa.models.chat`. The other rooms ask a provider for its properties and know none by name.

    Attributes:
        name: the word in front of the slash (`groq/NAME`).
        kind: its interface, as `run.json` records it; several providers may share one.
        open: makes a model ready to be asked; nothing is sent yet.
        open_batch: opens its batch interface, or None where it has none. The last argument says whether the same
            settings have been answered before, so that a refused request is to blame itself.
        read: reads the words of a model.
        prefixes: beginnings of the words it reads, where they are not `name/`.
        base_url: address of its interface, or empty.
        key: environment variable with the key, or empty where there is none.
        max_tokens_field: OpenAI's interface: what the field that bounds the answer is called.
        seed_field: OpenAI's interface: what the field with the seed is called; empty where there is none.
        price: the list price of a model, or None where there is no list.
        free: nobody sends a bill.
        unpriced: what a plan says of the cost where no price is known.
        runs_here: weights are loaded in this process, and looked at before a run instead of asked.
        likelihoods: the log-likelihood of a given text can be had (`open_model` of `endoxa.models.scoring` takes
            the same words).
        schemas: answers can be held to a JSON schema.
        identity: what of a model decides its answers.
        libraries: distributions it needs; `run.json` records their versions.
        install: the command that installs them.
    """

    name: str
    kind: str
    open: Callable[[ChatSpec, ChatOptions, Lost], ChatModel]
    open_batch: Callable[[ChatSpec, ChatOptions, bool], Any] | None = None
    read: Callable[[str, Provider], ChatSpec] = named
    prefixes: tuple[str, ...] = ()
    base_url: str = ""
    key: str = ""
    max_tokens_field: str = "max_tokens"
    seed_field: str = "seed"
    price: Callable[[ChatSpec], Price | None] | None = None
    free: bool = False
    unpriced: str = "not known"
    runs_here: bool = False
    likelihoods: bool = False
    schemas: bool = True
    identity: Callable[[ChatSpec, ChatOptions], Mapping[str, Any]] = name_alone
    libraries: tuple[str, ...] = ()
    install: str = installation("chat")

    def takes(self, text: str) -> bool:
        """These words name a model of this provider, well or badly."""
        return text == self.name or text.startswith(self.prefixes or (f"{self.name}/",))


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """How a chat model is reached; none of it changes what is asked.

    Attributes:
        concurrency: Maximum concurrent calls per model.
        requests_per_minute: Maximum requests per minute.
        timeout: Timeout in seconds: a call without any data for so long is retried.
        attempts: Maximum attempts per call while other calls succeed.
        patience: Stop after this many seconds in which every call failed; the run can continue later.
        device: Device: auto, cpu, cuda, cuda:1 or mps.
        dtype: hf only: "auto", or the type of the weights.
        revision: hf only: hub branch, tag or commit.
        tokenizer: hf only: folder or hub id of the tokenizer where it is not the model's own.
        adapter: hf only: folder of a PEFT adapter, which is merged into the weights.
        trust_remote_code: hf only: run Python code that comes with the model.
        chat_template: Chat template (Jinja) that replaces the tokenizer's own.
        batch_size: Maximum number of conversations generated together.
    """

    concurrency: Annotated[int, Ge(1), Le(1000), Setting(group=NETWORK, decides=False)] = 8
    requests_per_minute: Annotated[
        int | None, Ge(1), Setting(group=NETWORK, name="--rpm", default="no limit", decides=False)
    ] = None
    timeout: Annotated[float, Ge(0.1), Setting(group=NETWORK, parse=finite, decides=False)] = 600.0
    attempts: Annotated[int, Ge(1), Setting(group=NETWORK, decides=False)] = 12
    patience: Annotated[float, Ge(0), Setting(group=NETWORK, parse=finite, decides=False)] = 180.0
    device: Annotated[Device, Setting(group=LOCAL, decides=False)] = "auto"
    dtype: Dtype = "auto"
    revision: Revision = None
    tokenizer: Tokenizer = None
    adapter: Adapter = None
    trust_remote_code: TrustRemoteCode = False
    chat_template: Annotated[str | None, Setting(group=LOCAL, metavar="FILE", decides=MODELS)] = None
    batch_size: Annotated[
        int | None, Ge(1), Setting(group=LOCAL, default="8 on a CPU, elsewhere by memory", decides=False)
    ] = None


def read_key(spec: ChatSpec, environment: Mapping[str, str] = os.environ) -> str:
    """The key of a model at its provider.

    Raises:
        UserError: the provider wants one and the variable is not set, or see `endoxa.models.keys.server_key`.
    """
    what = f"The model '{spec.text}'"
    if spec.host.key == KEY_VARIABLE:
        return server_key(what, spec.base_url, spec.text, environment=environment)
    return required_key(what, spec.host.key, environment)
