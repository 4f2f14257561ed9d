"""Cut work into batches without padding, and survive running out of memory."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

import torch

from endoxa.errors import UserError

log = logging.getLogger(__name__)
Work = TypeVar("Work")
Result = TypeVar("Result")


def equal_length_batches(
    items: Sequence[Work], shape: Callable[[Work], tuple[int, ...]], tokens: int
) -> Iterator[list[Work]]:
    """Items of one shape together, at most `tokens` tokens (the sum of the shape, per item) in a batch.

    Within a batch nothing is padded, so no mask is needed and no work is wasted. Longest first: memory runs
    out at the start of a run or not at all.
    """
    ordered = sorted(items, key=shape, reverse=True)
    for lengths, same in groupby(ordered, key=shape):
        group = list(same)
        size = max(1, tokens // max(1, sum(lengths)))
        for start in range(0, len(group), size):
            yield group[start : start + size]


def halve_when_full(
    batch: Sequence[Work], compute: Callable[[Sequence[Work]], Sequence[Result]]
) -> Iterator[tuple[Work, Result]]:
    """Yield (item, result) for a batch; on running out of memory the batch is halved and tried again.

    Raises:
        UserError: even one item does not fit.
    """
    try:
        results = compute(batch)
    except (torch.OutOfMemoryError, MemoryError, RuntimeError) as problem:
        if not _out_of_memory(problem):
            raise
        if len(batch) == 1:
            raise UserError(
                "Out of memory with a single sentence in the batch: choose a smaller model, --dtype bfloat16, "
                "--four-bit, or a machine with more memory."
            ) from problem
    else:
        yield from zip(batch, results, strict=True)
        return
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    middle = len(batch) // 2
    log.warning("out of memory with %d sentences in the batch: going on with %d", len(batch), middle)
    yield from halve_when_full(batch[:middle], compute)
    yield from halve_when_full(batch[middle:], compute)


def _out_of_memory(problem: BaseException) -> bool:
    if isinstance(problem, torch.OutOfMemoryError | MemoryError):
        return True
    text = str(problem).lower()
    return "out of memory" in text or "can't allocate memory" in text or "not enough memory" in text
