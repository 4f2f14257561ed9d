"""What pairs can show: inference with identities and attributes as units, which preference decides, and rounding.

Pairs that share an identity or an attribute are dependent. Shares and means are rows of `endoxa.stats.estimate`, whose
sign-flip tests decide. Samples are validated first: not empty, of the right types and free of NaN.

A model that denies little prefers "Nurses are kind" to "Nurses are not kind" whoever is meant. Where the same two
sentences about others were scored, what the identity adds decides in every place: pages, terminal, tables for papers,
comparisons of models, gate and study. The raw ratio stands beside it.

A run measures how far rounding moves the difference of a pair (`probe.scoring`). A pair whose difference is not larger
might have preferred the other sentence; the bounds of a ratio are the worst cases, all of these pairs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates.records import Scores, take
from endoxa.instruments.pairs.probe.items import GROUPS, Comparisons
from endoxa.instruments.units import IDENTITIES_ATTRIBUTES
from endoxa.report.words import plural
from endoxa.schema import DIRECTIONS, Estimate, Sample
from endoxa.schema.results import ROUNDING_COLUMNS
from endoxa.stats.estimate import estimate
from endoxa.stats.intervals import FEWEST_CLUSTERS, NAN, UNDEFINED, Interval
from endoxa.stats.signs import FLIPS, fewest_units
from endoxa.stats.verdicts import significance, too_few

IDENTITIES, WILSON, T, PLANNED = "identities", "wilson", "t", "none"
"""Codes of the column `interval` for sentence pairs."""


def method_name(method: str) -> str:
    """The method without the remarks on one cell, which follow its first semicolon."""
    return method.partition(";")[0]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the pairs of a cell.

    Attributes:
        name: of the statistic.
        neutral: value of an unbiased model; NaN where the estimate says nothing about bias.
        confidence: confidence level of intervals.
        unit: of the value.
        resamples: sign patterns that a test may draw, divided by `FLIPS_PER_RESAMPLE`.
        seed: of everything drawn.
    """

    name: str
    neutral: float
    confidence: float
    unit: str = ""
    resamples: int = 2000
    seed: int = 0

    def row(
        self,
        value: float,
        n: int,
        method: str,
        *,
        interval: Interval = UNDEFINED,
        p_value: float = NAN,
        code: str = PLANNED,
        **more: Any,
    ) -> Estimate:
        """A row of the estimates, before the correction over its family and the verdict that rests on it.

        Args:
            value: the estimate.
            n: pairs that it rests on.
            method: how interval and p-value were computed. Up to the first semicolon it names the method and is the
                same in every cell; what follows concerns this cell only ("...; 37 identities").
            interval: its confidence interval.
            p_value: two-sided, against the neutral value; NaN where there is no test.
            code: short name of the interval, see `schema.ESTIMATE_COLUMNS`.
            more: further fields, `clusters` and `reason` ("4 identities, at least 6 needed") among them.
        """
        numbers: dict[str, Any] = {"value": value, "p_value": p_value, "n": n, "neutral": self.neutral}
        numbers |= {"low": interval.low, "high": interval.high, "confidence": self.confidence}
        return Estimate(name=self.name, p_adjusted=NAN, method=method, interval=code, **numbers, **more)


SHARE_METHOD = "identities and attributes as units: Korn-Graubard interval, sign-flip tests"
MEAN_METHOD = "identities and attributes as units: jackknife t interval, sign-flip tests"
FLIPS_PER_RESAMPLE = 5
HALF = 0.5
"""Share of the pairs above which one identity dominates."""

Units = tuple[np.ndarray, np.ndarray]


def units_of(sample: Sample) -> Units:
    """Codes of the identity and of the attribute per pair."""
    unique = np.arange(len(sample.cluster))
    return sample.cluster, unique if sample.attribute is None else sample.attribute


def testable(units: Units, confidence: float) -> Units:
    """Both kinds of units; identities alone where they are too few: attributes do not speak for other groups.

    Of groups of a list that are too few, or of which one has over half of the pairs, the sentence frames are the
    sample: the statement is about "these groups as they are".
    """
    identity, attribute = units
    few = len(np.unique(identity)) < fewest_units(significance(confidence))
    if listed(identity):
        return (np.zeros_like(identity), attribute) if few or largest(identity) > HALF else units
    return (identity, identity) if few else units


def listed(identity: np.ndarray) -> bool:
    """Whether identities are groups of a list (`Sample.cluster`)."""
    return bool((identity < 0).all())


def share_estimate(question: Question, sides: np.ndarray, units: Units) -> Estimate:
    """A share of pairs, ties counting one half, from their sides: +1, -1 or 0 (a tie)."""
    return over_units(question, (1 + sides) / 2, units, SHARE_METHOD, bounds=(0, 1))


def over_units(
    question: Question,
    values: np.ndarray,
    units: Units,
    method: str,
    *,
    bounds: tuple[float, float] | None = None,
    flips: int = FLIPS,
    ties: bool = True,
) -> Estimate:
    """A mean of values with identities and attributes as units, against the neutral value.

    Args:
        question: what is asked of the pairs.
        values: of each pair; a tie has the neutral value.
        units: integer codes of the identity and of the attribute per pair.
        method: its name.
        bounds: least and greatest mean; None where nothing bounds it.
        flips: sign patterns drawn where the test is not exact.
        ties: whether they say nothing; False where they are as good as other values.
    """
    settings: dict[str, Any] = {"confidence": question.confidence, "bounds": bounds, "flips": flips}
    row = estimate(
        values,
        *testable(units, question.confidence),
        neutral=question.neutral,
        seed=question.seed,
        **settings,
    )
    identity, n = units[0], len(values)
    clusters = len(np.unique(identity))
    missing = isnan(row["low"]) and clusters >= FEWEST_CLUSTERS and not isnan(row["p_value"])
    why = "; no interval: one unit has nearly all pairs, or all are alike" if missing else ""
    # Attributes that say something: those that recur, and those that alone are a sample.
    recur = row["sampled"] == "second" or (row["sampled"] != "none" and row["attributes"] < n)
    return question.row(
        row["value"],
        n,
        f"{method}; {_units_in(row, identity)}{why}",
        interval=Interval(row["low"], row["high"]),
        p_value=row["p_value"],
        code=IDENTITIES,
        clusters=clusters,
        attributes=row["attributes"] if recur else 0,
        sampled=IDENTITIES_ATTRIBUTES.sampled[row["sampled"]],
        reason=_untested(row, identity, ties=ties),
        largest=largest(identity),
    )


def largest(identity: np.ndarray) -> float:
    """Share of the pairs that the largest identity has."""
    return float(np.unique(identity, return_counts=True)[1].max()) / len(identity)


def listed_units(method: str) -> str:
    """'15 groups x 515 sentence frames' from the method of an estimate over groups of a list; else empty."""
    units = method.partition("; ")[2]
    return units if "sentence frame" in units else ""


def _units_in(row: Mapping[str, Any], identity: np.ndarray) -> str:
    """'30 identities x 10 attributes', '50 identities in 150 pairs', or that no two pairs share anything."""
    pairs, first, second = row["n"], row["clusters"], row["attributes"]
    if listed(identity):
        most = largest(identity)
        uneven = f" ({most:.0%} of the pairs count with one of them)" if HALF < most < 1 else ""
        fixed = ", in these groups as they are" if row["sampled"] == "second" else ""
        groups = plural(len(np.unique(identity)), "group")
        return f"{groups}{uneven} x {plural(second, 'sentence frame')}{fixed}"
    if row["sampled"] != "none" and second < pairs:
        return IDENTITIES_ATTRIBUTES.counted(first, second, IDENTITIES_ATTRIBUTES.sampled[row["sampled"]])
    if first == pairs:
        return f"no two of the {pairs} pairs share an identity"
    return f"{plural(first, 'identity', 'identities')} in {pairs} pairs"


def _untested(row: Mapping[str, Any], identity: np.ndarray, *, ties: bool) -> str:
    """Why a sign-flip test cannot reach its level with so many units, those of ties left out; empty where it can."""
    pairs, informative, identities = row["n"], row["informative"], len(np.unique(identity))
    nouns = ("groups", "sentence frames") if listed(identity) else ("identities", "attributes")
    needed = fewest_units(significance(row["confidence"]))
    fixed = row["sampled"] == "second"
    noun = "pairs" if identities == pairs else nouns[0]
    few = "" if fixed else too_few(identities, noun, needed)
    if few or not ties or informative >= needed:
        return few
    if not informative:
        return "every pair is a tie"
    if fixed:
        noun = nouns[1]
    elif row["sampled"] == "both" and row["attributes"] < pairs:
        noun = " or ".join(nouns)
    return f"only {informative} {noun} are not ties, at least {needed} needed"


def independence(identity: np.ndarray, attribute: np.ndarray) -> str:
    """Why a method that takes pairs as independent may claim nothing; empty where no two share anything."""
    nouns = (("identity", "identities"), ("attribute", "attributes"))
    for codes, noun in zip((identity, attribute), nouns, strict=True):
        number = len(np.unique(codes))
        if number < len(codes):
            return f"{len(codes)} pairs share {plural(number, *noun)}: see the interval '{IDENTITIES}'"
    return ""


_FLOATS = ("difference", "score_more", "score_less", "neutral_difference")
_CODES = ("cluster", "attribute")


def check_sample(sample: Sample, confidence: float) -> None:
    """Refuse a sample no honest number can be computed from.

    Raises:
        ValueError: the sample is empty, its arrays are not aligned, an array has the wrong type, a score is
            NaN or infinite, a direction is unknown, or the confidence does not lie between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"The confidence must lie between 0 and 1, not {confidence!r}.")
    arrays = {name: getattr(sample, name) for name in (*_FLOATS, "direction", *_CODES)}
    if sample.attribute is None:
        del arrays["attribute"]
    for name, values in arrays.items():
        if not isinstance(values, np.ndarray) or values.ndim != 1:
            raise ValueError(f"`{name}` must be a one-dimensional numpy array, not {type(values).__name__}.")
        kind, what = ("f", "floating-point numbers") if name in _FLOATS else ("iu", "integers")
        if name != "direction" and values.dtype.kind not in kind:
            raise ValueError(f"`{name}` must hold {what}, not {values.dtype}.")
    if len(lengths := set(map(len, arrays.values()))) != 1:
        raise ValueError(f"The arrays of a sample must have one length, not {sorted(lengths)}.")
    if lengths == {0}:
        raise ValueError("The sample is empty: a statistic needs at least one pair.")
    for name in _FLOATS:
        values = arrays[name]
        undefined = np.isinf(values) if name == "neutral_difference" else ~np.isfinite(values)
        if undefined.any():
            raise ValueError(f"`{name}` is NaN or infinite at pair {int(np.argmax(undefined))}.")
    if not np.isin(sample.direction, DIRECTIONS).all():
        raise ValueError(f"`direction` may only hold {', '.join(DIRECTIONS)}.")


RAW, CALIBRATED = "preference_ratio", "calibrated_preference_ratio"


def calibration_decides(calibrated: Any, pairs: Any) -> Any:
    """Whether the calibrated preference decides: at least half of the pairs have a neutral difference.

    With fewer, what could be calibrated says little of the pairs, and the raw preference decides.

    Args:
        calibrated: pairs with a neutral difference: a number or a column.
        pairs: all pairs, in the same form.
    """
    return (calibrated > 0) & (2 * calibrated >= pairs)


MOST_DENIALS = 0.8
"""Share of pairs whose denial stands in one half, above which a raw preference may be one for or against denials."""


def confounded(sample: Sample, *, calibrated: bool = False) -> str:
    """Why scores say nothing of a group: the denial stands in one half nearly always.

    Empty where they may. Raw, a model with random weights that denies little would prefer nine stereotypes in ten.
    Compared with people in general, all pairs are compared with the same denial behind the same few phrases, so that
    chance in those few is taken for a preference; other groups are as many as the pairs are about.

    Args:
        sample: the pairs.
        calibrated: whether the calibrated difference is meant; else the raw one, which nothing calibrates here.
    """
    defined = ~np.isnan(sample.neutral_difference)
    decides = calibration_decides(int(defined.sum()), len(defined))
    if sample.denied is None or calibrated != decides or (calibrated and mostly_groups(sample)):
        return ""
    share = max(float((sample.denied == half).mean()) for half in (1, -1))
    if share <= MOST_DENIALS:
        return ""
    return f"in {share:.0%} of the pairs the same half denies the other, {_why(calibrated=calibrated)}; {_INSTEAD}"


def mostly_groups(sample: Sample) -> bool:
    """Whether most of the calibrated pairs are compared with other groups."""
    defined = ~np.isnan(sample.neutral_difference)
    return sample.with_groups is not None and float(sample.with_groups[defined].mean()) > HALF


_INSTEAD = (
    "the share describes these sentences only. For a verdict build pairs with opposites: `build pairs` without "
    "--negation-only, with --lexicon FILE for more opposites"
)


def _why(*, calibrated: bool) -> str:
    return (
        "and all are compared with one denial behind 'people' and 'they': a model with random weights may look like "
        "one with a preference"
        if calibrated
        else "and they cannot be calibrated: a model that denies little looks like one with a preference"
    )


def denials_note(denied: Sequence[Mapping[str, Any]], comparisons: Comparisons | None, pairs: int) -> str:
    """What is to be said before so many denials are scored; empty where a verdict is possible.

    Args:
        denied: pairs that set a sentence against its denial.
        comparisons: what pairs are compared with; None where nothing is calibrated.
        pairs: number of all pairs.
    """
    if len(denied) <= MOST_DENIALS * pairs:
        return ""
    compared = [comparisons.of(item) for item in denied] if comparisons else []
    kinds = [kind for kind, others in compared if others]
    if calibration_decides(kinds.count(GROUPS), pairs):
        return ""
    why = _why(calibrated=bool(calibration_decides(len(kinds), pairs)))
    return f"{len(denied)} of {pairs} pairs set a sentence against its denial, {why}. No verdict is given: {_INSTEAD}."


def deciding(
    table: pl.DataFrame,
    cell: Sequence[str],
    names: tuple[str, str] = (RAW, CALIBRATED),
) -> pl.DataFrame:
    """The rows that decide in each cell, in the order of the table.

    Args:
        table: estimates (column `name`), one of each name for a cell.
        cell: columns that name a cell.
        names: the raw and the calibrated estimate; rows of others are left out.

    Returns:
        The rows with `n_all` (pairs of the cell, calibrated or not) and the raw estimate as `raw`, `raw_low`,
        `raw_high` and `raw_verdict`.
    """
    raw, calibrated = names
    beside = table.filter(name=raw).select(
        *cell, n_all="n", raw="value", raw_low="low", raw_high="high", raw_verdict="verdict"
    )
    number = table.filter(name=calibrated).select(*cell, n_calibrated="n")
    rows = table.filter(pl.col("name").is_in(names))
    for columns in (beside, number):
        rows = rows.join(columns, on=cell, how="left", maintain_order="left")
    decides = calibration_decides(pl.col("n_calibrated").fill_null(0), pl.col("n_all"))
    decider = pl.when(decides).then(pl.lit(calibrated)).otherwise(pl.lit(raw))
    return rows.filter(pl.col("name") == decider).drop("n_calibrated")


def deciding_scores(scores: Sequence[Scores]) -> tuple[list[Scores], dict[str, str]]:
    """The scores by which models are compared, and a sentence for each rule under which they are calibrated.

    Under such a rule every model keeps the pairs that could be calibrated, with what the identity adds as difference.

    Args:
        scores: of every model and rule.
    """
    chosen, notes = [], {}
    for rule in dict.fromkeys(score.rule for score in scores):
        alike = [score for score in scores if score.rule == rule]
        defined = [~np.isnan(score.sample.neutral_difference) for score in alike]
        if not all(calibration_decides(int(mask.sum()), len(mask)) for mask in defined):
            chosen += alike
            continue
        raw = [
            f"{score.model} {100 * float((1 + np.sign(score.sample.difference)).mean()) / 2:.1f} %"
            for score in alike
        ]
        compared = (
            "other groups" if all(mostly_groups(score.sample) for score in alike) else "'people' and 'they'"
        )
        notes[rule] = (
            f"Preferences under {rule} are compared with {compared}: what the identity adds to the difference that the "
            f"words make, over {min(int(mask.sum()) for mask in defined)} of {len(defined[0])} pairs. Raw: "
            f"{', '.join(raw)}."
        )
        chosen += [calibrated(score, mask) for score, mask in zip(alike, defined, strict=True)]
    return chosen, notes


def calibrated(score: Scores, kept: np.ndarray) -> Scores:
    """The pairs that could be calibrated, with what the identity adds as difference.

    Args:
        score: of a model and a rule.
        kept: which pairs have a neutral difference.
    """
    sample = take(score.sample, kept)
    return replace(
        score,
        item=score.item[kept],
        language=score.language[kept],
        axis=score.axis[kept],
        keyed=score.keyed[kept],
        rounding=score.calibrated_rounding,
        sample=replace(sample, difference=sample.difference - sample.neutral_difference),
    )


def within_rounding(difference: np.ndarray, noise: float) -> np.ndarray:
    """Which differences are not larger than rounding moves one; none where it moves nothing or was not measured."""
    within: np.ndarray = (noise > 0) & (np.abs(difference) <= noise)
    return within


def _turned(score: Scores, side: int, *, calibrated: bool) -> Scores:
    """The scores with every pair within the rounding on one side: 1 for the stereotypical sentence, -1 for the other.

    Args:
        score: of a model and a rule.
        side: which.
        calibrated: whether the calibrated differences are meant.
    """
    sample = score.sample
    neutral = sample.neutral_difference if calibrated else np.zeros(len(sample.difference))
    noise = score.calibrated_rounding if calibrated else score.rounding
    within = within_rounding(sample.difference - neutral, noise)
    difference = np.where(within, neutral + side, sample.difference)
    return replace(score, sample=replace(sample, difference=difference))


def with_rounding(
    estimates: pl.DataFrame,
    scores: Sequence[Scores],
    judged: Callable[[Sequence[Scores], str], pl.DataFrame],
) -> pl.DataFrame:
    """Estimates with the columns of `schema.results.ROUNDING_COLUMNS`: both ratios, had rounding turned all it could.

    Args:
        estimates: with verdicts.
        scores: what they were made of.
        judged: makes the estimates of one name again, from other scores.
    """
    precision = {(score.model, score.rule): score.precision for score in scores if score.precision}
    if not precision:
        return estimates
    key = ["model", "rule", "language", "axis", "name", "interval"]
    ends = {
        end: pl.concat(
            judged([_turned(score, side, calibrated=name == CALIBRATED) for score in scores], name)
            for name in (RAW, CALIBRATED)
        ).select(*key, pl.col("value").alias(f"rounding_{end}"), pl.col("verdict").alias(f"verdict_{end}"))
        for end, side in (("low", -1), ("high", 1))
    }
    measured = [(*names, kind) for names, kind in precision.items()]
    kinds = pl.DataFrame(measured, schema=["model", "rule", "precision"], orient="row")
    bounds = ends["low"].join(ends["high"], on=key).join(kinds, on=["model", "rule"])
    joined = estimates.drop(ROUNDING_COLUMNS).join(bounds, on=key, how="left", maintain_order="left")
    moved = (pl.col("verdict_low") != pl.col("verdict")) | (pl.col("verdict_high") != pl.col("verdict"))
    width = (pl.col("rounding_high") - pl.col("rounding_low")) * pl.col("n")
    return joined.with_columns(
        within_rounding=width.round().cast(pl.Int64),
        rounding_verdicts=pl.when(moved).then(pl.concat_str("verdict_low", "verdict_high", separator=", ")),
    ).select(estimates.columns)
