"""Tables with their units: prompts where they have several stories, languages as strata where there are several."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from endoxa.analyze.associations.prompts import Units, has_repeats, units_of_prompts, units_of_stories
from endoxa.analyze.associations.tables import Counted, Table, count
from endoxa.datasets.stereotales import Profiles


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
            return replace(table, languages=self._counted(table, self.apart))
        profiles, here = self.profiles, self._of(table)
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

    def _of(self, table: Table) -> np.ndarray:
        """Places of the stories of the table's group and base attribute."""
        group = table.group.model
        if self.by_language:
            group = group * len(self.profiles.languages) + (table.group.language or 0)
        place = group * len(self.profiles.attributes) + table.base
        return self.order[self.starts[place] : self.starts[place + 1]]

    def _counted(self, table: Table, apart: Counted) -> Units | None:
        languages = len(self.profiles.languages)
        groups = slice(table.group.model * languages, (table.group.model + 1) * languages)
        counts = apart.cells[table.compared][groups, apart.first[table.base] + table.rows][
            :, :, table.columns
        ]
        return units_of_stories(counts) if counts.any(axis=(1, 2)).sum() > 1 else None


def _group(profiles: Profiles, *, by_language: bool) -> np.ndarray:
    group = profiles.model.astype(np.int64)
    return group * len(profiles.languages) + profiles.language if by_language else group


def _places(codes: np.ndarray, number: int) -> np.ndarray:
    """Place of each code in a table, -1 where it is not in it."""
    places = np.full(number, -1, dtype=np.int64)
    places[codes] = np.arange(len(codes))
    return places
