"""Common beginnings of sentences scored once: several token sequences packed into one row as a tree.

Each token is a node that sees its ancestors only; position ids count from the root. Two sentences that differ
in their last word share all nodes before it. Exact for architectures whose positions come from position ids
and whose attention follows a given mask; `causal.py` checks that on the loaded model before it relies on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch


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
