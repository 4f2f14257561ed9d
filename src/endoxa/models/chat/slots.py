"""Conversations that one causal network writes side by side; one that has ended makes room for the next.

`generate` of transformers waits for the longest answer of a batch. Here a row leaves when its answer has ended, and its
place is given to a prompt that waits (continuous batching; Yu et al. 2022, Orca). What a row has read is kept as keys
and values, padded on the left to the length of the others; positions count from the first token of the prompt. Equal
prompts, and the beginning that all prompts share, are read once.

This is exact for networks whose cache is one pair of tensors per layer and whose padding is hidden by the mask;
`joins_exactly` tries it on the loaded network. On a GPU steps are recorded and replayed where that is exact too
(`GraphedMemory`): to write one token for each of 256 answers it needs less time than Python needs to name its thousand
kernels. So every answer has a place of fixed size there, where its tokens stand from the left; a mask made from
positions hides what is behind them, and the whole step is recorded once for all places.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import pad
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from endoxa.models.causal import Ids, shared_length

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


LEAST_SHARED = 16
"""Tokens of a common beginning from which on it is read apart."""
SAME, SAME_IN_HALF = 1e-4, 0.05
"""Largest distance (total variation) of two distributions of the next token that are the same up to rounding, where
weights have 24 bits of precision, and 8 to 11. Of SmolLM2-135M it is 4e-6, and 0.003 in bfloat16."""
FEW, MANY = 8, 256
"""Answers written side by side on a CPU, and the most elsewhere: more give a GPU no more tokens per second."""
KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
"""Not cuDNN's, which plans anew for every length: 2 ms per layer and token on an H100."""
USUAL_TOKENS = 1024
"""Tokens of a conversation with its answer, for which memory is set aside."""


def usual_places(network: Any, device: torch.device) -> int:
    """How many answers are written side by side: on a GPU those whose keys and values take half of what is free."""
    if device.type != "cuda":
        return FEW
    config = network.config.get_text_config(decoder=True)
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    numbers = 2 * config.num_hidden_layers * heads * width * USUAL_TOKENS
    free = torch.cuda.mem_get_info(device)[0] // 2
    return max(FEW, min(MANY, free // int(numbers * network.dtype.itemsize)))


@dataclass(slots=True)
class Memory:
    """What a network has read of some rows.

    Attributes:
        cache: keys and values of every layer (rows x heads x length x width).
        mask: 1 where a row has a token, 0 where it is padded (rows x length).
    """

    cache: DynamicCache
    mask: torch.Tensor

    @property
    def layers(self) -> list[Any]:
        """Keys and values of each layer."""
        return list(self.cache.layers)

    def keep(self, rows: Sequence[int]) -> None:
        """Let the other rows go, and the padding that none of these needs."""
        index = torch.tensor(rows, device=self.mask.device)
        self.cache.batch_select_indices(index)
        self.mask = self.mask[index]
        unused = int(self.mask.any(0).int().argmax())
        self.mask = self.mask[:, unused:]
        for layer in self.layers:
            layer.keys, layer.values = layer.keys[:, :, unused:], layer.values[:, :, unused:]


def side_by_side(first: Memory, second: Memory) -> Memory:
    """Two memories as one, with the rows of the first in front."""
    length = max(first.mask.shape[1], second.mask.shape[1])
    sides = (first, second)
    widths = [length - side.mask.shape[1] for side in sides]
    joined = DynamicCache()
    for layers in zip(first.layers, second.layers, strict=True):
        keys, values = (
            torch.cat(
                [
                    pad(getattr(layer, name), (0, 0, width, 0))
                    for layer, width in zip(layers, widths, strict=True)
                ]
            )
            for name in ("keys", "values")
        )
        joined.update(keys, values, len(joined.layers))
    mask = torch.cat([pad(side.mask, (width, 0)) for side, width in zip(sides, widths, strict=True)])
    return Memory(joined, mask)


class Slots:
    """Reads prompts and goes on token by token.

    Args:
        network: a causal network of transformers, in evaluation mode.
    """

    def __init__(self, network: Any) -> None:
        self._network = network
        self._parameters = set(inspect.signature(network.forward).parameters)
        self._beginning: tuple[Ids, DynamicCache] = ((), DynamicCache())
        self._graphed: GraphedMemory | None = None
        self.replays = False

    def forget(self) -> None:
        """Give back the memory that is kept for the next batch."""
        self._beginning, self._graphed = ((), DynamicCache()), None

    def joined(
        self, memory: Memory | GraphedMemory | None, read: Memory, lengths: Sequence[int], places: int
    ) -> Memory | GraphedMemory:
        """A memory that more rows have joined.

        Args:
            memory: of earlier rows, if there are any.
            read: of the new ones.
            lengths: their tokens.
            places: rows there will be.
        """
        if not self.replays:
            return side_by_side(memory, read) if isinstance(memory, Memory) else read
        if self._graphed is None:
            self._graphed = GraphedMemory(self._network, read.layers, places)
        if memory is None:
            self._graphed.keep(())
        self._graphed.add(read.layers, read.mask, lengths)
        return self._graphed

    def read(self, prompts: Sequence[Ids]) -> tuple[Memory, torch.Tensor]:
        """What the network makes of prompts, and its scores for the token that follows each (prompts x vocabulary)."""
        different = list(dict.fromkeys(prompts))
        beginning, cache = self._shared(different)
        rests = [ids[len(beginning) :] for ids in different]
        longest = max(map(len, rests))
        rows = torch.tensor([[*[0] * (longest - len(ids)), *ids] for ids in rests])
        inside = torch.tensor([[*[0] * (longest - len(ids)), *[1] * len(ids)] for ids in rests])
        mask = pad(inside, (len(beginning), 0), value=1).to(self._network.device)
        positions = (inside.cumsum(1) - 1 + len(beginning)).clamp(min=0)
        scores = self._forward(rows, positions, mask, cache)
        memory = Memory(cache, mask)
        places = {ids: row for row, ids in enumerate(different)}
        chosen = [places[ids] for ids in prompts]
        memory.keep(chosen)
        return memory, scores[chosen]

    def go_on(
        self, memory: Memory | GraphedMemory, tokens: Sequence[int], positions: Sequence[int]
    ) -> torch.Tensor:
        """Scores for the token that follows (rows x vocabulary) after one more token in each row.

        Args:
            memory: of the rows; it remembers the tokens from now on.
            tokens: one for each row.
            positions: their places, 0 for the first token of a prompt.
        """
        if isinstance(memory, GraphedMemory):
            return memory.go_on(tokens, positions)
        memory.mask = pad(memory.mask, (0, 1), value=1)
        return self._forward(
            torch.tensor(tokens)[:, None], torch.tensor(positions)[:, None], memory.mask, memory.cache
        )

    def _forward(
        self, ids: torch.Tensor, positions: torch.Tensor, mask: torch.Tensor, cache: DynamicCache
    ) -> torch.Tensor:
        device = self._network.device
        more = {"position_ids": positions.to(device), "logits_to_keep": 1}
        with sdpa_kernel(KERNELS):
            output = self._network(
                input_ids=ids.to(device),
                attention_mask=mask,
                past_key_values=cache,
                use_cache=True,
                **{name: value for name, value in more.items() if name in self._parameters},
            )
        return output.logits[:, -1].float()  # type: ignore[no-any-return]

    def _shared(self, prompts: Sequence[Ids]) -> tuple[Ids, DynamicCache]:
        """The beginning that all prompts share, if it is worth it, and a cache that has read it for each of them."""
        beginning, cache = self._beginning
        # At least one token of each prompt is left to read.
        if not (
            beginning
            and all(len(ids) > len(beginning) and ids[: len(beginning)] == beginning for ids in prompts)
        ):
            first = min(prompts, key=len)
            length = min(len(first) - 1, *(shared_length(first, ids) for ids in prompts))
            if len(prompts) == 1 or length < LEAST_SHARED:
                return (), DynamicCache()
            beginning, cache = first[:length], DynamicCache()
            ids = torch.tensor([beginning])
            self._forward(
                ids, torch.arange(length)[None], torch.ones_like(ids).to(self._network.device), cache
            )
            self._beginning = (beginning, cache)
        copies = DynamicCache()
        layers: list[Any] = cache.layers
        for number, layer in enumerate(layers):
            copies.update(
                layer.keys.expand(len(prompts), -1, -1, -1),
                layer.values.expand(len(prompts), -1, -1, -1),
                number,
            )
        return beginning, copies

    @torch.inference_mode()
    def joins_exactly(self) -> bool:
        """Whether rows that are read apart, joined, and go on together have the scores that each has alone.

        Where that holds on a GPU, recorded steps are tried likewise, and replayed from then on if they agree.
        """
        exact = self._agrees()
        if exact and self._network.device.type == "cuda" and self._sees_all():
            self.replays = True
            self.replays = self._agrees()
        return exact

    def _sees_all(self) -> bool:
        """Whether every layer sees all tokens before one, and positions can be given."""
        config = self._network.config.get_text_config(decoder=True)
        window = "sliding_attention" if getattr(config, "sliding_window", None) else "full_attention"
        kinds = set(getattr(config, "layer_types", None) or [window])
        return kinds == {"full_attention"} and "position_ids" in self._parameters

    def _agrees(self) -> bool:
        """Any error means no: other kinds of caches cannot be joined, and some networks cannot be recorded."""
        vocabulary = self._network.get_input_embeddings().weight.shape[0]
        shared = tuple(range(1, LEAST_SHARED + 1))
        short, leaving, staying = ((7, 5, 3), (*shared, 4, 2), (*shared, 6))
        if vocabulary <= LEAST_SHARED:
            return False
        try:
            alone = torch.cat([self._two_steps(ids) for ids in (short, staying)])
            first, _ = self.read([short])
            second, _ = self.read([leaving, staying])
            plain = all(type(layer) is DynamicLayer for layer in (*first.layers, *second.layers))
            memory = self.joined(None, first, [len(short)], 1)
            memory = self.joined(memory, second, [len(leaving), len(staying)], 3)
            memory.keep([0, 2])
            together = self.go_on(memory, (1, 1), (len(short), len(staying)))
        except (
            TypeError,
            ValueError,
            RuntimeError,
            KeyError,
            AttributeError,
            IndexError,
            NotImplementedError,
        ):
            return False
        finally:
            self.forget()
        distance = (alone.softmax(-1) - together.softmax(-1)).abs().sum(-1).max() / 2
        return plain and bool(distance <= (SAME if self._network.dtype == torch.float32 else SAME_IN_HALF))

    def _two_steps(self, ids: Ids) -> torch.Tensor:
        """Scores after a prompt and one more token, without any memory."""
        together = torch.tensor([[*ids, 1]], device=self._network.device)
        return self._network(input_ids=together).logits[:, -1].float()  # type: ignore[no-any-return]
