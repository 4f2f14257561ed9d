"""The section about the threshold: how it was chosen, how well it does, and what other ones would give."""

from __future__ import annotations

from math import isfinite
from typing import Any

import polars as pl

from endoxa.curate.novelty.figures import cut_curve, share_curve
from endoxa.curate.novelty.threshold import Calibration, warnings
from endoxa.report.document import Finding, Section
from endoxa.report.words import count, decimal, decimal_interval, listed, percent, percent_interval, plural

COUNTS = ("n", "n_related", "n_tested", "texts", "groups", "repeated", "unlabelled", "equal")
"""Whole numbers among the columns of a calibration."""


def given_section(cut: float, curve: pl.DataFrame) -> Section:
    """A threshold that somebody gave.

    Args:
        cut: the threshold.
        curve: columns of `overlap.CURVE_COLUMNS`.
    """
    told = f"The threshold of {decimal(cut, 3)} was given, not chosen by labelled pairs of these data sets."
    return _section((Finding(told, ({"threshold": cut},)),), share_curve(curve, cut))


def chosen_section(
    cut: float, chosen: pl.DataFrame, cuts: pl.DataFrame, curve: pl.DataFrame, concepts: pl.DataFrame
) -> Section:
    """A threshold that labelled pairs chose.

    Args:
        cut: the threshold.
        chosen: columns of `threshold.THRESHOLD_COLUMNS`, one row, or none where the table is missing.
        cuts: columns of `threshold.CUT_COLUMNS`.
        curve: columns of `overlap.CURVE_COLUMNS`.
        concepts: columns of `overlap.CONCEPT_COLUMNS`.
    """
    if chosen.is_empty():
        told = f"The threshold of {decimal(cut, 3)} was chosen by labelled pairs; its table is not beside this one."
        return _section((Finding(told, ({"threshold": cut},)),), share_curve(curve, cut))
    row: dict[str, Any] = {
        name: float("nan") if value is None else value for name, value in chosen.row(0, named=True).items()
    }
    found = Calibration(**(row | {name: int(row[name]) for name in COUNTS}))
    findings = (
        *_chosen(found, row),
        *(Finding(text, (row,)) for text in warnings(found)),
        *_at_the_ends(found, concepts),
    )
    notes = (
        "The accuracy is that of the labelled pairs. A sheet of --sheet holds as many alike pairs as unlike ones; "
        "among all pairs of concepts, most of them unlike, it would be another.",
        *(
            [
                "The interval holds every cut that these labels cannot tell from the best one; it is rather wide."
            ]
            if isfinite(found.low)
            else []
        ),
        *_left_out(found),
    )
    return _section(findings, (*cut_curve(cuts, cut), *share_curve(curve, cut)), notes)


def _section(findings: tuple[Finding, ...], figures: Any, notes: tuple[str, ...] = ()) -> Section:
    return Section("threshold", "The threshold", findings=findings, figures=figures, notes=notes)


def _chosen(found: Calibration, row: dict[str, Any]) -> tuple[Finding, ...]:
    ends = f" (interval {decimal_interval(found.low, found.high, 3)})" if isfinite(found.low) else ""
    told = [
        f"The threshold is {decimal(found.threshold, 3)}{ends}: there Youden's J is greatest over "
        f"{plural(found.n, 'labelled pair')}, {count(found.n_related)} of them related. {percent(found.sensitivity)} "
        f"of the related pairs reach it, and {percent(found.specificity)} of the unrelated ones stay below."
    ]
    if isfinite(found.accuracy):
        told.append(
            f"On pairs of texts that it was not chosen on it decides as people did in {percent(found.accuracy)}"
            f"{_around(found.accuracy_low, found.accuracy_high)}; calling every pair what most are would be right in "
            f"{percent(found.majority)}."
        )
    else:
        told.append("The pairs share too many texts to try the threshold on pairs that it was not chosen on.")
    if isfinite(found.balanced):
        told.append(
            f"With related and unrelated pairs counting alike that is {percent(found.balanced)}"
            f"{_around(found.balanced_low, found.balanced_high)}; guessing would give 50\u00a0%."
        )
    return tuple(Finding(text, (row,)) for text in told)


def _around(low: float, high: float) -> str:
    return f" (interval {percent_interval(low, high)})" if isfinite(low) else ""


def _at_the_ends(found: Calibration, concepts: pl.DataFrame) -> tuple[Finding, ...]:
    """The share of unique concepts of each data set at both ends of the interval of the threshold."""
    if concepts.is_empty() or not isfinite(found.low):
        return ()
    # What nothing may be compared with is unique at every threshold.
    ends = (pl.col("cosine").fill_null(-1) < end for end in (found.low, found.high))
    shares = concepts.group_by("dataset", maintain_order=True).agg(
        share.mean().alias(name) for share, name in zip(ends, ("low", "high"), strict=True)
    )
    rows = shares.to_dicts()
    each = [f"{row['dataset']} {percent_interval(row['low'], row['high'])}\u00a0%" for row in rows]
    text = f"Over that interval of the threshold the share of unique concepts would be: {listed(each)}."
    return (Finding(text, tuple(rows)),)


def _left_out(found: Calibration) -> list[str]:
    parts = [
        (found.unlabelled, "without an answer"),
        (found.repeated, "with a pair that an earlier row has"),
        (found.equal, "of two equal texts"),
    ]
    said = [f"{count(number)} {words}" for number, words in parts if number]
    return [f"Rows of the labels left out: {'; '.join(said)}."] if said else []
