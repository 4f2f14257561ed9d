"""What each instrument measured of every association: parts, effects, reliability, and what all say together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from endoxa.runs.families import SINGLE_ASSOCIATIONS, adjusted, decided
from endoxa.schema.convergence import (
    AGREEMENT_COLUMNS,
    AGREEMENTS,
    ALL_AGREE,
    CONTRADICT,
    EFFECT_COLUMNS,
    LONE_FINDING,
    NONE_SEES,
    NOT_TESTED,
    PART_COLUMNS,
    RELIABILITY_COLUMNS,
    SINGLE_INSTRUMENT,
    SOME_AGREE,
)
from endoxa.sources.identities import one_spelling
from endoxa.stats.reliability import PartScores, part_scores, reliability
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

KEY = ("model", "instrument", "association_id")
TEXTS = frozenset(
    {
        *(
            "model",
            "instrument",
            "instrument_1",
            "instrument_2",
            "association_id",
            "identity",
            "attribute",
            "part",
        ),
        *("verdict", "reason", "sentence", "agreement", "direction", "above", "below", "unclear", "untested"),
        *("sampled", "trait_1", "trait_2", "kind", "measure", "together"),
    }
)
"""Columns of text in the tables of convergence."""


def types_of(columns: Iterable[str]) -> dict[str, type[pl.DataType]]:
    """Types of the columns of a table of convergence."""
    return {
        name: pl.String
        if name in TEXTS
        else pl.Int64
        if name.startswith("n_") or name == "place"
        else pl.Float64
        for name in columns
    }


def joined_parts(parts: pl.DataFrame) -> pl.DataFrame:
    """The table of parts (`PART_COLUMNS`) in one spelling, values of one part averaged in whatever order they come."""
    typed = parts.select(pl.col(name).cast(kind) for name, kind in types_of(PART_COLUMNS).items())
    groups = one_spelling(typed).group_by(*KEY, "identity", "part", maintain_order=True)
    return groups.agg(pl.col("value").sort().mean())


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
    """

    model: str
    instrument: str
    associations: tuple[str, ...]
    identities: tuple[str, ...]
    scores: PartScores
    scale: float

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
    )


def identity_codes(identities: tuple[str, ...]) -> np.ndarray:
    """A code for each identity."""
    return np.unique(np.array(identities, dtype=object).astype(str), return_inverse=True)[1]


def attribute_codes(names: Sequence[str], attributes: Mapping[str, str]) -> np.ndarray:
    """Code of the attribute of each association; one without an attribute shares it with no other."""
    return identity_codes(tuple(attributes.get(name, "").strip().casefold() or f"\n{name}" for name in names))


CONSTANT = "all values of this model and instrument are the same"
SINGLE_PART = "the association has one part, and so have all others: no standard error"
NO_SPREAD = "the parts of each association are the same: no standard error"


def effects(sources: Sequence[Measured], confidence: float = 0.95) -> pl.DataFrame:
    """Standardised effect of every association under every instrument, with its test.

    An effect is the mean over the parts of the association, divided by the standard deviation of all single parts of
    the same model and instrument. Nothing is subtracted: 0 stays the neutral value. The scale is that of single
    measurements and not of the means, so that an instrument does not seem stronger for having more parts.

    Args:
        sources: what was measured.
        confidence: confidence level of intervals and verdicts.

    Returns:
        Columns of `schema.convergence.EFFECT_COLUMNS`.
    """
    rows = [row for source in sources for row in _effect_rows(source, confidence)]
    table = adjusted(pl.DataFrame(rows, schema=types_of(EFFECT_COLUMNS)), SINGLE_ASSOCIATIONS)
    return decided(table, value="effect", confidence=confidence).select(list(EFFECT_COLUMNS)).fill_nan(None)


def _effect_rows(source: Measured, confidence: float) -> Iterator[dict[str, Any]]:
    from scipy.special import stdtr, stdtrit

    scores, nan = source.scores, float("nan")
    scale = source.scale or nan
    effect = scores.mean / scale
    error = np.sqrt(scores.within / scores.parts) / scale
    # A rounding error is no spread.
    has_error = bool(scores.freedom) and scores.within > (1e-12 * (1 + np.abs(scores.mean).max())) ** 2
    reason = (
        CONSTANT
        if not source.scale
        else SINGLE_PART
        if not scores.freedom
        else ""
        if has_error
        else NO_SPREAD
    )
    reach = float(stdtrit(scores.freedom, (1 + confidence) / 2)) if has_error else nan
    for k, (association, identity) in enumerate(zip(source.associations, source.identities, strict=True)):
        tested = has_error and not reason
        yield {
            "model": source.model,
            "instrument": source.instrument,
            "association_id": association,
            "identity": identity,
            "n_parts": int(scores.parts[k]),
            "value": float(scores.mean[k]),
            "scale": source.scale,
            "effect": float(effect[k]),
            "se": float(error[k]) if tested else nan,
            "low": float(effect[k] - reach * error[k]) if tested else nan,
            "high": float(effect[k] + reach * error[k]) if tested else nan,
            "confidence": confidence,
            "p_value": float(2 * stdtr(scores.freedom, -abs(effect[k] / error[k]))) if tested else nan,
            "p_adjusted": nan,
            "neutral": 0.0,
            "verdict": "",
            "reason": reason,
        }


def reliabilities(sources: Sequence[Measured], confidence: float = 0.95) -> pl.DataFrame:
    """Reliability of the effects of every model and instrument.

    Args:
        sources: what was measured.
        confidence: confidence level of the intervals.

    Returns:
        Columns of `schema.convergence.RELIABILITY_COLUMNS`.
    """
    rows = []
    for source in sources:
        scored = reliability(source.scores, identity_codes(source.identities), confidence)
        rows.append(
            {
                "model": source.model,
                "instrument": source.instrument,
                "n_associations": len(source.associations),
                "n_identities": len(set(source.identities)),
                "n_halved": scored.units,
                "parts": float(np.median(source.scores.parts)),
                "reliability": scored.value,
                "low": scored.interval.low,
                "high": scored.interval.high,
                "reason": scored.reason,
            }
        )
    return pl.DataFrame(rows, schema=types_of(RELIABILITY_COLUMNS)).fill_nan(None)


_CLAIMS = {ABOVE: "above", BELOW: "below", UNCLEAR: "unclear", UNTESTED: "untested"}


def agreement(effects: pl.DataFrame, attributes: Mapping[str, str]) -> pl.DataFrame:
    """What the instruments say together about each association of each model.

    Associations that all instruments see come first, then those on which they contradict each other, and so on in the
    order of `schema.convergence.AGREEMENTS`; within a kind the stereotype before its opposite, and the largest mean
    effect first.

    Args:
        effects: columns of `schema.convergence.EFFECT_CLAIMSS`.
        attributes: attribute of each association, by id.

    Returns:
        Columns of `schema.convergence.AGREEMENT_CLAIMSS`.
    """
    groups = effects.group_by("model", "association_id", maintain_order=True)
    tools = dict(effects.group_by("model").agg(pl.col("instrument").n_unique()).iter_rows())
    rows = [_agreement_row(part.rows(named=True), attributes, tools[model]) for (model, _), part in groups]
    models = list(dict.fromkeys(effects["model"]))
    rows.sort(key=lambda row: (models.index(row["model"]), *_urgency(row)))
    types = types_of(AGREEMENT_COLUMNS)
    table = pl.DataFrame(rows, schema={name: kind for name, kind in types.items() if name != "place"})
    place = pl.int_range(1, pl.len() + 1).over("model").cast(pl.Int64).alias("place")
    return table.with_columns(place).select(list(types))


def _agreement_row(
    rows: Sequence[Mapping[str, Any]], attributes: Mapping[str, str], instruments: int
) -> dict[str, Any]:
    claims: dict[str, list[str]] = {name: [] for name in _CLAIMS.values()}
    for row in rows:
        claims[_CLAIMS[row["verdict"]]].append(row["instrument"])
    kind = kind_of({name: len(tools) for name, tools in claims.items()}, instruments)
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


def kind_of(claims: Mapping[str, int], instruments: int) -> str:
    """What the instruments say together, from how many claim the stereotype, its opposite, or nothing.

    Args:
        claims: numbers of instruments under 'above', 'below', 'unclear' and 'untested'; the last count for nothing.
        instruments: that measured the model at all; "all agree" needs every one of them.
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
    if most == instruments:
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
