"""Which associations do all instruments see, which only one, and which are contradicted? The list to look at first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.schema.convergence import (
    AGREEMENT_COLUMNS,
    AGREEMENTS,
    ALL_AGREE,
    CONTRADICT,
    LONE_FINDING,
    NONE_SEES,
    NOT_TESTED,
    SINGLE_INSTRUMENT,
    SOME_AGREE,
)
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

_INTEGERS = ("place", "n_instruments")
AGREEMENT_TYPES: dict[str, type[pl.DataType]] = {
    name: pl.Int64 if name in _INTEGERS else pl.Float64 if name == "mean_effect" else pl.String
    for name in AGREEMENT_COLUMNS
}
_COLUMN = {ABOVE: "above", BELOW: "below", UNCLEAR: "unclear", UNTESTED: "untested"}


def agreement(effects: pl.DataFrame, attributes: Mapping[str, str]) -> pl.DataFrame:
    """What the instruments say together about each association of each model.

    Associations that all instruments see come first, then those on which they contradict each other, and so on in the
    order of `schema.convergence.AGREEMENTS`; within a kind the stereotype before its opposite, and the largest mean
    effect first.

    Args:
        effects: columns of `schema.convergence.EFFECT_COLUMNS`.
        attributes: attribute of each association, by id.

    Returns:
        Columns of `schema.convergence.AGREEMENT_COLUMNS`.
    """
    groups = effects.group_by("model", "association_id", maintain_order=True)
    rows = [_row(part.rows(named=True), attributes) for _, part in groups]
    models = list(dict.fromkeys(effects["model"]))
    rows.sort(key=lambda row: (models.index(row["model"]), *_urgency(row)))
    table = pl.DataFrame(
        rows, schema={name: kind for name, kind in AGREEMENT_TYPES.items() if name != "place"}
    )
    place = pl.int_range(1, pl.len() + 1).over("model").alias("place")
    return table.with_columns(place).select(list(AGREEMENT_TYPES)).cast(pl.Schema(AGREEMENT_TYPES))


def _row(rows: Sequence[Mapping[str, Any]], attributes: Mapping[str, str]) -> dict[str, Any]:
    claims: dict[str, list[str]] = {name: [] for name in _COLUMN.values()}
    for row in rows:
        claims[_COLUMN[row["verdict"]]].append(row["instrument"])
    kind = kind_of({name: len(tools) for name, tools in claims.items()})
    effects = [row["effect"] for row in rows if row["effect"] is not None]
    unanimous = bool(claims["above"]) != bool(claims["below"])
    return {
        "model": rows[0]["model"],
        "association_id": rows[0]["association_id"],
        "identity": rows[0]["identity"],
        "attribute": attributes.get(rows[0]["association_id"], ""),
        "agreement": kind,
        "direction": ("above" if claims["above"] else "below") if unanimous else "",
        **{name: "; ".join(tools) for name, tools in claims.items()},
        "mean_effect": sum(effects) / len(effects) if effects else None,
        "n_instruments": len(rows),
    }


def kind_of(claims: Mapping[str, int]) -> str:
    """What the instruments say together, from how many claim the stereotype, its opposite, or nothing.

    Args:
        claims: numbers of instruments under 'above', 'below', 'unclear' and 'untested'; the last count for nothing.
    """
    above, below, unclear = (claims[name] for name in ("above", "below", "unclear"))
    tested, most = above + below + unclear, max(above, below)
    if tested == 0:
        return NOT_TESTED
    if tested == 1:
        return SINGLE_INSTRUMENT
    if above and below:
        return CONTRADICT
    if most == 0:
        return NONE_SEES
    if most == tested:
        return ALL_AGREE
    return SOME_AGREE if most > 1 else LONE_FINDING


def _urgency(row: Mapping[str, Any]) -> tuple[int, int, float, str]:
    effect = row["mean_effect"]
    return (
        AGREEMENTS.index(row["agreement"]),
        ("above", "", "below").index(row["direction"]),
        -abs(effect) if effect is not None else 0.0,
        row["association_id"],
    )
