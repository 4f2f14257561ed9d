"""Hugging Face weights that answer conversations in this process, with the tokenizer's chat template.

Settings of the draw for a model in this process: those asked for, and the checkpoint's own where none are.

Callers that wait together are answered together.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from endoxa.errors import UserError
from endoxa.models import require_local
from endoxa.models.chat.spec import ChatOptions
from endoxa.models.chat.templates import Template, find_template, part_thoughts, render
from endoxa.models.spec import ModelOptions, ModelSpec
from endoxa.schema.chat import ChatAnswer, Message, Sampling, Usage

if TYPE_CHECKING:
    from endoxa.models.chat.generation import Prompt, Settings
    from endoxa.models.chat.spec import ChatSpec
    from endoxa.models.local import Checkpoint


USUAL_TOKENS = 512
"""Most tokens of an answer, where nothing else is asked for."""
EXTRA_SETTINGS = ("top_k", "chat_template_kwargs")
"""Further settings that are understood, by the names that vLLM's server has for them."""


@dataclass(frozen=True, slots=True)
class OwnSettings:
    """The checkpoint's own settings of the draw, taken where none are asked for.

    Attributes:
        temperature: 0 where the checkpoint asks for the likeliest token.
        top_p: share of the probability mass that is drawn from, or None.
        top_k: number of likeliest tokens that are drawn from, or None.
    """

    temperature: float
    top_p: float | None
    top_k: int | None

    @classmethod
    def of(cls, config: Any) -> OwnSettings:
        """Read a `transformers.GenerationConfig`."""
        temperature = config.temperature if config.temperature is not None else 1.0
        return cls(float(temperature) if config.do_sample else 0.0, config.top_p, config.top_k)


def settings_of(sampling: Sampling, own: OwnSettings, room: int) -> Settings:
    """What is asked for, completed by the checkpoint's own, for an answer of at most `room` tokens."""
    from endoxa.models.chat.generation import Settings

    return Settings(
        temperature=own.temperature if sampling.temperature is None else sampling.temperature,
        top_p=own.top_p if sampling.top_p is None else sampling.top_p,
        top_k=sampling.extra.get("top_k", own.top_k),
        max_tokens=min(room, sampling.max_tokens or USUAL_TOKENS),
    )


def refuse_unknown(name: str, sampling: Sampling) -> None:
    """Refuse settings that would be left out silently.

    Raises:
        UserError: an effort of reasoning, or a field that is not understood.
    """
    if sampling.reasoning is not None:
        raise UserError(
            f"The model '{name}' runs in this process, where no effort of reasoning can be set: leave out --reasoning "
            "(models that think do so, and their thoughts are kept apart from the answer)."
        )
    unknown = [field for field in sampling.extra if field not in EXTRA_SETTINGS]
    if unknown:
        raise UserError(
            f"The model '{name}' runs in this process, which does not understand the setting '{unknown[0]}': it "
            f"understands {' and '.join(EXTRA_SETTINGS)}."
        )


def open_local_chat(spec: ChatSpec, options: ChatOptions) -> LocalChat:
    """Load weights, tokenizer and chat template.

    Raises:
        UserError: torch is missing, the model cannot be had or cannot write, or nothing says how a conversation is
            written for it.
    """
    model = ModelSpec(spec.text, "hf", spec.served_name)
    require_local(model)
    from endoxa.models.local import load_checkpoint

    checkpoint = load_checkpoint(
        model,
        ModelOptions(
            device=options.device,
            dtype=options.dtype,
            revision=options.revision,
            tokenizer=options.tokenizer,
            trust_remote_code=options.trust_remote_code,
            packed_weights=False,
        ),
    )
    if checkpoint.architecture == "masked" or not checkpoint.network.can_generate():
        raise UserError(
            f"The model '{spec.text}' is a {checkpoint.architecture} language model that cannot write an answer: name "
            "one that was trained to chat."
        )
    template = find_template(spec.text, checkpoint.tokenizer, options.chat_template)
    return LocalChat(checkpoint, template, options.batch_size)


class LocalChat:
    """A chat model in this process. Conversations that wait together are generated together.

    Args:
        checkpoint: loaded weights and tokenizer.
        template: how conversations are written for them.
        batch_size: most conversations generated at once.
    """

    def __init__(self, checkpoint: Checkpoint, template: Template, batch_size: int) -> None:
        from endoxa.models.chat.generation import Generator

        self.name = checkpoint.name
        self._checkpoint, self._template, self._batch_size = checkpoint, template, batch_size
        self._own = OwnSettings.of(checkpoint.network.generation_config)
        generator = Generator(checkpoint.network, checkpoint.tokenizer)
        self._batcher = Batcher(generator.generate, lambda prompt: prompt.settings, batch_size)

    def describe(self) -> Mapping[str, Any]:
        """What was loaded, the chat template, and the checkpoint's own settings of the draw."""
        return {
            **self._checkpoint.facts,
            "provider": "hf",
            "chat_template": {"source": self._template.source, "sha256": self._template.sha256},
            "own_sampling": asdict(self._own),
            "batch_size": self._batch_size,
        }

    async def check(self) -> None:
        """Write a short conversation down, so that a broken template is known before a run.

        Raises:
            UserError: the template does not take it.
        """
        self._written([Message("user", "?")], {})

    async def ask(
        self,
        messages: Sequence[Message],
        sampling: Sampling,
        told: Mapping[str, Any] | None = None,
    ) -> ChatAnswer:
        """See `endoxa.schema.chat.ChatModel.ask`.

        With a seed, an answer depends on seed, settings and conversation only, up to rounding in the network.
        """
        del told  # for simulated respondents only
        refuse_unknown(self.name, sampling)
        text = self._written(messages, sampling.extra.get("chat_template_kwargs", {}))
        ids = self._ids(text)
        room = self._room(ids)
        if room <= 0:
            return ChatAnswer("", finish="error", error=self._too_long(ids))
        prompt = self._prompt(ids, sampling, room)
        generated = await self._batcher.submit(prompt)
        spoken = part_thoughts(
            text, self._checkpoint.tokenizer.decode(list(generated.ids), skip_special_tokens=True)
        )
        return ChatAnswer(
            spoken.text,
            finish="stop" if generated.ended else "length",
            usage=Usage(len(prompt.ids), len(generated.ids) + generated.ended),
            served_model=self.name,
            reasoning=spoken.reasoning,
        )

    async def close(self) -> None:
        """Stop at the next token and give the weights' memory back."""
        await self._batcher.close()
        self._checkpoint.network.to("meta")
        if self._checkpoint.device.type == "cuda":
            import torch

            torch.cuda.empty_cache()

    def _written(self, messages: Sequence[Message], arguments: Mapping[str, Any]) -> str:
        return render(self.name, self._checkpoint.tokenizer, self._template, messages, arguments)

    def _ids(self, text: str) -> tuple[int, ...]:
        # A template writes every special token itself, but for the end that encoders are used to.
        special = self._checkpoint.architecture == "encoder-decoder"
        return tuple(self._checkpoint.tokenizer(text, add_special_tokens=special)["input_ids"])

    def _room(self, ids: Sequence[int]) -> int:
        """Tokens that an answer to `ids` can have; 0 or less where they are too many already."""
        limit = self._checkpoint.max_tokens
        if limit is None:
            return sys.maxsize
        if self._checkpoint.architecture == "encoder-decoder":
            # It writes with positions of their own, the first of which begins the answer.
            return limit - 1 if len(ids) <= limit else 0
        return limit - len(ids)

    def _prompt(self, ids: tuple[int, ...], sampling: Sampling, room: int) -> Prompt:
        """The conversation ready for the network."""
        from endoxa.models.chat.generation import Prompt

        seed = secrets.randbits(64) if sampling.seed is None else sampling.seed
        return Prompt(ids, settings_of(sampling, self._own, room), seed)

    def _too_long(self, ids: Sequence[int]) -> str:
        return (
            f"the conversation has {len(ids)} tokens and the model reads at most {self._checkpoint.max_tokens}, "
            "the answer included"
        )


Request = TypeVar("Request")
Result = TypeVar("Result")
GATHERING = 0.01
"""Seconds given to callers that have just been answered to come back, before a batch that is not full starts."""

Compute = Callable[[Sequence[Request], Callable[[], bool]], Sequence[Result]]
"""Results of a batch in its order; may stop, with any results, once the second argument returns True."""


@dataclass(slots=True, eq=False)
class _Caller(Generic[Request, Result]):
    request: Request
    future: asyncio.Future[Result]


class Batcher(Generic[Request, Result]):
    """Gathers requests of concurrent callers into batches, and computes one batch after the other in a thread.

    No more is held than what callers wait for.

    Args:
        compute: computes a batch; its errors reach every caller of the batch, and no other.
        alike: requests with the same value may share a batch.
        size: most requests in a batch.
    """

    def __init__(
        self, compute: Compute[Request, Result], alike: Callable[[Request], Hashable], size: int
    ) -> None:
        self._compute, self._alike, self._size = compute, alike, size
        self._callers: list[_Caller[Request, Result]] = []
        self._serving: asyncio.Task[None] | None = None

    async def submit(self, request: Request) -> Result:
        """The result of `request`, computed with whatever else waits.

        Raises:
            Exception: what `compute` raised for the batch.
        """
        loop = asyncio.get_running_loop()
        caller: _Caller[Request, Result] = _Caller(request, loop.create_future())
        self._callers.append(caller)
        if self._serving is None or self._serving.done():
            self._serving = loop.create_task(self._serve())
        return await caller.future

    async def close(self) -> None:
        """Give up what is under way and what waits; callers are cancelled."""
        if self._serving is not None and not self._serving.done():
            self._serving.cancel()
            await asyncio.wait([self._serving])
        for caller in self._callers:
            caller.future.cancel()
        self._callers = []

    async def _serve(self) -> None:
        """Answer batch after batch until nobody waits."""
        while self._callers:
            if len(self._callers) < self._size:
                await asyncio.sleep(GATHERING)
            batch = self._next()
            if batch:
                await self._answer(batch)

    def _next(self) -> list[_Caller[Request, Result]]:
        """Take the caller who waits longest, and those who can share a batch with it."""
        waiting = [caller for caller in self._callers if not caller.future.done()]
        kind = self._alike(waiting[0].request) if waiting else None
        batch = [caller for caller in waiting if self._alike(caller.request) == kind][: self._size]
        taken = set(map(id, batch))
        self._callers = [caller for caller in waiting if id(caller) not in taken]
        return batch

    async def _answer(self, batch: Sequence[_Caller[Request, Result]]) -> None:
        given_up = threading.Event()

        def abandoned() -> bool:
            return given_up.is_set() or all(caller.future.cancelled() for caller in batch)

        requests = [caller.request for caller in batch]
        work = asyncio.ensure_future(asyncio.to_thread(self._compute, requests, abandoned))
        try:
            answered = list(zip(batch, await asyncio.shield(work), strict=True))
        except asyncio.CancelledError:
            for caller in batch:
                caller.future.cancel()
            given_up.set()
            # A thread cannot be cancelled: it is told, and waited for.
            await asyncio.wait([work])
            raise
        except Exception as problem:  # whatever it is, those who wait for it must hear of it
            for caller in batch:
                if not caller.future.done():
                    caller.future.set_exception(problem)
        else:
            for caller, result in answered:
                if not caller.future.done():
                    caller.future.set_result(result)
