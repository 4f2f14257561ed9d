"""Do instruments go together over associations? Correlations of every two, raw and corrected for unreliability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from endoxa.report.claims import corrected as blamed
from endoxa.report.words import plural
from endoxa.runs.families import CONVERGENCE, adjusted, decided
from endoxa.schema.convergence import CORRELATION_COLUMNS
from endoxa.stats.attenuation import corrected_correlation
from endoxa.stats.verdicts import ABOVE, BELOW, UNTESTED
from endoxa.study.convergence.parts import Measured, check_parts, identity_codes, measured
from endoxa.study.convergence.words import ends, level, number, tool

_TEXT = ("model", "instrument_1", "instrument_2", "verdict", "reason", "sentence")
CORRELATION_TYPES: dict[str, type[pl.DataType]] = {
    name: pl.String if name in _TEXT else pl.Int64 if name.startswith("n_") else pl.Float64
    for name in CORRELATION_COLUMNS
}
DIGITS = 0.005
"""Half of the last digit that is printed of a correlation."""


def correlations(parts: pl.DataFrame, confidence: float = 0.95, seed: int = 0) -> pl.DataFrame:
    """Correlation of every two instruments of a model, with intervals over identities and a verdict.

    Args:
        parts: columns of `schema.convergence.PART_COLUMNS`.
        confidence: confidence level of intervals and verdicts.
        seed: seed of the sign-flip tests.

    Returns:
        Columns of `schema.convergence.CORRELATION_COLUMNS`, a row for every model and two of its instruments.

    Raises:
        UserError: the table cannot be used.
    """
    return correlation_table(measured(check_parts(parts)), confidence, seed)


def paired(sources: Sequence[Measured]) -> Iterator[tuple[Measured, Measured]]:
    """Every two instruments of one model."""
    return ((left, right) for left, right in combinations(sources, 2) if left.model == right.model)


def shared(left: Measured, right: Measured) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Associations that both measured, and their places in each."""
    first, second = left.places(), right.places()
    names = [name for name in left.associations if name in second]
    return names, np.array([first[k] for k in names], int), np.array([second[k] for k in names], int)


def correlation_table(sources: Sequence[Measured], confidence: float, seed: int) -> pl.DataFrame:
    """`correlations` of what was measured."""
    rows = [_row(left, right, confidence, seed) for left, right in paired(sources)]
    table = adjusted(pl.DataFrame(rows, schema=CORRELATION_TYPES), CONVERGENCE)
    table = decided(table, value="corrected", confidence=confidence, resolution=DIGITS)
    sentences = [sentence(row) for row in table.fill_nan(None).iter_rows(named=True)]
    return (
        table.with_columns(pl.Series("sentence", sentences, dtype=pl.String))
        .select(list(CORRELATION_TYPES))
        .fill_nan(None)
    )


def _row(left: Measured, right: Measured, confidence: float, seed: int) -> dict[str, Any]:
    names, first, second = shared(left, right)
    identity = np.array(left.identities, dtype=object)[first] if names else np.array([], dtype=object)
    row: dict[str, Any] = {
        "model": left.model,
        "instrument_1": left.instrument,
        "instrument_2": right.instrument,
        "n_associations": len(names),
        "n_identities": len(set(identity.tolist())),
        "confidence": confidence,
        "p_adjusted": float("nan"),
        "neutral": 0.0,
        "verdict": "",
        "sentence": "",
    }
    if not names:
        return {**row, "reason": "no association was measured by both"}
    made = corrected_correlation(
        left.scores.take(first),
        right.scores.take(second),
        identity_codes(tuple(identity.tolist())),
        confidence,
        names=(tool(left.instrument), tool(right.instrument)),
        seed=seed,
    )
    return {
        **row,
        "raw": made.raw,
        "raw_low": made.raw_interval.low,
        "raw_high": made.raw_interval.high,
        "reliability_1": made.reliability_1,
        "reliability_1_low": made.reliability_intervals[0].low,
        "reliability_1_high": made.reliability_intervals[0].high,
        "reliability_2": made.reliability_2,
        "reliability_2_low": made.reliability_intervals[1].low,
        "reliability_2_high": made.reliability_intervals[1].high,
        "corrected": made.value,
        "low": made.interval.low,
        "high": made.interval.high,
        # No test is made of a correlation that cannot be corrected; its raw interval stands.
        "p_value": float("nan") if made.uncorrectable else made.p_value,
        "reason": made.untestable or made.uncorrectable,
    }


def sentence(row: dict[str, Any]) -> str:
    """What the row says, the finding first."""
    names = f"{tool(row['instrument_1'])} and {tool(row['instrument_2'])}"
    over = plural(row["n_associations"], "association")
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
        return f"{row['model']}: {names} go together over {over}: {numbers}.{beyond(row)}{_apart(row)}"
    if row["verdict"] == BELOW:
        return f"{row['model']}: {names} go against each other over {over}: {numbers}.{beyond(row)}"
    return (
        f"{row['model']}: the agreement of {names} over {over} is not distinguishable from none: {numbers}."
        f"{beyond(row)}{blamed(row)}"
    )


def _apart(row: dict[str, Any]) -> str:
    """Whether the two may measure the same thing."""
    if row["high"] < 1:
        return " The interval lies below 1: they do not measure exactly the same thing."
    if row["low"] > 1:
        return " The interval lies above 1: the two share errors, or a reliability is estimated too low."
    return " The interval includes 1: they may measure the same thing."


def beyond(row: Mapping[str, Any]) -> str:
    """Why the corrected correlation of a row lies outside -1 to 1; empty where it does not."""
    if row["corrected"] is None or abs(row["corrected"]) <= 1:
        return ""
    return (
        f" No correlation can be {'above 1' if row['corrected'] > 1 else 'below -1'}: the estimate is, because the two "
        "reliabilities are estimates too."
    )
