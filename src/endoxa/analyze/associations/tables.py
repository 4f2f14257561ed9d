"""Contingency tables of stories: a value that prompts named against a value read off the stories, all in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from endoxa.analyze.associations.prompts import Units
from endoxa.datasets.stereotales import OTHER, UNKNOWN, Profiles

FEWEST = 10
"""A base value with fewer stories leaves its table (StereoTales, step 1)."""


@dataclass(frozen=True, slots=True)
class Group:
    """Stories that are analysed together: those of one model, in one language or in all (None)."""

    model: int
    language: int | None


@dataclass(frozen=True, slots=True)
class Table:
    """One contingency table.

    Attributes:
        group: whose stories.
        base: code of the attribute that the prompts named.
        compared: code of the attribute that was read off.
        rows: codes of the base values that stayed.
        columns: codes of the compared values that stayed.
        counts: stories, rows x columns.
        prompts: the same prompt by prompt, where a prompt has more than one story in the table.
        languages: the same with languages as strata, where there are several.
    """

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
    group = profiles.model.astype(np.int64) * languages
    if by_language:
        group += profiles.language
    sizes = np.array([len(values) for values in profiles.values])
    first = np.concatenate([[0], np.cumsum(sizes)])
    place = group * first[-1] + first[profiles.base] + profiles.base_value
    cells = []
    for attribute, size in enumerate(sizes):
        codes = profiles.codes[:, attribute]
        known = codes >= 0
        shape = (len(profiles.models) * languages, first[-1], size)
        flat = np.bincount(place[known] * size + codes[known], minlength=int(np.prod(shape)))
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
    """The tables of each group and base attribute, one for every other attribute; they are corrected together."""
    compared = [k for k in range(len(profiles.attributes)) if (profiles.codes[:, k] >= 0).any()]
    bases = np.unique(profiles.base)
    for number, group in enumerate(counted.groups):
        for base in bases:
            yield [_table(counted, number, group, int(base), other) for other in compared if other != base]


def _table(counted: Counted, number: int, group: Group, base: int, compared: int) -> Table:
    """A table without unknown values, rows of fewer than `FEWEST` stories and, after them, empty columns."""
    counts = counted.cells[compared][number, counted.first[base] : counted.first[base + 1]]
    unknown = counted.excluded[base][0]
    rows = np.array([row for row in range(len(counts)) if row != unknown], dtype=np.int64)
    columns = np.array(
        [k for k in range(counts.shape[1]) if k not in counted.excluded[compared]], dtype=np.int64
    )
    counts = counts[np.ix_(rows, columns)]
    enough = counts.sum(axis=1) >= FEWEST
    rows, counts = rows[enough], counts[enough]
    filled = counts.sum(axis=0) > 0
    return Table(group, base, compared, rows, columns[filled], counts[:, filled])
