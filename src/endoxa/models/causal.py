"""Log-probability of sentences under a causal language model.

Common beginnings of sentences are scored once: several token sequences are packed into one row as a tree. Each token
is a node that sees its ancestors only; position ids count from the root. Two sentences that differ in their last word
share all nodes before it. This is exact for architectures whose positions come from position ids and whose attention
follows a given mask; `CausalModel` checks that on the loaded model before it relies on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import torch

from endoxa.errors import UserError
from endoxa.models.checkpoint import Checkpoint, unknown_share
from endoxa.models.networks import Split, equal_length_batches, halve_when_full
from endoxa.models.special_tokens import AS_TEXT, SpecialTokens
from endoxa.schema import Architecture, CausalRequest, Request, Score, Unscorable

Ids = tuple[int, ...]
TOLERANCE = 1e-4
"""Largest difference (nats) between prefix sharing and the plain way that is still the same number."""
HALF_TOLERANCE = 0.5
"""The same where weights have 8 to 11 bits of precision."""


@dataclass(frozen=True, slots=True)
class Tree:
    """Token sequences merged by common prefix.

    Attributes:
        tokens: token id of each node.
        positions: depth of each node.
        parents: index of each node's parent, -1 at a root; parents come before children.
        paths: for each sequence, its nodes from root to end.
    """

    tokens: list[int]
    positions: list[int]
    parents: list[int]
    paths: list[list[int]]


def build_tree(sequences: Sequence[tuple[int, ...]]) -> Tree:
    """Merge `sequences` by common prefix."""
    tokens: list[int] = []
    positions: list[int] = []
    parents: list[int] = []
    paths: list[list[int]] = []
    child: dict[tuple[int, int], int] = {}
    for sequence in sequences:
        node, path = -1, []
        for depth, token in enumerate(sequence):
            key = (node, token)
            if key not in child:
                child[key] = len(tokens)
                tokens.append(token)
                positions.append(depth)
                parents.append(node)
            node = child[key]
            path.append(node)
        paths.append(path)
    return Tree(tokens, positions, parents, paths)


def ancestor_mask(parents: Sequence[int]) -> torch.Tensor:
    """Boolean (nodes x nodes): True where the column is the row's node itself or one of its ancestors."""
    size = len(parents)
    sees = torch.eye(size, dtype=torch.bool)
    for node, parent in enumerate(parents):
        if parent >= 0:
            sees[node] |= sees[parent]
    return sees


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
                ids = (self._bos(), *tokens)
            elif front == "tokenizer":
                ids = tuple(self.tokenizer(text, **AS_TEXT)["input_ids"])
            problem = self._special.problem(tokens) or self._problem(ids)
            yield Unscorable(problem) if problem else ids

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
        return {**self._checkpoint.facts, "shares_prefixes": self.shares_prefixes}

    def unknown_share(self, texts: Sequence[str]) -> float:
        """See `endoxa.schema.Model.unknown_share`."""
        return unknown_share(self._tokenizer, texts)

    @torch.inference_mode()
    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """See `endoxa.schema.Model.score`; identical token sequences are scored once."""
        wanted: dict[Ids, list[int]] = {}
        for index, ids in enumerate(self._reader.read(requests)):
            if isinstance(ids, Unscorable):
                yield index, ids
            else:
                wanted.setdefault(ids, []).append(index)
        for batch in self._batches(list(wanted)):
            for ids, total in halve_when_full(batch, self._score_batch):
                for index in wanted[ids]:
                    yield index, Score(total, len(ids) - 1)

    def _batches(self, sequences: list[Ids]) -> Iterator[list[Ids]]:
        budget = self._checkpoint.batch_tokens
        longest = max(map(len, sequences), default=0)
        if self.shares_prefixes and (self._window is None or longest <= self._window):
            return _prefix_batches(sequences, budget)
        return equal_length_batches(sequences, lambda ids: (len(ids),), budget)

    def _score_batch(self, batch: Sequence[Ids]) -> list[float]:
        longest = max(map(len, batch))
        if self.shares_prefixes and (self._window is None or longest <= self._window):
            return self._score_tree(batch)
        return self._score_plain(batch)

    def _score_plain(self, batch: Sequence[Ids]) -> list[float]:
        """Sequences of one length, one row each."""
        ids = torch.tensor(batch, device=self._checkpoint.device)
        hidden = self._split.hidden(input_ids=ids)
        rows, targets = hidden[:, :-1].flatten(0, 1), ids[:, 1:].flatten()
        which = torch.arange(len(targets), device=ids.device)
        log_probabilities = self._split.log_probabilities(rows, which, targets, input_ids=ids[:1, :1])
        return [float(x) for x in log_probabilities.view(len(batch), -1).sum(1)]

    def _score_tree(self, batch: Sequence[Ids]) -> list[float]:
        """Sequences of any length in one row, common beginnings once."""
        tree = build_tree(batch)
        device, dtype = self._checkpoint.device, self._checkpoint.network.dtype
        mask = torch.zeros(1, 1, len(tree.tokens), len(tree.tokens), dtype=dtype)
        mask.masked_fill_(~ancestor_mask(tree.parents), torch.finfo(dtype).min)
        ids = torch.tensor([tree.tokens], device=device)
        hidden = self._split.hidden(
            input_ids=ids,
            position_ids=torch.tensor([tree.positions], device=device),
            attention_mask=mask.to(device),
        )[0]
        scored = sorted(
            (node for node, parent in enumerate(tree.parents) if parent >= 0), key=tree.parents.__getitem__
        )
        parents, which = torch.tensor([tree.parents[node] for node in scored], device=device).unique(
            return_inverse=True
        )
        log_probabilities = self._split.log_probabilities(
            hidden[parents], which, ids[0, scored], input_ids=ids[:, :1]
        )
        of_node = dict(zip(scored, log_probabilities.tolist(), strict=True))
        return [sum(of_node[node] for node in path[1:]) for path in tree.paths]

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
        probes = [tuple(ids[:9]), (*ids[:5], *ids[9:13]), (*ids[:2], *ids[13:20])]
        full_precision = self._checkpoint.network.dtype == torch.float32
        tolerance = TOLERANCE if full_precision else HALF_TOLERANCE
        try:
            plain, shared = self._score_plain(probes), self._score_tree(probes)
        except (TypeError, ValueError, RuntimeError, KeyError):
            return False
        return all(abs(a - b) <= tolerance for a, b in zip(plain, shared, strict=True))


def _prefix_batches(sequences: list[Ids], budget: int) -> Iterator[list[Ids]]:
    """Sequences in the order of their tokens, so that common beginnings meet; `budget` counts distinct nodes."""
    batch: list[Ids] = []
    before: Ids = ()
    nodes = 0
    for ids in sorted(sequences):
        common = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(before, ids, strict=False))))
        new = len(ids) - common if batch else len(ids)
        if batch and nodes + new > budget:
            yield batch
            batch, nodes, new = [], 0, len(ids)
        batch.append(ids)
        nodes, before = nodes + new, ids
    if batch:
        yield batch
