"""Log-probability of sentences under a causal language model.

Common beginnings of sentences are scored once: several token sequences are packed into one row as a tree. Each token
is a node that sees its ancestors only; position ids count from the root. Two sentences that differ in their last word
share all nodes before it. This is exact for architectures whose positions come from position ids and whose attention
follows a given mask; `CausalModel` checks that on the loaded model before it relies on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from endoxa.errors import UserError
from endoxa.models.checkpoint import Checkpoint, unknown_share
from endoxa.models.networks import Split, equal_length_batches, on_device, padded_batches, scored
from endoxa.models.special_tokens import AS_TEXT, SpecialTokens
from endoxa.schema import Architecture, CausalRequest, Request, Score, Unscorable

Ids = tuple[int, ...]
TOLERANCE = 1e-4
"""Largest difference (nats per token) between prefix sharing and the plain way that is still the same number; of
SmolLM2-135M it is 2e-5."""
HALF_TOLERANCE = 0.1
"""The same where weights have 8 to 11 bits of precision."""
TREE_NODES = 512
"""Most nodes of a tree, unless a single sequence is longer: attention and its mask grow with their square, so a batch
holds several trees."""


@dataclass(frozen=True, slots=True)
class Tree:
    """Token sequences merged by common prefix, depth first: what follows from a node stands right behind it.

    Attributes:
        tokens: token id of each node.
        depths: of each node, 0 at a root.
        parents: index of each node's parent, -1 at a root.
        ends: for each node the index after the last node that follows from it.
        leaves: for each sequence the node at its end.
    """

    tokens: NDArray[np.int64]
    depths: NDArray[np.int64]
    parents: NDArray[np.int64]
    ends: NDArray[np.int64]
    leaves: NDArray[np.int64]


def build_tree(sequences: Sequence[Ids]) -> Tree:
    """Merge sequences by common prefix.

    Args:
        sequences: sorted, so that those with a common beginning are neighbours.
    """
    ids = np.array(list(zip_longest(*sequences, fillvalue=-1))).T
    lengths = np.array([len(sequence) for sequence in sequences])
    depth = np.arange(ids.shape[1])
    alike = (ids[1:] == ids[:-1]) & (ids[1:] >= 0)
    shared = np.concatenate([[0], alike.cumprod(axis=1).sum(axis=1)])[:, None]
    # A sequence brings a node for each token that it does not share with the one before it.
    new = (depth >= shared) & (depth < lengths[:, None])
    number = new.cumsum().reshape(new.shape) - 1
    node = np.maximum.accumulate(np.where(new, number, -1), axis=0)
    parents = np.where(depth > 0, np.roll(node, 1, axis=1), -1)
    # Nothing more follows from a node when a sequence comes that does not share it: there its first new node stands.
    first = np.concatenate([[0], new.sum(axis=1).cumsum()])
    left = np.where(shared[1:] <= depth, first[1:-1, None], first[-1])
    left = np.concatenate([left, np.full((1, len(depth)), first[-1])])
    ends = np.minimum.accumulate(left[::-1], axis=0)[::-1]
    depths = np.broadcast_to(depth, new.shape)
    leaves = node[np.arange(len(ids)), lengths - 1]
    return Tree(ids[new], depths[new], parents[new], ends[new], leaves)


def shared_length(first: Ids, second: Ids) -> int:
    """How many tokens two sequences have in common at their beginnings."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((k for k, (a, b) in pairs if a != b), min(len(first), len(second)))


def ancestor_mask(ends: torch.Tensor) -> torch.Tensor:
    """Boolean (trees x nodes x nodes): True where the column is the row's node itself or one of its ancestors.

    Args:
        ends: of each tree (trees x nodes), see `Tree`; the mask is made on the device where they are.
    """
    node = torch.arange(ends.shape[1], device=ends.device)
    return (node[None, :] <= node[:, None]) & (node[:, None] < ends[:, None, :])


def side_by_side(trees: Sequence[Tree]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Trees as rows of one batch, padded on the right with nodes that nothing sees.

    Returns:
        Tokens, depths, parents and ends of the nodes (4 x trees x nodes), where parents are places in the flattened
        batch; and the places of all leaves there.
    """
    longest = max(len(tree.tokens) for tree in trees)
    facts = np.zeros((4, len(trees), longest), dtype=np.int64)
    facts[2], facts[3] = -1, np.arange(1, longest + 1)
    for row, tree in enumerate(trees):
        facts[:, row, : len(tree.tokens)] = (tree.tokens, tree.depths, tree.parents, tree.ends)
    first = np.arange(len(trees))[:, None] * longest
    facts[2] += np.where(facts[2] >= 0, first, 0)
    leaves = [row * longest + leaf for row, tree in enumerate(trees) for leaf in tree.leaves]
    return facts, np.array(leaves)


def path_sums(values: torch.Tensor, parents: torch.Tensor, depth: int) -> torch.Tensor:
    """For each node the sum of the values from its root to itself, in log2(depth) steps (pointer jumping).

    Args:
        values: of each node.
        parents: see `Tree`.
        depth: of the deepest node.
    """
    sums, ancestors = values, parents
    for _ in range(depth.bit_length()):
        inside, above = ancestors >= 0, ancestors.clamp(min=0)
        sums = sums + torch.where(inside, sums[above], 0.0)
        ancestors = torch.where(inside, ancestors[above], -1)
    return sums


class CausalReader:
    """Reads `CausalRequest`s as token ids; needs no weights."""

    architecture: Architecture = "causal"

    def __init__(self, name: str, tokenizer: Any, max_tokens: int | None) -> None:
        self.name, self.tokenizer, self.max_tokens = name, tokenizer, max_tokens
        self._special = SpecialTokens.of(tokenizer)

    def read(self, requests: Sequence[Request]) -> Iterator[Ids | Unscorable]:
        """Token ids of each request, or why it cannot be scored.

        Raises:
            UserError: a rule asks for a token that the tokenizer does not have.
        """
        texts, fronts = [], []
        for request in requests:
            if not isinstance(request, CausalRequest):
                raise TypeError(f"a causal model cannot score a {type(request).__name__}")
            texts.append(request.text)
            fronts.append(request.front)
        plain = self.tokenizer(texts, add_special_tokens=False, **AS_TEXT)["input_ids"] if texts else []
        for text, front, tokens in zip(texts, fronts, plain, strict=True):
            ids: Ids = tuple(tokens)
            if front == "bos":
                ids = (self._bos, *tokens)
            elif front == "tokenizer":
                ids = tuple(self.tokenizer(text, **AS_TEXT)["input_ids"])
            problem = self._special.problem(tokens) or self._problem(ids)
            yield Unscorable(problem) if problem else ids

    @cached_property
    def _bos(self) -> int:
        token = self.tokenizer.bos_token_id
        if token is None:
            raise UserError(
                f"The tokenizer of '{self.name}' has no beginning-of-sequence token, which the rules sum-bos and "
                "mean-bos put in front: use sum or mean."
            )
        return int(token)

    def _problem(self, ids: Ids) -> str | None:
        limit = self.max_tokens
        if limit is not None and len(ids) > limit:
            return f"it has {len(ids)} tokens and the model reads at most {limit}"
        if len(ids) < 2:
            return "it has a single token, so nothing is left to score after the first"
        return None


class CausalModel:
    """Scores `CausalRequest`s with local weights."""

    architecture: Architecture = "causal"

    def __init__(self, checkpoint: Checkpoint) -> None:
        """Wrap a loaded checkpoint; tries prefix sharing on three short sequences and keeps it if it is exact."""
        self.name = checkpoint.name
        self.max_tokens = checkpoint.max_tokens
        self._checkpoint = checkpoint
        self._tokenizer = checkpoint.tokenizer
        self._reader = CausalReader(checkpoint.name, checkpoint.tokenizer, checkpoint.max_tokens)
        self._split = Split(checkpoint.network)
        window = getattr(checkpoint.network.config, "sliding_window", None)
        self._window = int(window) if window else None
        self._refuse_looking_ahead()
        self.shares_prefixes = self._tree_is_exact()

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        return {
            **self._checkpoint.facts,
            "head_rows": self._split.head_rows,
            "shares_prefixes": self.shares_prefixes,
        }

    def unknown_share(self, texts: Sequence[str]) -> float:
        """See `endoxa.schema.Model.unknown_share`."""
        return unknown_share(self._tokenizer, texts)

    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """See `endoxa.schema.Model.score`; identical token sequences are scored once."""
        wanted: dict[Ids, list[int]] = {}
        for index, ids in enumerate(self._reader.read(requests)):
            if isinstance(ids, Unscorable):
                yield index, ids
            else:
                wanted.setdefault(ids, []).append(index)
        for ids, total in scored(self._batches(list(wanted)), self._score_batch):
            for index in wanted[ids]:
                yield index, Score(total, len(ids) - 1)

    def _batches(self, sequences: list[Ids]) -> Iterator[list[Ids]]:
        budget = self._checkpoint.batch_tokens
        if self._fits_tree(sequences):
            return _prefix_batches(sorted(sequences), budget)
        if self._checkpoint.device.type == "cpu":
            return equal_length_batches(sequences, lambda ids: (len(ids),), budget)
        return padded_batches(sequences, len, budget)

    def _fits_tree(self, sequences: Sequence[Ids]) -> bool:
        longest = max(map(len, sequences), default=0)
        return self.shares_prefixes and (self._window is None or longest <= self._window)

    @torch.inference_mode()
    def _score_batch(self, batch: Sequence[Ids]) -> torch.Tensor:
        return self._score_trees(batch) if self._fits_tree(batch) else self._score_plain(batch)

    def _score_plain(self, batch: Sequence[Ids]) -> torch.Tensor:
        """A row for each sequence, padded on the right, which a causal network does not see."""
        longest = max(map(len, batch))
        padded = np.array([[*ids, *[ids[0]] * (longest - len(ids))] for ids in batch])
        inside = np.arange(longest - 1) < np.array([[len(ids) - 1] for ids in batch])
        ids = on_device(padded, self._checkpoint.device)
        scored_at = on_device(np.flatnonzero(inside), ids.device)
        hidden = self._split.hidden(input_ids=ids)[:, :-1].flatten(0, 1)
        targets = ids[:, 1:].flatten()
        values = self._split.log_probabilities(hidden[scored_at], targets[scored_at], input_ids=ids[:1, :1])
        spread = values.new_zeros(len(targets)).index_copy(0, scored_at, values)
        return spread.view(len(batch), -1).sum(1)

    def _score_trees(self, batch: Sequence[Ids]) -> torch.Tensor:
        """Sorted sequences of any length, common beginnings once."""
        device, dtype = self._checkpoint.device, self._checkpoint.network.dtype
        facts, leaves = side_by_side([build_tree(part) for part in _prefix_batches(batch, TREE_NODES)])
        tokens, depths, parents, ends = on_device(facts, device)
        visible = ancestor_mask(ends)
        mask = torch.zeros(visible.shape, dtype=dtype, device=device)
        mask.masked_fill_(~visible, torch.finfo(dtype).min)
        hidden = self._split.hidden(input_ids=tokens, position_ids=depths, attention_mask=mask[:, None])
        parent_of = facts[2].ravel()
        children = np.flatnonzero(parent_of >= 0)
        children = children[np.argsort(parent_of[children], kind="stable")]
        inner, which = np.unique(parent_of[children], return_inverse=True)
        inner_at, children_at, leaves_at = (on_device(places, device) for places in (inner, children, leaves))
        steps = self._split.log_probabilities(
            hidden.flatten(0, 1)[inner_at], tokens.flatten()[children_at], which, input_ids=tokens[:1, :1]
        )
        values = steps.new_zeros(len(parent_of)).index_copy(0, children_at, steps)
        return path_sums(values, parents.flatten(), int(facts[1].max()))[leaves_at]

    @torch.inference_mode()
    def _refuse_looking_ahead(self) -> None:
        """Refuse a network whose earlier states change with a later token (XLNet, BERT loaded as a decoder).

        Raises:
            UserError: it sees the token it is asked to predict.
        """
        ids = [token for token in range(5, 14) if token < len(self._tokenizer)]
        probes = torch.tensor([[*ids[:-1], ids[-1]], [*ids[:-1], ids[0]]], device=self._checkpoint.device)
        first, second = self._split.hidden(input_ids=probes)[:, :-1].float()
        full_precision = self._checkpoint.network.dtype == torch.float32
        slack = (1e-5 if full_precision else 1e-2) * first.abs().max()
        if (first - second).abs().max() > slack:
            raise UserError(
                f"The model '{self.name}' is not causal: what it makes of a token depends on later ones, so the "
                "probability of a sentence from left to right cannot be had from it."
            )

    @torch.inference_mode()
    def _tree_is_exact(self) -> bool:
        """Compare both paths on sequences that share beginnings; any error means no."""
        ids = [token for token in range(5, 25) if token < len(self._tokenizer)]
        probes = sorted([tuple(ids[:9]), (*ids[:5], *ids[9:13]), (*ids[:2], *ids[13:20])])
        full_precision = self._checkpoint.network.dtype == torch.float32
        tolerance = TOLERANCE if full_precision else HALF_TOLERANCE
        try:
            plain, shared = self._score_plain(probes), self._score_trees(probes)
        except (TypeError, ValueError, RuntimeError, KeyError):
            return False
        return bool((plain - shared).abs().max() <= tolerance * (len(probes[0]) - 1))


def _prefix_batches(sequences: Sequence[Ids], budget: int) -> Iterator[list[Ids]]:
    """Sorted sequences, whose common beginnings meet, cut into batches; `budget` counts distinct nodes."""
    batch: list[Ids] = []
    before: Ids = ()
    nodes = 0
    for ids in sequences:
        new = len(ids) - (shared_length(before, ids) if batch else 0)
        if batch and nodes + new > budget:
            yield batch
            batch, nodes, new = [], 0, len(ids)
        batch.append(ids)
        nodes, before = nodes + new, ids
    if batch:
        yield batch
