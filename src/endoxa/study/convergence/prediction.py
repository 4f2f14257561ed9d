"""What instruments near to use (decisions, stories) show of an association, predicted from the cheap ones.

Short tests are held to hardly predict realistic use (Lum et al. 2025, ACL 2025.acl-long.7: mean rank correlation 0.12,
over models). Here the question is asked within a model: an association, or all of one identity, is left out, least
squares are fitted to the rest, and what is left out is predicted. The baseline is the mean of the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from endoxa.report.claims import corrected as blamed
from endoxa.report.words import listed, plural
from endoxa.runs.families import BENJAMINI_HOCHBERG, Family, adjusted, decided
from endoxa.schema.convergence import PREDICTION_COLUMNS
from endoxa.stats.jackknife import jackknife
from endoxa.stats.reliability import EDGE, FEWEST_UNITS, halves_reliability
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import ABOVE, BELOW, UNTESTED, significance, too_few
from endoxa.study.convergence.correlations import DIGITS, crossed, ends, level, number, or_word, tool
from endoxa.study.convergence.effects import Measured, attribute_codes, identity_codes, types_of
from endoxa.study.parts import USUAL

LEFT_OUT = ("association", "identity")

PREDICTION = Family(
    "prediction from cheap instruments",
    "one test for each model, instrument near to use, predictors, and what is left out",
    (),
    BENJAMINI_HOCHBERG,
    "whether cheap instruments predict one near to use better than its mean does",
)


@dataclass(frozen=True, slots=True)
class Shared:
    """Effects of the associations that a target and its predictors all measured.

    Attributes:
        target: effects of the target.
        predictors: effects of the predictors, shape (associations, predictors).
        identity: code of the identity of each association.
        attribute: code of its attribute.
        reliability: of the target.
    """

    target: np.ndarray
    predictors: np.ndarray
    identity: np.ndarray
    attribute: np.ndarray
    reliability: float

    @classmethod
    def of(cls, target: Measured, predictors: Sequence[Measured], attributes: Mapping[str, str]) -> Shared:
        """The associations that all measured, in the order of the target."""
        places = [source.places() for source in predictors]
        names = [name for name in target.associations if all(name in place for place in places)]
        rows = np.array([target.places()[name] for name in names], dtype=int)
        columns = [
            source.scores.mean[[place[name] for name in names]] / (source.scale or 1.0)
            for source, place in zip(predictors, places, strict=True)
        ]
        scores = target.scores.take(rows)
        return cls(
            scores.mean / (target.scale or 1.0),
            np.column_stack(columns) if names else np.zeros((0, len(predictors))),
            identity_codes(tuple(target.identities[k] for k in rows)),
            attribute_codes(names, attributes),
            halves_reliability(scores) if names else float("nan"),
        )

    def statistics(self, kept: np.ndarray) -> np.ndarray:
        """log(1 - r2) and Fisher's z of the rank correlation, for either thing that is left out."""
        target, predictors, identity = self.target[kept], self.predictors[kept], self.identity[kept]
        return np.concatenate(
            [
                skill(target, predictors, codes)
                for codes in (np.arange(len(target)), np.unique(identity, return_inverse=True)[1])
            ]
        )


def left_out_predictions(target: np.ndarray, predictors: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Prediction of each value by least squares on all values of another code.

    By the closed form: residuals of a group divided by I - H of the group, with H the projection on the columns.

    Args:
        target: the values.
        predictors: shape (values, predictors); none predicts by the mean.
        codes: 0 and up; values of one code are left out together.
    """
    columns = np.column_stack([np.ones(len(target)), predictors])
    inverse = np.linalg.pinv(columns.T @ columns)
    residual = target - columns @ (inverse @ (columns.T @ target))
    if len(np.unique(codes)) == len(codes):
        rest = 1 - np.einsum("ij,jk,ik->i", columns, inverse, columns)
        left_out: np.ndarray = target - residual / np.where(rest > 1e-9, rest, np.nan)
        return left_out
    order = np.argsort(codes, kind="stable")
    made = np.empty(len(target))
    for rows in np.split(order, np.cumsum(np.bincount(codes))[:-1]):
        rest = np.eye(len(rows)) - columns[rows] @ inverse @ columns[rows].T
        if np.linalg.matrix_rank(rest) < len(rows):
            return np.full(len(target), np.nan)  # without these values the columns are not of full rank
        made[rows] = target[rows] - np.linalg.solve(rest, residual[rows])
    return made


def skill(target: np.ndarray, predictors: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """log(1 - r2) and Fisher's z of the rank correlation of what is left out and its prediction."""
    from scipy.stats import rankdata

    if len(target) < 3 or np.ptp(target) <= 0 or int(codes.max()) < 1:
        return np.full(2, np.nan)
    size, total = np.bincount(codes)[codes], np.bincount(codes, target)[codes]
    baseline = (target.sum() - total) / (len(target) - size)
    predicted = left_out_predictions(target, predictors, codes)
    # The mean of the rest goes down where what is left out is high: without it off, it would correlate by -1.
    ahead, ranks = predicted - baseline, rankdata(target)
    if not np.isfinite(ahead).all() or np.ptp(ahead) <= 0:
        return np.full(2, np.nan)
    rank = float(np.corrcoef(rankdata(ahead), ranks)[0, 1])
    errors = (((target - each) ** 2).sum() for each in (predicted, baseline))
    with np.errstate(divide="ignore"):
        ratio = np.log(next(errors)) - np.log(next(errors))
    return np.array([ratio, np.arctanh(np.clip(rank, -EDGE, EDGE))])


def predictions(
    sources: Sequence[Measured],
    attributes: Mapping[str, str],
    confidence: float = 0.95,
    cheap: Sequence[str] = USUAL.cheap,
    near_use: Sequence[str] = USUAL.near_use,
) -> pl.DataFrame:
    """What cheap instruments predict of those near to use, each alone and all together.

    Args:
        sources: what was measured.
        attributes: attribute of each association, by id.
        confidence: confidence level of intervals and verdicts.
        cheap: instruments to predict from.
        near_use: instruments to predict.

    Returns:
        Columns of `schema.convergence.PREDICTION_COLUMNS`.
    """
    models = [source.model for source in sources]
    rows = [
        row
        for target in sorted(
            (source for source in sources if source.instrument in near_use),
            key=lambda source: (models.index(source.model), near_use.index(source.instrument)),
        )
        for predictors in _sets([s for s in sources if s.model == target.model and s.instrument in cheap])
        for row in _rows(target, predictors, attributes, confidence)
    ]
    table = adjusted(pl.DataFrame(rows, schema=types_of(PREDICTION_COLUMNS)), PREDICTION)
    table = decided(
        table,
        value="r2",
        confidence=confidence,
        resolution=DIGITS,
        ends=("low", "high", "rank_low", "rank_high"),
    )
    sentences = [prediction_sentence(row) for row in table.fill_nan(None).iter_rows(named=True)]
    return (
        table.with_columns(pl.Series("sentence", sentences, dtype=pl.String))
        .select(list(PREDICTION_COLUMNS))
        .fill_nan(None)
    )


def _sets(cheap: Sequence[Measured]) -> Iterator[list[Measured]]:
    """All together, then each alone."""
    if len(cheap) > 1:
        yield list(cheap)
    yield from ([source] for source in cheap)


def _rows(
    target: Measured, predictors: Sequence[Measured], attributes: Mapping[str, str], confidence: float
) -> Iterator[dict[str, Any]]:
    shared = Shared.of(target, predictors, attributes)
    needed = fewest_units(significance(confidence))
    identities = len(np.unique(shared.identity))
    recurring = len(np.unique(shared.attribute)) if crossed(shared.identity, shared.attribute) else 0
    reason = too_few(len(shared.target), "associations", FEWEST_UNITS) or too_few(
        identities, "identities", needed
    )
    if not reason and not np.isfinite(shared.statistics(np.ones(len(shared.target), dtype=bool))).all():
        reason = "the effects of an instrument are the same for all of these associations, or of all but one identity"
    made = (
        None
        if reason
        else jackknife(shared.statistics, shared.identity, shared.attribute if recurring >= needed else None)
    )
    for k, left_out in enumerate(LEFT_OUT):
        row = {
            "model": target.model,
            "target": target.instrument,
            "predictors": "; ".join(source.instrument for source in predictors),
            "left_out": left_out,
            "n_associations": len(shared.target),
            "n_identities": identities,
            "n_attributes": recurring,
            "reliability": shared.reliability,
            "confidence": confidence,
            "neutral": 0.0,
            "p_value": float("nan"),
            "reason": reason,
        }
        if made is not None:
            low, high = made.ends(confidence)
            r2 = float(-np.expm1(made.value[2 * k]))
            row |= {
                "r2": r2,
                "low": float(-np.expm1(high[2 * k])),
                "high": highest_r2(r2, float(high[2 * k] - made.value[2 * k]), len(shared.target)),
                "p_value": float(made.p_values()[2 * k]),
                "rank": float(np.tanh(made.value[2 * k + 1])),
                "rank_low": float(np.tanh(low[2 * k + 1])),
                "rank_high": float(np.tanh(high[2 * k + 1])),
            }
        yield row


def highest_r2(r2: float, reach: float, associations: int) -> float:
    """Upper end of the interval of an R² from the half length of that of log(1 - R²).

    The error of log(1 - R²) grows with the root of R²: an estimate that came out low by chance has too small a one.
    So a higher R² is tested with the error that it would have (docs/methods/convergence.md has the coverage).
    """
    if not np.isfinite(reach):
        return float("nan")
    tried = np.linspace(min(r2, 0.999), 0.999, 2000)
    least = 1 / associations
    wider = np.sqrt(np.maximum((tried + least) / (max(r2, 0.0) + least), 1.0))
    inside = np.log1p(-r2) - np.log1p(-tried) <= reach * wider
    return float(tried[inside][-1])


def prediction_sentence(row: Mapping[str, Any]) -> str:
    """What the row says, the finding first."""
    cheap = listed([tool(name) for name in row["predictors"].split("; ")])
    together = " together" if ";" in row["predictors"] else ""
    unit, rest = (
        ("one association", "the others")
        if row["left_out"] == "association"
        else ("one identity", "those of the other identities")
    )
    of = f"{tool(row['target'])} of {unit} from {rest}"
    if row["verdict"] == UNTESTED:
        return f"{row['model']}: what {cheap} predict of {of} cannot be tested: {row['reason']}."
    words = {ABOVE: "better", BELOW: "worse"}
    finding = (
        f"{cheap}{together} predict {of} {words[row['verdict']]} than the mean does"
        if row["verdict"] in words
        else f"what {cheap}{together} predict of {of} is not distinguishable from the mean"
    )
    interval = ends(row["low"], row["high"], row["verdict"])
    return (
        f"{row['model']}: {finding}: R² {number(row['r2'])} ({level(row)} interval {interval}), rank correlation "
        f"{number(row['rank'])} ({ends(row['rank_low'], row['rank_high'])}), "
        f"{plural(row['n_associations'], 'association')} of {plural(row['n_identities'], 'identity', 'identities')}."
        f"{blamed(row)}{or_word(row)}"
    )
