"""Hugging Face weights that answer conversations in this process, with the tokenizer's chat template.

Settings of the draw are those asked for, and the checkpoint's own where none are.
"""

from __future__ import annotations

import asyncio
import inspect
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import regex

from endoxa.errors import UserError
from endoxa.models.chat.batcher import Batcher
from endoxa.models.chat.spec import ChatOptions, ChatSpec, Lost, Provider
from endoxa.models.chat.templates import (
    Prompt,
    Settings,
    Stops,
    Template,
    find_template,
    next_turn_of,
    render,
    stops_of,
)
from endoxa.models.chat.thoughts import Spoken, part_thoughts
from endoxa.models.live import LIVE, Function, Weights, called, checkpoint_of, fingerprint, offered_for_chat
from endoxa.models.spec import LOCAL_INSTALL, LOCAL_LIBRARIES, ModelOptions, ModelSpec, require_local
from endoxa.models.special_tokens import AS_TEXT, MARK, SpecialTokens
from endoxa.schema.chat import ChatAnswer, ChatModel, Message, Sampling, Usage
from endoxa.schema.finish import ERROR, LENGTH, STOP, THOUGHTS_ONLY
from endoxa.schema.options import deciding

if TYPE_CHECKING:
    from endoxa.models.checkpoint import Checkpoint


USUAL_TOKENS = 512
"""Most tokens of an answer, where nothing else is asked for."""
EXTRA_SETTINGS = ("top_k", "stop", "chat_template_kwargs")
"""Further settings that are understood, by the names that vLLM's server has for them."""


def own_settings(config: Any) -> Settings:
    """The checkpoint's own settings of the draw (`transformers.GenerationConfig`), taken where none are asked for."""
    temperature = 1.0 if config.temperature is None else float(config.temperature)
    return Settings(temperature if config.do_sample else 0.0, config.top_p, config.top_k, USUAL_TOKENS)


def refuse_unknown(name: str, sampling: Sampling) -> None:
    """Refuse settings that would be left out silently.

    Raises:
        UserError: an effort of reasoning, or a field that is not understood.
    """
    if sampling.reasoning is not None:
        raise UserError(
            f"The model '{name}' runs in this process, where no effort of reasoning can be set: leave out reasoning "
            "(models that think do so, and their thoughts are kept apart from the answer)."
        )
    unknown = [field for field in sampling.extra if field not in EXTRA_SETTINGS]
    if unknown:
        raise UserError(
            f"The model '{name}' runs in this process, which does not understand the setting '{unknown[0]}': it "
            f"understands {', '.join(EXTRA_SETTINGS)}."
        )


def model_options(options: ChatOptions, *, packed_weights: bool = True) -> ModelOptions:
    """How weights are loaded; packed where they are looked at or scored instead of asked."""
    shared = {field.name for field in fields(ModelOptions)} & {field.name for field in fields(options)}
    return ModelOptions(**{name: getattr(options, name) for name in shared}, packed_weights=packed_weights)


def _as_model(spec: ChatSpec) -> ModelSpec:
    return ModelSpec(spec.text, "hf", spec.served_name)


def identity_of_weights(spec: ChatSpec, options: ChatOptions) -> Mapping[str, Any]:
    """What of local weights decides the answers: their files, type and revision.

    Raises:
        UserError: torch is missing, or the model is not there.
    """
    require_local(spec.text)
    from endoxa.models.local import look_at_local

    return {
        "name": spec.text,
        "fingerprint": look_at_local(_as_model(spec), model_options(options)).fingerprint,
        **deciding(options, of_models=True),
    }


def open_local_chat(spec: ChatSpec, options: ChatOptions, _lost: Lost) -> LocalChat:
    """Load weights, tokenizer and chat template.

    Raises:
        UserError: the model cannot be had or cannot write, or nothing says how a conversation is
            written for it.
    """
    from endoxa.models.local import load_checkpoint

    return as_chat(load_checkpoint(_as_model(spec), model_options(options, packed_weights=False)), options)


def as_chat(checkpoint: Checkpoint, options: ChatOptions, *, keep: bool = False) -> LocalChat:
    """Loaded weights as a chat model.

    Args:
        checkpoint: weights and tokenizer.
        options: chat template and size of batches.
        keep: the weights stay in memory when the model is closed, because somebody else holds them.

    Raises:
        UserError: the model cannot write, or nothing says how a conversation is written for it.
    """
    if checkpoint.architecture == "masked" or not checkpoint.network.can_generate():
        raise UserError(
            f"The model '{checkpoint.name}' is a {checkpoint.architecture} language model that cannot write an answer: "
            "name one that was trained to chat."
        )
    template = find_template(checkpoint.name, checkpoint.tokenizer, options.chat_template)
    from endoxa.models.chat.slots import usual_places

    places = options.batch_size or usual_places(checkpoint.network, checkpoint.device)
    return LocalChat(checkpoint, template, places, keep=keep)


class LocalChat:
    """A chat model in this process. Conversations that wait together are generated together.

    Args:
        checkpoint: loaded weights and tokenizer.
        template: how conversations are written for them.
        batch_size: most conversations generated at once.
        keep: see `as_chat`.
    """

    def __init__(
        self, checkpoint: Checkpoint, template: Template, batch_size: int, *, keep: bool = False
    ) -> None:
        from endoxa.models.chat.generation import Generator

        self.name = checkpoint.name
        self._checkpoint, self._template, self._batch_size = checkpoint, template, batch_size
        self._keep = keep
        self._next_turn = next_turn_of(checkpoint.name, checkpoint.tokenizer, template)
        self._special = SpecialTokens.of(checkpoint.tokenizer)
        self._own = own_settings(checkpoint.network.generation_config)
        self._generator = Generator(checkpoint.network, checkpoint.tokenizer, batch_size)
        self._batcher = Batcher(
            self._generator.generate, lambda prompt: replace(prompt.settings, max_tokens=0), batch_size
        )

    @property
    def tokens_written(self) -> int:
        """See `endoxa.schema.chat.CountsTokens`."""
        return self._generator.written

    def describe(self) -> Mapping[str, Any]:
        """What was loaded, the chat template, and the checkpoint's own settings of the draw."""
        return {
            **self._checkpoint.facts,
            "provider": "hf",
            "chat_template": {"source": self._template.source, "sha256": self._template.sha256},
            **({"ends_at": self._next_turn} if self._next_turn else {}),
            "own_sampling": {name: getattr(self._own, name) for name in ("temperature", "top_p", "top_k")},
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
        written = self._written(messages, sampling.extra.get("chat_template_kwargs", {}))
        text, ids = written.replace(MARK, ""), self._ids(written)
        if problem := self._unread(written):
            return ChatAnswer("", finish=ERROR, error=problem)
        room = self._room(ids)
        if room <= 0:
            return ChatAnswer(
                "",
                finish=ERROR,
                error=(
                    f"the conversation has {len(ids)} tokens and the model reads at most "
                    f"{self._checkpoint.max_tokens}, "
                    "the answer included"
                ),
            )
        prompt = self._prompt(ids, sampling, room)
        generated = await self._batcher.submit(prompt)
        spoken, stopped = self._spoken(generated.ids, text, prompt.settings.stop)
        ended = THOUGHTS_ONLY if spoken.unfinished else STOP
        return ChatAnswer(
            spoken.text,
            finish=ended if generated.ended or stopped else LENGTH,
            usage=Usage(len(prompt.ids), len(generated.ids) + generated.ended),
            served_model=self.name,
            reasoning=spoken.reasoning,
        )

    def _spoken(self, ids: Sequence[int], prompt: str, stops: Stops) -> tuple[Spoken, bool]:
        """What was written, without special tokens, and whether it ended at a text at which it was to end.

        Some models mark their thoughts by special tokens.
        """
        tokenizer = self._checkpoint.tokenizer
        texts = [tokenizer.decode(list(ids), skip_special_tokens=skip) for skip in (True, False)]
        ends = [stops.find(text) for text in texts]
        plain, marked = (part_thoughts(text[:end], prompt) for text, end in zip(texts, ends, strict=True))
        stopped = ends[0] is not None
        if plain.reasoning or not marked.reasoning:
            return plain, stopped
        special = regex.compile("|".join(map(regex.escape, tokenizer.all_special_tokens)))
        return replace(
            marked, text=special.sub("", marked.text), reasoning=special.sub("", marked.reasoning).strip()
        ), stopped

    async def close(self) -> None:
        """Stop at the next token and give the weights' memory back."""
        await self._batcher.close()
        if self._keep:
            return
        self._checkpoint.network.to("meta")
        if self._checkpoint.device.type == "cuda":
            import torch

            torch.cuda.empty_cache()

    def _written(self, messages: Sequence[Message], arguments: Mapping[str, Any]) -> str:
        marked = [Message(message.role, self._special.marked(message.content)) for message in messages]
        return render(self.name, self._checkpoint.tokenizer, self._template, marked, arguments)

    def _ids(self, written: str) -> tuple[int, ...]:
        """Token ids of a conversation: special tokens are those of the template, none of the messages."""
        tokenizer, ids = self._checkpoint.tokenizer, []
        for place, part in enumerate(written.split(MARK)):
            how = AS_TEXT if place % 2 else {}
            ids += tokenizer(part, add_special_tokens=False, **how)["input_ids"]
        if self._checkpoint.architecture == "encoder-decoder":
            # A template writes every special token itself, but for those around a text that encoders are used to.
            framed = tokenizer("a", return_special_tokens_mask=True)
            mask = framed["special_tokens_mask"]
            first, behind = mask.index(0), len(mask) - mask[::-1].index(0)
            ids = [*framed["input_ids"][:first], *ids, *framed["input_ids"][behind:]]
        return tuple(ids)

    def _unread(self, written: str) -> str:
        """Why a conversation cannot be read as it is, or empty: a special token in it cannot be read as text."""
        for literal in written.split(MARK)[1::2]:
            ids = self._checkpoint.tokenizer(literal, add_special_tokens=False, **AS_TEXT)["input_ids"]
            if problem := self._special.problem(ids):
                return problem
        return ""

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
        """The conversation ready for the network; what is not asked for is drawn as the checkpoint has it."""
        own, seed = self._own, sampling.seed
        settings = Settings(
            temperature=own.temperature if sampling.temperature is None else sampling.temperature,
            top_p=own.top_p if sampling.top_p is None else sampling.top_p,
            top_k=sampling.extra.get("top_k", own.top_k),
            max_tokens=min(room, sampling.max_tokens or own.max_tokens),
            stop=stops_of(sampling, self._next_turn),
        )
        return Prompt(ids, settings, secrets.randbits(64) if seed is None else seed)


WEIGHTS = Provider(
    name="hf",
    kind="hf",
    open=open_local_chat,
    free=True,
    unpriced="free (runs here)",
    runs_here=True,
    likelihoods=True,
    schemas=False,
    identity=identity_of_weights,
    libraries=LOCAL_LIBRARIES,
    install=LOCAL_INSTALL,
)


def identity_in_memory(spec: ChatSpec, _options: ChatOptions) -> Mapping[str, Any]:
    """What decides the answers: the weights, or the function as far as its name tells."""
    model = offered_for_chat(spec.text)
    if isinstance(model, Weights):
        return {"name": spec.text, "fingerprint": fingerprint(model.network)}
    return {"name": spec.text, "function": called(model)}


def open_live_chat(spec: ChatSpec, options: ChatOptions, lost: Lost) -> ChatModel:
    """Weights in memory with their chat template, or a function that answers.

    Raises:
        UserError: the weights cannot write, or have no chat template.
    """
    del lost  # nobody sends a bill
    model = offered_for_chat(spec.text)
    if not isinstance(model, Weights):
        return FunctionChat(spec.text, model)
    model_spec = ModelSpec(spec.text, LIVE, spec.served_name, in_memory=True)
    return as_chat(
        checkpoint_of(model_spec, model_options(options, packed_weights=False)), options, keep=True
    )


class FunctionChat:
    """A function as a chat model.

    Args:
        name: the words that name it.
        function: takes a list of {"role": ..., "content": ...} and returns the answer. Settings of the draw
            (`temperature`, `max_tokens`, `seed`) are handed to parameters of these names. It may be a coroutine;
            otherwise it runs in a thread, so that several calls are under way at once.
    """

    def __init__(self, name: str, function: Function) -> None:
        self.name, self._function = name, function
        parameters = inspect.signature(function).parameters
        anything = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
        self._takes = [
            word for word in ("temperature", "max_tokens", "seed") if anything or word in parameters
        ]

    def describe(self) -> Mapping[str, Any]:
        """Its name in the program."""
        return {"name": self.name, "provider": LIVE, "function": called(self._function)}

    async def check(self) -> None:
        """A function is there."""

    async def ask(
        self, messages: Sequence[Message], sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        """See `endoxa.schema.chat.ChatModel.ask`.

        Raises:
            UserError: the function raised, or returned something else than text.
        """
        del told  # for simulated respondents only
        conversation = [{"role": message.role, "content": message.content} for message in messages]
        settings = {word: getattr(sampling, word) for word in self._takes}
        try:
            if inspect.iscoroutinefunction(self._function):
                answer = await self._function(conversation, **settings)
            else:
                answer = await asyncio.to_thread(self._function, conversation, **settings)
        except Exception as problem:
            raise UserError(
                f"The function of '{self.name}' raised {type(problem).__name__}: {problem}. Answers so far are kept."
            ) from problem
        if not isinstance(answer, str):
            raise UserError(
                f"The function of '{self.name}' returned {type(answer).__name__}; it must return the answer as text."
            )
        return ChatAnswer(answer, served_model=self.name)

    async def close(self) -> None:
        """Nothing to give back."""


IN_MEMORY = Provider(
    name=LIVE,
    kind=LIVE,
    open=open_live_chat,
    free=True,
    unpriced="free (your own function)",
    likelihoods=True,
    identity=identity_in_memory,
)
