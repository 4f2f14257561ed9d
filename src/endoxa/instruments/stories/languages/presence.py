"""Presence of each association by language or model, and the associations that are harmful.

Harm comes from `endoxa analyze run` or from a user's table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.ratings import BENIGN, HARMFUL, UNDECIDED, require_cells, with_ids
from endoxa.schema import ALL
from endoxa.sources.frames import read_table
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
    """

    by: By
    associations: pl.DataFrame
    members: tuple[str, ...]
    models: tuple[str, ...]
    shown: np.ndarray

    @property
    def present(self) -> np.ndarray:
        """Whether a member has an association, shape (associations, members)."""
        return np.asarray(self.shown.any(axis=2))

    @property
    def harmful(self) -> np.ndarray:
        """Whether an association is harmful; False where nobody knows."""
        return (self.associations["harmful"].fill_null("") == HARMFUL).to_numpy()


def presence(
    discovered: pl.DataFrame,
    harmful: pl.DataFrame | None = None,
    *,
    by: By = "language",
    members: Sequence[str] = (),
) -> Presence:
    """Put associations in order: rows by their parts, members and models by name.

    By language, rows of single languages count (Le Jeune et al. 2026, "Language Specificity", do the same); by model,
    those of all languages together.

    Args:
        discovered: `model`, `aggregation` and the four parts of every association found (`DISCOVERED_COLUMNS`).
        harmful: the four parts, each association once, and `harmful` ('harmful', 'benign', 'undecided', or null).
        by: what has a set of associations.
        members: languages (or models) that have stories even where nothing was found.

    Raises:
        UserError: there are no rows of that kind, or fewer than two members.
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
    associations = rows.select(PARTS).unique().sort(PARTS)
    place = rows.join(associations.with_row_index("place"), on=PARTS, how="left", maintain_order="left")
    cube = np.zeros((len(associations), len(names), len(makers)), dtype=bool)
    member, maker = ({name: k for k, name in enumerate(axis)} for axis in (names, makers))
    cube[place["place"], [member[name] for name in rows[by]], [maker[name] for name in rows["model"]]] = True
    rated = with_ids(associations).with_columns(harmful=pl.lit(None, dtype=pl.String))
    if harmful is not None:
        classes = harmful.select(*PARTS, "harmful")
        rated = rated.drop("harmful").join(
            classes, on=PARTS, how="left", maintain_order="left", validate="1:1"
        )
    return Presence(by, rated, names, makers, cube)


WORDS = {
    **dict.fromkeys((HARMFUL, "yes", "1", "true"), HARMFUL),
    **dict.fromkeys((BENIGN, "no", "0", "false"), BENIGN),
    UNDECIDED: UNDECIDED,
}
MAJORITY = 0.5
"""Share of models that must call an association harmful where no person rated it."""


def read_classes(path: Path) -> pl.DataFrame:
    """The classes of associations.

    What a table of `endoxa analyze run` says is what people's median says, or, where no person rated, what at least
    half of the models say. Another table has `harmful` (yes, no, undecided; 1 and 0; harmful, benign).

    Args:
        path: a table with the four parts of each association.

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
        return rows.select(
            *PARTS, harmful=pl.when("reached").then(pl.lit(HARMFUL)).otherwise(pl.lit(BENIGN))
        ).unique(PARTS, maintain_order=True)
    raise UserError(
        f"{path} has no column 'harmful' (yes, no, undecided). Expected one, or a table of `endoxa analyze run`."
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
