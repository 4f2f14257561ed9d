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


def fixed_section(cut: float, curve: pl.DataFrame) -> Section:
    """A threshold that somebody gave.

    Args:
        cut: the threshold.
        curve: columns of `overlap.CURVE_COLUMNS`.
    """
    sentences = (
        f"The threshold of {decimal(cut, 3)} was given, not chosen by labelled pairs of these data sets."
    )
    return _section((Finding(sentences, ({"threshold": cut},)),), share_curve(curve, cut))


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
        text = f"The threshold of {decimal(cut, 3)} was chosen by labelled pairs; its table is not beside this one."
        return _section((Finding(text, ({"threshold": cut},)),), share_curve(curve, cut))
    row: dict[str, Any] = {
        name: float("nan") if value is None else value for name, value in chosen.row(0, named=True).items()
    }
    calibration = Calibration(**(row | {name: int(row[name]) for name in COUNTS}))
    findings = (
        *_chosen(calibration, row),
        *(Finding(text, (row,)) for text in warnings(calibration)),
        *_at_the_ends(calibration, concepts),
    )
    notes = (
        "The accuracy is that of the labelled pairs. A sheet of --sheet holds as many alike pairs as unlike ones; "
        "among all pairs of concepts, most of them unlike, it would be another.",
        *(
            [
                "The interval holds every cut that these labels cannot tell from the best one; it is rather wide."
            ]
            if isfinite(calibration.low)
            else []
        ),
        *_left_out(calibration),
    )
    return _section(findings, (*cut_curve(cuts, cut), *share_curve(curve, cut)), notes)


def _section(findings: tuple[Finding, ...], figures: Any, notes: tuple[str, ...] = ()) -> Section:
    return Section("threshold", "The threshold", findings=findings, figures=figures, notes=notes)


def _chosen(calibration: Calibration, row: dict[str, Any]) -> tuple[Finding, ...]:
    ends = (
        f" (interval {decimal_interval(calibration.low, calibration.high, 3)})"
        if isfinite(calibration.low)
        else ""
    )
    sentences = [
        f"The threshold is {decimal(calibration.threshold, 3)}{ends}: there Youden's J is greatest over "
        f"{plural(calibration.n, 'labelled pair')}, {count(calibration.n_related)} of them related. "
        f"{percent(calibration.sensitivity)} of the related pairs reach it, and {percent(calibration.specificity)} "
        "of the unrelated ones stay below."
    ]
    if isfinite(calibration.accuracy):
        sentences.append(
            f"On pairs of texts that it was not chosen on it decides as people did in {percent(calibration.accuracy)}"
            f"{_around(calibration.accuracy_low, calibration.accuracy_high)}; calling every pair "
            f"what most are would be right in {percent(calibration.majority)}."
        )
    else:
        sentences.append(
            "The pairs share too many texts to try the threshold on pairs that it was not chosen on."
        )
    if isfinite(calibration.balanced):
        sentences.append(
            f"With related and unrelated pairs counting alike that is {percent(calibration.balanced)}"
            f"{_around(calibration.balanced_low, calibration.balanced_high)}; guessing would give 50\u00a0%."
        )
    return tuple(Finding(text, (row,)) for text in sentences)


def _around(low: float, high: float) -> str:
    return f" (interval {percent_interval(low, high)})" if isfinite(low) else ""


def _at_the_ends(calibration: Calibration, concepts: pl.DataFrame) -> tuple[Finding, ...]:
    """The share of unique concepts of each data set at both ends of the interval of the threshold."""
    if concepts.is_empty() or not isfinite(calibration.low):
        return ()
    # What nothing may be compared with is unique at every threshold.
    ends = (pl.col("cosine").fill_null(-1) < end for end in (calibration.low, calibration.high))
    shares = concepts.group_by("dataset", maintain_order=True).agg(
        share.mean().alias(name) for share, name in zip(ends, ("low", "high"), strict=True)
    )
    rows = shares.to_dicts()
    each = [f"{row['dataset']} {percent_interval(row['low'], row['high'])}\u00a0%" for row in rows]
    text = f"Over that interval of the threshold the share of unique concepts would be: {listed(each)}."
    return (Finding(text, tuple(rows)),)


def _left_out(calibration: Calibration) -> list[str]:
    parts = [
        (calibration.unlabelled, "without an answer"),
        (calibration.repeated, "with a pair that an earlier row has"),
        (calibration.equal, "of two equal texts"),
    ]
    phrases = [f"{count(number)} {words}" for number, words in parts if number]
    return [f"Rows of the labels left out: {'; '.join(phrases)}."] if phrases else []
