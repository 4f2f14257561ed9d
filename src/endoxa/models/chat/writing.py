"""Answers written side by side: rows leave when they have ended, and prompts that wait take their places."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from endoxa.models.causal import Ids
from endoxa.models.chat.batcher import Batch
from endoxa.models.chat.draws import Generated, Prompt, next_tokens
from endoxa.models.chat.graphs import GraphedMemory
from endoxa.models.chat.slots import Memory, Slots
from endoxa.models.networks import refuse_unless_memory

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
