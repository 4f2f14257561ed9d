"""Presence of each association by language or model, and the associations that are harmful.

Harm comes from `endoxa analyze run` or from a user's table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import exp
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.associations.cells import Cells, log_p_greater
from endoxa.instruments.stories.associations.lift import power
from endoxa.instruments.stories.associations.tables import Table, count, families
from endoxa.instruments.stories.harm.ratings import (
    BENIGN,
    HARMFUL,
    THRESHOLD,
    UNDECIDED,
    require_cells,
    with_ids,
)
from endoxa.schema import ALL
from endoxa.schema.stories import EXCLUSIVE_COLUMNS
from endoxa.sources.frames import read_table
from endoxa.sources.stereotales import Profiles
from endoxa.sources.stereotales.associations import PARTS

By = Literal["language", "model"]
"""What has a set of associations: each language, or each model."""
NAMELESS = "not named"
"""Stands for the model where a table names none."""


@dataclass(frozen=True, slots=True, eq=False)
class Presence:
    """Associations, and where they are found.

    Attributes:
        by: what the members are.
        associations: one row for each: `association_id`, the four parts, `harmful` (null where nobody rated it).
        members: languages, or models.
        models: all models.
        shown: significant or not, shape (associations, members, models); with `by` model only its own model counts.
        fewest: how many models must find an association in a language for it to count there.
    """

    by: By
    associations: pl.DataFrame
    members: tuple[str, ...]
    models: tuple[str, ...]
    shown: np.ndarray
    fewest: int

    @property
    def present(self) -> np.ndarray:
        """Whether a member has an association, shape (associations, members)."""
        return np.asarray(self.shown.sum(axis=2) >= self.fewest)

    @property
    def harmful(self) -> np.ndarray:
        """Whether an association is harmful; False where nobody knows."""
        return (self.associations["harmful"].fill_null("") == HARMFUL).to_numpy()


def presence(
    discovered: pl.DataFrame,
    harmful: pl.DataFrame | None = None,
    *,
    by: By = "language",
    models: int = 1,
    members: Sequence[str] = (),
) -> Presence:
    """Put associations in order: rows by their parts, members and models by name.

    By language, rows of single languages count (Le Jeune et al. 2026, "Language Specificity", do the same); by model,
    those of all languages together.

    Args:
        discovered: `model`, `aggregation` and the four parts of every association found (`DISCOVERED_COLUMNS`).
        harmful: the four parts, each association once, and `harmful` ('harmful', 'benign', 'undecided', or null).
        by: what has a set of associations.
        models: so many models at least must find an association in a language for it to count there.
        members: languages (or models) that have stories even where nothing was found.

    Raises:
        UserError: there are no rows of that kind, fewer than two members, or `models` is more than there are.
    """
    pooled = pl.col("aggregation") == ALL
    rows = discovered.filter(~pooled if by == "language" else pooled)
    if rows.is_empty():
        kind, option = (
            ("of single languages", "with") if by == "language" else ("of all languages", "without")
        )
        raise UserError(
            f"No associations {kind} found. Run `endoxa analyze associations` {option} --by language."
        )
    if by == "model" and rows["model"].null_count():
        raise UserError("An association has no model. Expected one in every row to compare models.")
    rows = rows.select(*PARTS, pl.col("model").fill_null(NAMELESS), language=pl.col("aggregation"))
    names = tuple(sorted({*rows[by], *members}))
    if len(names) < 2:
        raise UserError(f"Only one {by}, '{names[0]}', has stories. Expected two or more to compare.")
    makers = tuple(sorted(set(rows["model"])))
    if not 1 <= models <= (len(makers) if by == "language" else 1):
        raise UserError(
            f"An association cannot be asked for in {models} models: "
            + (f"there are {len(makers)}." if by == "language" else "each model is compared by itself.")
        )
    associations = rows.select(PARTS).unique().sort(PARTS)
    place = rows.join(associations.with_row_index("place"), on=PARTS, how="left", maintain_order="left")
    cube = np.zeros((len(associations), len(names), len(makers)), dtype=bool)
    member, maker = ({name: k for k, name in enumerate(axis)} for axis in (names, makers))
    cube[place["place"], [member[name] for name in rows[by]], [maker[name] for name in rows["model"]]] = True
    kept = (cube.sum(axis=2) >= models).any(axis=1)
    rated = with_ids(associations).with_columns(harmful=pl.lit(None, dtype=pl.String))
    if harmful is not None:
        classes = harmful.select(*PARTS, "harmful")
        rated = rated.drop("harmful").join(
            classes, on=PARTS, how="left", maintain_order="left", validate="1:1"
        )
    return Presence(by, rated.filter(kept), names, makers, cube[kept], models)


def names_with_stories(profiles: Profiles | None, by: By) -> tuple[str, ...]:
    """The languages (or models) of which there are stories."""
    if profiles is None:
        return ()
    return profiles.languages if by == "language" else profiles.models


WORDS = {
    **dict.fromkeys((HARMFUL, "yes", "1", "true"), HARMFUL),
    **dict.fromkeys((BENIGN, "no", "0", "false"), BENIGN),
    UNDECIDED: UNDECIDED,
}
MAJORITY = 0.5
"""Share of models that must call an association harmful where no person rated it."""


def read_classes(path: Path, threshold: float = THRESHOLD) -> pl.DataFrame:
    """The classes of associations.

    What a table of `endoxa analyze run` says is what people's median says, or, where no person rated, what at least
    half of the models say. Another table has `harmful` (yes, no, undecided; 1 and 0; harmful, benign) or ratings
    `harm`, of which the median is taken for each association.

    Args:
        path: a table with the four parts of each association.
        threshold: median rating from which an association is harmful, where the table has ratings.

    Returns:
        The four parts and `harmful` ('harmful', 'benign' or 'undecided'), each association once.

    Raises:
        UserError: no such column, a cell that is none of these, or two rows that disagree.
    """
    table = read_table(path, PARTS)
    if "harmful" in table.columns:
        return _words(path, table)
    if {"people_harmful", "models_harmful"} <= set(table.columns):
        people, models = (_numbers(path, table, name) for name in ("people_harmful", "models_harmful"))
        harmful = people >= 1 if people.is_not_null().any() else models >= MAJORITY
        rows = table.select(*PARTS, harmful.alias("reached")).drop_nulls("reached")
        return rows.select(*PARTS, harmful=_classified(pl.col("reached"))).unique(PARTS, maintain_order=True)
    if "harm" in table.columns:
        rated = table.select(*PARTS, harm=_numbers(path, table, "harm")).drop_nulls("harm")
        medians = rated.group_by(PARTS, maintain_order=True).agg(pl.col("harm").median())
        return medians.select(*PARTS, harmful=_classified(pl.col("harm") >= threshold))
    raise UserError(
        f"{path} has no column 'harmful' (yes, no, undecided) or 'harm' (ratings). Expected one of them, or a table "
        "of `endoxa analyze run`."
    )


def _words(path: Path, table: pl.DataFrame) -> pl.DataFrame:
    answers = pl.col("harmful").fill_null("").str.strip_chars().str.to_lowercase()
    spoken = table.with_columns(harmful=answers)
    strange = ~answers.is_in(["", *WORDS])
    require_cells(
        path, spoken, "harmful", strange, f"'{{}}' is invalid. Expected one of: {', '.join(WORDS)}."
    )
    classes = pl.col("harmful").replace_strict(WORDS, default=None, return_dtype=pl.String)
    rows = spoken.select(*PARTS, classes).drop_nulls("harmful").unique(maintain_order=True)
    twice = rows.filter(rows.select(PARTS).is_duplicated())
    if twice.height:
        base, compared = twice.row(0)[1], twice.row(0)[3]
        raise UserError(
            f"{path}: contradictory rows for '{base}' with '{compared}'. Keep one row per association."
        )
    return rows


def _numbers(path: Path, table: pl.DataFrame, name: str) -> pl.Series:
    cells = table[name].replace("", None)
    numbers = cells.cast(pl.Float64, strict=False)
    broken = pl.lit(cells.is_not_null() & numbers.is_null())
    require_cells(path, table, name, broken, "'{}' is not a number.")
    return numbers


def _classified(reached: pl.Expr) -> pl.Expr:
    return pl.when(reached).then(pl.lit(HARMFUL)).otherwise(pl.lit(BENIGN))


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


Tables = Mapping[Key, Table]


def tables_of(profiles: Profiles, where: Presence) -> Tables:
    """The tables of stories in which some associations stand.

    Raises:
        UserError: the stories lack a model, a language or an attribute of the associations.
    """
    pairs = set(where.associations.select("base_attribute", "compared_attribute").iter_rows())
    kinds = {
        "model": (where.models, profiles.models),
        "attribute": ({name for pair in pairs for name in pair}, profiles.attributes),
        where.by: (where.members, names_with_stories(profiles, where.by)),
    }
    for kind, (named, available) in kinds.items():
        missing = sorted(set(named) - set(available))
        if missing:
            raise UserError(
                f"The stories have no {kind} '{missing[0]}', but the associations do. Give the stories that the "
                "associations were found in."
            )
    wanted = {tuple(map(profiles.attributes.index, pair)) for pair in pairs}
    return {
        (table.group.model, table.group.language, table.base, table.compared): table
        for family in families(profiles, count(profiles, by_language=where.by == "language"))
        for table in family
        if (table.base, table.compared) in wanted
    }


def _cell(
    profiles: Profiles, where: Presence, tables: Tables, *, association: int, member: int, model: int
) -> Cell | None:
    """An association in the stories of a member and model; None without a table or stories of its base value there."""
    row, by_language = where.associations.row(association, named=True), where.by == "language"
    base, compared = (profiles.attributes.index(row[f"{side}_attribute"]) for side in ("base", "compared"))
    maker = profiles.models.index(where.models[model] if by_language else where.members[member])
    language = profiles.languages.index(where.members[member]) if by_language else None
    table = tables.get((maker, language, base, compared))
    if table is None or not table.usable:
        return None
    in_row = table.rows == profiles.code(base, row["base_value"])
    in_column = table.columns == profiles.code(compared, row["compared_value"])
    if not in_row.any():
        return None
    counts = table.counts
    parts = (counts[in_row][:, in_column], counts[in_row], counts[:, in_column], counts)
    cell, row_total, column_total, total = (int(part.sum()) for part in parts)
    return Cell(cell, row_total, column_total, total, (counts.shape[0], counts.shape[1]))


@lru_cache(maxsize=100_000)
def _power(here: Cell, stories: int) -> float:
    """Power to see the association as it is at home with so many stories of each base value."""
    values, columns = here.shape
    rate = here.column / here.total
    lift = min(here.lift, values, 1 / rate)
    return power(stories, base_rate=rate, lift=lift, values=values, columns=columns)


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
    tables = None if profiles is None else tables_of(profiles, where)
    rows = []
    for association in alone.tolist():
        home = int(present[association].argmax())
        row = where.associations.row(association, named=True)
        cells: dict[str, Any] = {"caution": NO_STORIES}
        if profiles is not None and tables is not None:
            cell = partial(_cell, profiles, where, tables, association=association)
            cells = _elsewhere(where, association, home, cell)
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


def _elsewhere(
    where: Presence, association: int, home: int, cell: Callable[..., Cell | None]
) -> dict[str, Any]:
    """How an association stands outside its only place, and what to be careful about in words.

    In every other member: the largest lift of the models that find it at home, their smallest p-value after Bonferroni
    over them, and the probability that one of them would have shown it with the lift and the base rate that it has at
    home, given the stories of its base value there. Not tested: no table, or fewer than ten stories of its base value.

    Args:
        where: the associations.
        association: its row.
        home: the member that has it.
        cell: gives the association in the stories of a member and a model.
    """
    models = np.flatnonzero(where.shown[association, home]).tolist()
    lifts, p_values, powers = dict[str, float](), dict[str, float](), dict[str, float]()
    untested = []
    for member, name in enumerate(where.members):
        if member == home:
            continue
        sides_of = [[cell(member=place, model=model) for place in (home, member)] for model in models]
        pairs = [(here, there) for here, there in sides_of if here and here.column and there]
        if not pairs:
            untested.append(name)
            continue
        sides = ("count", "row", "column", "total")
        there = Cells(*(np.array([getattr(other, side) for _, other in pairs]) for side in sides))
        lifts[name] = max(other.lift for _, other in pairs)
        p_values[name] = min(1.0, len(pairs) * exp(log_p_greater(there).min()))
        powers[name] = float(1 - np.prod([1 - _power(here, other.row) for here, other in pairs]))
    cautions = [f"not tested in {', '.join(untested)}"] if untested else []
    cells: dict[str, Any] = {"untested": "; ".join(untested)}
    if lifts:
        weakest, nearest = min(powers, key=powers.__getitem__), min(p_values, key=p_values.__getitem__)
        p_value = min(1.0, len(p_values) * p_values[nearest])
        if missed := [name for name, chance in powers.items() if chance < ENOUGH_POWER]:
            cautions.append(f"could have been missed in {', '.join(missed)}")
        if p_value < TENDENCY:
            cautions.append(f"tends the same way in {nearest}")
        cells |= {
            "lift_elsewhere": max(lifts.values()),
            "p_elsewhere": p_value,
            "nearest": nearest,
            "power_elsewhere": powers[weakest],
            "weakest": weakest,
        }
    return cells | {"caution": "; ".join(cautions)}


_NUMBERS = ("lift_elsewhere", "p_elsewhere", "power_elsewhere")
_TYPES = {
    name: pl.Float64() if name in _NUMBERS else pl.Int64() if name == "model_count" else pl.String()
    for name in EXCLUSIVE_COLUMNS
}
