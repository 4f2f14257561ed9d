"""The same tests under two poolings of one model: how many change sign."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import polars as pl

from endoxa.report.associations import Associations
from endoxa.report.document import Column, Section, Table
from endoxa.report.words import plural

SIGN_CHANGES = {
    "label": "the model",
    "one": "one pooling",
    "other": "another",
    "tests": "tests with a defined effect size under both",
    "changed": "of those, how many effect sizes have opposite signs",
    "both": "significant under both",
    "only_one": "significant under `one` only",
    "only_other": "significant under `other` only",
}
"""Columns of `sign_changes`."""


def poolings(results: Associations) -> Section:
    """How many tests change sign between every two poolings of a model."""
    changes = sign_changes(results.estimates)
    if changes.is_empty():
        return Section(
            anchor="poolings",
            title="Between poolings",
            findings=("No model was tested with more than one pooling, so nothing can change sign.",),
        )
    rows = list(changes.iter_rows(named=True))
    return Section(
        anchor="poolings",
        title="Between poolings",
        findings=tuple(_sentences(rows)),
        tables=(
            Table(
                "Sign changes between poolings of one model",
                (
                    *(Column(name) for name in ("model", "one pooling", "other pooling")),
                    *(
                        Column(name, numeric=True)
                        for name in (
                            "tests",
                            "change sign",
                            "significant in both",
                            "only in one",
                            "only in other",
                        )
                    ),
                ),
                tuple(tuple(str(row[name]) for name in SIGN_CHANGES) for row in rows),
            ),
        ),
        notes=(
            "Pooling is how the vectors of a text's tokens become one vector. Nothing in the question "
            "decides which is right, so a result that turns with it says more about the choice than about the groups.",
        ),
    )


def sign_changes(estimates: pl.DataFrame) -> pl.DataFrame:
    """One row per model and two of its poolings, columns of `SIGN_CHANGES`; zero changes with nothing."""
    rows = []
    for (label,), own in estimates.group_by(["label"], maintain_order=True):
        for one, other in combinations(own["pooling"].unique(maintain_order=True), 2):
            keys = ["test", "language"]
            values = ["effect_size", "significant"]
            pairs = (
                own.filter(pl.col("pooling") == one)
                .select(*keys, *values)
                .join(own.filter(pl.col("pooling") == other).select(*keys, *values), on=keys)
                .drop_nulls(["effect_size", "effect_size_right"])
            )
            first, second = pairs["significant"], pairs["significant_right"]
            rows.append(
                {
                    "label": label,
                    "one": one,
                    "other": other,
                    "tests": pairs.height,
                    "changed": int((pairs["effect_size"] * pairs["effect_size_right"] < 0).sum()),
                    "both": int((first & second).sum()),
                    "only_one": int((first & ~second).sum()),
                    "only_other": int((~first & second).sum()),
                }
            )
    texts = dict.fromkeys(("label", "one", "other"), pl.String)
    numbers = dict.fromkeys(("tests", "changed", "both", "only_one", "only_other"), pl.Int64)
    return pl.DataFrame(rows, schema={**texts, **numbers})


def _sentences(rows: list[dict[str, object]]) -> Iterator[str]:
    for row in rows:
        changed, tests = int(str(row["changed"])), int(str(row["tests"]))
        yield (
            f"{row['label']}: between {row['one']} and {row['other']}, {changed or 'none'} of "
            f"{plural(tests, 'effect size')} {'changes' if changed == 1 else 'change'} sign."
        )
