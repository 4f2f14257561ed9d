"""What each instrument measured of every association: parts, effects, reliability, and correlations of every two.

Whether they agree more on the same trait than on different ones (Campbell and Fiske 1959) is asked in `mtmm`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isinf
from typing import Any

import numpy as np
import polars as pl

from endoxa.report.claims import corrected as blamed
from endoxa.report.claims import open_ends
from endoxa.report.words import NOT_DEFINED, decimal, plural
from endoxa.runs.estimates import CONVERGENCE, SINGLE_ASSOCIATIONS, Family, adjusted, decided
from endoxa.schema.study import (
    CORRELATION_COLUMNS,
    EFFECT_COLUMNS,
    PART_COLUMNS,
    RELIABILITY_COLUMNS,
)
from endoxa.sources.identities import one_spelling
from endoxa.stats.attenuation import corrected_correlation
from endoxa.stats.reliability import PartScores, part_scores, reliability
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import ABOVE, BELOW, UNTESTED, significance

KEY = ("model", "instrument", "association_id")
TEXTS = frozenset({
    "model", "instrument", "instrument_1", "instrument_2", "association_id", "identity", "attribute", "part",
    "verdict", "reason", "sentence", "agreement", "direction", "above", "below", "unclear", "untested",
    "sampled", "trait_1", "trait_2", "kind", "measure", "together",
})  # fmt: skip
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


def judged(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], family: Family, **how: Any
) -> pl.DataFrame:
    """Rows as a table of convergence, with the verdicts of a family of tests (`how`: see `runs.estimates.decided`)."""
    table = pl.DataFrame(list(rows), schema=types_of((*columns, "neutral")))
    return decided(adjusted(table, family), **how).select(columns).fill_nan(None)


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


def identity_codes(identities: Sequence[str]) -> np.ndarray:
    """A code for each identity."""
    return np.unique(np.array(identities, dtype=str), return_inverse=True)[1]


def attribute_codes(names: Iterable[str], attributes: Mapping[str, str]) -> np.ndarray:
    """Code of the attribute of each association; one without an attribute shares it with no other."""
    return identity_codes([attributes.get(name, "").strip().casefold() or f"\n{name}" for name in names])


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
        Columns of `schema.study.EFFECT_COLUMNS`.
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
        Columns of `schema.study.RELIABILITY_COLUMNS`.
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


# ------------------------------------------------------------------ two instruments

DIGITS = 0.005
"""Half of the last digit that is printed of a correlation."""
ASSOCIATION_OR_WORD = "every attribute belongs to one identity: association or word cannot be told apart"
"""Why nothing can be told of associations, or of a correlation over them."""

INSTRUMENTS = {
    "pairs": "sentence pairs",
    "questions": "questions",
    "tests": "association tests",
    "stories": "stories",
    "choices": "decisions",
}
"""Instruments as sentences and tables call them."""


def tool(instrument: str) -> str:
    """An instrument in a sentence."""
    return INSTRUMENTS.get(instrument, instrument)


def number(value: float | None) -> str:
    """A correlation with two digits; 'n/a' where it is not defined."""
    return NOT_DEFINED if value is None or value != value else decimal(value, 2)  # noqa: PLR0124


def ends(low: float | None, high: float | None, verdict: str = "") -> str:
    """An interval of correlations: '0.31 to 0.88', '0.31 or more' where nothing bounds it above.

    An end that the test excludes is said to be excluded: 'just above 0.00 to 0.55'.
    """
    if low is None or high is None or low != low or high != high:  # noqa: PLR0124
        return NOT_DEFINED
    first, last = open_ends(number(low), number(high), verdict, number(0.0))
    if isinf(low) and isinf(high):
        return "unbounded"
    if isinf(high):
        return first if first != number(low) else f"{first} or more"
    if isinf(low):
        return last if last != number(high) else f"{last} or less"
    return f"{first} to {last}"


def level(row: Mapping[str, Any]) -> str:
    """'95 %'."""
    return f"{100 * row['confidence']:g}\u00a0%"


def correlations(
    sources: Sequence[Measured],
    attributes: Mapping[str, str] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.DataFrame:
    """Correlation of every two instruments of a model, with intervals over identities and attributes, and a verdict.

    Where attributes recur but are fewer than six, they are taken as they are: the p-value is then at least that of what
    is left of their means.

    Args:
        sources: what was measured.
        attributes: attribute of each association, by id.
        confidence: confidence level of intervals and verdicts.
        seed: seed of the sign-flip tests.

    Returns:
        Columns of `schema.study.CORRELATION_COLUMNS`, a row for every model and two of its instruments.
    """
    rows = (
        _correlation_row(left, right, attributes or {}, confidence, seed)
        for left, right in combinations(sources, 2)
        if left.model == right.model
    )
    table = judged(
        rows, CORRELATION_COLUMNS, CONVERGENCE, value="corrected", confidence=confidence, resolution=DIGITS
    )
    sentences = [correlation_sentence(row) for row in table.iter_rows(named=True)]
    return table.with_columns(pl.Series("sentence", sentences, dtype=pl.String))


def _correlation_row(
    left: Measured, right: Measured, attributes: Mapping[str, str], confidence: float, seed: int
) -> dict[str, Any]:
    names, first, second = np.intersect1d(left.associations, right.associations, return_indices=True)
    codes = identity_codes([left.identities[place] for place in first])
    row = {
        "model": left.model,
        "instrument_1": left.instrument,
        "instrument_2": right.instrument,
        "n_associations": len(names),
        "n_identities": len(np.unique(codes)),
        "n_attributes": 0,
        "sampled": "both",
        "confidence": confidence,
        "p_value": float("nan"),
        "neutral": 0.0,
    }
    if not len(names):
        return {**row, "reason": "no association was measured by both"}
    attribute = attribute_codes(names, attributes)
    recurring = len(np.unique(attribute)) if crossed(codes, attribute) else 0
    few = recurring < fewest_units(significance(confidence))
    made = corrected_correlation(
        left.scores.take(first),
        right.scores.take(second),
        codes,
        confidence,
        names=(tool(left.instrument), tool(right.instrument)),
        seed=seed,
        crossed=None if few else attribute,
        levels=attribute if few and recurring else None,
    )
    row |= {"n_attributes": recurring, "sampled": "identities" if few and recurring else "both"}
    return {
        **row,
        "raw": made.raw,
        "raw_low": made.raw_interval.low,
        "raw_high": made.raw_interval.high,
        "reliability_1": made.reliability_1,
        "reliability_2": made.reliability_2,
        **{
            f"reliability_{k}_{end}": getattr(interval, end)
            for k, interval in enumerate(made.reliability_intervals, start=1)
            for end in ("low", "high")
        },
        "corrected": made.value,
        "low": made.interval.low,
        "high": made.interval.high,
        # No test is made of a correlation that cannot be corrected; its raw interval stands.
        "p_value": float("nan") if made.uncorrectable else made.p_value,
        "reason": made.untestable or made.uncorrectable,
    }


def crossed(identity: np.ndarray, attribute: np.ndarray) -> bool:
    """Whether attributes recur in several identities."""
    cells = np.unique(np.stack([identity, attribute]), axis=1)
    return len(np.unique(attribute)) < int(cells.shape[1])


def correlation_sentence(row: dict[str, Any]) -> str:
    """What the row says, the finding first."""
    names = f"{tool(row['instrument_1'])} and {tool(row['instrument_2'])}"
    over = plural(row["n_associations"], "association") + _units(row)
    raw = ""
    if row["raw"] is not None:
        raw = number(row["raw"])
        if row["raw_low"] is not None:
            raw += f" ({ends(row['raw_low'], row['raw_high'], row['verdict'])})"
    if row["verdict"] == UNTESTED:
        rest = f" Their raw correlation over {over} is {raw}." if raw else ""
        return f"{row['model']}: how closely {names} correspond cannot be tested: {row['reason']}.{rest}"
    numbers = (
        f"corrected correlation {number(row['corrected'])} ({level(row)} interval "
        f"{ends(row['low'], row['high'], row['verdict'])}), raw {raw}"
    )
    if row["verdict"] == ABOVE:
        return f"{row['model']}: {names} go together over {over}: {numbers}.{beyond(row)}{_apart(row)}{or_word(row)}"
    if row["verdict"] == BELOW:
        return f"{row['model']}: {names} go against each other over {over}: {numbers}.{beyond(row)}{or_word(row)}"
    return (
        f"{row['model']}: the agreement of {names} over {over} is not distinguishable from none: {numbers}."
        f"{beyond(row)}{blamed(row)}"
    )


def _units(row: dict[str, Any]) -> str:
    """' of 20 identities x 10 attributes', ' of 20 identities, with these 5 attributes only'; nothing of one kind."""
    if not row["n_attributes"]:
        return ""
    identities = plural(row["n_identities"], "identity", "identities")
    attributes = plural(row["n_attributes"], "attribute")
    only = row["sampled"] == "identities"
    return f" of {identities}, with these {attributes} only" if only else f" of {identities} x {attributes}"


def _apart(row: dict[str, Any]) -> str:
    """Whether the two may measure the same thing."""
    if row["high"] < 1:
        return " The interval lies below 1: they do not measure exactly the same thing."
    if row["low"] > 1:
        return " The interval lies above 1: the two share errors, or a reliability is estimated too low."
    return " The interval includes 1: they may measure the same thing."


def or_word(row: Mapping[str, Any]) -> str:
    """That a claim may be about words, where no attribute recurs; else empty."""
    claims = row["verdict"] in {ABOVE, BELOW} and not row["n_attributes"]
    return f" {ASSOCIATION_OR_WORD.capitalize()}." if claims else ""


def beyond(row: Mapping[str, Any]) -> str:
    """Why the corrected correlation of a row lies outside -1 to 1; empty where it does not."""
    if row["corrected"] is None or abs(row["corrected"]) <= 1:
        return ""
    return (
        f" No correlation can be {'above 1' if row['corrected'] > 1 else 'below -1'}: the estimate is, because the two "
        "reliabilities are estimates too."
    )
