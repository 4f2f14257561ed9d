"""Discriminant check: do two instruments agree on the association, or only on its attribute?

Campbell and Fiske (1959) ask that two methods agree more on the same trait than on different traits. Here a trait is an
association, and the different trait is the same attribute said of another identity: an instrument that reacts to the
attribute whatever the group (a frequent word, a harsh one) correlates as highly with other identities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from endoxa.report.claims import corrected as blamed
from endoxa.report.words import plural
from endoxa.runs.families import DISCRIMINATION, adjusted, decided
from endoxa.schema.convergence import DISCRIMINANT_COLUMNS
from endoxa.stats.attenuation import unreliable
from endoxa.stats.intervals import effective_number
from endoxa.stats.reliability import FEWEST_UNITS, reliability
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import ABOVE, BELOW, UNTESTED, significance, too_few
from endoxa.study.convergence.correlations import DIGITS, paired, shared
from endoxa.study.convergence.parts import Measured, check_parts, identity_codes, measured
from endoxa.study.convergence.words import ends, level, number, tool

_TEXT = ("model", "instrument_1", "instrument_2", "verdict", "reason", "sentence")
DISCRIMINANT_TYPES: dict[str, type[pl.DataType]] = {
    name: pl.String if name in _TEXT else pl.Int64 if name.startswith("n_") else pl.Float64
    for name in DISCRIMINANT_COLUMNS
}
NO_PARTNER = "no attribute was measured for two identities by both"


def discriminant(
    parts: pl.DataFrame, attributes: Mapping[str, str], confidence: float = 0.95
) -> pl.DataFrame:
    """For every two instruments of a model, agreement on the same association against that on other identities.

    Over the associations that both instruments measured and whose attribute both measured for another identity too:
    `same` is the mean product of both standardised effects of an association; `other` that of the first instrument's
    effect with the mean effect of the second over the associations of the same attribute and another identity,
    averaged with the reverse; `within_1` and `within_2` are the latter with one instrument on both sides. Effects are
    standardised over these associations. Identities are left out in turn, as what is measured and as partners. Where a
    reliability over these associations is unknown or too low (`stats.attenuation.unreliable`), nothing is tested.

    Args:
        parts: columns of `schema.convergence.PART_COLUMNS`.
        attributes: attribute of each association, by id; what it lacks has no partner.
        confidence: confidence level of intervals and verdicts.

    Returns:
        Columns of `schema.convergence.DISCRIMINANT_COLUMNS`.

    Raises:
        UserError: the table cannot be used.
    """
    return discriminant_table(measured(check_parts(parts)), attributes, confidence)


def discriminant_table(
    sources: Sequence[Measured], attributes: Mapping[str, str], confidence: float
) -> pl.DataFrame:
    """`discriminant` of what was measured."""
    rows = [_row(left, right, attributes, confidence) for left, right in paired(sources)]
    table = adjusted(pl.DataFrame(rows, schema=DISCRIMINANT_TYPES), DISCRIMINATION)
    table = decided(table, value="difference", confidence=confidence, resolution=DIGITS)
    sentences = [sentence(row) for row in table.fill_nan(None).iter_rows(named=True)]
    return (
        table.with_columns(pl.Series("sentence", sentences, dtype=pl.String))
        .select(list(DISCRIMINANT_TYPES))
        .fill_nan(None)
    )


def _row(left: Measured, right: Measured, attributes: Mapping[str, str], confidence: float) -> dict[str, Any]:
    names, first, second = shared(left, right)
    labelled = np.array([bool(attributes.get(name)) for name in names], dtype=bool)
    names = [name for name, keep in zip(names, labelled, strict=True) if keep]
    first, second = first[labelled], second[labelled]
    x, y = left.scores.mean[first], right.scores.mean[second]
    identity = identity_codes(tuple(left.identities[k] for k in first))
    attribute = identity_codes(tuple(attributes[name].strip().casefold() for name in names))
    used = _with_partner(identity, attribute)
    x, y, identity, attribute = x[used], y[used], identity[used], attribute[used]
    measured_by = ((left, first[used]), (right, second[used]))
    row: dict[str, Any] = {
        "model": left.model,
        "instrument_1": left.instrument,
        "instrument_2": right.instrument,
        "n_associations": int(used.sum()),
        "n_identities": len(np.unique(identity)),
        "n_attributes": len(np.unique(attribute)),
        "confidence": confidence,
        "p_value": float("nan"),
        "p_adjusted": float("nan"),
        "neutral": 0.0,
        "verdict": "",
        "sentence": "",
    }
    if not used.any():
        return {**row, "reason": NO_PARTNER}
    values = compared(x, y, identity, attribute)
    reason = (
        "an instrument gives all of these associations the same value"
        if not np.isfinite(values).all()
        else too_few(len(x), "associations", FEWEST_UNITS)
        or too_few(row["n_identities"], "identities", fewest_units(significance(confidence)))
        or next(
            filter(
                None,
                (
                    unreliable(reliability(by.scores.take(k), identity, confidence), tool(by.instrument))
                    for by, k in measured_by
                ),
            ),
            "",
        )
    )
    by_name = dict(zip(("same", "other", "within_1", "within_2"), values.tolist(), strict=True))
    row |= {**by_name, "difference": float(values[0] - values[1]), "reason": reason}
    return row if reason else row | jackknifed((x, y), identity, attribute, row["difference"], confidence)


def compared(x: np.ndarray, y: np.ndarray, identity: np.ndarray, attribute: np.ndarray) -> np.ndarray:
    """The four correlations `same`, `other`, `within_1` and `within_2`; NaN where they are not defined.

    Args:
        x: effects of the first instrument, each association with a partner.
        y: effects of the second.
        identity: code of the identity of each association.
        attribute: code of its attribute.
    """
    if len(x) < 2 or min(np.ptp(x), np.ptp(y)) <= 0:
        return np.full(4, np.nan)
    x, y = ((values - values.mean()) / values.std() for values in (x, y))
    cell = _cells(identity, attribute)
    far_x, far_y = (_partners(values, cell, attribute) for values in (x, y))
    products = (x * y, (x * far_y + y * far_x) / 2, x * far_x, y * far_y)
    return np.array([product.mean() for product in products])


def _cells(identity: np.ndarray, attribute: np.ndarray) -> np.ndarray:
    """A number for every identity and attribute."""
    return np.asarray(attribute.astype(np.int64) * (int(identity.max(initial=0)) + 1) + identity)


def _partners(values: np.ndarray, cell: np.ndarray, attribute: np.ndarray) -> np.ndarray:
    """Mean value of the associations of the same attribute and another identity."""
    _, cell = np.unique(cell, return_inverse=True)
    cell_sum, cell_count = np.bincount(cell, values)[cell], np.bincount(cell)[cell]
    total, count = np.bincount(attribute, values)[attribute], np.bincount(attribute)[attribute]
    return np.asarray((total - cell_sum) / (count - cell_count))


def _with_partner(identity: np.ndarray, attribute: np.ndarray) -> np.ndarray:
    """True where another identity has the same attribute."""
    if not len(identity):
        return np.zeros(0, dtype=bool)
    _, first = np.unique(_cells(identity, attribute), return_index=True)
    return np.asarray(np.bincount(attribute[first])[attribute] > 1)


def jackknifed(
    effects: tuple[np.ndarray, np.ndarray],
    identity: np.ndarray,
    attribute: np.ndarray,
    difference: float,
    confidence: float,
) -> dict[str, Any]:
    """Interval and p-value of the difference of `same` and `other`, whole identities left out in turn.

    Args:
        effects: of both instruments, each association with a partner.
        identity: code of the identity of each association.
        attribute: code of its attribute.
        difference: the estimate.
        confidence: confidence level.

    Returns:
        `low`, `high` and `p_value`, or the `reason` why there are none.
    """
    from scipy.special import stdtr, stdtrit

    x, y = effects
    left = []
    for code in np.unique(identity):
        kept = identity != code
        kept[kept] = _with_partner(identity[kept], attribute[kept])
        values = compared(x[kept], y[kept], identity[kept], attribute[kept])
        left.append(values[0] - values[1])
    without, count = np.array(left), len(left)
    error = float(np.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum()))
    if not error > 1e-12:
        why = "leaving out any one identity leaves nothing to compare, so there is no measure of error"
        return {"reason": why}
    freedom = effective_number(np.bincount(identity)) - 1
    reach = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    return {
        "low": difference - reach,
        "high": difference + reach,
        "p_value": float(2 * stdtr(freedom, -abs(difference) / error)),
    }


def sentence(row: dict[str, Any]) -> str:
    """What the row says, the finding first."""
    names = f"{tool(row['instrument_1'])} and {tool(row['instrument_2'])}"
    if row["verdict"] == UNTESTED:
        return (
            f"{row['model']}: whether {names} agree more on the same association than on other identities cannot be "
            f"tested: {row['reason']}."
        )
    numbers = (
        f"correlation {number(row['same'])} on the same association, {number(row['other'])} on the same attribute of "
        f"other identities, difference {number(row['difference'])} ({level(row)} interval "
        f"{ends(row['low'], row['high'], row['verdict'])}; {plural(row['n_associations'], 'association')})"
    )
    if row["verdict"] == ABOVE:
        return f"{row['model']}: {names} agree on more than the attribute: {numbers}."
    if row["verdict"] == BELOW:
        return (
            f"{row['model']}: {names} agree less on the same association than on other identities: {numbers}."
        )
    return (
        f"{row['model']}: the agreement of {names} on the same association is not distinguishable from that on other "
        f"identities: {numbers}.{blamed(row)}"
    )
