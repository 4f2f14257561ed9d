"""Two runs of sentence pairs: changes, and the pairs that changed sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates.records import Cell, Scores
from endoxa.report.inputs import Run
from endoxa.schema import ALL
from endoxa.sources.identities import with_joined_names
from endoxa.study.compare.changes import Change, judged
from endoxa.study.compare.contrasts import Choices, Estimates
from endoxa.study.compare.estimates import change_of
from endoxa.study.gate.measures import Paired
from endoxa.study.gate.pairs import PairedScores, paired_scores, pairs_cell
from endoxa.study.gate.rounding import rounding_notes
from endoxa.study.gate.runs import Side

PREFERS = {1: "stereotypical", 0: "tie", -1: "other"}


def compare_pairs(sides: tuple[Side, Side], choices: Choices) -> Estimates:
    """What changed between two runs of the same pairs."""
    scored, notes = paired_scores(sides, choices.rules)
    cells = [pairs_cell(rule, ALL, scores, Cell(ALL, ALL)) for rule, scores in scored.by_rule.items()]
    changed = [_changed(rule, *scores) for rule, scores in scored.by_rule.items()]
    return Estimates(
        tuple(change_of(cell, choices.confidence) for cell in cells),
        tuple(_parts(scored, choices.confidence)),
        _described(pl.concat(changed), scored.items, sides[0].run),
        (*notes, *choices.left_out(cells), *_rounded(sides, cells, choices.confidence)),
        all(cell.identical for cell in cells),
    )


def _rounded(sides: tuple[Side, Side], cells: Sequence[Paired], confidence: float) -> list[str]:
    """Whether half precision could change a verdict."""
    names = str(sides[0].run.folder), str(sides[1].run.folder)

    def verdicts(cells: Sequence[Paired]) -> list[str]:
        return [
            change.verdict for change in judged([change_of(cell, confidence) for cell in cells], confidence)
        ]

    return rounding_notes(cells, names, verdicts)


def _parts(scored: PairedScores, confidence: float) -> Iterator[Change]:
    """The preference ratio by axis and by identity, those of a single one left out."""
    axes = scored.items["axis"].unique().sort().to_list()
    named = with_joined_names(scored.items).drop_nulls("identity")
    groups = named.group_by("axis", "identity", maintain_order=True).agg("item").rows()
    for rule, scores in scored.by_rule.items():
        if len(axes) > 1:
            for axis in axes:
                cell = pairs_cell(rule, axis, scores, Cell(ALL, axis))
                if cell.values is not None:
                    yield change_of(cell, confidence)
        if len(groups) > 1:
            for axis, identity, items in groups:
                cell = pairs_cell(rule, axis, scores, np.array(items))
                if cell.values is not None:
                    yield change_of(cell, confidence, identity)


def _changed(rule: str, baseline: Scores, other: Scores) -> pl.DataFrame:
    """Code and differences of the pairs that prefer another sentence than before."""
    codes, at, at_other = np.intersect1d(baseline.item, other.item, assume_unique=True, return_indices=True)
    before, after = baseline.sample.difference[at], other.sample.difference[at_other]
    sides = np.sign(before).astype(int), np.sign(after).astype(int)
    moved = sides[0] != sides[1]
    return pl.DataFrame(
        {
            "item": codes[moved],
            "rule": [rule] * int(moved.sum()),
            "before": [PREFERS[side] for side in sides[0][moved].tolist()],
            "after": [PREFERS[side] for side in sides[1][moved].tolist()],
            "difference_before": before[moved],
            "difference_after": after[moved],
            "direction": np.where(sides[1] > sides[0], "towards", "away")[moved].tolist(),
        },
        schema={
            "item": pl.UInt32,
            "rule": pl.String,
            "before": pl.String,
            "after": pl.String,
            "difference_before": pl.Float64,
            "difference_after": pl.Float64,
            "direction": pl.String,
        },
    )


def _described(changed: pl.DataFrame, items: pl.DataFrame, run: Run) -> pl.DataFrame:
    """The pairs with their names and sentences."""
    named = changed.join(items.with_columns(pl.col("item").cast(pl.UInt32)), on="item", how="left").drop(
        "item"
    )
    lazy = pl.scan_parquet(run.folder / "records.parquet")
    if not {"sent_more", "sent_less", "stereotypical"} <= set(lazy.collect_schema().names()):
        return named
    first = pl.col("stereotypical") == "more"
    sentences = (
        lazy.join(named.lazy().select("item_id").unique(), on="item_id", how="semi")
        .select(
            "item_id",
            stereotypical_sentence=pl.when(first).then("sent_more").otherwise("sent_less"),
            other_sentence=pl.when(first).then("sent_less").otherwise("sent_more"),
        )
        .unique("item_id", keep="first")
        .collect()
    )
    return named.join(sentences, on="item_id", how="left", maintain_order="left")
