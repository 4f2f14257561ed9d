"""The same tests under two poolings of one model: how many change sign, how many verdicts differ."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import polars as pl

from endoxa.instruments.association_tests.report.results import Associations
from endoxa.report.document import Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import plural
from endoxa.stats.verdicts import CLEAR, RESOLUTION

SIGN_CHANGES = {
    "label": "the model",
    "one": "one pooling",
    "other": "another",
    "tests": "tests with a defined effect size under both",
    "changed": "of those, how many effect sizes have opposite signs",
    "both": "groups that differ under both",
    "opposed": "of those, how many in opposite directions",
    "only_one": "groups that differ under `one` only",
    "only_other": "groups that differ under `other` only",
}
"""Columns of `sign_changes`."""

_HEADS = (
    *("model", "one pooling", "other pooling", "tests", "change sign", "groups differ in both"),
    *("in opposite directions", "only in one", "only in other"),
)


def poolings(results: Associations) -> Section | None:
    """How many tests change sign between every two poolings of a model; None where no model has two."""
    rows = list(sign_changes(results.estimates).iter_rows(named=True))
    if not rows:
        return None
    texts = ("model", "one pooling", "other pooling")
    return Section(
        anchor="poolings",
        title="Between poolings",
        findings=tuple(_sentences(rows)),
        tables=(
            Table(
                "Sign changes between poolings of one model",
                tuple(Column(name, numeric=name not in texts) for name in _HEADS),
                tuple(tuple(str(row[name]) for name in SIGN_CHANGES) for row in rows),
            ),
        ),
        notes=(
            "Pooling is how the vectors of a text's tokens become one vector. Nothing in the question "
            "decides which is right, so a result that turns with it says more about the choice than about the groups.",
        ),
    )


def sign_changes(estimates: pl.DataFrame) -> pl.DataFrame:
    """One row per model and two of its poolings that share a test, columns of `SIGN_CHANGES`.

    An effect size that is printed as zero changes with nothing.
    """
    rows = []
    for (label,), own in estimates.group_by(["label"], maintain_order=True):
        for one, other in combinations(own["pooling"].unique(maintain_order=True), 2):
            pairs = _signed(own, one).join(_signed(own, other), on=["test", "language"])
            if pairs.is_empty():
                continue
            first, second = pairs["claimed"], pairs["claimed_right"]
            opposite = pairs["sign"] * pairs["sign_right"] < 0
            rows.append(
                {
                    "label": label,
                    "one": one,
                    "other": other,
                    "tests": pairs.height,
                    "changed": int(opposite.sum()),
                    "both": int((first & second).sum()),
                    "opposed": int((first & second & opposite).sum()),
                    "only_one": int((first & ~second).sum()),
                    "only_other": int((~first & second).sum()),
                }
            )
    texts = dict.fromkeys(("label", "one", "other"), pl.String)
    return pl.DataFrame(rows, schema={name: texts.get(name, pl.Int64) for name in SIGN_CHANGES})


def _signed(tests: pl.DataFrame, pooling: str) -> pl.DataFrame:
    """Sign and verdict of the tests of one pooling."""
    effect = pl.col("effect_size")
    return (
        tests.filter(pooling=pooling)
        .drop_nulls("effect_size")
        .select(
            "test",
            "language",
            sign=pl.when(effect.abs() < RESOLUTION).then(0).otherwise(effect.sign()),
            claimed=pl.col("verdict").is_in(CLEAR),
        )
    )


def _sentences(rows: list[dict[str, Any]]) -> Iterator[Finding]:
    for row in rows:
        changed, opposed = row["changed"], row["opposed"]
        both = (
            f" In {plural(opposed, 'test')} both poolings show a difference, in opposite directions."
            if opposed
            else ""
        )
        yield Finding(
            f"{row['label']}: between {row['one']} and {row['other']}, {changed or 'none'} of "
            f"{plural(row['tests'], 'effect size')} {'changes' if changed == 1 else 'change'} sign.{both}",
            (row,),
        )
