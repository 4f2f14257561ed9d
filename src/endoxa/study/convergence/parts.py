"""The table of parts: checked, and as numbers for each model and instrument."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.schema.convergence import PART_COLUMNS
from endoxa.sources.identities import one_spelling
from endoxa.stats.reliability import PartScores, part_scores

TYPES: dict[str, type[pl.DataType]] = {
    name: pl.Float64 if name == "value" else pl.String for name in PART_COLUMNS
}
KEY = ("model", "instrument", "association_id")


def check_parts(parts: pl.DataFrame) -> pl.DataFrame:
    """The table with the columns of `PART_COLUMNS` in their types; values of one part averaged.

    Raises:
        UserError: a column is missing or of the wrong type, a cell is empty, a value is not finite, or an association
            has two identities.
    """
    missing = [name for name in PART_COLUMNS if name not in parts.columns]
    if missing:
        raise UserError(
            f"The table of parts has no column '{missing[0]}' (found: {', '.join(parts.columns) or 'none'})."
        )
    try:
        checked = parts.select(pl.col(name).cast(kind) for name, kind in TYPES.items())
    except pl.exceptions.PolarsError as problem:
        raise UserError(
            f"A column of the table of parts has the wrong type: {str(problem).splitlines()[0]}"
        ) from problem
    for name in PART_COLUMNS:
        empty = checked[name].is_null() if name in ("value", "part") else checked[name].fill_null("") == ""
        if empty.any():
            row = int(empty.arg_true()[0]) + 1
            raise UserError(f"The table of parts, row {row}, column '{name}': empty. Expected a value.")
    infinite = ~checked["value"].is_finite()
    if infinite.any():
        row = int(infinite.arg_true()[0]) + 1
        raise UserError(f"The table of parts, row {row}, column 'value': must be finite.")
    checked = one_spelling(checked)
    identities = checked.group_by("association_id").agg(pl.col("identity").n_unique())
    several = identities.filter(pl.col("identity") > 1).sort("association_id")
    if len(several):
        raise UserError(
            f"The association '{several['association_id'][0]}' has several identities in the table of parts. "
            "Expected one."
        )
    return checked.group_by(*KEY, "identity", "part", maintain_order=True).agg(pl.col("value").sort().mean())


@dataclass(frozen=True, slots=True)
class Measured:
    """What one instrument measured of one model.

    Attributes:
        model: name of the model.
        instrument: the instrument.
        associations: ids, in alphabetical order.
        identities: identity of each association.
        scores: their scores.
        scale: standard deviation of single parts over all associations; 0 where all are the same.
        unit: index of the association of each part.
        part: code of each part.
        value: value of each part.
    """

    model: str
    instrument: str
    associations: tuple[str, ...]
    identities: tuple[str, ...]
    scores: PartScores
    scale: float
    unit: np.ndarray
    part: np.ndarray
    value: np.ndarray

    def places(self) -> dict[str, int]:
        """Index of every association."""
        return {name: place for place, name in enumerate(self.associations)}


def measured(parts: pl.DataFrame) -> list[Measured]:
    """Each model and instrument of a checked table, models and instruments in the order of the table."""
    groups = parts.partition_by("model", "instrument", as_dict=True, maintain_order=True)
    sources = [_measured(str(model), str(tool), part) for (model, tool), part in groups.items()]
    models = list(dict.fromkeys(parts["model"]))
    tools = list(dict.fromkeys(parts["instrument"]))
    return sorted(sources, key=lambda source: (models.index(source.model), tools.index(source.instrument)))


def _measured(model: str, instrument: str, rows: pl.DataFrame) -> Measured:
    # In one order, so that nothing depends on the order of the rows.
    rows = rows.sort("association_id", "part")
    names = rows.select("association_id", "identity").unique(maintain_order=True)
    unit = rows["association_id"].rank("dense").to_numpy().astype(np.int64) - 1
    part = rows["part"].rank("dense").to_numpy().astype(np.int64) - 1
    value = rows["value"].to_numpy()
    spread = float(value.std(ddof=1)) if len(value) > 1 else 0.0
    return Measured(
        model,
        instrument,
        tuple(names["association_id"]),
        tuple(names["identity"]),
        part_scores(unit, part, value),
        spread if spread > 1e-12 * (1 + float(np.abs(value).max())) else 0.0,
        unit,
        part,
        value,
    )


def identity_codes(identities: tuple[str, ...]) -> np.ndarray:
    """A code for each identity."""
    return np.unique(np.array(identities, dtype=object).astype(str), return_inverse=True)[1]
