"""Sentence pairs of two runs: the sentence that each model prefers, pair by pair, and what half precision leaves open.

A run says how far rounding moves the difference of a pair (`endoxa.instruments.pairs.probe.scoring`). Decided is once
more with all pairs within it on one side, then on the other, in either run: the four worst cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates.inference import deciding_scores, within_rounding
from endoxa.instruments.pairs.estimates.records import Scores, load_records, scores_of
from endoxa.report.words import count, listed, plural
from endoxa.sources.identities import with_joined_names
from endoxa.sources.spreadsheets import read_csv
from endoxa.study.compare.decision import SIGNS, Values
from endoxa.study.compare.items import NAN, OTHER, Items, both, changed_items, common_rules, require_same_ids
from endoxa.study.compare.measures import PREFERENCE_RATIO, Paired, Rounding
from endoxa.study.compare.runs import Side

RUNS = ("baseline", "candidate")
PREFERS = {1.0: "stereotypical", 0.0: "tie", -1.0: "other"}


def pair_items(sides: tuple[Side, Side], rules: Sequence[str]) -> Items:
    """The scores that decide, of both models under each rule of both.

    Raises:
        UserError: no rule in common, or other pairs.
    """
    records = []
    for place, side in enumerate(sides):
        table = load_records([side.run.folder]).filter(model=side.model)
        # A retrained model often keeps its name, and a prefix changes the sentences of an item.
        same = {"data": pl.lit(""), "content": pl.lit(None, dtype=pl.UInt64)}
        records.append(table.with_columns(model=pl.lit(RUNS[place]), **same))
    common, notes = common_rules([set(table["rule"]) for table in records], rules, "rule")
    unscored = [_unscored(side) for side in sides]
    for rule in common:
        scored = [table.filter(rule=rule).select("item_id") for table in records]
        require_same_ids([pl.concat(tables) for tables in zip(scored, unscored, strict=True)])
    together = pl.concat(records)
    deciding, calibrated = deciding_scores(scores_of(together, resamples=0))
    scores = {(score.model, score.rule): score for score in deciding}
    couples = {rule: (scores[RUNS[0], rule], scores[RUNS[1], rule]) for rule in common}
    code = pl.struct("data", "content", "item_id").rank("dense")
    named = together.select("item_id", "axis", "identity", "identity_key", item=code)
    named = with_joined_names(named.unique("item", maintain_order=True)).drop("identity_key")
    joined = pl.concat(_joined(rule, *couple) for rule, couple in couples.items())
    frame = joined.join(named, on="item", how="left", maintain_order="left")

    def finished(cell: Paired, rows: pl.DataFrame) -> Paired:
        if not isinstance(cell.values, Values):
            return cell
        differences = [rows[name].to_numpy() for name in ("difference", f"difference{OTHER}")]
        rounding = rounding_of(cell.values, couples[cell.rule], differences)
        unlinked = couples[cell.rule][0].unlinked(rows["place"].to_numpy())
        return replace(cell, untestable=unlinked, rounding=rounding)

    shown = {"difference_before": "difference", "difference_after": f"difference{OTHER}"}
    return Items(
        frame,
        (PREFERENCE_RATIO,),
        ("identities", "attributes"),
        lambda: _with_sentences(changed_items(frame, shown), sides[0]),
        [*notes, *(calibrated[rule] for rule in common if rule in calibrated)],
        finished=finished,
    )


def _joined(rule: str, first: Scores, other: Scores) -> pl.DataFrame:
    """Scores of both runs under a rule, pair by pair in the order of their codes."""
    attribute = first.sample.attribute
    units = pl.DataFrame(
        {
            "item": first.item,
            "identities": first.sample.cluster,
            "attributes": pl.Series(attribute, dtype=pl.Int64) if attribute is not None else None,
            "place": np.arange(len(first.item)),
        },
        schema_overrides={"attributes": pl.Int64},
    )
    scored = [
        pl.DataFrame({"item": each.item, "difference": each.sample.difference}) for each in (first, other)
    ]
    joined = scored[0].join(scored[1], on="item", how="full", suffix=OTHER, coalesce=True)

    def columns(end: str) -> dict[str, pl.Expr]:
        side = pl.col(f"difference{end}").sign()
        return {
            PREFERENCE_RATIO.name: (side / 2).fill_null(NAN),
            "lean": side,
            "outcome": side.replace_strict(PREFERS, return_dtype=pl.String),
        }

    return (
        joined.join(units, on="item", how="left")
        .sort("item")
        .with_columns(
            rule=pl.lit(rule),
            same=pl.col("difference") == pl.col(f"difference{OTHER}"),
            **both(columns),
        )
    )


def _unscored(side: Side) -> pl.DataFrame:
    """Pairs that a run lists as not scored."""
    path = side.run.folder / "unscored.csv"
    if not path.is_file():
        return pl.DataFrame(schema={"item_id": pl.String})
    return read_csv(path, infer_schema=False).filter(model=side.model).select("item_id")


def _with_sentences(changed: pl.DataFrame, side: Side) -> pl.DataFrame:
    """The pairs that changed with both sentences, where the records have them."""
    lazy = pl.scan_parquet(side.run.folder / "records.parquet")
    if not {"sent_more", "sent_less", "stereotypical"} <= set(lazy.collect_schema().names()):
        return changed
    first = pl.col("stereotypical") == "more"
    sentences = (
        lazy.join(changed.lazy().select("item_id").unique(), on="item_id", how="semi")
        .select(
            "item_id",
            stereotypical_sentence=pl.when(first).then("sent_more").otherwise("sent_less"),
            other_sentence=pl.when(first).then("sent_less").otherwise("sent_more"),
        )
        .unique("item_id", keep="first")
        .collect()
    )
    return changed.join(sentences, on="item_id", how="left", maintain_order="left")


def rounding_of(
    values: Values, runs: tuple[Scores, Scores], differences: Sequence[np.ndarray]
) -> Rounding | None:
    """What rounding could make of the values of two runs; None where no pair lies within it.

    Args:
        values: of both.
        runs: scores of both.
        differences: those of the pairs of `values`, in both.
    """
    masks = [within_rounding(each, run.rounding) for run, each in zip(runs, differences, strict=True)]
    if not np.any(masks):
        return None
    first, other = (
        [np.where(mask, side / 2, column) for side in SIGNS]
        for mask, column in zip(masks, (values.baseline, values.candidate), strict=True)
    )
    return Rounding(
        tuple((run.precision, int(mask.sum())) for run, mask in zip(runs, masks, strict=True)),
        tuple(replace(values, baseline=before, candidate=after) for before in first for after in other),
    )


def rounding_notes(
    cells: Sequence[Paired], names: tuple[str, str], decided: Callable[[Sequence[Paired]], Any]
) -> list[str]:
    """A sentence where rounding could change what is decided, else nothing.

    Args:
        cells: both runs on the same items; only those of pairs can have been rounded.
        names: of both runs.
        decided: what is decided from cells.
    """
    rounded = [(cell, cell.rounding) for cell in cells if cell.rounding and not cell.identical]
    if not rounded:
        return []
    for place in range(len(SIGNS) ** 2):
        ends = {id(cell): replace(cell, values=rounding.ends[place]) for cell, rounding in rounded}
        if decided([ends.get(id(cell), cell) for cell in cells]) != decided(cells):
            break
    else:
        return []
    largest, rounding = max(rounded, key=lambda each: each[0].numbers[0])
    within = [
        f"{count(pairs)} of {plural(largest.numbers[0], 'pair')} of {name} lie within the rounding of {precision}"
        for name, (precision, pairs) in zip(names, rounding.within, strict=True)
        if pairs
    ]
    return [
        f"Half precision could change the verdict: {listed(within)} ({largest.rule}, {largest.axis}). Had they gone "
        "the other way, it could be another one. Use --set dtype=float32 for the last word."
    ]
