"""What can be gated of choices: the answers of each model, item by item and order by order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from endoxa.runs.folder import RECORDS
from endoxa.schema import ALL
from endoxa.sources.identities import identity_names
from endoxa.sources.served import versions_apart
from endoxa.study.gate.decision import Values
from endoxa.study.gate.measures import CHOICES_ANSWERED, Measure, Paired, same_answers
from endoxa.study.gate.runs import Side
from endoxa.study.gate.selection import axes_of, common_rules, require_same_ids

KEYS = ("item_id", "association_id", "repeat", "order")


def choice_cells(
    sides: tuple[Side, Side], measures: Sequence[Measure], rules: Sequence[str], axes: Sequence[str]
) -> tuple[list[Paired], list[str]]:
    """Every measure of choices for each kind of items, on every axis.

    Raises:
        UserError: no kind in common, other items, or no such axis.
    """
    by_kind, notes = paired_choices(sides, rules)
    axes = axes_of(axes, set().union(*(joined["axis"] for joined in by_kind.values())), "axis")
    cells = [
        choices_cell(measure, kind, axis, joined if axis == ALL else joined.filter(axis=axis))
        for measure in measures
        for kind, joined in by_kind.items()
        for axis in axes
    ]
    return cells, notes


def paired_choices(
    sides: tuple[Side, Side], rules: Sequence[str]
) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """Answers of both models to the same items by kind, those of the candidate as `NAME_other`, and notes.

    Raises:
        UserError: no kind in common, or other items.
    """
    tables = [
        versions_apart(pl.scan_parquet(side.run.folder / RECORDS)).filter(model=side.model).collect()
        for side in sides
    ]
    common, notes = common_rules([set(table["kind"]) for table in tables], rules, "kind", "--rule")
    joined = {}
    for kind in common:
        baseline, other = (table.filter(kind=kind) for table in tables)
        ids = [
            set(table.select(pl.concat_str(*KEYS, separator=" #")).to_series()) for table in (baseline, other)
        ]
        require_same_ids(*ids)
        joined[kind] = baseline.join(other, on=list(KEYS), suffix="_other").sort(*KEYS)
    return joined, notes


def choices_cell(measure: Measure, kind: str, axis: str, joined: pl.DataFrame) -> Paired:
    """One measure on some items that both were asked (`paired_choices`)."""
    read = joined.filter(pl.col("score").is_not_null() & pl.col("score_other").is_not_null())
    joint = joined if measure is CHOICES_ANSWERED else read
    return Paired(
        measure,
        kind,
        axis,
        _values(measure, joint) if joint.height else None,
        left_out=joined.height - joint.height,
        identical=same_answers(joint["answer"], joint["answer_other"]),
        units=("identities", "attributes"),
    )


def _values(measure: Measure, joint: pl.DataFrame) -> Values:
    cluster, attribute = (
        identity_names(joint[name].str.strip_suffix("/other")).rank("dense").to_numpy().astype(np.int64) - 1
        for name in ("identity_key", "attribute")
    )
    if measure is CHOICES_ANSWERED:
        first, second = (
            joint[name].is_not_null().to_numpy().astype(float) for name in ("score", "score_other")
        )
        return Values(first, second, cluster, directed=True, attribute=attribute)
    first, second = (joint[name].to_numpy() for name in ("score", "score_other"))
    return Values(first, second, cluster, reach=2.0, sum_reach=2.0, attribute=attribute)
