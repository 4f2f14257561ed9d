"""Generate token ids for what waits together; every draw of a token belongs to its prompt, not to the batch."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, Generic, TypeVar

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import (
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    StoppingCriteria,
    StoppingCriteriaList,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from endoxa.errors import UserError
from endoxa.models.chat.templates import NO_STOPS, Stops
from endoxa.models.networks import halve_when_full

GATHERING = 0.01
"""Seconds given to callers that have just been answered to come back, before a batch that is not full starts."""

Request = TypeVar("Request")
Result = TypeVar("Result")


@dataclass(slots=True, eq=False)
class _Caller(Generic[Request, Result]):
    request: Request
    future: asyncio.Future[Result]

    def answer(self, result: Result) -> None:
        if not self.future.done():
            self.future.set_result(result)


class Batch(Generic[Request, Result]):
    """Requests that are computed together, as the thread sees them that computes them."""

    def __init__(self, callers: Sequence[_Caller[Request, Result]]) -> None:
        self._callers = callers
        self._loop = asyncio.get_running_loop()
        self._abandoned = threading.Event()
        self.requests = [caller.request for caller in callers]

    def abandoned(self) -> bool:
        """Whether nobody waits for the batch any more; it may then end with any results."""
        return self._abandoned.is_set() or all(caller.future.done() for caller in self._callers)

    def deliver(self, number: int, result: Result) -> None:
        """Hand out the result of one request while the others are computed."""
        self._loop.call_soon_threadsafe(self._callers[number].answer, result)

    def give_up(self) -> None:
        """Cancel the callers and tell the thread."""
        for caller in self._callers:
            caller.future.cancel()
        self._abandoned.set()


Compute = Callable[[Batch[Request, Result]], Sequence[Result]]
"""Results of a batch in its order."""


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
        in_batch = set(map(id, batch))
        self._callers = [caller for caller in waiting if id(caller) not in in_batch]
        return batch

    async def _answer(self, batch: Sequence[_Caller[Request, Result]]) -> None:
        together = Batch(batch)
        work = asyncio.ensure_future(asyncio.to_thread(self._compute, together))
        try:
            answered = list(zip(batch, await asyncio.shield(work), strict=True))
        except asyncio.CancelledError:
            together.give_up()
            # A thread cannot be cancelled: it is told, and waited for.
            await asyncio.wait([work])
            raise
        except Exception as problem:  # whatever it is, those who wait for it must hear of it
            for caller in batch:
                if not caller.future.done():
                    caller.future.set_exception(problem)
        else:
            for caller, result in answered:
                caller.answer(result)


BITS = 48
"""Bits of a draw: far below the resolution of any probability, and exact in 64-bit floats."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What all prompts of a batch share.

    Attributes:
        temperature: 0 takes the likeliest token.
        top_p: share of the probability mass that is drawn from, or None for all of it.
        top_k: number of likeliest tokens that are drawn from, or None for all.
        max_tokens: most tokens of an answer.
        stop: texts at which an answer ends.
    """

    temperature: float
    top_p: float | None
    top_k: int | None
    max_tokens: int
    stop: Stops = NO_STOPS


@dataclass(frozen=True)
class Prompt:
    """One conversation, ready for the network.

    Attributes:
        ids: its tokens.
        settings: how to draw.
        seed: seed of its draws.
    """

    ids: tuple[int, ...]
    settings: Settings
    seed: int

    @cached_property
    def key(self) -> bytes:
        """What its draws depend on besides the step: seed and tokens."""
        return blake2b(f"{self.seed}|{self.ids}".encode(), digest_size=32).digest()

    def uniform(self, step: int) -> float:
        """The draw of one step: uniform in [0, 1)."""
        digest = blake2b(step.to_bytes(4, "big"), key=self.key, digest_size=BITS // 8).digest()
        return float(int.from_bytes(digest, "big") / 2**BITS)


class Choice(LogitsProcessor):
    """Chooses each row's next token: the likeliest at temperature 0, else a draw, the same in whatever batch.

    A row's draw is the inverse of its distribution function at `Prompt.uniform(step)`, which is an exact draw from the
    distribution after temperature, top-k and top-p, in this order.

    Args:
        batch: the prompts, one for each row.
        begin: tokens in each row before its answer begins.
    """

    def __init__(self, batch: Sequence[Prompt], begin: int) -> None:
        self._batch, self._begin = batch, begin
        settings = batch[0].settings
        self._warpers: list[Any] = []
        self._greedy = settings.temperature == 0
        if not self._greedy:
            self._warpers.append(TemperatureLogitsWarper(float(settings.temperature)))
        if settings.top_k:
            self._warpers.append(TopKLogitsWarper(settings.top_k))
        if settings.top_p is not None and settings.top_p < 1:
            self._warpers.append(TopPLogitsWarper(settings.top_p))

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Scores in which only the chosen token of each row is left (rows x vocabulary).

        Raises:
            UserError: the network gives no numbers.
        """
        if torch.isnan(scores).any():
            raise UserError(
                "The model's output is not a number (overflow in half precision): choose --dtype float32 or bfloat16."
            )
        if self._greedy:
            return scores
        for warper in self._warpers:
            scores = warper(input_ids, scores)
        step = input_ids.shape[1] - self._begin
        # 64-bit floats, which Apple's GPUs do not have, keep the sum over large vocabularies exact enough.
        exact = (scores.cpu() if scores.device.type == "mps" else scores).double()
        cumulative = exact.softmax(-1).cumsum(-1)
        draws = torch.tensor([[prompt.uniform(step)] for prompt in self._batch], dtype=torch.float64)
        reached = draws.to(cumulative.device) * cumulative[:, -1:]
        chosen = torch.searchsorted(cumulative, reached, right=True).to(scores.device)
        return torch.full_like(scores, -torch.inf).scatter(1, chosen, 0.0)


@dataclass(frozen=True, slots=True)
class Generated:
    """What the network wrote for one prompt.

    Attributes:
        ids: tokens up to, and without, the end token.
        ended: it came to an end by itself.
    """

    ids: tuple[int, ...]
    ended: bool


class Generator:
    """Generates with a Hugging Face network.

    Of the checkpoint's own generation settings only those that say where an answer begins and ends are kept: a penalty
    on repeated words would weigh the options of a question against each other, and beams are no draw.

    Args:
        network: a causal or encoder-decoder network that can generate.
        tokenizer: names the end and padding tokens.
    """

    def __init__(self, network: Any, tokenizer: Any) -> None:
        config = network.generation_config
        listed = config.eos_token_id if isinstance(config.eos_token_id, list) else [config.eos_token_id]
        self.ends = tuple(sorted({token for token in (*listed, tokenizer.eos_token_id) if token is not None}))
        candidates = (tokenizer.pad_token_id, config.pad_token_id, *self.ends, 0)
        self.padding = int(next(token for token in candidates if token is not None))
        self._end_ids = torch.tensor(self.ends, dtype=torch.long)
        self.written = 0  # tokens, for who shows how far the model is
        self._network, self._tokenizer = network, tokenizer
        network.generation_config = GenerationConfig(
            bos_token_id=config.bos_token_id,
            eos_token_id=list(self.ends) or None,
            pad_token_id=self.padding,
            decoder_start_token_id=config.decoder_start_token_id,
            forced_bos_token_id=config.forced_bos_token_id,
        )

    def generate(self, batch: Batch[Prompt, Generated]) -> list[Generated]:
        """Answers in the order of `batch`, whose prompts share their settings; each is delivered when it has ended.

        Padding changes a result by rounding only. Out of memory halves the batch. Once the batch is abandoned, what
        was written so far is returned.

        Raises:
            UserError: not even one prompt fits into memory, or the network gives no numbers.
        """
        numbers = range(len(batch.requests))
        answers = dict(halve_when_full(numbers, lambda part: self._run(part, batch)))
        return [answers[number] for number in numbers]

    @torch.inference_mode()
    def _run(self, numbers: Sequence[int], batch: Batch[Prompt, Generated]) -> list[Generated]:
        """Answers to the prompts of these numbers."""
        prompts = [batch.requests[number] for number in numbers]
        encoded = bool(self._network.config.is_encoder_decoder)
        # A causal network goes on where the prompt ends; an encoder counts positions from where it begins.
        side = "right" if encoded else "left"
        ids = self._padded([prompt.ids for prompt in prompts], self.padding, side)
        mask = self._padded([(1,) * len(prompt.ids) for prompt in prompts], 0, side)
        begin = 1 if encoded else ids.shape[1]

        def follow(written: torch.Tensor, pending: list[int]) -> bool:
            self.written += len(pending)
            ended = torch.isin(written[:, -1], self._end_ids.to(written.device)).tolist()
            for row in [row for row in pending if ended[row]]:
                pending.remove(row)
                batch.deliver(numbers[row], self._cut(written[row, begin:].tolist()))
            return batch.abandoned()

        try:
            with _left_once(batch.abandoned, self._network):
                output = self._network.generate(
                    input_ids=ids,
                    attention_mask=mask,
                    max_new_tokens=prompts[0].settings.max_tokens,
                    do_sample=False,
                    num_beams=1,
                    logits_processor=LogitsProcessorList([Choice(prompts, begin)]),
                    stopping_criteria=StoppingCriteriaList(
                        [
                            EachToken(follow, len(prompts)),
                            Reached(prompts[0].settings.stop, self._tokenizer, begin),
                        ]
                    ),
                )
        except _AbandonedError:
            return [Generated((), ended=False) for _ in prompts]
        return [self._cut(row) for row in output[:, begin:].tolist()]

    def _padded(self, rows: Sequence[Sequence[int]], value: int, side: str) -> torch.Tensor:
        tensors = [torch.tensor(row) for row in rows]
        padded = pad_sequence(tensors, batch_first=True, padding_value=value, padding_side=side)
        return padded.to(self._network.device)

    def _cut(self, written: Sequence[int]) -> Generated:
        end = next((place for place, token in enumerate(written) if token in self.ends), None)
        return Generated(tuple(written[:end]), end is not None)


class _AbandonedError(Exception):
    """Nobody waits for the batch any more."""


@contextmanager
def _left_once(abandoned: Callable[[], bool], network: Any) -> Iterator[None]:
    """In this block the network is left between two of its layers: reading long prompts can take minutes.

    Raises:
        _AbandonedError: nobody waits for what it computes.
    """

    def leave(*_: Any) -> None:
        if abandoned():
            raise _AbandonedError

    stacks = (module for module in network.modules() if isinstance(module, torch.nn.ModuleList))
    hooks = [layer.register_forward_pre_hook(leave) for stack in stacks for layer in stack]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


class EachToken(StoppingCriteria):
    """Calls a function after each token, with what is written and the rows that had not ended; it may end all."""

    def __init__(self, follow: Callable[[torch.Tensor, list[int]], bool], rows: int) -> None:
        self._follow, self._pending = follow, list(range(rows))

    def __call__(self, input_ids: Any, _scores: Any, **_kwargs: Any) -> Any:
        """The same answer for every row."""
        end = self._follow(input_ids, self._pending)
        return torch.full((input_ids.shape[0],), end, device=input_ids.device)


STOP_TOKENS = 64
"""Tokens at the end of an answer in which a text that ends it is looked for."""


class Reached(StoppingCriteria):
    """Ends the rows whose answer holds a text at which it is to end.

    Args:
        stops: the texts.
        tokenizer: writes tokens as text.
        begin: tokens in each row before its answer begins.
    """

    def __init__(self, stops: Stops, tokenizer: Any, begin: int) -> None:
        self._stops, self._tokenizer, self._begin = stops, tokenizer, begin

    def __call__(self, input_ids: Any, _scores: Any, **_kwargs: Any) -> Any:
        """Whether each row is at its end."""
        ended = [False] * len(input_ids)
        if self._stops != NO_STOPS:
            last = input_ids[:, self._begin :][:, -STOP_TOKENS:].tolist()
            written = self._tokenizer.batch_decode(last, skip_special_tokens=False)
            ended = [self._stops.find(answer) is not None for answer in written]
        return torch.tensor(ended, device=input_ids.device)
