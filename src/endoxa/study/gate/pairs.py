"""What can be gated of sentence pairs: the sentence that each model prefers, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates.deciding import deciding_scores
from endoxa.instruments.pairs.estimates.records import Cell, Scores, load_records, scores_of
from endoxa.schema import ALL
from endoxa.sources.spreadsheets import read_csv
from endoxa.study.gate.decision import Values
from endoxa.study.gate.measures import PREFERENCE_RATIO, Measure, Paired
from endoxa.study.gate.rounding import rounding_of
from endoxa.study.gate.runs import Side
from endoxa.study.gate.selection import axes_of, common_rules, require_same_ids


def pair_cells(
    sides: tuple[Side, Side], measures: Sequence[Measure], rules: Sequence[str], axes: Sequence[str]
) -> tuple[list[Paired], list[str]]:
    """Every measure of pairs under each rule of both, on every axis.

    Raises:
        UserError: no rule in common, other items, or no such axis.
    """
    scored, notes = paired_scores(sides, rules)
    axes = axes_of(axes, set(scored.items["axis"]), "axis")
    tests = [
        pairs_cell(rule, axis, scores, Cell(ALL, axis), measure)
        for measure in measures
        for rule, scores in scored.by_rule.items()
        for axis in axes
    ]
    return tests, notes


@dataclass(frozen=True, slots=True)
class PairedScores:
    """What both models made of the same pairs.

    Attributes:
        by_rule: scores of baseline and candidate by the rule that both have.
        items: a row for each pair: `item` (its code in the scores), `item_id`, `axis`, `identity`.
    """

    by_rule: dict[str, tuple[Scores, Scores]]
    items: pl.DataFrame


def paired_scores(sides: tuple[Side, Side], rules: Sequence[str]) -> tuple[PairedScores, list[str]]:
    """The scores that decide, of both models under each rule of both, and notes.

    Raises:
        UserError: no rule in common, or other items.
    """
    records = []
    for side in sides:
        table = load_records([side.run.folder]).filter(model=side.model)
        # A retrained model often keeps its name, and a prefix changes the sentences of an item.
        records.append(
            table.with_columns(
                model=pl.lit(side.role), data=pl.lit(""), content=pl.lit(None, dtype=pl.UInt64)
            )
        )
    common, notes = common_rules([set(table["rule"]) for table in records], rules, "rule", "--rule")
    for rule in common:
        items = [set(table.filter(rule=rule)["item_id"]) for table in records]
        unscored = [_unscored(side) for side in sides]
        require_same_ids(items[0] | unscored[0], items[1] | unscored[1])
    together = pl.concat(records)
    deciding, calibrated = deciding_scores(scores_of(together, resamples=0))
    notes += [calibrated[rule] for rule in common if rule in calibrated]
    scores = {(score.model, score.rule): score for score in deciding}
    codes = pl.struct("data", "content", "item_id").rank("dense")
    named = together.select("item_id", "axis", "identity", "identity_key", item=codes)
    return PairedScores(
        {rule: (scores["baseline", rule], scores["candidate", rule]) for rule in common},
        named.unique("item", maintain_order=True),
    ), notes


def pairs_cell(
    rule: str,
    axis: str,
    scores: tuple[Scores, Scores],
    chosen: Cell | np.ndarray,
    measure: Measure = PREFERENCE_RATIO,
) -> Paired:
    """One measure on some pairs: those of a cell, or those with these codes."""
    baseline, other = scores
    in_baseline, in_other = (
        np.flatnonzero(side.chosen(chosen) if isinstance(chosen, Cell) else np.isin(side.item, chosen))
        for side in (baseline, other)
    )
    scored = len(np.union1d(baseline.item[in_baseline], other.item[in_other]))
    _, at, at_other = np.intersect1d(
        baseline.item[in_baseline], other.item[in_other], assume_unique=True, return_indices=True
    )
    in_baseline, in_other = in_baseline[at], in_other[at_other]
    first, second = baseline.sample.difference[in_baseline], other.sample.difference[in_other]
    cluster, attribute = baseline.sample.cluster[in_baseline], baseline.sample.attribute
    attribute = attribute if attribute is None else attribute[in_baseline]
    values = Values(np.sign(first) / 2, np.sign(second) / 2, cluster, attribute=attribute)
    return Paired(
        measure,
        rule,
        axis,
        values if len(at) else None,
        left_out=scored - len(at),
        identical=bool(np.array_equal(first, second)),
        units=("identities", "attributes"),
        untestable=baseline.unlinked(in_baseline) if len(at) else "",
        rounding=rounding_of(values, baseline, other, (first, second)),
    )


def _unscored(side: Side) -> set[str]:
    """Pairs that a run lists as not scored."""
    path = side.run.folder / "unscored.csv"
    if not path.is_file():
        return set()
    return set(read_csv(path, infer_schema=False).filter(model=side.model)["item_id"])
