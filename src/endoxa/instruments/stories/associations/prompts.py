"""Prompts as units: stories of one prompt are not independent, so a prompt and all its stories stay together.

A table of stories is a sum over prompts. What a prompt adds is a vector of counts, one for each compared value; prompts
with equal vectors in the same block are of one type. Within a block (prompts with as many stories each, in the same
languages where languages are strata) nothing but chance decides which prompt names which base value, if base and
compared attribute have nothing to do with each other: base values can be exchanged among them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MOST_SIZES = 5
"""Numbers of stories per prompt that are blocks of their own; where there are more, as many groups of like size."""


@dataclass(frozen=True, slots=True)
class Units:
    """A table of stories, prompt by prompt.

    Attributes:
        counts: prompts, base values x types.
        vectors: stories of one prompt of a type, types x compared values.
        blocks: the block of each type, in ascending order, from 0.
    """

    counts: np.ndarray
    vectors: np.ndarray
    blocks: np.ndarray

    @property
    def table(self) -> np.ndarray:
        """Stories, base values x compared values."""
        stories: np.ndarray = self.counts @ self.vectors
        return stories

    @property
    def prompts(self) -> int:
        """Number of prompts."""
        return int(self.counts.sum())

    @property
    def rows(self) -> np.ndarray:
        """Prompts, base values x blocks."""
        starts = np.flatnonzero(np.diff(self.blocks, prepend=-1))
        prompts: np.ndarray = np.add.reduceat(self.counts, starts, axis=1)
        return prompts

    @property
    def least_p(self) -> float:
        """No exchange of base values has a smaller p-value (see `least_p`)."""
        return least_p(self.rows)


def least_p(rows: np.ndarray) -> float:
    """The smallest p-value that exchanging labels within blocks can give.

    Every arrangement is equally probable, and exchanging two labels that all blocks hold equally often changes no
    statistic that does not know the labels' names.

    Args:
        rows: units, labels x blocks.
    """
    from scipy.special import gammaln

    _, alike = np.unique(rows[rows.any(axis=1)], axis=0, return_counts=True)
    logs = gammaln(rows.sum(axis=0) + 1).sum() - gammaln(rows + 1).sum() - gammaln(alike + 1).sum()
    return float(np.exp(-max(0.0, logs)))


def has_repeats(*keys: np.ndarray) -> bool:
    """Whether two stories have the same prompt, told by all keys."""
    order = np.lexsort(keys)
    same = np.ones(max(0, len(order) - 1), dtype=bool)
    for key in keys:
        same &= np.diff(key[order]) == 0
    return bool(same.any())


def units_of_prompts(
    rows: np.ndarray, columns: np.ndarray, prompts: np.ndarray, shape: tuple[int, int], languages: np.ndarray
) -> Units | None:
    """The units of a table; None where no prompt has two stories in it and there is one language.

    Args:
        rows: place of each story's base value.
        columns: place of its compared value.
        prompts: code of its prompt.
        shape: base values, compared values.
        languages: code of its language, all the same where languages are no strata.
    """
    _, prompt = np.unique(prompts.astype(np.int64) * shape[0] + rows, return_inverse=True)
    number = int(prompt.max()) + 1 if len(prompt) else 0
    spoken, language = np.unique(languages, return_inverse=True)
    if number == len(prompt) and len(spoken) < 2:
        return None
    told = np.bincount(prompt * shape[1] + columns, minlength=number * shape[1]).reshape(number, shape[1])
    row = np.empty(number, dtype=np.int64)
    row[prompt] = rows
    by_language = np.bincount(prompt * len(spoken) + language, minlength=number * len(spoken))
    return _units(row, told, _blocks(by_language.reshape(number, len(spoken))), shape[0])


def units_of_stories(counts: np.ndarray) -> Units:
    """The units of stories that each have a prompt of their own, with languages as strata.

    Args:
        counts: stories, languages x base values x compared values.
    """
    counts = counts[counts.any(axis=(1, 2))]
    strata, _, columns = counts.shape
    return Units(
        np.concatenate(list(counts), axis=1),
        np.tile(np.eye(columns, dtype=np.int64), (strata, 1)),
        np.repeat(np.arange(strata), columns),
    )


def _blocks(stories: np.ndarray) -> np.ndarray:
    """Block of each prompt: prompts whose base values may be exchanged, from its stories in each language."""
    _, spoken = np.unique(stories > 0, axis=0, return_inverse=True)
    sizes = stories.sum(axis=1)
    distinct = np.unique(sizes)
    if stories.shape[1] == 1 and len(distinct) <= MOST_SIZES:
        exact: np.ndarray = np.searchsorted(distinct, sizes)
        return exact
    blocks = np.empty(len(stories), dtype=np.int64)
    for code in np.unique(spoken):
        here = np.flatnonzero(spoken.ravel() == code)
        told, inverse = np.unique(stories[here], axis=0, return_inverse=True)
        if len(told) > MOST_SIZES:
            inverse = _like_sizes(sizes[here])
        blocks[here] = code * len(stories) + inverse.ravel()
    found: np.ndarray = np.unique(blocks, return_inverse=True)[1]
    return found


def _like_sizes(sizes: np.ndarray) -> np.ndarray:
    """About as many prompts in each of `MOST_SIZES` groups of like size; equal sizes are never parted."""
    limits = np.quantile(sizes, np.arange(1, MOST_SIZES) / MOST_SIZES, method="higher")
    groups: np.ndarray = np.searchsorted(np.unique(limits), sizes, side="left")
    return groups


def _units(row: np.ndarray, told: np.ndarray, blocks: np.ndarray, rows: int) -> Units:
    kinds, kind = np.unique(np.column_stack([blocks, told]), axis=0, return_inverse=True)
    counts = np.bincount(row * len(kinds) + kind.ravel(), minlength=rows * len(kinds))
    return Units(counts.reshape(rows, len(kinds)), kinds[:, 1:], kinds[:, 0])
