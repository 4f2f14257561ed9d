"""Associations that only one language (or model) shows, and those that all show.

For an association found in one place only, the power to detect it elsewhere is computed: absence of evidence is not
evidence of absence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations.cells import Cells, log_p_greater, power
from endoxa.instruments.stories.associations.tables import Table, count, families
from endoxa.instruments.stories.languages.presence import Presence, names_with_stories
from endoxa.schema.stories import EXCLUSIVE_COLUMNS
from endoxa.sources.stereotales import Profiles

Key = tuple[int, int | None, int, int]
"""Model, language (None: all of them), base attribute, compared attribute; codes of the stories."""


@dataclass(frozen=True, slots=True)
class Cell:
    """An association in the stories of one model (and language).

    Attributes:
        count: stories with both values.
        row: stories with the base value.
        column: stories with the compared value.
        total: stories of the table.
        shape: base values and compared values of the table.
    """

    count: int
    row: int
    column: int
    total: int
    shape: tuple[int, int]

    @property
    def lift(self) -> float:
        """Share of the compared value in the row / in the table."""
        return self.count * self.total / (self.row * self.column) if self.column else 0.0


@dataclass(frozen=True, slots=True)
class Place:
    """An association where it was not found.

    Attributes:
        member: the language or model.
        lift: its largest lift there, of the models that find it at home.
        p_value: its smallest p-value there, of the same models; after Bonferroni over them.
        power: probability that one of these models would have shown it with the lift and the base rate that it has at
            home, given the stories of its base value there.
    """

    member: str
    lift: float
    p_value: float
    power: float


class Stories:
    """Tables of stories, asked for single associations.

    Raises:
        UserError: the stories lack a model, a language or an attribute of the associations.
    """

    def __init__(self, profiles: Profiles, where: Presence) -> None:
        _require_same(profiles, where)
        self._profiles, self._where = profiles, where
        attributes = where.associations.select("base_attribute", "compared_attribute").unique()
        wanted = {tuple(map(profiles.attributes.index, pair)) for pair in attributes.iter_rows()}
        counted = count(profiles, by_language=where.by == "language")
        self._tables: Mapping[Key, Table] = {
            (table.group.model, table.group.language, table.base, table.compared): table
            for family in families(profiles, counted)
            for table in family
            if (table.base, table.compared) in wanted
        }

    def elsewhere(self, association: int, home: int) -> tuple[list[Place], list[str]]:
        """How an association stands outside its only place.

        Args:
            association: its row.
            home: the member that has it.

        Returns:
            The other members in which it was tested, and the names of those in which it could not be: no table, or
            fewer than ten stories of its base value.
        """
        places, untested = list[Place](), list[str]()
        for member, name in enumerate(self._where.members):
            if member == home:
                continue
            pairs = list(self._pairs(association, home, member))
            if pairs:
                there = Cells(
                    *(
                        np.array([getattr(cell, side) for _, cell in pairs])
                        for side in ("count", "row", "column", "total")
                    )
                )
                p_value = min(1.0, len(pairs) * exp(log_p_greater(there).min()))
                missed = np.prod([1 - _power(here, cell.row) for here, cell in pairs])
                places.append(Place(name, max(cell.lift for _, cell in pairs), p_value, float(1 - missed)))
            else:
                untested.append(name)
        return places, untested

    def _pairs(self, association: int, home: int, member: int) -> Iterator[tuple[Cell, Cell]]:
        """The association at home and in another member, in the stories of each model that finds it at home."""
        for model in np.flatnonzero(self._where.shown[association, home]):
            here = self._cell(association, home, int(model))
            there = self._cell(association, member, int(model))
            if here is not None and here.column and there is not None:
                yield here, there

    def _cell(self, association: int, member: int, model: int) -> Cell | None:
        profiles, where = self._profiles, self._where
        row = where.associations.row(association, named=True)
        base, compared = (
            profiles.attributes.index(row[f"{side}_attribute"]) for side in ("base", "compared")
        )
        by_language = where.by == "language"
        maker = profiles.models.index(where.models[model] if by_language else where.members[member])
        language = profiles.languages.index(where.members[member]) if by_language else None
        table = self._tables.get((maker, language, base, compared))
        if table is None or not table.usable:
            return None
        in_row = table.rows == profiles.code(base, row["base_value"])
        if not in_row.any():
            return None
        in_column = table.columns == profiles.code(compared, row["compared_value"])
        counts = table.counts
        return Cell(
            int(counts[in_row][:, in_column].sum()),
            int(counts[in_row].sum()),
            int(counts[:, in_column].sum()),
            int(counts.sum()),
            (counts.shape[0], counts.shape[1]),
        )


@lru_cache(maxsize=100_000)
def _power(here: Cell, stories: int) -> float:
    """Power to see the association as it is at home with so many stories of each base value."""
    values, columns = here.shape
    rate = here.column / here.total
    lift = min(here.lift, values, 1 / rate)
    return power(stories, base_rate=rate, lift=lift, values=values, cells=values * columns)


def _require_same(profiles: Profiles, where: Presence) -> None:
    named = where.associations.select("base_attribute", "compared_attribute")
    kinds = {
        "model": (where.models, profiles.models),
        "attribute": ({name for row in named.iter_rows() for name in row}, profiles.attributes),
        where.by: (where.members, names_with_stories(profiles, where.by)),
    }
    for kind, (wanted, available) in kinds.items():
        missing = sorted(set(wanted) - set(available))
        if missing:
            raise UserError(
                f"The stories have no {kind} '{missing[0]}', but the associations do. Give the stories that the "
                "associations were found in."
            )


ENOUGH_POWER = 0.8
TENDENCY = 0.05
"""A p-value below this elsewhere speaks against 'only here'."""
NO_STORIES = "no stories given: it may have been missed elsewhere"


def exclusive(where: Presence, profiles: Profiles | None) -> pl.DataFrame:
    """Associations with a reach of 1, and whether the others had the stories to show them.

    Returns:
        `schema.stories.EXCLUSIVE_COLUMNS`.
    """
    present = where.present
    alone = np.flatnonzero(present.sum(axis=1) == 1)
    stories = None if profiles is None else Stories(profiles, where)
    rows = []
    for association in alone.tolist():
        home = int(present[association].argmax())
        row = where.associations.row(association, named=True)
        cells = {"caution": NO_STORIES} if stories is None else _seen(*stories.elsewhere(association, home))
        count = int(where.shown[association, home].sum())
        rows.append({**row, "member": where.members[home], "model_count": count, **cells})
    order = ["member", "model_count"]
    return pl.DataFrame(rows, schema=_TYPES).sort(order, descending=[False, True], maintain_order=True)


def universal(where: Presence) -> pl.DataFrame:
    """Associations that every language (or model) with stories has.

    Returns:
        `schema.stories.UNIVERSAL_COLUMNS`, those of the most models first.
    """
    everywhere = np.asarray(where.present.all(axis=1))
    makers = where.shown[everywhere].sum(axis=2)
    table = where.associations.filter(everywhere).with_columns(
        of=pl.lit(len(where.members), dtype=pl.Int64),
        fewest_models=pl.Series(makers.min(axis=1), dtype=pl.Int64),
        most_models=pl.Series(makers.max(axis=1), dtype=pl.Int64),
    )
    return table.sort("fewest_models", descending=True, maintain_order=True)


def _seen(places: Sequence[Place], untested: Sequence[str]) -> dict[str, Any]:
    """The columns that stories fill, and what to be careful about in words."""
    cautions = [f"not tested in {', '.join(untested)}"] if untested else []
    cells: dict[str, Any] = {"untested": "; ".join(untested)}
    if places:
        weakest = min(places, key=lambda where: where.power)
        nearest = min(places, key=lambda where: where.p_value)
        missed = [place.member for place in places if place.power < ENOUGH_POWER]
        if missed:
            cautions.append(f"could have been missed in {', '.join(missed)}")
        p_value = min(1.0, len(places) * nearest.p_value)
        if p_value < TENDENCY:
            cautions.append(f"tends the same way in {nearest.member}")
        cells |= {
            "lift_elsewhere": max(place.lift for place in places),
            "p_elsewhere": p_value,
            "nearest": nearest.member,
            "power_elsewhere": weakest.power,
            "weakest": weakest.member,
        }
    return cells | {"caution": "; ".join(cautions)}


_NUMBERS = ("lift_elsewhere", "p_elsewhere", "power_elsewhere")
_TYPES = {
    name: pl.Float64() if name in _NUMBERS else pl.Int64() if name == "model_count" else pl.String()
    for name in EXCLUSIVE_COLUMNS
}
