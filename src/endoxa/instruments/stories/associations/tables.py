"""Contingency tables of stories: a value that prompts name against a value extracted from the stories.

All tables are counted in one pass. Units are prompts where they have several stories; strata are languages where there
are several.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from endoxa.schema import ALL
from endoxa.sources.stereotales import OTHER, UNKNOWN, Profiles

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


@dataclass(frozen=True, slots=True)
class Group:
    """Stories that are analysed together: those of one model, in one language or in all (None)."""

    model: int
    language: int | None


Name = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """One contingency table.

    Attributes:
        name: model, language ('all' for all together), base and compared attribute.
        group: whose stories.
        base: code of the attribute that the prompts named.
        compared: code of the attribute that was read off.
        rows: codes of the base values that stayed.
        columns: codes of the compared values that stayed.
        counts: stories, rows x columns.
        prompts: the same prompt by prompt, where a prompt has more than one story in the table.
        languages: the same with languages as strata, where there are several.
    """

    name: Name
    group: Group
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


@dataclass(frozen=True, slots=True)
class Counted:
    """All counts of a set of stories.

    Attributes:
        groups: by the first index of the counts.
        cells: for each compared attribute an array groups x base values of all attributes x compared values.
        first: for each base attribute its first base value's place along the second axis of `cells`.
        excluded: for each attribute the codes that no table has as a compared value ('unknown', 'other').
    """

    groups: tuple[Group, ...]
    cells: tuple[np.ndarray, ...]
    first: np.ndarray
    excluded: tuple[tuple[int, ...], ...]


def count(profiles: Profiles, *, by_language: bool) -> Counted:
    """Count every pair of base value and compared value, for each model (and language).

    Args:
        profiles: the stories.
        by_language: also apart by language; otherwise all languages of a model together.
    """
    languages = len(profiles.languages) if by_language else 1
    group = _group(profiles, by_language=by_language)
    sizes = np.array([len(values) for values in profiles.values])
    first = np.concatenate([[0], np.cumsum(sizes)])
    place = group * first[-1] + first[profiles.base] + profiles.base_value
    cells = []
    for attribute, size in enumerate(sizes):
        codes = profiles.codes[:, attribute]
        stated = codes >= 0
        shape = (len(profiles.models) * languages, first[-1], size)
        flat = np.bincount(place[stated] * size + codes[stated], minlength=int(np.prod(shape)))
        cells.append(flat.reshape(shape))
    return Counted(
        tuple(
            Group(model, language if by_language else None)
            for model in range(len(profiles.models))
            for language in range(languages)
        ),
        tuple(cells),
        first,
        tuple(
            tuple(profiles.code(attribute, word) for word in (UNKNOWN, OTHER))
            for attribute in range(len(profiles.attributes))
        ),
    )


def families(profiles: Profiles, counted: Counted) -> Iterator[list[Table]]:
    """The tables of each group and base attribute, one for every other attribute; they are corrected together.

    A table has no unknown values, no rows of fewer than `FEWEST` stories and, after them, no empty columns.
    """
    attributes = [k for k in range(len(profiles.attributes)) if (profiles.codes[:, k] >= 0).any()]
    for number, group in enumerate(counted.groups):
        aggregation = ALL if group.language is None else profiles.languages[group.language]
        for base in np.unique(profiles.base).tolist():
            tables = []
            for compared in attributes:
                if compared == base:
                    continue
                counts = counted.cells[compared][number, counted.first[base] : counted.first[base + 1]]
                rows = np.setdiff1d(np.arange(len(counts)), counted.excluded[base][:1])
                columns = np.setdiff1d(np.arange(counts.shape[1]), counted.excluded[compared])
                counts = counts[np.ix_(rows, columns)]
                enough = counts.sum(axis=1) >= FEWEST
                filled = counts[enough].any(axis=0)
                names = (profiles.attributes[base], profiles.attributes[compared])
                name = (profiles.models[group.model], aggregation, *names)
                kept = rows[enough], columns[filled], counts[enough][:, filled]
                tables.append(Table(name, group, base, compared, *kept))
            yield tables


@dataclass(frozen=True, slots=True)
class Stories:
    """Stories in which prompts or languages must be told apart.

    Attributes:
        profiles: all of them.
        by_language: whether each language has its own tables.
        repeated: whether a prompt has several stories of a model in a table.
        apart: stories counted by language, where only languages must be told apart.
        order: places of the stories, sorted by group and base attribute.
        starts: where each group and base attribute begins in `order`.
    """

    profiles: Profiles
    by_language: bool
    repeated: bool
    apart: Counted | None
    order: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, profiles: Profiles, *, by_language: bool) -> Stories | None:
        """None where every story has a prompt of its own and no table holds two languages."""
        group = _group(profiles, by_language=by_language)
        repeated = has_repeats(profiles.sample, profiles.base_value, profiles.base, group)
        if not repeated and (by_language or len(profiles.languages) < 2):
            return None
        key = group * len(profiles.attributes) + profiles.base
        places = np.arange((int(group.max()) + 1) * len(profiles.attributes) + 1)
        order = np.argsort(key, kind="stable")
        apart = None if repeated else count(profiles, by_language=True)
        return cls(profiles, by_language, repeated, apart, order, np.searchsorted(key[order], places))

    def with_units(self, table: Table) -> Table:
        """The table with its prompts and languages."""
        if self.apart is not None:
            languages = len(self.profiles.languages)
            groups = slice(table.group.model * languages, (table.group.model + 1) * languages)
            cells = self.apart.cells[table.compared][groups, self.apart.first[table.base] + table.rows]
            counts = cells[:, :, table.columns]
            several = counts.any(axis=(1, 2)).sum() > 1
            return replace(table, languages=units_of_stories(counts) if several else None)
        profiles, group = self.profiles, table.group.model
        if self.by_language:
            group = group * len(profiles.languages) + (table.group.language or 0)
        place = group * len(profiles.attributes) + table.base
        here = self.order[self.starts[place] : self.starts[place + 1]]
        row = _places(table.rows, len(profiles.values[table.base]))[profiles.base_value[here]]
        codes = profiles.codes[here, table.compared]
        column = _places(table.columns, len(profiles.values[table.compared]))[codes]
        kept = (row >= 0) & (column >= 0) & (codes >= 0)
        row, column, here = row[kept], column[kept], here[kept]
        sample, language = profiles.sample[here], profiles.language[here]
        several = not self.by_language and len(np.unique(language)) > 1
        shape = (len(table.rows), len(table.columns))
        return replace(
            table,
            prompts=units_of_prompts(row, column, sample, shape, np.zeros_like(language)),
            languages=units_of_prompts(row, column, sample, shape, language) if several else None,
        )


def _group(profiles: Profiles, *, by_language: bool) -> np.ndarray:
    """Whose story each is: a number for every model (and language)."""
    group = profiles.model.astype(np.int64)
    return group * len(profiles.languages) + profiles.language if by_language else group


def _places(codes: np.ndarray, number: int) -> np.ndarray:
    """Place of each code in a table, -1 where it is not in it."""
    places = np.full(number, -1, dtype=np.int64)
    places[codes] = np.arange(len(codes))
    return places
