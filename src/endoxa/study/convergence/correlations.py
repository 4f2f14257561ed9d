"""Do instruments go together over associations? Every two instruments of a model, raw and corrected for unreliability.

Whether they agree more on the same trait than on different ones (Campbell and Fiske 1959) is asked in `mtmm`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import isinf
from typing import Any

import numpy as np
import polars as pl

from endoxa.report.claims import corrected as blamed
from endoxa.report.claims import open_ends
from endoxa.report.words import NOT_DEFINED, decimal, plural
from endoxa.runs.families import CONVERGENCE, adjusted, decided
from endoxa.schema.convergence import CORRELATION_COLUMNS
from endoxa.stats.attenuation import corrected_correlation
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import ABOVE, BELOW, UNTESTED, significance
from endoxa.study.convergence.chance import ASSOCIATION_OR_WORD
from endoxa.study.convergence.effects import Measured, attribute_codes, identity_codes, types_of

DIGITS = 0.005
"""Half of the last digit that is printed of a correlation."""

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


def paired(sources: Sequence[Measured]) -> Iterator[tuple[Measured, Measured]]:
    """Every two instruments of one model."""
    return ((left, right) for left, right in combinations(sources, 2) if left.model == right.model)


def shared(left: Measured, right: Measured) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Associations that both measured, and their places in each."""
    first, second = left.places(), right.places()
    names = [name for name in left.associations if name in second]
    return names, np.array([first[k] for k in names], int), np.array([second[k] for k in names], int)


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
        Columns of `schema.convergence.CORRELATION_COLUMNS`, a row for every model and two of its instruments.
    """
    rows = [
        _correlation_row(left, right, attributes or {}, confidence, seed) for left, right in paired(sources)
    ]
    table = adjusted(pl.DataFrame(rows, schema=types_of(CORRELATION_COLUMNS)), CONVERGENCE)
    table = decided(table, value="corrected", confidence=confidence, resolution=DIGITS)
    sentences = [correlation_sentence(row) for row in table.fill_nan(None).iter_rows(named=True)]
    return (
        table.with_columns(pl.Series("sentence", sentences, dtype=pl.String))
        .select(list(CORRELATION_COLUMNS))
        .fill_nan(None)
    )


def _correlation_row(
    left: Measured, right: Measured, attributes: Mapping[str, str], confidence: float, seed: int
) -> dict[str, Any]:
    names, first, second = shared(left, right)
    identity = np.array(left.identities, dtype=object)[first] if names else np.array([], dtype=object)
    row = {
        "model": left.model,
        "instrument_1": left.instrument,
        "instrument_2": right.instrument,
        "n_associations": len(names),
        "n_identities": len(set(identity.tolist())),
        "n_attributes": 0,
        "sampled": "both",
        "confidence": confidence,
        "p_value": float("nan"),
        "neutral": 0.0,
    }
    if not names:
        return {**row, "reason": "no association was measured by both"}
    codes = identity_codes(tuple(identity.tolist()))
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
