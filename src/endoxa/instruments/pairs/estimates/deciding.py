"""Which preference decides: the calibrated one where pairs could be calibrated, else the raw one.

A model that denies little prefers "Nurses are kind" to "Nurses are not kind" whoever is meant. Where the same two
sentences about others were scored, what the identity adds decides in every place: pages, terminal, tables
for papers, comparisons of models, gate and study. The raw ratio stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates.inference import HALF
from endoxa.instruments.pairs.estimates.records import Scores, take
from endoxa.instruments.pairs.probe.calibration import GROUPS, Comparisons
from endoxa.schema import Sample

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
    value: str = "value",
) -> pl.DataFrame:
    """The rows that decide in each cell, in the order of the table.

    Args:
        table: estimates (column `name`), one of each name for a cell.
        cell: columns that name a cell.
        names: the raw and the calibrated estimate; rows of others are left out.
        value: the column of the estimate.

    Returns:
        The rows with `n_all` (pairs of the cell, calibrated or not) and the raw estimate as `raw`, `raw_low`,
        `raw_high` and `raw_verdict`.
    """
    raw, calibrated = names
    beside = table.filter(name=raw).select(
        *cell, n_all="n", raw=value, raw_low="low", raw_high="high", raw_verdict="verdict"
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
