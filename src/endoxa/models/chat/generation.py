"""Generate token ids for what waits together: side by side, or with `generate` of transformers.

The draw of every token belongs to its prompt and not to the batch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import (
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    StoppingCriteriaList,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from endoxa.errors import UserError
from endoxa.models.causal import Ids
from endoxa.models.chat.batcher import Batch
from endoxa.models.chat.slots import GraphedMemory, Memory, Slots
from endoxa.models.chat.templates import NO_STOPS, Generated, Prompt, Stops
from endoxa.models.networks import halve_when_full, refuse_unless_memory

REFILL = 8
"""Prompts that wait are read when this part (one over it) of the places is free: reading a single one takes a step.
Rows that have ended are let go when they are this part of all: that copies the keys and values of all others."""
READ_TOKENS = 8192
"""Most tokens, with padding, that are read at a time."""


@dataclass(slots=True)
class Row:
    """An answer under way.

    Attributes:
        number: of the request in its batch.
        prompt: what is answered.
        written: tokens of the answer so far.
        ended: it is complete; the row is still there because letting it go would cost more than computing it.
    """

    number: int
    prompt: Prompt
    written: list[int] = field(default_factory=list)
    ended: bool = False

    @property
    def ids(self) -> Ids:
        """All its tokens."""
        return (*self.prompt.ids, *self.written)

    @property
    def length(self) -> int:
        """How many these are."""
        return len(self.prompt.ids) + len(self.written)


def write(
    batch: Batch[Prompt, Generated],
    slots: Slots,
    finished: Callable[[Row], Generated | None],
    wrote: Callable[[int], None],
    size: int,
) -> list[Generated]:
    """Answers to all requests of a batch, which grows while it is computed; each is delivered when it has ended.

    A row that memory has no room for is read again later, with what it has written.

    Args:
        batch: prompts that share their settings.
        slots: of the network.
        finished: the answer of a row that has ended, else None.
        wrote: is told how many tokens were written.
        size: most rows.

    Raises:
        UserError: not even one prompt fits into memory, or the network gives no numbers.
    """
    answers: dict[int, Generated] = {}
    waiting = deque(Row(number, prompt) for number, prompt in enumerate(batch.requests))
    rows: list[Row] = []
    memory: Memory | GraphedMemory | None = None
    while not batch.abandoned():
        if not waiting and size - len(rows) >= max(1, size // REFILL):
            waiting.extend(Row(number, prompt) for number, prompt in batch.more(size - len(rows)))
        fresh = _next_to_read(waiting, size - len(rows))
        if not rows and not fresh:
            break
        try:
            places = min(size, len(rows) + len(fresh) + len(waiting))
            memory = _one_token(slots, rows, fresh, memory, places)
        except (torch.OutOfMemoryError, MemoryError, RuntimeError) as problem:
            again = [row for row in (*rows, *fresh) if not row.ended]
            size = len(again) // 2
            refuse_unless_memory(problem, size)
            waiting.extendleft(reversed(again))
            rows, memory = [], None
            slots.forget()
            continue
        wrote(sum(not row.ended for row in fresh or rows))
        rows += fresh
        for row in rows:
            if not row.ended and (answer := finished(row)) is not None:
                row.ended = True
                answers[row.number] = answer
                batch.deliver(row.number, answer)
        staying = [place for place, row in enumerate(rows) if not row.ended]
        if len(rows) - len(staying) >= max(1, len(rows) // REFILL):
            rows, memory = [rows[place] for place in staying], _kept(memory, staying, len(rows))
    return [answers.get(number, Generated((), ended=False)) for number in range(len(batch.requests))]


def _next_to_read(waiting: deque[Row], places: int) -> list[Row]:
    """The rows that are read together, taken from those that wait."""
    fresh: list[Row] = []
    longest = 0
    while waiting and len(fresh) < places:
        longest = max(longest, waiting[0].length)
        if fresh and longest * (len(fresh) + 1) > READ_TOKENS:
            break
        fresh.append(waiting.popleft())
    return fresh


def _one_token(
    slots: Slots, rows: list[Row], fresh: list[Row], memory: Memory | GraphedMemory | None, places: int
) -> Memory | GraphedMemory:
    """Write one token: the first of the fresh rows, or else the next of all."""
    if fresh:
        read, scores = slots.read([row.ids for row in fresh])
        memory = slots.joined(memory, read, [row.length for row in fresh], places)
    else:
        assert memory is not None
        scores = slots.go_on(memory, [row.written[-1] for row in rows], [row.length - 1 for row in rows])
    changed = fresh or rows
    tokens = next_tokens([row.prompt for row in changed], [len(row.written) for row in changed], scores)
    for row, token in zip(changed, tokens.tolist(), strict=True):
        if not row.ended:
            row.written.append(token)
    return memory


def _kept(memory: Memory | GraphedMemory, staying: list[int], rows: int) -> Memory | GraphedMemory | None:
    if len(staying) < rows and staying:
        memory.keep(staying)
    return memory if staying else None


STOP_TOKENS = 64
"""Tokens at the end of an answer in which a text that ends it is looked for."""


def next_tokens(prompts: Sequence[Prompt], steps: Sequence[int], scores: torch.Tensor) -> torch.Tensor:
    """The next token of each row: the likeliest at temperature 0, else a draw, the same in whatever batch.

    A row's draw is the inverse of its distribution function at `Prompt.uniform(step)`, which is an exact draw from the
    distribution after temperature, top-k and top-p, in this order.

    Args:
        prompts: one for each row; they share how tokens are drawn.
        steps: tokens that each has written.
        scores: of the network (rows x vocabulary).

    Raises:
        UserError: the network gives no numbers.
    """
    if torch.isnan(scores).any():
        raise UserError(
            "The model's output is not a number (overflow in half precision): choose --set dtype=float32 or bfloat16."
        )
    settings = prompts[0].settings
    if settings.temperature == 0:
        return scores.argmax(-1)
    warpers: list[Any] = [TemperatureLogitsWarper(float(settings.temperature))]
    if settings.top_k:
        warpers.append(TopKLogitsWarper(settings.top_k))
    if settings.top_p is not None and settings.top_p < 1:
        warpers.append(TopPLogitsWarper(settings.top_p))
    for warper in warpers:
        scores = warper(None, scores)
    # 64-bit floats, which Apple's GPUs do not have, keep the sum over large vocabularies exact enough.
    exact = (scores.cpu() if scores.device.type == "mps" else scores).double()
    cumulative = exact.softmax(-1).cumsum(-1)
    uniform = [[prompt.uniform(step)] for prompt, step in zip(prompts, steps, strict=True)]
    reached = torch.tensor(uniform, dtype=torch.float64, device=cumulative.device) * cumulative[:, -1:]
    return torch.searchsorted(cumulative, reached, right=True)[:, 0].to(scores.device)


class Choice(LogitsProcessor):
    """Leaves `generate` of transformers no token but the one of `next_tokens`.

    Args:
        batch: the prompts, one for each row.
        begin: tokens in each row before its answer begins.
    """

    def __init__(self, batch: Sequence[Prompt], begin: int) -> None:
        self._batch, self._begin = batch, begin

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Scores in which only the chosen token of each row is left (rows x vocabulary).

        Raises:
            UserError: the network gives no numbers.
        """
        step = input_ids.shape[1] - self._begin
        chosen = next_tokens(self._batch, [step] * len(self._batch), scores)
        return torch.full_like(scores, -torch.inf).scatter(1, chosen[:, None], 0.0)


class Generator:
    """Generates with a Hugging Face network.

    Of the checkpoint's own generation settings only those that say where an answer begins and ends are kept: a penalty
    on repeated words would weigh the options of a question against each other, and beams are no draw.

    Args:
        network: a causal or encoder-decoder network that can generate.
        tokenizer: names the end and padding tokens.
        size: most answers written side by side.
    """

    def __init__(self, network: Any, tokenizer: Any, size: int) -> None:
        config = network.generation_config
        listed = config.eos_token_id if isinstance(config.eos_token_id, list) else [config.eos_token_id]
        self.ends = tuple(sorted({token for token in (*listed, tokenizer.eos_token_id) if token is not None}))
        candidates = (tokenizer.pad_token_id, config.pad_token_id, *self.ends, 0)
        self.padding = int(next(token for token in candidates if token is not None))
        self._end_ids = torch.tensor(self.ends, dtype=torch.long)
        self.written = 0  # tokens, for who shows how far the model is
        self._network, self._tokenizer, self._size = network, tokenizer, size
        self._slots = Slots(network)
        self._texts: dict[int, str] = {}
        network.generation_config = GenerationConfig(
            bos_token_id=config.bos_token_id,
            eos_token_id=list(self.ends) or None,
            pad_token_id=self.padding,
            decoder_start_token_id=config.decoder_start_token_id,
            forced_bos_token_id=config.forced_bos_token_id,
        )

    def generate(self, batch: Batch[Prompt, Generated]) -> list[Generated]:
        """Answers in the order of `batch`, whose prompts share how they are drawn; each is delivered when it has ended.

        Where the network can, prompts that wait take the places of answers that have ended. Padding changes a result by
        rounding only. Out of memory halves what is written side by side. Once the batch is abandoned, what was written
        so far is returned.

        Raises:
            UserError: not even one prompt fits into memory, or the network gives no numbers.
        """
        if self._refills:
            return self._write(batch)
        numbers = range(len(batch.requests))
        answers = dict(halve_when_full(numbers, lambda part: self._run(part, batch)))
        return [answers[number] for number in numbers]

    @cached_property
    def _refills(self) -> bool:
        """Whether a row that has ended can make room for another."""
        return not self._network.config.is_encoder_decoder and self._slots.joins_exactly()

    @torch.inference_mode()
    def _write(self, batch: Batch[Prompt, Generated]) -> list[Generated]:
        def wrote(tokens: int) -> None:
            self.written += tokens

        with suppress(_AbandonedError), _left_once(batch.abandoned, self._network):
            return write(batch, self._slots, self._finished, wrote, self._size)
        return [Generated((), ended=False) for _ in batch.requests]

    def _finished(self, row: Row) -> Generated | None:
        """The answer of a row that is at its end, at a text that ends it, or at its limit."""
        if row.written[-1] in self.ends:
            return self._cut(row.written)
        settings = row.prompt.settings
        at_limit = len(row.written) >= settings.max_tokens
        return self._cut(row.written) if at_limit or self._at_stop(settings.stop, row.written) else None

    def _at_stop(self, stops: Stops, written: Sequence[int]) -> bool:
        if stops == NO_STOPS or not self._completes(stops, written[-1]):
            return False
        last = self._tokenizer.decode(list(written[-STOP_TOKENS:]), skip_special_tokens=False)
        return stops.find(last) is not None

    def _completes(self, stops: Stops, token: int) -> bool:
        """Whether a text that ends an answer may end in this token; decoding for every row takes as long as a step.

        Alone, a token may lack a blank at its beginning, and a part of a character cannot be read.
        """
        if token not in self._texts:
            self._texts[token] = self._tokenizer.decode([token], skip_special_tokens=False)
        text = self._texts[token]
        ends = {stop[-1] for stop in (*stops.texts, stops.next_turn) if stop}
        return not text or "\ufffd" in text or " " in ends or any(end in text for end in ends)

    @torch.inference_mode()
    def _run(self, numbers: Sequence[int], batch: Batch[Prompt, Generated]) -> list[Generated]:
        """Answers to the prompts of these numbers."""
        rows = [Row(number, batch.requests[number]) for number in numbers]
        prompts = [row.prompt for row in rows]
        encoded = bool(self._network.config.is_encoder_decoder)
        # A causal network goes on where the prompt ends; an encoder counts positions from where it begins.
        side = "right" if encoded else "left"
        ids = self._padded([prompt.ids for prompt in prompts], self.padding, side)
        mask = self._padded([(1,) * len(prompt.ids) for prompt in prompts], 0, side)
        begin = 1 if encoded else ids.shape[1]
        answers: dict[int, Generated] = {}

        def ended(written: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
            """Whether each row has ended, after each token."""
            for row, tokens in zip(rows, written[:, begin:].tolist(), strict=True):
                if not row.ended:
                    self.written += 1
                    row.written = tokens
                    if (answer := self._finished(row)) is not None:
                        row.ended, answers[row.number] = True, answer
                        batch.deliver(row.number, answer)
            over = batch.abandoned()
            return torch.tensor([over or row.ended for row in rows], device=written.device)

        with suppress(_AbandonedError), _left_once(batch.abandoned, self._network):
            self._network.generate(
                input_ids=ids,
                attention_mask=mask,
                max_new_tokens=max(prompt.settings.max_tokens for prompt in prompts),
                do_sample=False,
                num_beams=1,
                logits_processor=LogitsProcessorList([Choice(prompts, begin)]),
                stopping_criteria=StoppingCriteriaList([ended]),
            )
        return [answers.get(number, Generated((), ended=False)) for number in numbers]

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
