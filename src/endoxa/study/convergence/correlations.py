"""Do instruments go together over associations, and on more than the attribute? Every two instruments of a model.

Correlations are raw and corrected for unreliability. Campbell and Fiske (1959) ask besides that two methods agree more
on the same trait than on different traits. Here a trait is an association, and the different trait is the same
attribute said of another identity: an instrument that reacts to the attribute whatever the group (a frequent word, a
harsh one) correlates as highly with other identities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from math import isinf
from typing import Any

import numpy as np
import polars as pl

from endoxa.report.claims import corrected as blamed
from endoxa.report.claims import open_ends
from endoxa.report.words import NOT_DEFINED, decimal, plural
from endoxa.runs.families import CONVERGENCE, DISCRIMINATION, Family, adjusted, decided
from endoxa.schema.convergence import CORRELATION_COLUMNS, DISCRIMINANT_COLUMNS
from endoxa.stats.attenuation import corrected_correlation, unreliable
from endoxa.stats.intervals import effective_number
from endoxa.stats.reliability import FEWEST_UNITS, jackknife_error, reliability
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import ABOVE, BELOW, UNTESTED, significance, too_few
from endoxa.study.convergence.chance import ASSOCIATION_OR_WORD, correlation_p_value, with_partner
from endoxa.study.convergence.effects import Measured, attribute_codes, identity_codes, types_of

DIGITS = 0.005
"""Half of the last digit that is printed of a correlation."""
NO_PARTNER = "no attribute was measured for two identities by both"

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

    Where attributes recur but are fewer than six, they are taken as they are: the p-value is then at least that of
    exchanging identities after attribute means were removed (`chance.correlation_p_value`).

    Args:
        sources: what was measured.
        attributes: attribute of each association, by id.
        confidence: confidence level of intervals and verdicts.
        seed: seed of the sign-flip tests and of exchanges.

    Returns:
        Columns of `schema.convergence.CORRELATION_COLUMNS`, a row for every model and two of its instruments.
    """
    rows = [
        _correlation_row(left, right, attributes or {}, confidence, seed) for left, right in paired(sources)
    ]
    return _finished(rows, CORRELATION_COLUMNS, CONVERGENCE, "corrected", confidence, correlation_sentence)


def _begun(
    left: Measured, right: Measured, associations: int, identities: int, confidence: float
) -> dict[str, Any]:
    """What every row of two instruments holds."""
    return {
        "model": left.model,
        "instrument_1": left.instrument,
        "instrument_2": right.instrument,
        "n_associations": associations,
        "n_identities": identities,
        "confidence": confidence,
        "p_value": float("nan"),
        "p_adjusted": float("nan"),
        "neutral": 0.0,
        "verdict": "",
        "sentence": "",
    }


def _finished(  # noqa: PLR0917
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, str],
    family: Family,
    value: str,
    confidence: float,
    sentence: Callable[[dict[str, Any]], str],
) -> pl.DataFrame:
    """The table with adjusted p-values, verdicts and a sentence for each row."""
    table = adjusted(pl.DataFrame(rows, schema=types_of(columns)), family)
    table = decided(table, value=value, confidence=confidence, resolution=DIGITS)
    sentences = [sentence(row) for row in table.fill_nan(None).iter_rows(named=True)]
    return (
        table.with_columns(pl.Series("sentence", sentences, dtype=pl.String))
        .select(list(columns))
        .fill_nan(None)
    )


def _correlation_row(
    left: Measured, right: Measured, attributes: Mapping[str, str], confidence: float, seed: int
) -> dict[str, Any]:
    names, first, second = shared(left, right)
    identity = np.array(left.identities, dtype=object)[first] if names else np.array([], dtype=object)
    row = _begun(left, right, len(names), len(set(identity.tolist())), confidence)
    row |= {"n_attributes": 0, "sampled": "both"}
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
    )
    row |= {"n_attributes": recurring, "sampled": "identities" if few and recurring else "both"}
    if few and recurring and np.isfinite(made.p_value):
        x, y = left.scores.mean[first], right.scores.mean[second]
        made = made.at_least(correlation_p_value(x, y, codes, attribute, seed), confidence)
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


def discriminant(
    sources: Sequence[Measured], attributes: Mapping[str, str], confidence: float = 0.95
) -> pl.DataFrame:
    """For every two instruments of a model, agreement on the same association against that on other identities.

    Over the associations that both instruments measured and whose attribute both measured for another identity too:
    `same` is the mean product of both standardised effects of an association; `other` that of the first instrument's
    effect with the mean effect of the second over the associations of the same attribute and another identity,
    averaged with the reverse; `within_1` and `within_2` are the latter with one instrument on both sides. Effects are
    standardised over these associations. Identities are left out in turn, as what is measured and as partners. Where a
    reliability over these associations is unknown or too low (`stats.attenuation.unreliable`), nothing is tested.

    Args:
        sources: what was measured.
        attributes: attribute of each association, by id; what it lacks has no partner.
        confidence: confidence level of intervals and verdicts.

    Returns:
        Columns of `schema.convergence.DISCRIMINANT_COLUMNS`.
    """
    rows = [_discriminant_row(left, right, attributes, confidence) for left, right in paired(sources)]
    return _finished(
        rows, DISCRIMINANT_COLUMNS, DISCRIMINATION, "difference", confidence, discriminant_sentence
    )


def _discriminant_row(
    left: Measured, right: Measured, attributes: Mapping[str, str], confidence: float
) -> dict[str, Any]:
    names, first, second = shared(left, right)
    labelled = np.array([bool(attributes.get(name)) for name in names], dtype=bool)
    names = [name for name, keep in zip(names, labelled, strict=True) if keep]
    first, second = first[labelled], second[labelled]
    x, y = left.scores.mean[first], right.scores.mean[second]
    identity = identity_codes(tuple(left.identities[k] for k in first))
    attribute = identity_codes(tuple(attributes[name].strip().casefold() for name in names))
    used = with_partner(identity, attribute)
    x, y, identity, attribute = x[used], y[used], identity[used], attribute[used]
    measured_by = ((left, first[used]), (right, second[used]))
    row = _begun(left, right, int(used.sum()), len(np.unique(identity)), confidence)
    row["n_attributes"] = len(np.unique(attribute))
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
        kept[kept] = with_partner(identity[kept], attribute[kept])
        values = compared(x[kept], y[kept], identity[kept], attribute[kept])
        left.append(values[0] - values[1])
    without = np.array(left)
    error = jackknife_error(without)
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


def discriminant_sentence(row: dict[str, Any]) -> str:
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
