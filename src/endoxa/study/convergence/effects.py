"""What each instrument measured of every association: parts, effects, reliability, and what all say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
    (
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
    )
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
    empty = pl.DataFrame(schema=types_of(EFFECT_COLUMNS))
    rows = pl.concat([empty, *(_effects(source, confidence) for source in sources)], how="diagonal")
    table = decided(adjusted(rows, SINGLE_ASSOCIATIONS), value="effect", confidence=confidence)
    return table.select(list(EFFECT_COLUMNS)).fill_nan(None)


def _effects(source: Measured, confidence: float) -> pl.DataFrame:
    from scipy.special import stdtr, stdtrit

    scores = source.scores
    # A rounding error is no spread.
    spread = scores.freedom and scores.within > (1e-12 * (1 + np.abs(scores.mean).max())) ** 2
    reasons = {CONSTANT: not source.scale, SINGLE_PART: not scores.freedom, NO_SPREAD: not spread}
    reason = next((why for why, holds in reasons.items() if holds), "")
    effect = scores.mean / (source.scale or np.nan)
    error = (
        np.sqrt(scores.within / scores.parts) / source.scale if not reason else np.full_like(effect, np.nan)
    )
    reach = stdtrit(scores.freedom, (1 + confidence) / 2) * error
    columns = {
        "association_id": source.associations,
        "identity": source.identities,
        "n_parts": scores.parts,
        "value": scores.mean,
        "effect": effect,
        "se": error,
        "low": effect - reach,
        "high": effect + reach,
        "p_value": 2 * stdtr(scores.freedom, -np.abs(effect / error)),
    }
    return pl.DataFrame(columns).with_columns(
        *(pl.lit(text).alias(name) for name, text in (("model", source.model), ("reason", reason))),
        instrument=pl.lit(source.instrument),
        scale=source.scale,
        confidence=confidence,
        neutral=0.0,
    )


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
        effects: columns of `schema.convergence.EFFECT_COLUMNS`.
        attributes: attribute of each association, by id.

    Returns:
        Columns of `schema.convergence.AGREEMENT_COLUMNS`.
    """
    named = {
        name: pl.col("instrument").filter(pl.col("verdict") == verdict) for verdict, name in _CLAIMS.items()
    }
    table = (
        effects.with_columns(instruments=pl.col("instrument").n_unique().over("model"))
        .group_by("model", "association_id", maintain_order=True)
        .agg(
            pl.col("identity", "instruments").first(),
            n_instruments=pl.len().cast(pl.Int64),
            mean_effect=pl.col("effect").mean(),
            **{name: claims.str.join("; ") for name, claims in named.items()},
            **{f"n_{name}": claims.len() for name, claims in named.items()},
        )
    )
    above, below = pl.col("n_above"), pl.col("n_below")
    tested, most = above + below + pl.col("n_unclear"), pl.max_horizontal(above, below)
    contradict = (above > 0) & (below > 0)
    kinds = {
        NOT_TESTED: tested == 0,
        SINGLE_INSTRUMENT: tested == 1,
        CONTRADICT: contradict,
        NONE_SEES: most == 0,
        ALL_AGREE: most == pl.col("instruments"),  # every one that measured the model at all
        SOME_AGREE: most > 1,
        LONE_FINDING: most == 1,
    }
    directions = {"": contradict | (most == 0), "above": above > 0, "below": below > 0}
    table = table.with_columns(
        attribute=pl.col("association_id").replace_strict(attributes, default="", return_dtype=pl.String),
        agreement=pl.coalesce(pl.when(holds).then(pl.lit(kind)) for kind, holds in kinds.items()),
        direction=pl.coalesce(pl.when(holds).then(pl.lit(side)) for side, holds in directions.items()),
    )
    order: dict[str, Sequence[str]] = {
        "model": effects["model"].unique(maintain_order=True).to_list(),
        "agreement": AGREEMENTS,
        "direction": ("above", "", "below"),
    }
    table = table.sort(
        *(pl.col(name).cast(pl.Enum(values)) for name, values in order.items()),
        -pl.col("mean_effect").abs().fill_null(0.0),
        "association_id",
    )
    place = pl.int_range(1, pl.len() + 1).over("model").cast(pl.Int64).alias("place")
    return table.with_columns(place).select(list(AGREEMENT_COLUMNS))
