"""Contingency tables of stories: a value that prompts name against a value extracted from the stories.

Units are prompts where they have several stories; strata are languages where there are several.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from endoxa.schema import ALL
from endoxa.sources.stereotales.profiles import OTHER, UNKNOWN, Profiles

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
    stories = np.bincount(prompt * shape[1] + columns, minlength=number * shape[1]).reshape(number, shape[1])
    row = np.empty(number, dtype=np.int64)
    row[prompt] = rows
    by_language = np.bincount(prompt * len(spoken) + language, minlength=number * len(spoken))
    blocks = _blocks(by_language.reshape(number, len(spoken)))
    kinds, kind = np.unique(np.column_stack([blocks, stories]), axis=0, return_inverse=True)
    counts = np.bincount(row * len(kinds) + kind.ravel(), minlength=shape[0] * len(kinds))
    return Units(counts.reshape(shape[0], len(kinds)), kinds[:, 1:], kinds[:, 0])


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
        vectors, inverse = np.unique(stories[here], axis=0, return_inverse=True)
        if len(vectors) > MOST_SIZES:
            # About as many prompts in each group of like size; equal sizes are never parted.
            limits = np.quantile(sizes[here], np.arange(1, MOST_SIZES) / MOST_SIZES, method="higher")
            inverse = np.searchsorted(np.unique(limits), sizes[here], side="left")
        blocks[here] = code * len(stories) + inverse.ravel()
    result: np.ndarray = np.unique(blocks, return_inverse=True)[1]
    return result


FEWEST = 10
"""A base value with fewer stories leaves its table (StereoTales, step 1)."""


Name = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """One contingency table, of the stories of one model in one language or in all.

    Attributes:
        name: model, language ('all' for all together), base and compared attribute.
        model: code of the model.
        language: code of the language; None for all together.
        base: code of the attribute that the prompts named.
        compared: code of the attribute that was read off.
        rows: codes of the base values that stayed.
        columns: codes of the compared values that stayed.
        counts: stories, rows x columns.
        prompts: the same prompt by prompt, where a prompt has more than one story in the table.
        languages: the same with languages as strata, where there are several.
    """

    name: Name
    model: int
    language: int | None
    base: int
    compared: int
    rows: np.ndarray
    columns: np.ndarray
    counts: np.ndarray
    prompts: Units | None = None
    languages: Units | None = None

    @property
    def usable(self) -> bool:
        """Two values on either side."""
        return bool(min(self.counts.shape) >= 2)


def families(profiles: Profiles, *, by_language: bool) -> Iterator[list[Table]]:
    """The tables of each model (and language) and base attribute, one for every other attribute.

    They are corrected together. A table has no unknown values, no rows of fewer than `FEWEST` stories and, after them,
    no empty columns.

    Args:
        profiles: the stories.
        by_language: apart by language; otherwise all languages of a model together.
    """
    attributes = [k for k in range(len(profiles.attributes)) if (profiles.codes[:, k] >= 0).any()]
    languages = list(range(len(profiles.languages))) if by_language else [None]
    group = profiles.model.astype(np.int64) * len(languages) + (profiles.language if by_language else 0)
    repeated = has_repeats(profiles.sample, profiles.base_value, profiles.base, group)
    # Stories of one group and base attribute stand together.
    key = group * len(profiles.attributes) + profiles.base
    order = np.argsort(key, kind="stable")
    for model, language in product(range(len(profiles.models)), languages):
        for base in np.unique(profiles.base).tolist():
            place = (model * len(languages) + (language or 0)) * len(profiles.attributes) + base
            stories = order[slice(*np.searchsorted(key, (place, place + 1), sorter=order))]
            yield [
                _table(profiles, stories, (model, language, base, compared), repeated=repeated)
                for compared in attributes
                if compared != base
            ]


def _table(
    profiles: Profiles, stories: np.ndarray, codes: tuple[int, int | None, int, int], *, repeated: bool
) -> Table:
    """The table of some stories.

    Args:
        profiles: all stories.
        stories: places of those of the table's model (and language) and base attribute.
        codes: of model, language, base and compared attribute.
        repeated: whether a prompt can have several stories.
    """
    model, language, base, compared = codes
    sizes = [len(profiles.values[attribute]) for attribute in (base, compared)]
    stories = stories[profiles.codes[stories, compared] >= 0]
    row, column, spoken = profiles.base_value[stories], profiles.codes[stories, compared], profiles.language
    spoken = spoken[stories].astype(np.int64) if language is None else np.zeros(len(stories), dtype=np.int64)
    shape = (len(profiles.languages) if language is None else 1, *sizes)
    cells = np.bincount(np.ravel_multi_index((spoken, row, column), shape), minlength=int(np.prod(shape)))
    apart = cells.reshape(shape)
    left_out = [profiles.code(compared, word) for word in (UNKNOWN, OTHER)]
    rows = np.setdiff1d(np.arange(sizes[0]), profiles.code(base, UNKNOWN))
    columns = np.setdiff1d(np.arange(sizes[1]), left_out)
    counts = apart.sum(axis=0)[np.ix_(rows, columns)]
    enough = counts.sum(axis=1) >= FEWEST
    filled = counts[enough].any(axis=0)
    rows, columns, counts = rows[enough], columns[filled], counts[enough][:, filled]
    spoken_of = ALL if language is None else profiles.languages[language]
    name = (profiles.models[model], spoken_of, profiles.attributes[base], profiles.attributes[compared])
    table = Table(name, *codes, rows, columns, counts)
    if not table.usable:
        return table
    apart = apart[:, rows][:, :, columns]
    several = apart.any(axis=(1, 2)).sum() > 1
    if not repeated:
        return replace(table, languages=units_of_stories(apart)) if several else table
    row, column = _places(rows, sizes[0])[row], _places(columns, sizes[1])[column]
    kept = (row >= 0) & (column >= 0)
    row, column, sample, spoken = row[kept], column[kept], profiles.sample[stories][kept], spoken[kept]
    return replace(
        table,
        prompts=units_of_prompts(row, column, sample, counts.shape, np.zeros_like(spoken)),
        languages=units_of_prompts(row, column, sample, counts.shape, spoken) if several else None,
    )


def _places(codes: np.ndarray, number: int) -> np.ndarray:
    """Place of each code in a table, -1 where it is not in it."""
    places = np.full(number, -1, dtype=np.int64)
    places[codes] = np.arange(len(codes))
    return places
