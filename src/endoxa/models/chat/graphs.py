"""Steps of many answers that a GPU replays: recorded once as a CUDA graph, with keys and values at fixed addresses.

To write one token for each of 256 answers a GPU needs less time than Python needs to name its thousand kernels. So
every answer has a place of fixed size, where its tokens stand from the left; a mask made from positions hides what is
behind them, and the whole step is recorded once for all places. Without a GPU the same step runs as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

LEAST_ROWS, LEAST_LENGTH = 8, 256
"""Answers and tokens of the smallest memory; both double when they do not suffice."""
WARM_UP = 2
"""Steps before one is recorded: what libraries set up at first use cannot be recorded."""


class Place(DynamicLayer):
    """Keys and values of one layer (rows x heads x length x width), each row with a column to write to next.

    Args:
        keys: at their fixed address.
        values: likewise.
        columns: of the next token of each row (rows).
    """

    def __init__(self, keys: torch.Tensor, values: torch.Tensor, columns: torch.Tensor) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.keys, self.values, self.is_initialized = keys, values, True
        self._fixed = keys, values
        self._columns, self._rows = columns, torch.arange(len(columns), device=columns.device)

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write the token of each row into its column."""
        for fixed, states in zip(self._fixed, (key_states, value_states), strict=True):
            fixed[self._rows, :, self._columns] = states[:, :, 0]
        return self._fixed


class GraphedMemory:
    """What a network has read of some rows, at fixed addresses, and the step that goes on with all of them.

    Args:
        network: a causal network of transformers whose layers all see everything before a token.
        like: keys and values of every layer, whose heads and widths the memory has.
        rows: that it has room for; more make it grow.
    """

    def __init__(self, network: Any, like: Sequence[Any], rows: int) -> None:
        self._network = network
        self._occupied: list[int] = []
        self._layers = [(layer.keys[:0, :, :0], layer.values[:0, :, :0]) for layer in like]
        self._allocate(doubled(LEAST_ROWS, rows), LEAST_LENGTH)

    def _allocate(self, rows: int, length: int) -> None:
        """Make it as large, one layer after the other, so that memory is never needed twice; a graph is void then."""
        device = self._layers[0][0].device
        self._rows, self._length = rows, length
        self._recorded: tuple[torch.cuda.CUDAGraph, torch.Tensor] | None = None
        self._tokens = torch.zeros(rows, 1, dtype=torch.long, device=device)
        self._positions = torch.zeros_like(self._tokens)
        self._columns = torch.arange(length, device=device)
        for number, before in enumerate(self._layers):
            self._layers[number] = (larger(before[0], rows, length), larger(before[1], rows, length))
        self._cache = DynamicCache()
        places: list[Any] = [Place(*layer, self._positions[:, 0]) for layer in self._layers]
        self._cache.layers = places

    def _make_room(self, rows: int, length: int) -> None:
        if rows > self._rows or length > self._length:
            self._allocate(doubled(self._rows, rows), doubled(self._length, length))

    def add(self, layers: Sequence[Any], inside: torch.Tensor, lengths: Sequence[int]) -> None:
        """Let rows join.

        Args:
            layers: their keys and values.
            inside: 1 where they have a token, 0 where they are padded (rows x length).
            lengths: tokens of each row.
        """
        longest = max(lengths)
        self._make_room(len(self._occupied) + len(lengths), longest)
        occupied = set(self._occupied)
        rows = [row for row in range(self._rows) if row not in occupied][: len(lengths)]
        # Tokens first. What lies behind them is masked until it is written.
        order = inside.argsort(dim=1, descending=True, stable=True)[:, None, :longest, None]
        for place, layer in zip(self._layers, layers, strict=True):
            for fixed, read in zip(place, (layer.keys, layer.values), strict=True):
                fixed[rows, :, :longest] = read.take_along_dim(order, 2)
        self._occupied += rows

    def keep(self, rows: Sequence[int]) -> None:
        """Let the other rows go; their places are free."""
        self._occupied = [self._occupied[row] for row in rows]

    def go_on(self, tokens: Sequence[int], positions: Sequence[int]) -> torch.Tensor:
        """Scores for the token that follows (rows x vocabulary) after one more token in each row.

        Args:
            tokens: one for each row, in the order in which rows joined.
            positions: their places, 0 for the first token of a prompt.

        Raises:
            RuntimeError: the network waits for the device in its forward, so that it cannot be recorded.
        """
        self._make_room(self._rows, max(positions) + 1)
        both = torch.zeros(2, self._rows, 1, dtype=torch.long)
        both[:, self._occupied, 0] = torch.tensor([tokens, positions])
        self._tokens.copy_(both[0])
        self._positions.copy_(both[1])
        if self._tokens.device.type != "cuda":
            return self._step()[self._occupied]
        return self._replayed()[self._occupied]

    def _step(self) -> torch.Tensor:
        dtype = self._network.dtype
        mask = torch.zeros(self._rows, self._length, dtype=dtype, device=self._tokens.device)
        mask.masked_fill_(self._columns > self._positions, torch.finfo(dtype).min)
        output = self._network(
            input_ids=self._tokens,
            position_ids=self._positions,
            attention_mask=mask[:, None, None],
            past_key_values=self._cache,
            use_cache=True,
        )
        return output.logits[:, -1].float()  # type: ignore[no-any-return]

    def _replayed(self) -> torch.Tensor:
        """Replay the step. To record it runs it several times, which changes nothing: it writes the same columns."""
        if self._recorded is None:
            aside = torch.cuda.Stream()
            aside.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(aside):
                for _ in range(WARM_UP):
                    self._step()
            torch.cuda.current_stream().wait_stream(aside)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                scores = self._step()
            self._recorded = graph, scores
        graph, scores = self._recorded
        graph.replay()
        return scores


def larger(tensor: torch.Tensor, rows: int, length: int) -> torch.Tensor:
    """A tensor (rows x heads x length x width) of zeros with what there is in its first rows and places."""
    grown = tensor.new_zeros(rows, tensor.shape[1], length, tensor.shape[3])
    grown[: tensor.shape[0], :, : tensor.shape[2]] = tensor
    return grown


def doubled(size: int, needed: int) -> int:
    """The smallest size, doubled often enough, that suffices."""
    while size < needed:
        size *= 2
    return size
